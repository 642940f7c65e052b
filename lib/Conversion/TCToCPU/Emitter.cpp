//===- Emitter.cpp - Arithmetic of offsets --------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace tc;
using namespace tc::cpu;
using mlir::VectorType;
namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
namespace vector = mlir::vector;

Value Emitter::constant(int64_t value) {
  return arith::ConstantIndexOp::create(builder, value);
}

Value Emitter::boolean(bool value) {
  return arith::ConstantOp::create(builder, builder.getBoolAttr(value));
}

Value Emitter::add(Value a, Value b) {
  return builder.createOrFold<arith::AddIOp>(a, b);
}

Value Emitter::sub(Value a, Value b) {
  return builder.createOrFold<arith::SubIOp>(a, b);
}

Value Emitter::mul(Value a, Value b) {
  return builder.createOrFold<arith::MulIOp>(a, b);
}

Value Emitter::min(Value a, Value b) {
  return builder.createOrFold<arith::MinSIOp>(a, b);
}

Value Emitter::ceilDiv(Value a, int64_t b) {
  return floorDiv(add(a, constant(b - 1)), b);
}

Value Emitter::floorDiv(Value a, int64_t b) {
  return builder.createOrFold<arith::DivUIOp>(a, constant(b));
}

Value Emitter::remainder(Value a, int64_t b) {
  return builder.createOrFold<arith::RemUIOp>(a, constant(b));
}

Value Emitter::lessThan(Value a, Value b) {
  return builder.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt, a, b);
}

Value Emitter::equal(Value a, Value b) {
  return builder.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, a, b);
}

void Emitter::loop(Value begin, Value end, function_ref<void(Value)> body) {
  if (mlir::getConstantIntValue(begin) == 0 &&
      mlir::getConstantIntValue(end) == 1)
    return body(begin);
  auto loop = scf::ForOp::create(builder, begin, end, constant(1));
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void Emitter::ifThen(Value condition, function_ref<void()> body) {
  if (mlir::matchPattern(condition, mlir::m_One()))
    return body();
  auto branch = scf::IfOp::create(builder, condition, /*withElseRegion=*/false);
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  body();
}

void Emitter::ifThenElse(Value condition, function_ref<void()> thenBody,
                         function_ref<void()> elseBody) {
  if (mlir::matchPattern(condition, mlir::m_One()))
    return thenBody();
  if (mlir::matchPattern(condition, mlir::m_Zero()))
    return elseBody();
  auto branch = scf::IfOp::create(builder, condition, /*withElseRegion=*/true);
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  thenBody();
  builder.setInsertionPointToStart(branch.elseBlock());
  elseBody();
}

Value Emitter::load(Value memref, Value position) {
  return memref::LoadOp::create(builder, memref, position);
}

void Emitter::store(Value value, Value memref, Value position) {
  memref::StoreOp::create(builder, value, memref, position);
}

Value Emitter::loadVector(Value memref, Value position, int64_t lanes) {
  auto type = VectorType::get(
      {lanes}, cast<MemRefType>(memref.getType()).getElementType());
  return vector::LoadOp::create(builder, type, memref, position);
}

Value Emitter::loadFirstLanes(Value memref, Value position, Value count,
                              int64_t lanes, Value filler) {
  auto type = VectorType::get(
      {lanes}, cast<MemRefType>(memref.getType()).getElementType());
  Value others;
  if (filler)
    others = vector::BroadcastOp::create(builder, type, filler);
  else
    others = arith::ConstantOp::create(builder, builder.getZeroAttr(type));
  Value mask = vector::CreateMaskOp::create(
      builder, VectorType::get({lanes}, builder.getI1Type()), count);
  return vector::MaskedLoadOp::create(builder, type, memref, position, mask,
                                      others);
}

void Emitter::storeVector(Value vector, Value memref, Value position) {
  vector::StoreOp::create(builder, vector, memref, position);
}

void Emitter::prefetch(Value memref, Value position, bool isWrite) {
  memref::PrefetchOp::create(builder, memref, position, isWrite,
                             /*localityHint=*/isWrite ? 3 : 2,
                             /*isDataCache=*/true);
}
