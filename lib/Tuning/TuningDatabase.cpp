//===- TuningDatabase.cpp - Evaluations that outlive a process ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SQLite's locks keep processes apart, with a rollback journal, which unlike a
// write-ahead log works on network file systems. Each evaluation has a
// checksum: SQLite sees damage of its own structures only, and a wrong time
// would make a slow schedule the best one for good.
//
//===----------------------------------------------------------------------===//

#include "tc/Tuning/TuningDatabase.h"

#include "tc/Support/Files.h"

#include <filesystem>
#include <sqlite3.h>

using namespace tc;
using namespace tc::tuning;
namespace fs = std::filesystem;

/// The tables as they are here, the database's user_version; and the mark that
/// tells it from other programs' databases, its application_id: "tctu".
static constexpr int64_t formatVersion = 1;
static constexpr int64_t applicationId = 0x74637475;

/// The time for which a process waits for others that write.
static constexpr int patienceMilliseconds = 20000;

/// FNV-1a, of 64 bits.
static int64_t checksumOf(const Evaluation &evaluation) {
  uint64_t hash = 0xcbf29ce484222325;
  for (char c : keyOf(evaluation)) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3;
  }
  return static_cast<int64_t>(hash);
}

namespace {

/// A prepared statement. A failure to prepare shows when it is stepped.
class Statement {
public:
  Statement(sqlite3 *database, const std::string &sql)
      : failure(sqlite3_prepare_v2(database, sql.c_str(), -1, &statement,
                                   nullptr)) {}
  Statement(const Statement &) = delete;
  Statement &operator=(const Statement &) = delete;
  ~Statement() { sqlite3_finalize(statement); }

  Statement &bind(int64_t value) {
    sqlite3_bind_int64(statement, ++bound, value);
    return *this;
  }
  Statement &bind(double value) {
    sqlite3_bind_double(statement, ++bound, value);
    return *this;
  }
  /// The text has to outlive the statement.
  Statement &bind(const std::string &text) {
    sqlite3_bind_text64(statement, ++bound, text.data(), text.size(),
                        SQLITE_STATIC, SQLITE_UTF8);
    return *this;
  }
  int step() {
    return failure != SQLITE_OK ? failure : sqlite3_step(statement);
  }
  /// Steps to the end; SQLITE_OK if that is reached.
  int finish() {
    int code = step();
    while (code == SQLITE_ROW)
      code = step();
    return code == SQLITE_DONE ? SQLITE_OK : code;
  }
  int64_t integer(int column) {
    return sqlite3_column_int64(statement, column);
  }
  double number(int column) { return sqlite3_column_double(statement, column); }
  std::string text(int column) {
    auto *data =
        reinterpret_cast<const char *>(sqlite3_column_text(statement, column));
    auto size = static_cast<size_t>(sqlite3_column_bytes(statement, column));
    return data ? std::string(data, size) : std::string();
  }

private:
  sqlite3_stmt *statement = nullptr;
  int failure;
  int bound = 0;
};

} // namespace

static int execute(sqlite3 *database, const std::string &sql) {
  return sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr);
}

void TuningDatabase::Closer::operator()(sqlite3 *handle) const {
  sqlite3_close(handle);
}

Error TuningDatabase::describe(const std::string &what) const {
  return Error{"the tuning database " + path + " " + what};
}

Error TuningDatabase::errorOf(int code) const {
  bool isDamage = code == SQLITE_CORRUPT || code == SQLITE_NOTADB ||
                  code == SQLITE_ERROR || code == SQLITE_FORMAT;
  return describe((isDamage ? "is damaged: " : "cannot be used: ") +
                  std::string(sqlite3_errstr(code)));
}

