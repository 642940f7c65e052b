//===- TunedSchedule.cpp - Schedules out of a tuning database -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/TunedSchedule.h"

#include "tc/Analysis/FusedCodeText.h"
#include "tc/Analysis/Reductions.h"
#include "tc/Cpu/CpuStrategy.h"
#include "tc/Gpu/Layout/KernelLayout.h"
#include "tc/Support/MLIR/ErrorCollector.h"
#include "tc/Tuning/TuningKey.h"

#include "llvm/Support/raw_ostream.h"

using namespace tc;
using model::Contraction;
using tuning::TuningKey;

/// The contraction of an operation, its complex numbers as they are.
static Result<Contraction>
contractionOf(ContractOp op, const RepresentativeExtents &representatives,
              bool isForGpu) {
  ErrorCollector errors(*op.getContext());
  FailureOr<model::ContractionRecord> record = toRecord(op, representatives);
  if (failed(record))
    return errors.get("unknown shape");
  Contraction contraction = model::contractionOf(*record);
  if (isForGpu && isReduced(op))
    return model::reduceOutput(std::move(contraction));
  return contraction;
}

static Result<tuning::ContractionCode> codeOf(ContractOp op) {
  std::string reason;
  FailureOr<FusedCodeTexts> texts =
      describeFusedCode(op, [&](Operation *, StringRef why) {
        if (reason.empty())
          reason = why.str();
      });
  if (failed(texts))
    return Error{"its code has no text: " + reason};
  return tuning::ContractionCode{texts->prologueA, texts->prologueB,
                                 texts->product,   texts->combine,
                                 texts->epilogue,  op.getAllowThreeProducts()};
}

Result<TuningKey>
tc::tuningKeyOf(ContractOp op, const model::Target &target,
                const RepresentativeExtents &representatives) {
  Result<Contraction> contraction =
      contractionOf(op, representatives, /*isForGpu=*/true);
  if (!contraction)
    return Error{contraction.error()};
  Result<tuning::ContractionCode> code = codeOf(op);
  if (!code)
    return Error{code.error()};
  return TuningKey{tuning::describeForGpu(*contraction, *code),
                   tuning::describeMachine(target)};
}

Result<TuningKey> tc::tuningKeyOf(ContractOp op, const model::CpuTarget &target,
                                  int64_t threads) {
  Result<Contraction> contraction = contractionOf(op, {}, /*isForGpu=*/false);
  if (!contraction)
    return Error{contraction.error()};
  Result<tuning::ContractionCode> code = codeOf(op);
  if (!code)
    return Error{code.error()};
  return TuningKey{tuning::describeForCpu(std::move(*contraction), *code),
                   tuning::describeMachine(target, threads)};
}

template <typename ScheduleAttrT>
static Result<std::string>
storedScheduleOf(ContractOp op, ScheduleAttrT schedule,
                 const RepresentativeExtents &representatives, bool isForGpu) {
  Result<Contraction> contraction =
      contractionOf(op, representatives, isForGpu);
  if (!contraction)
    return Error{contraction.error()};
  auto renamed =
      tuning::renameIndices(schedule.getValue(), *contraction,
                            tuning::withCanonicalNames(*contraction));
  if (!renamed)
    return Error{renamed.error()};
  std::string text;
  llvm::raw_string_ostream(text)
      << ScheduleAttrT::get(op.getContext(), *renamed);
  return text;
}

Result<std::string>
tc::storedScheduleOf(ContractOp op, ScheduleAttr schedule,
                     const RepresentativeExtents &representatives) {
  return ::storedScheduleOf(op, schedule, representatives, /*isForGpu=*/true);
}

Result<std::string> tc::storedScheduleOf(ContractOp op,
                                         CpuScheduleAttr schedule) {
  return ::storedScheduleOf(op, schedule, {}, /*isForGpu=*/false);
}

