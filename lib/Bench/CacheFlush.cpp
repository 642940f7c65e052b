//===- CacheFlush.cpp - Runs that find nothing in the cache -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheFlush.h"
#include "tc/Support/Arithmetic.h"

using namespace tc;
using namespace tc::bench;
using namespace tc::runtime;

/// Reads all of A, and writes C only if the sum is a NaN, which sums of numbers
/// below one are not: so that the loads are not removed. Thread x of all takes
/// every STRIDE-th 16 bytes from 16 * x on, TRIPS times.
static constexpr const char *readerText = R"(.version 6.3
.target sm_75
.address_size 64
.visible .entry tc_read_all(.param .u64 a, .param .u64 b, .param .u64 c)
{
	.reg .pred %p<3>;
	.reg .b32 %r<6>;
	.reg .b64 %rd<5>;
	.reg .f32 %f<9>;
	ld.param.u64 %rd1, [a];
	ld.param.u64 %rd2, [c];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ntid.x;
	mov.u32 %r3, %tid.x;
	mad.lo.u32 %r4, %r1, %r2, %r3;
	mul.wide.u32 %rd3, %r4, 16;
	add.u64 %rd4, %rd1, %rd3;
	mov.f32 %f5, 0f00000000;
	mov.u32 %r5, 0;
$loop:
	ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd4];
	add.f32 %f6, %f1, %f2;
	add.f32 %f7, %f3, %f4;
	add.f32 %f8, %f6, %f7;
	add.f32 %f5, %f5, %f8;
	add.u64 %rd4, %rd4, STRIDE;
	add.u32 %r5, %r5, 1;
	setp.lt.u32 %p1, %r5, TRIPS;
	@%p1 bra $loop;
	setp.nan.f32 %p2, %f5, %f5;
	@%p2 st.global.f32 [%rd2], %f5;
	ret;
}
)";

static std::string withNumber(std::string text, const std::string &word,
                              int64_t number) {
  return text.replace(text.find(word), word.size(), std::to_string(number));
}

static TensorArgument vectorArgument(const char *name, int64_t extent) {
  TensorArgument argument;
  argument.name = name;
  argument.type = model::ElementType::F32;
  argument.labels = {"i"};
  argument.extents = {extent};
  argument.strides = {1};
  return argument;
}

/// A kernel that reads at least `bytes`.
static Result<DeviceKernel> makeReader(const Device &device, int64_t bytes) {
  constexpr int64_t threads = 256, accessBytes = 16, floatBytes = 4;
  int64_t blocks = 4 * device.multiprocessors();
  int64_t stride = blocks * threads * accessBytes;
  int64_t trips = ceilDivide(bytes, stride);
  LoadedPackage package;
  package.package.name = "cache flush";
  package.package.target = "sm_75";
  package.codePath = "cache flush";
  package.code =
      withNumber(withNumber(readerText, "STRIDE", stride), "TRIPS", trips);
  Kernel kernel;
  kernel.entry = "tc_read_all";
  kernel.grid = {blocks, 1, 1};
  kernel.block = {threads, 1, 1};
  kernel.tensors = {vectorArgument("A", trips * stride / floatBytes),
                    vectorArgument("B", 1), vectorArgument("C", 1)};
  kernel.tensors[2].isWritten = true;
  Result<DeviceModule> module = DeviceModule::load(device, package);
  if (!module)
    return Error{module.error()};
  Result<Problem> problem = makeProblem(kernel, {});
  if (!problem)
    return Error{problem.error()};
  return DeviceKernel::prepare(*module, kernel, *problem);
}

Result<CacheFlush> CacheFlush::create(const Device &device, Flush kind) {
  CacheFlush flush(4 * device.l2Bytes());
  if (kind == Flush::Read) {
    Result<DeviceKernel> reader = makeReader(device, flush.size);
    if (!reader)
      return Error{reader.error()};
    flush.reader = std::move(*reader);
    return flush;
  }
  Result<DeviceBuffer> buffer =
      DeviceBuffer::allocate(device, flush.size, "the cache flush");
  if (!buffer)
    return Error{buffer.error()};
  flush.buffer = std::move(*buffer);
  return flush;
}

Status CacheFlush::enqueue() {
  return reader ? reader->launch() : buffer->fill(word++);
}
