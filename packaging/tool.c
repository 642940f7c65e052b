//===- tool.c - The one program of a wheel --------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All tools are functions of libtc_compiler, which knows by its name which one
// it is.
//
//===----------------------------------------------------------------------===//

int tcToolMain(int argc, char **argv);

int main(int argc, char **argv) { return tcToolMain(argc, argv); }
