//===- ParseTest.cpp - Modules that parse and that do not ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each error names the file, the line and the mistake.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

using namespace tc;
using namespace tc::sim;
using namespace tc::sim::test;

TEST(Parse, ListsWhatIsThere) {
  Result<Module> module = Module::parse(
      ".version 7.8\n.target sm_80, debug\n.address_size 64\n"
      ".shared .align 16 .b8 a[100];\n.shared .align 8 .f64 b[3];\n"
      ".visible .entry first(.param .u64 .ptr .global .align 16 p, "
      ".param .f64 x, .param .align 4 .b8 s[12])\n"
      ".maxntid 128, 2, 1\n.minnctapersm 2\n.maxnreg 64\n"
      "{ .reg .f64 %f; ld.shared.f64 %f, [b]; }\n"
      ".entry second() .reqntid 64 { }\n",
      "k.ptx");
  ASSERT_TRUE(module) << module.error();
  EXPECT_EQ(module->version(), (std::array<unsigned, 2>{7, 8}));
  EXPECT_EQ(module->target(), "sm_80");
  ASSERT_EQ(module->entries().size(), 2u);
  const EntryInfo &first = module->entries()[0];
  EXPECT_EQ(first.name, "first");
  ASSERT_EQ(first.parameters.size(), 3u);
  EXPECT_EQ(first.parameters[0].pointerAlignment, 16u);
  EXPECT_EQ(first.parameters[1].size, 8u);
  EXPECT_EQ(first.parameters[2].size, 12u);
  EXPECT_EQ(first.maxThreads, (std::array<std::uint32_t, 3>{128, 2, 1}));
  EXPECT_FALSE(first.requiredThreads);
  EXPECT_EQ(first.staticSharedBytes, 24u); // Only b is used.
  EXPECT_EQ(module->findEntry("second"), &module->entries()[1]);
  EXPECT_EQ(module->entries()[1].requiredThreads,
            (std::array<std::uint32_t, 3>{64, 1, 1}));
  EXPECT_EQ(module->findEntry("third"), nullptr);
}

TEST(Parse, DebugInformation) {
  EXPECT_EQ(parseError(header + R"(
    .file 1 "a.mlir", 123, 456
    .extern .shared .align 16 .b8 dyn[];
    .entry k(.param .u32 n) {
    $L__func_begin0: .loc 1 2 3
      .reg .b32 %r<3>; /* a comment
      over lines */ .pragma "nounroll";
      ld.param.u32 %r1, [n]; // another
      .loc 1 4 5, function_name $L__info_string0, inlined_at 1 2 3
    $L__tmp0: ret;
    $L__func_end0:
    }
    .section .debug_abbrev { .b8 1 .b8 17 { .b32 2 } }
    .section .debug_info { $L__x: .b32 .debug_abbrev }
  )"),
            "");
}

TEST(Parse, Scopes) {
  EXPECT_EQ(parseError(kernel("", "{ .reg .b32 %r; mov.u32 %r, 1; }\n"
                                  "{ .reg .b64 %r; mov.u64 %r, 1; }\n")),
            "");
  EXPECT_EQ(parseError(kernel("", "{ .reg .b32 %r; }\nmov.u32 %r, 1;\n")),
            "k.ptx:6: register '%r' is not declared");
}

TEST(ParseError, Header) {
  EXPECT_EQ(parseError(""), "k.ptx:1: expected .version before the end");
  EXPECT_EQ(parseError("\n.target sm_90"),
            "k.ptx:2: expected .version, found '.target'");
  EXPECT_EQ(parseError(".version 5.0\n"),
            "k.ptx:1: PTX version 5.0 is not supported, only 6.0 to 9.x");
  EXPECT_EQ(parseError(".version 10.0\n"),
            "k.ptx:1: PTX version 10.0 is not supported, only 6.0 to 9.x");
  EXPECT_EQ(parseError(".version x\n"),
            "k.ptx:1: expected a version as in 8.0, found 'x'");
  EXPECT_EQ(parseError(".version 8.0\n.target gfx90a\n"),
            "k.ptx:2: target 'gfx90a' is not supported");
  EXPECT_EQ(parseError(".version 8.0\n.target sm_90\n.address_size 32\n"),
            "k.ptx:3: address size 32 is not supported, only 64");
  EXPECT_EQ(parseError(".version 8.0\n.target sm_90\n.entry k() {}\n"),
            "k.ptx:3: expected .address_size, found '.entry'");
}

