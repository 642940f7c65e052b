// Plugins would bring MLIR a second time.

// RUN: not tc-opt %s --load-pass-plugin=other.so 2>&1 | FileCheck %s -DOPTION=--load-pass-plugin=other.so
// RUN: not tc-opt %s -load-dialect-plugin other.so 2>&1 | FileCheck %s -DOPTION=-load-dialect-plugin
// CHECK: {{^}}tc-opt: [[OPTION]]: it loads no plugins; mlir-opt-22 does, and TCPlugin.so has the passes of tc-opt for it{{$}}