/// Looks a key up. `read` makes a schedule that can be obeyed of the stored
/// text, or says why there is none.
template <typename ScheduleAttrT, typename Read>
static Result<TunedSchedule<ScheduleAttrT>>
lookUp(const Result<TuningKey> &key, const std::string &path, Read read) {
  Result<tuning::TuningDatabase> database =
      tuning::TuningDatabase::open(path, tuning::TuningDatabase::Access::Read);
  if (!database)
    return Error{database.error()};
  TunedSchedule<ScheduleAttrT> tuned;
  if (!key) {
    tuned.origin = "searched, as it is not in " + path + ": " + key.error();
    return tuned;
  }
  Result<std::optional<tuning::Evaluation>> best = database->best(*key);
  if (!best)
    return Error{best.error()};
  if (!*best) {
    tuned.origin = "searched, as it is not in " + path;
    return tuned;
  }
  Result<ScheduleAttrT> schedule = read((*best)->schedule);
  if (schedule) {
    tuned.schedule = *schedule;
    tuned.origin = "from " + path + ": " + tuning::describe(**best);
  } else {
    tuned.origin = "searched, as the one in " + path +
                   " cannot be obeyed: " + schedule.error();
  }
  return tuned;
}

/// A stored schedule with an operation's names of indices.
template <typename ScheduleAttrT, typename Parse>
static Result<ScheduleAttrT>
readStored(ContractOp op, const std::string &stored,
           const RepresentativeExtents &representatives, bool isForGpu,
           Parse parse) {
  ErrorCollector errors(*op.getContext());
  ScheduleAttrT schedule = parse(stored, op.getContext());
  if (!schedule)
    return errors.get("it cannot be read");
  Result<Contraction> contraction =
      contractionOf(op, representatives, isForGpu);
  if (!contraction)
    return Error{contraction.error()};
  auto renamed = tuning::renameIndices(schedule.getValue(),
                                       tuning::withCanonicalNames(*contraction),
                                       *contraction);
  if (!renamed)
    return Error{renamed.error()};
  return ScheduleAttrT::get(op.getContext(), *renamed);
}

Result<TunedSchedule<ScheduleAttr>>
tc::findTunedSchedule(ContractOp op, const std::string &path,
                      const model::Target &target,
                      const RepresentativeExtents &representatives) {
  auto read = [&](const std::string &stored) -> Result<ScheduleAttr> {
    Result<ScheduleAttr> schedule = readStored<ScheduleAttr>(
        op, stored, representatives, /*isForGpu=*/true, parseSchedule);
    if (!schedule)
      return schedule;
    ErrorCollector errors(*op.getContext());
    FailureOr<Contraction> contraction =
        toContraction(op, representatives, schedule->getValue());
    if (failed(contraction))
      return errors.get("unknown shape");
    Result<model::KernelLayout> layout =
        model::layOut(*contraction, schedule->getValue(), target);
    if (!layout)
      return Error{layout.error()};
    return schedule;
  };
  return lookUp<ScheduleAttr>(tuningKeyOf(op, target, representatives), path,
                              read);
}

Result<TunedSchedule<CpuScheduleAttr>>
tc::findTunedSchedule(ContractOp op, const std::string &path,
                      const model::CpuTarget &target, int64_t threads,
                      const CpuTuningLimits &limits) {
  auto read = [&](const std::string &stored) -> Result<CpuScheduleAttr> {
    Result<CpuScheduleAttr> schedule = readStored<CpuScheduleAttr>(
        op, stored, {}, /*isForGpu=*/false, parseCpuSchedule);
    if (!schedule)
      return schedule;
    const model::CpuSchedule &value = schedule->getValue();
    if (limits.strategy && value.strategy != *limits.strategy)
      return Error{"its strategy is " +
                   std::string(model::stringify(value.strategy))};
    if (value.strategy == model::Strategy::Library && !limits.strategy &&
        !limits.callsLibrary)
      return Error{"it calls the library"};
    ErrorCollector errors(*op.getContext());
    FailureOr<Contraction> contraction = toContraction(op, value);
    if (failed(contraction))
      return errors.get("unknown shape");
    Result<model::CpuLayout> layout = model::layOut(*contraction, value);
    if (!layout)
      return Error{layout.error()};
    if (Status status =
            model::checkWorkspace(*contraction, value, limits.workspaceLimit);
        !status)
      return Error{status.error()};
    return schedule;
  };
  return lookUp<CpuScheduleAttr>(tuningKeyOf(op, target, threads), path, read);
}
