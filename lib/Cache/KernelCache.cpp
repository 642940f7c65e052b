//===- KernelCache.cpp - Compiled kernels that outlive a process ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SQLite's locks keep processes apart, with a rollback journal, which unlike a
// write-ahead log works on network file systems and can be read where nothing
// may be written. Nothing waits for the disk: after a loss of power the
// database may be damaged, and damage is repaired anyway.
//
//===----------------------------------------------------------------------===//

#include "tc/Cache/KernelCache.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/xxhash.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <sqlite3.h>

using namespace tc;
namespace fs = std::filesystem;

/// The tables as they are here; the database's user_version.
static constexpr int64_t formatVersion = 1;

/// Time that a process waits for others that write.
static constexpr int patienceMilliseconds = 2000;

static std::array<uint8_t, 16> checksumOf(std::string_view key,
                                          std::string_view value) {
  llvm::BLAKE3 hasher;
  hasher.update(llvm::StringRef(key));
  hasher.update(llvm::StringRef(value));
  return hasher.final<16>();
}

/// The database finds candidates by this; then keys are compared whole.
static int64_t hashOf(std::string_view key) {
  return static_cast<int64_t>(llvm::xxh3_64bits(llvm::StringRef(key)));
}

/// A prepared statement. A failure to prepare shows when it is stepped.
class KernelCache::Statement {
public:
  Statement(sqlite3 *database, const char *sql)
      : failure(sqlite3_prepare_v2(database, sql, -1, &statement, nullptr)) {}
  Statement(const Statement &) = delete;
  Statement &operator=(const Statement &) = delete;
  ~Statement() { sqlite3_finalize(statement); }

  Statement &bind(int64_t value) {
    sqlite3_bind_int64(statement, ++bound, value);
    return *this;
  }
  /// The bytes have to outlive the statement.
  Statement &bind(std::string_view bytes) {
    sqlite3_bind_blob64(statement, ++bound, bytes.data(), bytes.size(),
                        SQLITE_STATIC);
    return *this;
  }
  Statement &bind(llvm::ArrayRef<uint8_t> bytes) {
    return bind(std::string_view(reinterpret_cast<const char *>(bytes.data()),
                                 bytes.size()));
  }
  int step() {
    return failure != SQLITE_OK ? failure : sqlite3_step(statement);
  }
  int64_t integer(int column) {
    return sqlite3_column_int64(statement, column);
  }
  std::string_view bytes(int column) {
    auto *data =
        static_cast<const char *>(sqlite3_column_blob(statement, column));
    return {data, static_cast<size_t>(sqlite3_column_bytes(statement, column))};
  }

private:
  sqlite3_stmt *statement = nullptr;
  int failure;
  int bound = 0;
};

