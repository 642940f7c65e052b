//===- TuningDatabaseTest.cpp - Evaluations that outlive a process --------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Tuning/TuningDatabase.h"
#include "Support/TemporaryFolder.h"
#include "Tuning/TestEvaluations.h"
#include "tc/Support/Files.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <random>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tc;
using namespace tc::tuning;
using tc::tuning::test::evaluation;
namespace fs = std::filesystem;
using Access = TuningDatabase::Access;

namespace {

class TuningDatabaseTest : public ::testing::Test {
protected:
  TuningDatabase open(Access access = Access::Write) {
    Result<TuningDatabase> database = TuningDatabase::open(file, access);
    EXPECT_TRUE(database) << database.error();
    return std::move(*database);
  }
  void record(const Evaluation &made) {
    Status status = open().record(made);
    EXPECT_TRUE(status) << status.error();
  }
  /// The best schedule of that contraction; empty if there is none.
  std::string best(const std::string &contraction) {
    Result<std::optional<Evaluation>> found =
        open(Access::Read).best({contraction, "machine"});
    EXPECT_TRUE(found) << found.error();
    return found && *found ? (*found)->schedule : "";
  }
  /// The error of opening the file and reading all of it.
  std::string errorOf(Access access) {
    Result<TuningDatabase> database = TuningDatabase::open(file, access);
    if (!database)
      return database.error();
    Result<std::vector<Evaluation>> all = database->all();
    return all ? "none" : all.error();
  }
  void expectError(const std::string &text) {
    std::string before = *readFile(file);
    for (Access access : {Access::Read, Access::Write}) {
      EXPECT_NE(errorOf(access).find(text), std::string::npos)
          << errorOf(access);
      EXPECT_NE(errorOf(access).find(file), std::string::npos);
    }
    EXPECT_EQ(*readFile(file), before);
  }
  /// Changes the database behind its back.
  void execute(const char *sql) {
    sqlite3 *database = nullptr;
    ASSERT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
  }

  TemporaryFolder temporary;
  const std::string root = temporary.name();
  std::string file = root + "/tuned.sqlite";
};

TEST_F(TuningDatabaseTest, KeepsEvaluations) {
  Evaluation first = evaluation("a", 0.25, EvaluationKind::Simulated, "s1");
  Evaluation second = evaluation("b", 1.0 / 3, EvaluationKind::Measured, "s2");
  record(first);
  record(second);
  // The same once more changes nothing.
  record(first);
  Result<std::vector<Evaluation>> all = open(Access::Read).all();
  ASSERT_TRUE(all) << all.error();
  ASSERT_EQ(all->size(), 2u);
  EXPECT_EQ(keyOf((*all)[0]), keyOf(first));
  EXPECT_EQ(keyOf((*all)[1]), keyOf(second));
}

TEST_F(TuningDatabaseTest, TheBestIsTheFastestOfTheMostTrusted) {
  EXPECT_EQ(open().best({"a", "machine"})->has_value(), false);
  record(evaluation("a", 0.1, EvaluationKind::Simulated, "s1"));
  EXPECT_EQ(best("a"), "s1");
  record(evaluation("a", 0.05, EvaluationKind::Simulated, "s2"));
  EXPECT_EQ(best("a"), "s2");
  record(evaluation("a", 0.3, EvaluationKind::Measured, "s3"));
  EXPECT_EQ(best("a"), "s3");
  record(evaluation("a", 0.2, EvaluationKind::Measured, "s4"));
  record(evaluation("a", 0.2, EvaluationKind::Measured, "s5"));
  record(evaluation("a", 0.01, EvaluationKind::Simulated, "s6"));
  EXPECT_EQ(best("a"), "s4");
  EXPECT_EQ(best("b"), "");
}

TEST_F(TuningDatabaseTest, TheLastEvaluationOfASearchCounts) {
  record(evaluation("a", 0.1, EvaluationKind::Measured, "s1"));
  record(evaluation("a", 0.2, EvaluationKind::Measured, "s2"));
  // By luck, it was fast.
  record(evaluation("a", 0.3, EvaluationKind::Measured, "s1"));
  EXPECT_EQ(best("a"), "s2");
  // Another search has its own.
  Evaluation other = evaluation("a", 0.15, EvaluationKind::Measured, "s1");
  other.search = "other";
  record(other);
  EXPECT_EQ(best("a"), "s1");
  Result<std::vector<Evaluation>> bests = open().bests();
  ASSERT_TRUE(bests);
  ASSERT_EQ(bests->size(), 1u);
  EXPECT_EQ(bests->front().seconds, 0.15);
}

TEST_F(TuningDatabaseTest, TellsKeysApart) {
  TuningDatabase database = open();
  TuningKey key = {"a", "machine", 1};
  std::vector<TuningKey> others = {
      {"A", "machine", 1}, {"a", "machine2", 1}, {"a", "machine", 2}};
  Evaluation made = evaluation("a", 0.5);
  for (const TuningKey &other : others) {
    made.key = other;
    ASSERT_TRUE(database.record(made));
  }
  EXPECT_FALSE(*database.best(key));
  for (const TuningKey &other : others)
    EXPECT_EQ((*database.best(other))->key, other);
  made.key = key;
  made.schedule = "mine";
  ASSERT_TRUE(database.record(made));
  EXPECT_EQ((*database.best(key))->schedule, "mine");
  Result<std::vector<Evaluation>> bests = database.bests();
  ASSERT_TRUE(bests);
  EXPECT_EQ(bests->size(), 4u);
}

TEST_F(TuningDatabaseTest, MergesWhatItLacks) {
  record(evaluation("a", 0.5));
  TuningDatabase database = open();
  Result<int64_t> added = database.merge(
      {evaluation("a", 0.5), evaluation("a", 0.4), evaluation("b", 0.5)});
  ASSERT_TRUE(added) << added.error();
  EXPECT_EQ(*added, 2);
  EXPECT_EQ(*database.merge(*database.all()), 0);
  EXPECT_EQ(database.all()->size(), 3u);
  // All or none.
  Result<int64_t> wrong =
      database.merge({evaluation("c", 0.5), evaluation("d", -1)});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error(), "the tuning database " + file +
                               " takes no such evaluation: its time is no "
                               "positive number of seconds");
  EXPECT_EQ(database.all()->size(), 3u);
}