TEST(ParseError, Directives) {
  EXPECT_EQ(parseError(header + ".func f() { }"),
            "k.ptx:4: directive '.func' is not supported");
  EXPECT_EQ(parseError(header + ".entry k() .reqnctapercluster 2 { }"),
            "k.ptx:4: directive '.reqnctapercluster' is not supported");
  EXPECT_EQ(parseError(kernel("", ".local .b8 x[4];\n")),
            "k.ptx:5: directive '.local' is not supported");
  EXPECT_EQ(parseError(header + ".extern .global .b32 x;"),
            "k.ptx:4: external variable 'x' is not supported, only .extern "
            ".shared arrays without an extent");
  EXPECT_EQ(parseError(header + ".global .f16 x;"),
            "k.ptx:4: type '.f16' is not supported here");
  EXPECT_EQ(parseError(header + ".global .b8 x[2] = {1, 2, 3};"),
            "k.ptx:4: more initializers than elements in variable 'x'");
  EXPECT_EQ(parseError(header + ".shared .align 3 .b8 x[2];"),
            "k.ptx:4: alignment must be a power of two up to 4096");
  EXPECT_EQ(parseError(header + ".entry k() { }\n.entry k() { }"),
            "k.ptx:5: entry 'k' is defined twice");
}

TEST(ParseError, Tokens) {
  EXPECT_EQ(parseError(header + "/* no end"),
            "k.ptx:4: comment without an end");
  EXPECT_EQ(parseError(kernel("", ".reg .b32 %r; mov.u32 %r, 0f12;\n")),
            "k.ptx:5: malformed floating-point literal");
  EXPECT_EQ(parseError(kernel("", ".reg .b32 %r; mov.u32 %r, 12ab;\n")),
            "k.ptx:5: malformed integer literal");
  EXPECT_EQ(parseError(kernel("", "mov.u32 #;\n")),
            "k.ptx:5: unexpected character");
  EXPECT_EQ(parseError(header + ".entry k() {\nret;\n"),
            "k.ptx:6: expected an instruction before the end");
  EXPECT_EQ(parseError(kernel("", "ret\n")),
            "k.ptx:6: expected an operand, found '}' in 'ret', whose form is "
            "wrong or not supported by the simulator");
}

TEST(ParseError, Names) {
  EXPECT_EQ(instructionError("mov.u32 %r0, %x;"),
            "k.ptx:9: register '%x' is not declared");
  EXPECT_EQ(instructionError("mov.u32 %r9, 1;"),
            "k.ptx:9: register '%r9' is not declared");
  EXPECT_EQ(instructionError("bra NOWHERE;"),
            "k.ptx:9: label 'NOWHERE' is not defined in 'bra NOWHERE'");
  EXPECT_EQ(instructionError("ld.param.u64 %rd0, [nothing];"),
            "k.ptx:9: unsupported address in 'ld.param.u64 %rd0, [nothing]'");
  EXPECT_EQ(instructionError("@%r0 ret;"),
            "k.ptx:9: guard '%r0' is not a predicate");
  EXPECT_EQ(instructionError("mov.u32 %r0, %clock;"),
            "k.ptx:9: special register '%clock' is not supported by the "
            "simulator");
  EXPECT_EQ(instructionError("mov.u32 %r0, %pm3;"),
            "k.ptx:9: special register '%pm3' is not supported by the "
            "simulator");
  EXPECT_EQ(instructionError("mov.u32 %r0, %clusterid.x;"),
            "k.ptx:9: '%clusterid.x' is not supported by the simulator");
  EXPECT_EQ(instructionError("mov.u32 %r0, %r1.x;"),
            "k.ptx:9: '%r1.x' is not an operand");
  EXPECT_EQ(parseError(kernel("", "A: ret;\nA: ret;\n")),
            "k.ptx:6: label 'A' is defined twice");
  EXPECT_EQ(parseError(kernel("", ".reg .b32 %r;\n.reg .b64 %r;\n")),
            "k.ptx:6: register '%r' is declared twice");
}

