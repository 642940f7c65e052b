//===- KernelCacheTest.cpp - Compiled kernels that outlive a process ------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Cache/KernelCache.h"
#include "Support/TemporaryFolder.h"
#include "tc/Support/BuildId.h"
#include "tc/Support/Files.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <random>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tc;
namespace fs = std::filesystem;

namespace {

using Value = std::optional<std::string>;

/// Bytes that follow from the key and do not compress.
std::string valueOf(const std::string &key, size_t size = 10000) {
  std::seed_seq seed(key.begin(), key.end());
  std::minstd_rand random(seed);
  std::string value(size, '\0');
  for (char &c : value)
    c = static_cast<char>(random() >> 8);
  return value;
}

class KernelCacheTest : public ::testing::Test {
protected:
  std::string file() const { return folder + "/" + KernelCache::fileName; }

  /// Opens the cache; warnings go to `warnings`.
  std::unique_ptr<KernelCache> open(int64_t maxBytes = int64_t(256) << 20) {
    return std::make_unique<KernelCache>(
        folder, maxBytes, [&](const std::string &line) {
          EXPECT_NE(line.find(file()), std::string::npos) << line;
          warnings.push_back(line);
        });
  }
  void storeAll(const std::vector<std::string> &keys) {
    auto cache = open();
    for (const std::string &key : keys)
      cache->store(key, valueOf(key));
  }
  /// Expects one warning with that text.
  void expectWarning(const std::string &text) {
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find(text), std::string::npos) << warnings[0];
  }
  /// Changes the database behind the cache's back.
  void execute(const char *sql) {
    sqlite3 *database = nullptr;
    ASSERT_EQ(sqlite3_open(file().c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
  }
  /// Asks SQLite for errors in the database.
  void expectIntegrity() {
    sqlite3 *database = nullptr;
    ASSERT_EQ(sqlite3_open(file().c_str(), &database), SQLITE_OK);
    auto row = [](void *result, int, char **columns, char **) {
      static_cast<std::string *>(result)->append(columns[0]);
      return 0;
    };
    std::string result;
    sqlite3_exec(database, "PRAGMA integrity_check", row, &result, nullptr);
    EXPECT_EQ(result, "ok");
    sqlite3_close(database);
  }
  /// Runs `work(i)` in so many processes at once; expects each to return true.
  template <typename Work> void inProcesses(int count, Work work) {
    std::vector<pid_t> children;
    for (int i = 0; i < count; ++i) {
      pid_t child = fork();
      ASSERT_GE(child, 0);
      if (child == 0)
        _exit(work(i) ? 0 : 1);
      children.push_back(child);
    }
    for (pid_t child : children) {
      int status = 0;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    }
  }

  TemporaryFolder temporary;
  const std::string root = temporary.name(), folder = root + "/a/cache";
  std::vector<std::string> warnings;
};

TEST_F(KernelCacheTest, FindsWhatWasStored) {
  auto cache = open();
  EXPECT_TRUE(cache->isOpen());
  EXPECT_EQ(cache->find("a"), std::nullopt);
  cache->store("a", "one");
  cache->store("b", std::string("t\0o", 3));
  cache->store("", "");
  EXPECT_EQ(cache->find("a"), Value("one"));
  EXPECT_EQ(cache->find("b"), Value(std::string("t\0o", 3)));
  EXPECT_EQ(cache->find(""), Value(""));
  EXPECT_EQ(cache->find("A"), std::nullopt);
  cache->store("a", "three");
  EXPECT_EQ(cache->find("a"), Value("three"));
  cache.reset();
  EXPECT_EQ(open()->find("a"), Value("three"));
  EXPECT_TRUE(warnings.empty());
}

TEST_F(KernelCacheTest, NobodyElseMayReadTheFolder) {
  open();
  EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all);
}

TEST_F(KernelCacheTest, ComparesKeysWhole) {
  storeAll({"a", "b"});
  execute("UPDATE entries SET hash = (SELECT hash FROM entries WHERE key = "
          "x'62')");
  EXPECT_EQ(open()->find("b"), valueOf("b"));
  EXPECT_TRUE(warnings.empty());
}

TEST_F(KernelCacheTest, RemovesTheLeastRecentlyUsed) {
  constexpr int64_t limit = 120000;
  auto cache = open(limit);
  for (int i = 0; i < 40; ++i) {
    cache->store("key " + std::to_string(i), valueOf(std::to_string(i)));
    EXPECT_EQ(cache->find("key 0"), valueOf("0")) << i;
    EXPECT_LE(fs::file_size(file()), uint64_t(limit)) << i;
  }
  // The others are the newest, without a gap.
  int kept = 0;
  while (cache->find("key " + std::to_string(39 - kept)))
    ++kept;
  EXPECT_GE(kept, 5);
  for (int i = 1; i < 40 - kept; ++i)
    EXPECT_EQ(cache->find("key " + std::to_string(i)), std::nullopt) << i;
  EXPECT_TRUE(warnings.empty());
}

TEST_F(KernelCacheTest, ShrinksToASmallerLimit) {
  std::vector<std::string> keys;
  for (int i = 0; i < 50; ++i)
    keys.push_back(std::to_string(i));
  storeAll(keys);
  EXPECT_GT(fs::file_size(file()), 500000u);
  open(100000)->store("new", valueOf("new"));
  EXPECT_LE(fs::file_size(file()), 100000u);
  EXPECT_EQ(open()->find("new"), valueOf("new"));
  EXPECT_EQ(open()->find("49"), valueOf("49"));
  EXPECT_EQ(open()->find("0"), std::nullopt);
}

TEST_F(KernelCacheTest, LeavesOutWhatIsTooLarge) {
  auto cache = open(60000);
  cache->store("small", valueOf("small"));
  cache->store("large", valueOf("large", 100000));
  EXPECT_EQ(cache->find("large"), std::nullopt);
  EXPECT_EQ(cache->find("small"), valueOf("small"));
  EXPECT_TRUE(warnings.empty());
}

TEST_F(KernelCacheTest, RemovesADamagedEntry) {
  for (const char *column : {"value", "checksum"}) {
    warnings.clear();
    storeAll({"a", "b"});
    execute((std::string("UPDATE entries SET ") + column +
             " = substr(hex(value), 1, 16) WHERE key = x'61'")
                .c_str());
    auto cache = open();
    EXPECT_EQ(cache->find("a"), std::nullopt);
    expectWarning("held a damaged entry, which is removed");
    EXPECT_EQ(cache->find("b"), valueOf("b"));
    EXPECT_EQ(cache->find("a"), std::nullopt);
    EXPECT_EQ(warnings.size(), 1u);
    cache->store("a", valueOf("a"));
    EXPECT_EQ(cache->find("a"), valueOf("a"));
  }
}

TEST_F(KernelCacheTest, BeginsAnewWhereTheFileIsGarbage) {
  fs::create_directories(folder);
  for (size_t size : {100, 4096, 5000, 100000}) {
    warnings.clear();
    ASSERT_TRUE(replaceFile(file(), valueOf("garbage", size)));
    auto cache = open();
    expectWarning("was damaged, and is begun anew");
    cache->store("a", valueOf("a"));
    EXPECT_EQ(open()->find("a"), valueOf("a"));
    EXPECT_EQ(warnings.size(), 1u);
  }
}

TEST_F(KernelCacheTest, SurvivesTruncation) {
  std::vector<std::string> keys;
  for (int i = 0; i < 10; ++i)
    keys.push_back(std::to_string(i));
  storeAll(keys);
  std::string whole = *readFile(file());
  for (size_t size = 0; size < whole.size(); size += 2600) {
    ASSERT_TRUE(replaceFile(file(), whole.substr(0, size)));
    auto cache = open();
    for (const std::string &key : keys) {
      if (Value value = cache->find(key))
        EXPECT_EQ(value, valueOf(key)) << size;
      cache->store(key, valueOf(key));
    }
    for (const std::string &key : keys)
      EXPECT_EQ(cache->find(key), valueOf(key)) << size;
  }
}

TEST_F(KernelCacheTest, NeverGivesBackWhatWasNotStored) {
  std::vector<std::string> keys;
  for (int i = 0; i < 6; ++i)
    keys.push_back(std::to_string(i));
  storeAll(keys);
  std::string whole = *readFile(file());
  std::minstd_rand random(1);
  for (int round = 0; round < 100; ++round) {
    std::string damaged = whole;
    // Half of the damage is where SQLite keeps its own data.
    for (int i = 0; i < 20; ++i)
      damaged[random() % (i % 2 ? damaged.size() : 4096 * 6)] ^=
          static_cast<char>(1 + random() % 255);
    ASSERT_TRUE(replaceFile(file(), damaged));
    auto cache = open();
    for (const std::string &key : keys)
      if (Value value = cache->find(key))
        EXPECT_EQ(value, valueOf(key)) << round;
    cache->store("new", "value");
    EXPECT_EQ(cache->find("new"), Value("value")) << round;
  }
}

TEST_F(KernelCacheTest, BeginsAnewWhereTheFormatIsAnother) {
  storeAll({"a"});
  execute("PRAGMA user_version = 2");
  auto cache = open();
  expectWarning("has another format, and is begun anew");
  EXPECT_EQ(cache->find("a"), std::nullopt);
  cache->store("a", valueOf("a"));
  EXPECT_EQ(open()->find("a"), valueOf("a"));
}

TEST_F(KernelCacheTest, BeginsAnewWhereTheTablesAreOthers) {
  storeAll({"a"});
  execute("DROP TABLE entries; CREATE TABLE entries(x)");
  auto cache = open();
  EXPECT_EQ(cache->find("a"), std::nullopt);
  expectWarning("was damaged, and is begun anew");
  cache->store("a", valueOf("a"));
  EXPECT_EQ(open()->find("a"), valueOf("a"));
}

TEST_F(KernelCacheTest, WarnsWhereNoFolderCanBe) {
  ASSERT_TRUE(replaceFile(root + "/a", "a file"));
  auto cache = open();
  EXPECT_FALSE(cache->isOpen());
  expectWarning("cannot be used: unable to open database file");
  cache->store("a", "one");
  EXPECT_EQ(cache->find("a"), std::nullopt);
  EXPECT_EQ(warnings.size(), 1u);
}

TEST_F(KernelCacheTest, WarnsWhereNothingCanBeWritten) {
  storeAll({"a"});
  // The limit makes writes fail, for root as well.
  inProcesses(1, [&](int) {
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit = {20000, 20000};
    setrlimit(RLIMIT_FSIZE, &limit);
    auto cache = open();
    bool found = cache->find("a") == valueOf("a");
    cache->store("b", valueOf("b", 50000));
    return found && warnings.size() == 1 &&
           warnings[0].find("cannot be written: ") != std::string::npos &&
           cache->find("b") == std::nullopt;
  });
  EXPECT_EQ(open()->find("a"), valueOf("a"));
}

/// One of many processes that look up and store the same keys in another order.
bool useMany(KernelCache &cache, int process) {
  std::minstd_rand random(process + 1);
  for (int i = 0; i < 60; ++i) {
    std::string key = "key " + std::to_string(random() % 20);
    Value value = cache.find(key);
    if (value && *value != valueOf(key))
      return false;
    if (!value)
      cache.store(key, valueOf(key));
    if (cache.find(key).value_or(valueOf(key)) != valueOf(key))
      return false;
  }
  return true;
}

TEST_F(KernelCacheTest, ManyProcessesMayUseIt) {
  inProcesses(8, [&](int process) {
    // So small that they remove one another's entries.
    auto cache = open(150000);
    return useMany(*cache, process) && warnings.empty();
  });
  EXPECT_LE(fs::file_size(file()), 150000u);
  expectIntegrity();
  storeAll({"last"});
  EXPECT_EQ(open()->find("last"), valueOf("last"));
  EXPECT_TRUE(warnings.empty());
}

TEST_F(KernelCacheTest, ManyProcessesMayRepairIt) {
  fs::create_directories(folder);
  ASSERT_TRUE(replaceFile(file(), valueOf("garbage", 20000)));
  inProcesses(8, [&](int process) {
    auto cache = open();
    return cache->isOpen() && useMany(*cache, process);
  });
  storeAll({"last"});
  EXPECT_EQ(open()->find("last"), valueOf("last"));
  EXPECT_TRUE(warnings.empty());
}

TEST(DefaultCacheFolder, FollowsTheEnvironment) {
  setenv("HOME", "/home/me", 1);
  setenv("XDG_CACHE_HOME", "/var/cache", 1);
  EXPECT_EQ(defaultCacheFolder(), "/var/cache/tc");
  setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(defaultCacheFolder(), "/home/me/.cache/tc");
  unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(defaultCacheFolder(), "/home/me/.cache/tc");
  unsetenv("HOME");
  EXPECT_EQ(defaultCacheFolder(), "");
}

TEST(IdentifyCompiler, HasALineForTheProgramAndLLVM) {
  std::string text = identifyCompiler();
  // This program does not use MLIR.
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
  // This program's linker makes build ids of 8 bytes or more.
  size_t end = text.find('\n');
  EXPECT_GE(end, 16u);
  EXPECT_EQ(text.find_first_not_of("0123456789abcdef"), end);
  EXPECT_EQ(text, identifyCompiler());
}

} // namespace