TEST_F(TuningDatabaseTest, ReadingMakesNoFile) {
  EXPECT_EQ(errorOf(Access::Read),
            "the tuning database " + file + " does not exist");
  EXPECT_FALSE(fs::exists(file));
  file = root + "/missing/tuned.sqlite";
  EXPECT_NE(errorOf(Access::Write).find("cannot be used: unable to open"),
            std::string::npos);
}

TEST_F(TuningDatabaseTest, LeavesWhatIsNewerAlone) {
  record(evaluation("a", 0.5));
  execute("PRAGMA user_version = 2");
  expectError("has format 2, newer than what is known here, 1");
  execute("PRAGMA user_version = -3");
  expectError("is damaged: there is no format -3");
}

TEST_F(TuningDatabaseTest, LeavesOtherProgramsAlone) {
  execute("CREATE TABLE entries(x); PRAGMA user_version = 1");
  expectError("is a database of another program");
}

TEST_F(TuningDatabaseTest, LeavesGarbageAlone) {
  ASSERT_TRUE(replaceFile(file, std::string(5000, 'x')));
  expectError("is damaged: file is not a database");
}

TEST_F(TuningDatabaseTest, SeesChangedEvaluations) {
  for (const char *change :
       {"seconds = seconds / 2", "schedule = 'other'", "kind = 7",
        "search = 'other'", "seed = 8", "checksum = 0"}) {
    fs::remove(file);
    record(evaluation("a", 0.5));
    execute((std::string("UPDATE evaluations SET ") + change).c_str());
    expectError("is damaged: evaluation 1 does not have its checksum");
    EXPECT_FALSE(open().best({"a", "machine"})) << change;
  }
}

TEST_F(TuningDatabaseTest, NeverGivesBackWhatWasNotRecorded) {
  std::vector<std::string> known;
  std::vector<Evaluation> all;
  for (int i = 0; i < 60; ++i) {
    all.push_back(evaluation("c" + std::to_string(i % 7), 1.0 / (i + 1)));
    known.push_back(keyOf(all.back()));
  }
  ASSERT_TRUE(open().merge(all));
  std::string whole = *readFile(file);
  std::minstd_rand random(1);
  for (int round = 0; round < 100; ++round) {
    std::string damaged = whole;
    for (int i = 0; i < 10; ++i)
      damaged[random() % damaged.size()] ^=
          static_cast<char>(1 + random() % 255);
    ASSERT_TRUE(replaceFile(file, damaged));
    for (Access access : {Access::Read, Access::Write}) {
      Result<TuningDatabase> database = TuningDatabase::open(file, access);
      Result<std::vector<Evaluation>> read =
          database ? database->all() : Error{database.error()};
      for (size_t i = 0; read && i < read->size(); ++i)
        EXPECT_NE(std::find(known.begin(), known.end(), keyOf((*read)[i])),
                  known.end())
            << round;
      if (access == Access::Write)
        EXPECT_FALSE(read && read->size() < known.size()) << round;
    }
  }
}

TEST_F(TuningDatabaseTest, ManyProcessesRecordAtOnce) {
  constexpr int processes = 6, each = 15;
  std::vector<pid_t> children;
  for (int i = 0; i < processes; ++i) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (int j = 0; j < each; ++j) {
        Result<TuningDatabase> database =
            TuningDatabase::open(file, Access::Write);
        if (!database || !database->record(evaluation("c", 1 + i * each + j)))
          _exit(1);
      }
      _exit(0);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  EXPECT_EQ(open().all()->size(), size_t(processes * each));
}

TEST_F(TuningDatabaseTest, SurvivesProcessesThatAreKilled) {
  for (int round = 0; round < 5; ++round) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      Result<TuningDatabase> database =
          TuningDatabase::open(file, Access::Write);
      for (int i = 0; database; ++i)
        (void)database->record(evaluation("c", 1 + i + round * 1e6));
      _exit(1);
    }
    usleep(30000);
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    // Each that was recorded is there, and none by halves.
    EXPECT_TRUE(open(Access::Read).all());
    record(evaluation("d", round + 1));
  }
  EXPECT_EQ((*open().best({"d", "machine"}))->seconds, 5);
}

} // namespace
