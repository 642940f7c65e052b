//===- CodeOption.h - Options that pipelines have in common -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options of pipelines that are members of `CompileOptions`: the name, the help
// and the default are those of the list that describes these.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PIPELINES_CODEOPTION_H
#define TC_PIPELINES_CODEOPTION_H

#include "tc/OnDemand/OptionTable.h"

#include "mlir/Pass/PassOptions.h"

#include <functional>
#include <string>
#include <vector>

namespace tc {

namespace detail {

/// The type that stands in a pipeline for one whose value need not be there: a
/// text that may be empty, or an integer of which one says that there is none.
template <typename T> struct Kept {
  using Type = T;
};
template <typename T> struct Kept<std::optional<T>> {
  using Type = std::conditional_t<std::is_integral_v<T>, int64_t, T>;
};
template <auto member>
using KeptAt = typename Kept<typename tc::Option<member>::Value>::Type;

template <auto member> constexpr OptionInfo infoAt() {
  return std::get<tc::Option<member>>(
             optionsOf(static_cast<const CompileOptions *>(nullptr)))
      .info;
}

template <auto member> KeptAt<member> valueAt(const CompileOptions &options) {
  const auto &value = options.*member;
  if constexpr (!record::IsOptional<std::decay_t<decltype(value)>>::value)
    return value;
  else if constexpr (infoAt<member>().none.has_value())
    return value ? static_cast<int64_t>(*value) : *infoAt<member>().none;
  else
    return value.value_or(KeptAt<member>());
}

/// The help of an option: "Most bytes of copies; -1 for any number".
std::string helpOf(const OptionInfo &info);

} // namespace detail

/// The base of pipelines that have such options.
struct CodeOptions {
  /// Takes over those that the pipeline has.
  void setCode(const CompileOptions &options) {
    for (const auto &set : setters)
      set(options);
  }

  std::vector<std::function<void(const CompileOptions &)>> setters;
};

template <auto member>
class CodeOption
    : public mlir::detail::PassOptions::Option<detail::KeptAt<member>> {
  using Value = detail::KeptAt<member>;
  using Base = mlir::detail::PassOptions::Option<Value>;

public:
  template <typename Pipeline>
  explicit CodeOption(Pipeline &pipeline)
      : CodeOption(pipeline, detail::valueAt<member>({}), help()) {}

  /// An option of which something else holds by default.
  template <typename Pipeline>
  CodeOption(Pipeline &pipeline, Value value)
      : CodeOption(pipeline, value,
                   llvm::StringRef(detail::infoAt<member>().help)) {}

  using Base::operator=;

private:
  template <typename Pipeline>
  CodeOption(Pipeline &pipeline, const Value &value, llvm::StringRef help)
      : Base(pipeline, llvm::StringRef(detail::infoAt<member>().name),
             llvm::cl::desc(help), llvm::cl::init(value)) {
    pipeline.setters.push_back([this](const CompileOptions &options) {
      *this = detail::valueAt<member>(options);
    });
  }

  /// LLVM keeps no copy of it.
  static llvm::StringRef help() {
    static const std::string text = detail::helpOf(detail::infoAt<member>());
    return text;
  }
};

} // namespace tc

#endif // TC_PIPELINES_CODEOPTION_H
