//===- KernelText.cpp - Kernels in words ----------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Package/KernelText.h"

#include "tc/Package/ConstantJson.h"
#include "tc/Package/Geometry.h"
#include "tc/Package/PackageFormat.h"
#include "tc/Problem/ComplexParts.h"

#include <algorithm>
#include <cstdio>

using namespace tc;
using namespace tc::runtime;

static std::string accessText(const TensorArgument &tensor) {
  std::string text = tensor.name + "[";
  for (size_t i = 0; i < tensor.labels.size(); ++i)
    text += (i ? "," : "") + tensor.labels[i];
  return text + "]";
}

/// "conj(A[i,k])" for a conjugated input, and likewise for one whose softmax is
/// taken.
static std::string inputText(const Kernel &kernel, unsigned node,
                             model::Tensor input) {
  const KernelContraction &contraction = contractionAt(kernel, node);
  bool isA = input == model::Tensor::A;
  std::string text =
      accessText(contraction.tensors[static_cast<size_t>(input)]);
  if (isA ? contraction.conjugatesA : contraction.conjugatesB)
    text = "conj(" + text + ")";
  model::Group group = groupOf(kernel);
  const model::GroupEdge *edge = group.edgeInto(node, input);
  if (edge && edge->through != model::EdgeFunction::Identity)
    text = std::string(model::stringify(edge->through)) + "(" + text + ")";
  return text;
}

static std::string format(const char *pattern, double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), pattern, value);
  return buffer;
}

/// "NAME * " or the value and " * ", nothing for a factor of one.
static std::string factorText(const Scalar &scalar, const char *name,
                              model::ElementType type) {
  if (scalar.isArgument)
    return std::string(name) + " * ";
  if (scalar.value == 1.0)
    return "";
  if (model::isInteger(type))
    return stringify(scalar.value) + " * ";
  std::string real = format("%.9g", scalar.value.real());
  if (scalar.value.imag() == 0)
    return real + " * ";
  return "(" + real + format("%+.9g", scalar.value.imag()) + "i) * ";
}

std::string tc::runtime::formulaOf(const Kernel &kernel, unsigned node) {
  const KernelContraction &contraction = contractionAt(kernel, node);
  model::Group group = groupOf(kernel);
  const TensorArgument &c = contraction.tensors[2];
  const model::GroupEdge *edge = group.edgeFromOutput(node);
  std::string sign(edge ? model::traitsOf(*edge).assignment : " = ");
  std::string output = accessText(c);
  if (node == 0 && kernel.reduces) {
    output = c.name + " = sum over ";
    for (size_t i = 0; i < c.labels.size(); ++i)
      output += (i ? "," : "") + c.labels[i];
    output += " of";
    sign = " ";
  }
  std::string text =
      output + sign +
      factorText(contraction.alpha, "alpha", contraction.accumulatorType) +
      inputText(kernel, node, model::Tensor::A) + " * " +
      inputText(kernel, node, model::Tensor::B);
  if (contraction.beta.isArgument || contraction.beta.value != 0.0)
    text += " + " +
            factorText(contraction.beta, "beta", contraction.accumulatorType) +
            accessText(c);
  return text;
}

/// The indices and their extents in the order of A, then of B, then of C.
static std::vector<std::pair<std::string, int64_t>>
listExtents(const KernelContraction &kernel) {
  std::vector<std::pair<std::string, int64_t>> list;
  for (const TensorArgument &tensor : kernel.tensors)
    for (size_t i = 0; i < tensor.labels.size(); ++i) {
      std::pair<std::string, int64_t> entry(tensor.labels[i],
                                            tensor.extents[i]);
      if (std::find(list.begin(), list.end(), entry) == list.end())
        list.push_back(std::move(entry));
    }
  return list;
}

std::string tc::runtime::extentsOf(const KernelContraction &contraction) {
  std::string text;
  for (const auto &[label, extent] : listExtents(contraction))
    text += (text.empty() ? "" : " ") + label + "=" + std::to_string(extent);
  return text;
}

std::string tc::runtime::otherContractionsText(const Kernel &kernel) {
  std::string text;
  for (unsigned node = 1; node <= kernel.others.size(); ++node) {
    const KernelContraction &other = contractionAt(kernel, node);
    text += reportLine("contraction " + std::to_string(node),
                       formulaOf(kernel, node) + " with " + extentsOf(other)) +
            fusedCodeText(other);
  }
  return text;
}

std::string tc::runtime::typesOf(const Kernel &kernel) {
  std::string text;
  bool same = true;
  for (const TensorArgument &tensor : kernel.tensors) {
    text += (text.empty() ? "" : ", ") + tensor.name + " ";
    text += model::stringify(tensor.type);
    same &= tensor.type == kernel.accumulatorType;
  }
  if (!same)
    text.append(", sums ").append(model::stringify(kernel.accumulatorType));
  if (kernel.precision != model::Precision::IEEE)
    text.append(", precision ").append(model::stringify(kernel.precision));
  if (kernel.semiring != model::Semiring::PlusTimes)
    text.append(", semiring ").append(model::stringify(kernel.semiring));
  return text;
}

/// True if a prologue does nothing but widen an input to the type of factors,
/// which the types say.
static bool onlyWidens(const KernelContraction &kernel, size_t input,
                       const std::string &prologue) {
  return prologue == model::prologueVariables().front() &&
         model::byteWidth(kernel.tensors[input].type) <
             model::byteWidth(factorTypeOf(kernel));
}