TEST(ParseError, UnknownInstructions) {
  auto unsupported = [](const std::string &name) {
    return "k.ptx:9: instruction '" + name +
           "' is not supported by the simulator";
  };
  EXPECT_EQ(instructionError("frobnicate.u32 %r0, %r1;"),
            unsupported("frobnicate.u32"));
  EXPECT_EQ(instructionError("wgmma.fence.sync.aligned;"),
            unsupported("wgmma.fence.sync.aligned"));
  EXPECT_EQ(instructionError("frobnicate;"), unsupported("frobnicate"));
  EXPECT_EQ(instructionError("@%p0 frobnicate.u32 %r0;"),
            unsupported("frobnicate.u32"));
  EXPECT_EQ(instructionError("frobnicate." + std::string(1000, 'x') + ";"),
            unsupported("frobnicate." + std::string(117, 'x')));
}

// The operands of such an instruction, which may be anything, do not hide that
// there is no such instruction.
TEST(ParseError, OperandsOfUnknownInstructions) {
  auto expectUnsupported = [](const std::string &name,
                              const std::string &operands) {
    EXPECT_EQ(instructionError(name + " " + operands + ";"),
              "k.ptx:9: instruction '" + name +
                  "' is not supported by the simulator");
  };
  std::string sums = "{%f0";
  for (int i = 1; i < 128; ++i)
    sums += ", %f" + std::to_string(i);
  expectUnsupported("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16",
                    sums + "}, %rd0, %rd1, p, 1, 1, 0, 1");
  expectUnsupported("tcgen05.mma.cta_group::1.kind::f16",
                    "[%r0], %rd0, %rd1, %r1, {%r2, %r3, %r0, %r1}, p");
  expectUnsupported("tex.2d.v4.f32.f32",
                    "{%f0, %f1, %f2, %f3}, [texture, {%f0, %f1}]");
  expectUnsupported("call.uni", "(%r0), function, (%r1, %r2)");
}

// Neither does a form of a known instruction that the simulator does not have.
TEST(ParseError, OperandsOfKnownInstructions) {
  EXPECT_EQ(instructionError("cp.async.bulk.tensor.2d.shared::cluster.global."
                             "mbarrier::complete_tx::bytes [%r0], "
                             "[%rd0, {%r1, %r2}], [%r3];"),
            "k.ptx:9: expected ']', found ',' in 'cp.async.bulk.tensor.2d."
            "shared::cluster.global.mbarrier::complete_tx::bytes', whose form "
            "is wrong or not supported by the simulator");
  EXPECT_EQ(instructionError("add.s32 %r0, (%r1), %r2;"),
            "k.ptx:9: expected an operand, found '(' in 'add.s32', whose form "
            "is wrong or not supported by the simulator");
}

TEST(ParseError, Modifiers) {
  EXPECT_EQ(instructionError("add.sat.s32 %r0, %r1, %r2;"),
            "k.ptx:9: unsupported modifier '.sat' in 'add.sat.s32 %r0, %r1, "
            "%r2'");
  EXPECT_EQ(instructionError("add.rz.f64 %fd0, %fd1, %fd2;"),
            "k.ptx:9: unsupported modifier '.rz' in 'add.rz.f64 %fd0, %fd1, "
            "%fd2'");
  EXPECT_EQ(instructionError("fma.rz.f64 %fd0, %fd1, %fd2, %fd3;"),
            "k.ptx:9: expected modifier '.rn' in 'fma.rz.f64 %fd0, %fd1, %fd2, "
            "%fd3'");
  EXPECT_EQ(instructionError("add %r0, %r1, %r2;"),
            "k.ptx:9: missing type in 'add %r0, %r1, %r2'");
  EXPECT_EQ(instructionError("cvt.rz.f64.f32 %fd0, %f0;"),
            "k.ptx:9: missing or unsupported rounding in 'cvt.rz.f64.f32 %fd0, "
            "%f0'");
  EXPECT_EQ(instructionError("cvt.f32.f64 %f0, %fd0;"),
            "k.ptx:9: missing or unsupported rounding in 'cvt.f32.f64 %f0, "
            "%fd0'");
  EXPECT_EQ(instructionError("setp.lo.s32 %p0, %r0, %r1;"),
            "k.ptx:9: comparison '.lo' does not apply to .s32 in 'setp.lo.s32 "
            "%p0, %r0, %r1'");
  EXPECT_EQ(instructionError("ld.local.u32 %r0, [%rd0];"),
            "k.ptx:9: unsupported modifier '.local' in 'ld.local.u32 %r0, "
            "[%rd0]'");
  EXPECT_EQ(instructionError("div.f64 %fd0, %fd1, %fd2;"),
            "k.ptx:9: unsupported modifier '.f64' in 'div.f64 %fd0, %fd1, "
            "%fd2'");
}