/// Steps to the end; SQLITE_OK if that is reached.
template <typename Statement> static int finish(Statement &&statement) {
  int code = statement.step();
  while (code == SQLITE_ROW)
    code = statement.step();
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

KernelCache::KernelCache(const std::string &folder, int64_t maxBytes, Warn warn)
    : path((fs::path(folder) / fileName).string()), maxBytes(maxBytes),
      warn(std::move(warn)) {
  open(folder);
}

KernelCache::~KernelCache() { close(); }

void KernelCache::close() {
  sqlite3_close(database);
  database = nullptr;
}

void KernelCache::complain(const std::string &what) {
  warn("the kernel cache " + path + " " + what);
}

int KernelCache::execute(const char *sql) {
  return sqlite3_exec(database, sql, nullptr, nullptr, nullptr);
}

void KernelCache::open(const std::string &folder) {
  std::error_code error;
  if (fs::create_directories(folder, error))
    // Whoever can write here can make this user's programs run anything.
    fs::permissions(folder, fs::perms::owner_all, error);
  int code = sqlite3_open_v2(path.c_str(), &database,
                             SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
                                 SQLITE_OPEN_NOMUTEX,
                             nullptr);
  if (code == SQLITE_OK)
    code = prepareDatabase();
  if (isDamage(code))
    code = recover(code);
  if (code == SQLITE_OK)
    return;
  complain("cannot be used: " + std::string(sqlite3_errstr(code)));
  close();
}

/// True to begin anew. Tables that are others than they should be show as plain
/// errors.
bool KernelCache::isDamage(int code) const {
  return code == SQLITE_CORRUPT || code == SQLITE_NOTADB ||
         code == SQLITE_ERROR || code == SQLITE_FORMAT;
}

int KernelCache::recover(int code) {
  complain(code == SQLITE_FORMAT ? "has another format, and is begun anew"
                                 : "was damaged, and is begun anew: " +
                                       std::string(sqlite3_errstr(code)));
  return reset();
}

int KernelCache::prepareDatabase() {
  sqlite3_busy_timeout(database, patienceMilliseconds);
  if (int code = execute("PRAGMA synchronous = OFF"); code != SQLITE_OK)
    return code;
  {
    Statement state(database, "PRAGMA user_version");
    if (int code = state.step(); code != SQLITE_ROW)
      return code;
    if (state.integer(0) == formatVersion)
      return SQLITE_OK;
  }
  return createTables();
}

/// Makes the tables if there is nothing. SQLITE_FORMAT if there is something of
/// another format.
int KernelCache::createTables() {
  // Damage may have kept the first of these from taking effect before.
  int code = execute("PRAGMA synchronous = OFF; PRAGMA auto_vacuum = "
                     "INCREMENTAL; BEGIN IMMEDIATE");
  if (code != SQLITE_OK)
    return code;
  {
    Statement state(database,
                    "SELECT user_version, (SELECT count(*) FROM sqlite_master) "
                    "FROM pragma_user_version");
    code = state.step();
    if (code == SQLITE_ROW) {
      // Another process may have been faster.
      bool isThere = state.integer(0) == formatVersion;
      bool isEmpty = state.integer(0) == 0 && state.integer(1) == 0;
      code = isThere || isEmpty ? SQLITE_OK : SQLITE_FORMAT;
    }
  }
  if (code == SQLITE_OK) {
    std::string sql =
        "CREATE TABLE IF NOT EXISTS entries(id INTEGER PRIMARY KEY,"
        " hash INTEGER NOT NULL, used INTEGER NOT NULL, checksum BLOB NOT NULL,"
        " key BLOB NOT NULL, value BLOB NOT NULL);"
        "CREATE INDEX IF NOT EXISTS by_hash ON entries(hash);"
        "CREATE INDEX IF NOT EXISTS by_use ON entries(used);"
        "PRAGMA user_version = " +
        std::to_string(formatVersion) + "; COMMIT";
    code = execute(sql.c_str());
  }
  if (code != SQLITE_OK)
    execute("ROLLBACK");
  return code;
}

/// SQLite's own way to empty a database however damaged it is, which heeds the
/// locks of other processes; to remove the file from under them would not.
int KernelCache::reset() {
  sqlite3_db_config(database, SQLITE_DBCONFIG_RESET_DATABASE, 1, nullptr);
  int code = execute("VACUUM");
  sqlite3_db_config(database, SQLITE_DBCONFIG_RESET_DATABASE, 0, nullptr);
  return code == SQLITE_OK ? createTables() : code;
}

std::optional<std::string> KernelCache::find(std::string_view key) {
  std::optional<std::string> value;
  if (!database)
    return value;
  int code = tryFind(key, value);
  if (isDamage(code))
    code = recover(code);
  if (code != SQLITE_OK)
    complain("cannot be read: " + std::string(sqlite3_errstr(code)));
  return value;
}

int KernelCache::tryFind(std::string_view key,
                         std::optional<std::string> &value) {
  int64_t id = 0;
  bool isDamaged = false, isLastUsed = false;
  {
    Statement select(database,
                     "SELECT id, value, checksum, used = (SELECT max(used) "
                     "FROM entries) FROM entries WHERE hash = ? AND key = ?");
    int code = select.bind(hashOf(key)).bind(key).step();
    if (code != SQLITE_ROW)
      return code == SQLITE_DONE ? SQLITE_OK : code;
    id = select.integer(0);
    std::string_view stored = select.bytes(1);
    auto checksum = checksumOf(key, stored);
    isDamaged =
        select.bytes(2) !=
        std::string_view(reinterpret_cast<const char *>(checksum.data()),
                         checksum.size());
    isLastUsed = select.integer(3) != 0;
    if (!isDamaged)
      value = std::string(stored);
  }
  if (isDamaged) {
    complain("held a damaged entry, which is removed");
    return finish(
        Statement(database, "DELETE FROM entries WHERE id = ?").bind(id));
  }
  if (!isLastUsed) {
    // Nobody needs to wait for this, and it may fail where nothing may be
    // written.
    sqlite3_busy_timeout(database, 0);
    finish(Statement(database, "UPDATE entries SET used = (SELECT max(used) + "
                               "1 FROM entries) WHERE id = ?")
               .bind(id));
    sqlite3_busy_timeout(database, patienceMilliseconds);
  }
  return SQLITE_OK;
}

void KernelCache::store(std::string_view key, std::string_view value) {
  if (!database)
    return;
  int code = tryStore(key, value);
  if (isDamage(code)) {
    code = recover(code);
    if (code == SQLITE_OK)
      code = tryStore(key, value);
  }
  if (code != SQLITE_OK)
    complain("cannot be written: " + std::string(sqlite3_errstr(code)));
}

int KernelCache::tryStore(std::string_view key, std::string_view value) {
  auto checksum = checksumOf(key, value);
  int code = execute("BEGIN IMMEDIATE");
  if (code != SQLITE_OK)
    return code;
  code = finish(
      Statement(database, "DELETE FROM entries WHERE hash = ? AND key = ?")
          .bind(hashOf(key))
          .bind(key));
  if (code == SQLITE_OK)
    code = finish(Statement(database,
                            "INSERT INTO entries(hash, used, checksum, key, "
                            "value) VALUES (?, (SELECT ifnull(max(used), 0) + "
                            "1 FROM entries), ?, ?, ?)")
                      .bind(hashOf(key))
                      .bind(llvm::ArrayRef<uint8_t>(checksum))
                      .bind(key)
                      .bind(value));
  if (code == SQLITE_OK)
    code = evict(sqlite3_last_insert_rowid(database));
  if (code == SQLITE_OK)
    code = execute("COMMIT");
  if (code == SQLITE_OK)
    return code;
  execute("ROLLBACK");
  return code == SQLITE_TOOBIG ? SQLITE_OK : code;
}

int KernelCache::evict(int64_t stored) {
  for (;;) {
    int64_t used = 0;
    {
      Statement size(database,
                     "SELECT (page_count - freelist_count) * page_size FROM "
                     "pragma_page_count, pragma_freelist_count, "
                     "pragma_page_size");
      if (int code = size.step(); code != SQLITE_ROW)
        return code;
      used = size.integer(0);
    }
    if (used <= maxBytes)
      return execute("PRAGMA incremental_vacuum");
    int code = finish(
        Statement(database, "DELETE FROM entries WHERE id = (SELECT id FROM "
                            "entries WHERE id != ? ORDER BY used LIMIT 1)")
            .bind(stored));
    if (code != SQLITE_OK)
      return code;
    if (sqlite3_changes(database) == 0)
      return SQLITE_TOOBIG;
  }
}

std::string tc::defaultCacheFolder() {
  auto at = [](const char *variable, const char *below) -> std::string {
    const char *value = std::getenv(variable);
    // The XDG base directory specification has relative paths ignored.
    return value && value[0] == '/' ? (fs::path(value) / below).string() : "";
  };
  std::string folder = at("XDG_CACHE_HOME", "tc");
  return folder.empty() ? at("HOME", ".cache/tc") : folder;
}