Result<TuningDatabase> TuningDatabase::open(const std::string &path,
                                            Access access) {
  TuningDatabase opened(path);
  if (Status status = checkPath(path); !status)
    return Error{"the tuning database " + status.error()};
  std::error_code error;
  if (access == Access::Read && !fs::exists(path, error))
    return opened.describe("does not exist");
  sqlite3 *handle = nullptr;
  // A reader may write, too, to take back the writes of a process that was
  // killed while it wrote.
  int code =
      sqlite3_open_v2(path.c_str(), &handle,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX |
                          (access == Access::Write ? SQLITE_OPEN_CREATE : 0),
                      nullptr);
  opened.database.reset(handle);
  if (code != SQLITE_OK)
    return opened.errorOf(code);
  if (Status status = opened.prepare(access); !status)
    return Error{status.error()};
  return opened;
}

/// Makes sure that it is such a database.
Status TuningDatabase::prepare(Access access) {
  sqlite3_busy_timeout(database.get(), patienceMilliseconds);
  int64_t version, application, tables;
  {
    Statement state(database.get(),
                    "SELECT user_version, application_id, (SELECT count(*) "
                    "FROM sqlite_master) FROM pragma_user_version, "
                    "pragma_application_id");
    if (int code = state.step(); code != SQLITE_ROW)
      return errorOf(code);
    version = state.integer(0);
    application = state.integer(1);
    tables = state.integer(2);
  }
  if (version == 0 && application == 0 && tables == 0)
    return makeTables();
  if (application != applicationId)
    return describe("is a database of another program");
  if (version > formatVersion)
    return describe("has format " + std::to_string(version) +
                    ", newer than what is known here, " +
                    std::to_string(formatVersion));
  if (version != formatVersion)
    return describe("is damaged: there is no format " +
                    std::to_string(version));
  if (access == Access::Read)
    return {};
  // An addition to a damaged file may be lost with it.
  Statement check(database.get(), "PRAGMA quick_check(1)");
  if (int code = check.step(); code != SQLITE_ROW)
    return errorOf(code);
  if (std::string found = check.text(0); found != "ok")
    return describe("is damaged: " + found);
  return {};
}

/// Makes the tables, unless another process was faster.
Status TuningDatabase::makeTables() {
  std::string sql =
      "BEGIN IMMEDIATE;"
      "CREATE TABLE IF NOT EXISTS keys(id INTEGER PRIMARY KEY,"
      " contraction TEXT NOT NULL, machine TEXT NOT NULL,"
      " syntax INTEGER NOT NULL, UNIQUE(contraction, machine, syntax));"
      "CREATE TABLE IF NOT EXISTS evaluations(id INTEGER PRIMARY KEY,"
      " key INTEGER NOT NULL REFERENCES keys(id), schedule TEXT NOT NULL,"
      " seconds REAL NOT NULL, kind INTEGER NOT NULL, date TEXT NOT NULL,"
      " version TEXT NOT NULL, seed INTEGER NOT NULL, search TEXT NOT NULL,"
      " checksum INTEGER NOT NULL, UNIQUE(key, checksum));"
      "PRAGMA application_id = " +
      std::to_string(applicationId) +
      ";"
      "PRAGMA user_version = " +
      std::to_string(formatVersion) + "; COMMIT";
  int code = execute(database.get(), sql);
  if (code == SQLITE_OK)
    return {};
  execute(database.get(), "ROLLBACK");
  return errorOf(code);
}

/// Adds an evaluation unless there is the same already.
int TuningDatabase::insert(const Evaluation &evaluation) {
  int code =
      Statement(database.get(),
                "INSERT OR IGNORE INTO keys(contraction, machine, syntax) "
                "VALUES (?, ?, ?)")
          .bind(evaluation.key.contraction)
          .bind(evaluation.key.machine)
          .bind(evaluation.key.syntax)
          .finish();
  if (code != SQLITE_OK)
    return code;
  return Statement(database.get(),
                   "INSERT OR IGNORE INTO evaluations(key, schedule, seconds, "
                   "kind, date, version, seed, search, checksum) VALUES "
                   "((SELECT id FROM keys WHERE contraction = ? AND machine = "
                   "? AND syntax = ?), ?, ?, ?, ?, ?, ?, ?, ?)")
      .bind(evaluation.key.contraction)
      .bind(evaluation.key.machine)
      .bind(evaluation.key.syntax)
      .bind(evaluation.schedule)
      .bind(evaluation.seconds)
      .bind(static_cast<int64_t>(evaluation.kind))
      .bind(evaluation.date)
      .bind(evaluation.version)
      .bind(evaluation.seed)
      .bind(evaluation.search)
      .bind(checksumOf(evaluation))
      .finish();
}