TEST(ParseError, Operands) {
  EXPECT_EQ(instructionError("add.s32 %r0, %r1;"),
            "k.ptx:9: expected 3 operands, found 2 in 'add.s32 %r0, %r1'");
  EXPECT_EQ(instructionError("add.s32 %r0, %rd1, %r2;"),
            "k.ptx:9: register '%rd1' of type .b64 where .s32 is wanted in "
            "'add.s32 %r0, %rd1, %r2'");
  EXPECT_EQ(instructionError("add.s32 %f0, %r1, %r2;"),
            "k.ptx:9: register '%f0' of type .f32 where .s32 is wanted in "
            "'add.s32 %f0, %r1, %r2'");
  EXPECT_EQ(instructionError("add.s32 5, %r1, %r2;"),
            "k.ptx:9: operand 1 must be a register in 'add.s32 5, %r1, %r2'");
  EXPECT_EQ(instructionError("add.s32 %r0, %r1, 0x100000000;"),
            "k.ptx:9: number does not fit .s32 in 'add.s32 %r0, %r1, "
            "0x100000000'");
  EXPECT_EQ(instructionError("add.s32 %r0, %r1, 1.5;"),
            "k.ptx:9: floating-point number where .s32 is wanted in 'add.s32 "
            "%r0, %r1, 1.5'");
  EXPECT_EQ(instructionError("add.f32 %f0, %f1, 1;"),
            "k.ptx:9: integer where .f32 is wanted in 'add.f32 %f0, %f1, 1'");
  EXPECT_EQ(instructionError("selp.b32 %r0, %r1, %r2, %r3;"),
            "k.ptx:9: register '%r3' of type .b32 where .pred is wanted in "
            "'selp.b32 %r0, %r1, %r2, %r3'");
  EXPECT_EQ(instructionError("bar.sync %r0;"),
            "k.ptx:9: operand 1 must be a number from 0 to 15 in 'bar.sync "
            "%r0'");
  EXPECT_EQ(instructionError("bar.sync 0, 33;"),
            "k.ptx:9: the number of threads must be a multiple of 32 in "
            "'bar.sync 0, 33'");
}

TEST(ParseError, Accesses) {
  EXPECT_EQ(instructionError("ld.global.u32 %r0, [%r1];"),
            "k.ptx:9: register '%r1' of type .b32 cannot hold this address in "
            "'ld.global.u32 %r0, [%r1]'");
  EXPECT_EQ(instructionError("ld.global.u32 %r0, [sh];"),
            "k.ptx:9: variable 'sh' is in another state space in "
            "'ld.global.u32 %r0, [sh]'");
  EXPECT_EQ(instructionError("ld.param.u64 %rd0, [q];"),
            "k.ptx:9: outside parameter 'q' in 'ld.param.u64 %rd0, [q]'");
  EXPECT_EQ(instructionError("ld.param.u32 %r0, [p+2];"),
            "k.ptx:9: misaligned access to parameter 'p' in 'ld.param.u32 %r0, "
            "[p+2]'");
  EXPECT_EQ(instructionError("ld.global.v2.u32 %r0, [%rd0];"),
            "k.ptx:9: the operand does not fit the vector's size in "
            "'ld.global.v2.u32 %r0, [%rd0]'");
  EXPECT_EQ(instructionError("ld.global.v2.u32 {%r0, %r0}, [%rd0];"),
            "k.ptx:9: a register is written twice in 'ld.global.v2.u32 {%r0, "
            "%r0}, [%rd0]'");
  EXPECT_EQ(instructionError("ld.global.v8.f64 {%fd0, %fd1, %fd2, %fd3, %fd4, "
                             "%fd5, %fd6, %fd7}, [%rd0];")
                .substr(0, 29),
            "k.ptx:9: unsupported vector i");
  EXPECT_EQ(instructionError("ld.global.u64 %r0, [%rd0];"),
            "k.ptx:9: register '%r0' of type .b32 where .u64 is wanted in "
            "'ld.global.u64 %r0, [%rd0]'");
  EXPECT_EQ(instructionError("st.shared.u32 [%f0], %r0;"),
            "k.ptx:9: register '%f0' of type .f32 cannot hold this address in "
            "'st.shared.u32 [%f0], %r0'");
}

