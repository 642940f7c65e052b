//===- TargetLookup.h - Targets that a module describes ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module can describe machines in `dlti.target_system_spec`: each device in
// it whose entries start with "tc." is a target. Such a target stays with the
// module, so every later pass and tool finds the machine that a schedule names.
//
//   module attributes {dlti.target_system_spec = #dlti.target_system_spec<
//     "h100-pcie" = #dlti.target_device_spec<
//       "tc.base" = "sm_90", "tc.multiprocessors" = 114 : i64>>} { ... }
//
// Keys are those of target files with "tc." in front. With "tc.base", the name
// of a built-in target, all others are optional. Other entries and devices are
// none of ours and left alone.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_TARGETLOOKUP_H
#define TC_ANALYSIS_TARGETLOOKUP_H

#include "tc/Machine/Target.h"
#include "tc/Support/MLIR/LLVM.h"

#include "mlir/Interfaces/DataLayoutInterfaces.h"

namespace tc {

/// Returns true if the device is described by entries that start with "tc.".
bool isTargetSpec(mlir::TargetDeviceSpecInterface device);

/// Reads the target that a device's entries describe; errors name the entry. It
/// passes `model::checkTarget`.
Result<model::Target> readTargetSpec(mlir::TargetDeviceSpecInterface device,
                                     StringRef name);

/// Writes all figures but the name, which is the device's key in the system.
mlir::TargetDeviceSpecInterface writeTargetSpec(MLIRContext *context,
                                                const model::Target &target);

/// The target that a schedule on `op` calls `name`: the one of the closest
/// enclosing operation (`op` included) that describes it, else the built-in
/// one.
Result<model::Target> lookUpTarget(Operation *op, StringRef name);

/// The descriptions of targets on an operation and those around it, on which
/// what `lookUpTarget` finds depends.
mlir::ArrayAttr getTargetSpecs(Operation *op);

/// The target that a pass's options `target` and `target-file` name: the
/// latter, if it is not empty, which is described on the module that the pass
/// runs on. Errors name the option.
Result<model::Target> lookUpTargetOptions(Operation *op, StringRef target,
                                          StringRef targetFile);

/// Describes the target on the module, in place of a device of its name.
void attachTarget(ModuleOp module, const model::Target &target);

} // namespace tc

#endif // TC_ANALYSIS_TARGETLOOKUP_H