Status TuningDatabase::record(const Evaluation &evaluation) {
  Result<int64_t> added = merge({evaluation});
  return added ? Status() : Status(Error{added.error()});
}

Result<int64_t>
TuningDatabase::merge(const std::vector<Evaluation> &evaluations) {
  for (const Evaluation &evaluation : evaluations)
    if (Status status = check(evaluation); !status)
      return describe("takes no such evaluation: " + status.error());
  int64_t before = sqlite3_total_changes(database.get());
  int64_t keys = 0;
  int code = execute(database.get(), "BEGIN IMMEDIATE");
  if (code != SQLITE_OK)
    return errorOf(code);
  auto countKeys = [&] {
    Statement count(database.get(), "SELECT count(*) FROM keys");
    return count.step() == SQLITE_ROW ? count.integer(0) : 0;
  };
  keys = countKeys();
  for (const Evaluation &evaluation : evaluations)
    if (code == SQLITE_OK)
      code = insert(evaluation);
  keys = countKeys() - keys;
  if (code == SQLITE_OK)
    code = execute(database.get(), "COMMIT");
  if (code == SQLITE_OK)
    return sqlite3_total_changes(database.get()) - before - keys;
  execute(database.get(), "ROLLBACK");
  return errorOf(code);
}

Result<std::vector<Evaluation>>
TuningDatabase::select(const std::string &condition,
                       const TuningKey *key) const {
  Statement statement(
      database.get(),
      "SELECT contraction, machine, syntax, schedule, seconds, kind, date, "
      "version, seed, search, checksum, number FROM (SELECT *, row_number() "
      "OVER (PARTITION BY key ORDER BY isSuperseded, kind DESC, seconds, "
      "number) AS place FROM (SELECT *, evaluations.id AS number, row_number() "
      "OVER (PARTITION BY key, kind, search, schedule ORDER BY evaluations.id "
      "DESC) > 1 AS isSuperseded FROM evaluations LEFT JOIN keys ON key = "
      "keys.id" +
          std::string(key ? " WHERE contraction = ? AND machine = ? AND "
                            "syntax = ?"
                          : "") +
          ")) " + condition + " ORDER BY number");
  if (key)
    statement.bind(key->contraction).bind(key->machine).bind(key->syntax);
  std::vector<Evaluation> found;
  int code = statement.step();
  for (; code == SQLITE_ROW; code = statement.step()) {
    Evaluation evaluation;
    evaluation.key = {statement.text(0), statement.text(1),
                      statement.integer(2)};
    evaluation.schedule = statement.text(3);
    evaluation.seconds = statement.number(4);
    evaluation.kind = static_cast<EvaluationKind>(statement.integer(5));
    evaluation.date = statement.text(6);
    evaluation.version = statement.text(7);
    evaluation.seed = statement.integer(8);
    evaluation.search = statement.text(9);
    if (statement.integer(10) != checksumOf(evaluation))
      return describe("is damaged: evaluation " +
                      std::to_string(statement.integer(11)) +
                      " does not have its checksum");
    found.push_back(std::move(evaluation));
  }
  if (code != SQLITE_DONE)
    return errorOf(code);
  return found;
}

Result<std::optional<Evaluation>>
TuningDatabase::best(const TuningKey &key) const {
  Result<std::vector<Evaluation>> found = select("WHERE place = 1", &key);
  if (!found)
    return Error{found.error()};
  std::optional<Evaluation> best;
  if (!found->empty())
    best = std::move(found->front());
  return best;
}

Result<std::vector<Evaluation>> TuningDatabase::bests() const {
  return select("WHERE place = 1", nullptr);
}

Result<std::vector<Evaluation>> TuningDatabase::all() const {
  return select("", nullptr);
}