TEST(ParseError, Limits) {
  std::string many(std::size_t(17) << 20, ' ');
  EXPECT_EQ(parseError(many), "k.ptx:1: the module has more than 16777216 "
                              "bytes");
  std::string nested;
  for (int i = 0; i < 100; ++i)
    nested += "{";
  EXPECT_EQ(parseError(kernel("", nested)),
            "k.ptx:5: braces are nested too deeply");
  EXPECT_EQ(parseError(header + ".global .b8 x[0x7fffffffffffffff];"),
            "k.ptx:4: array is too large");
  EXPECT_EQ(parseError(kernel("", ".shared .b8 x[300000];\n.reg .b32 %r;\n"
                                  "mov.u32 %r, x;\n")),
            "k.ptx:4: entry 'k' uses 300000 bytes of shared memory, more than "
            "232448");
  EXPECT_EQ(parseError(kernel(".param .b8 x[40000]", "")),
            "k.ptx:4: parameter 'x' must have between 1 and 32764 elements");
}

/// The error of a module with these directives in front of an entry.
static std::string directiveError(const std::string &directives) {
  return parseError(header + directives + "\n.entry k() { ret; }\n");
}

TEST(ParseError, Locations) {
  EXPECT_EQ(directiveError(".file 1 \"a\"\n.loc 1 2 3"), "");
  EXPECT_EQ(directiveError(".loc 1 2 3\n.file 1 \"a\""), "");
  EXPECT_EQ(directiveError(".file 1 \"a\"\n.file 1 \"a\""), "");
  EXPECT_EQ(directiveError(".file 0 \"a\""),
            "k.ptx:4: a file number must be from 1 to 4294967295");
  EXPECT_EQ(directiveError(".file 4294967296 \"a\""),
            "k.ptx:4: a file number must be from 1 to 4294967295");
  EXPECT_EQ(directiveError(".file 1 a"),
            "k.ptx:4: expected a file name, found 'a'");
  EXPECT_EQ(directiveError(".file 1 \"a\"\n.file 1 \"b\""),
            "k.ptx:5: file 1 is declared twice");
  EXPECT_EQ(directiveError("\n.loc 3 2 1\n.loc 3 2 2"),
            "k.ptx:5: file 3 is not declared");
  EXPECT_EQ(directiveError(".file 1 \"a\"\n"
                           ".loc 1 2 3, function_name f, inlined_at 2 1 1"),
            "k.ptx:5: file 2 is not declared");
  EXPECT_EQ(directiveError(".file 1 \"a\"\n.loc 1 4294967296 3"),
            "k.ptx:5: a source position must be less than 4294967296");
  EXPECT_EQ(directiveError(".file 1 \"a\"\n.loc 1 2 .x"),
            "k.ptx:5: expected a source position, found '.x'");
  EXPECT_EQ(directiveError(".file 1 \"a\"\n.loc 1 2 3, function_name 4"),
            "k.ptx:5: expected the label of a function name, found '4'");
  EXPECT_EQ(directiveError(".file 1 \"a\"\n.loc 1 2 3, name"),
            "k.ptx:5: expected function_name or inlined_at, found 'name'");
}