std::string tc::runtime::fusedCodeText(const KernelContraction &kernel) {
  std::string text;
  auto add = [&](const char *name, const std::string &code) {
    if (!code.empty())
      text += reportLine(name, code);
  };
  if (!onlyWidens(kernel, 0, kernel.prologueA))
    add("prologue a", kernel.prologueA);
  if (!onlyWidens(kernel, 1, kernel.prologueB))
    add("prologue b", kernel.prologueB);
  add("product", kernel.product);
  add("combine", kernel.combine);
  add("epilogue", kernel.epilogue);
  return text;
}

static std::string dimText(const Dim3 &dim) {
  return std::to_string(dim[0]) + "x" + std::to_string(dim[1]) + "x" +
         std::to_string(dim[2]);
}

std::string tc::runtime::launchText(const Dim3 &grid, const Dim3 &block,
                                    int64_t staticBytes, int64_t dynamicBytes) {
  return "grid " + dimText(grid) + ", block " + dimText(block) +
         ", shared memory " + std::to_string(staticBytes) + " B static + " +
         std::to_string(dynamicBytes) + " B dynamic";
}

std::string tc::runtime::launchOf(const Kernel &kernel) {
  return launchText(kernel.grid, kernel.block, kernel.staticSharedBytes,
                    kernel.dynamicSharedBytes) +
         (kernel.workspace
              ? ", workspace " + std::to_string(kernel.workspace->bytes) + " B"
              : "");
}

static Json scalarToJson(const Scalar &scalar, model::ElementType type) {
  if (scalar.isArgument)
    return "argument";
  if (scalar.value.imag() == 0)
    return toJson(scalar.value, type);
  return {scalar.value.real(), scalar.value.imag()};
}

static Json extentsToJson(const KernelContraction &kernel) {
  Json extents = Json::object();
  for (const auto &[label, extent] : listExtents(kernel))
    extents[label] = extent;
  return extents;
}

Json tc::runtime::kernelToJson(const Kernel &kernel) {
  Json json;
  json["entry"] = kernel.entry;
  json["contraction"] = formulaOf(kernel);
  json["extents"] = extentsToJson(kernel);
  Json &types = json["types"] = Json::object();
  for (const TensorArgument *tensor : tensorsOf(kernel))
    types[tensor->name] = model::stringify(tensor->type);
  json["accumulator"] = model::stringify(kernel.accumulatorType);
  json["precision"] = model::stringify(kernel.precision);
  json["semiring"] = model::stringify(kernel.semiring);
  for (auto [key, code] : fusedCode)
    if (!(kernel.*code).empty())
      json[key] = kernel.*code;
  if (kernel.reduces)
    json["reduce"] = additionName;
  json["alpha"] = scalarToJson(kernel.alpha, kernel.accumulatorType);
  json["beta"] = scalarToJson(kernel.beta, kernel.accumulatorType);
  json["grid"] = kernel.grid;
  json["block"] = kernel.block;
  json["static_shared_bytes"] = kernel.staticSharedBytes;
  json["dynamic_shared_bytes"] = kernel.dynamicSharedBytes;
  if (kernel.workspace)
    json["workspace_bytes"] = kernel.workspace->bytes;
  json["schedule"] = kernel.schedule;
  for (unsigned node = 1; node <= kernel.others.size(); ++node) {
    const KernelContraction &other = contractionAt(kernel, node);
    Json description;
    description["contraction"] = formulaOf(kernel, node);
    description["extents"] = extentsToJson(other);
    description["precision"] = model::stringify(other.precision);
    for (auto [key, code] : fusedCode)
      if (!(other.*code).empty())
        description[key] = other.*code;
    description["schedule"] = other.schedule;
    json["contractions"].push_back(std::move(description));
  }
  return json;
}

Work tc::runtime::workOf(const Kernel &kernel) {
  Work work;
  model::Group group = groupOf(kernel);
  for (unsigned node = 0; node < group.size; ++node) {
    model::Contraction contraction =
        node == 0 ? contractionOf(kernel)
                  : contractionOf(contractionAt(kernel, node));
    for (model::Tensor tensor : model::allTensors) {
      // A tensor of several nodes moves once, and none that stays on the chip.
      if (!group.isOperand({node, tensor}))
        continue;
      double bytes = contraction.elements(tensor) *
                     static_cast<double>(
                         model::byteWidth(contraction.elementType[tensor]));
      bool isUpdated = tensor == model::Tensor::C && contraction.readsC;
      work.bytes += bytes * (isUpdated ? 2 : 1);
    }
    // A product of complex numbers is four of real ones.
    work.flops +=
        2 * model::toRealParts(std::move(contraction)).fusedMultiplyAdds();
  }
  return work;
}

std::string tc::runtime::reportLine(const std::string &title,
                                    const std::string &text) {
  constexpr size_t width = 13;
  std::string line = "  " + title;
  line.resize(std::max(line.size() + 1, width + 2), ' ');
  return line + text + "\n";
}

std::string tc::runtime::dump(const Json &json) {
  return json.dump(2, ' ', /*ensure_ascii=*/false,
                   Json::error_handler_t::replace) +
         "\n";
}
