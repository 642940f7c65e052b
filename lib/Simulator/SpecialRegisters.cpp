//===- SpecialRegisters.cpp - Special registers of PTX, by name -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Those that the simulator has, and those that PTX has besides.
//
//===----------------------------------------------------------------------===//

#include "PTX.h"

#include <algorithm>
#include <iterator>
#include <utility>

using namespace tc::sim;

std::optional<SpecialRegister>
tc::sim::findSpecialRegister(std::string_view name,
                             std::string_view component) {
  static constexpr std::pair<std::string_view, SpecialRegister> vectors[] = {
      {"%tid", SpecialRegister::TidX},
      {"%ntid", SpecialRegister::NtidX},
      {"%ctaid", SpecialRegister::CtaidX},
      {"%nctaid", SpecialRegister::NctaidX}};
  for (const auto &[vectorName, first] : vectors)
    if (name == vectorName && component.size() == 1 && component[0] >= 'x' &&
        component[0] <= 'z')
      return static_cast<SpecialRegister>(static_cast<int>(first) +
                                          component[0] - 'x');
  if (!component.empty())
    return std::nullopt;
  if (name == "%laneid")
    return SpecialRegister::LaneId;
  if (name == "%warpid")
    return SpecialRegister::WarpId;
  if (name == "WARP_SZ")
    return SpecialRegister::WarpSize;
  return std::nullopt;
}

bool tc::sim::isSpecialRegister(std::string_view name) {
  // PTX ISA 9.0, chapter 10.
  static constexpr std::string_view names[] = {
      "%aggr_smem_size",
      "%clock",
      "%clock64",
      "%clock_hi",
      "%cluster_ctaid",
      "%cluster_ctarank",
      "%cluster_nctaid",
      "%cluster_nctarank",
      "%clusterid",
      "%ctaid",
      "%current_graph_exec",
      "%dynamic_smem_size",
      "%globaltimer",
      "%globaltimer_hi",
      "%globaltimer_lo",
      "%gridid",
      "%is_explicit_cluster",
      "%lanemask_eq",
      "%lanemask_ge",
      "%lanemask_gt",
      "%lanemask_le",
      "%lanemask_lt",
      "%nclusterid",
      "%nctaid",
      "%nsmid",
      "%ntid",
      "%nwarpid",
      "%reserved_smem_offset_begin",
      "%reserved_smem_offset_cap",
      "%reserved_smem_offset_end",
      "%smid",
      "%tid",
      "%total_smem_size",
  };
  if (std::find(std::begin(names), std::end(names), name) != std::end(names))
    return true;
  // Families are numbered, as in "%pm3".
  for (std::string_view family : {"%envreg", "%pm", "%reserved_smem_offset_"})
    if (name.size() > family.size() &&
        name.substr(0, family.size()) == family &&
        name.find_first_not_of("0123456789", family.size()) == name.npos)
      return true;
  return false;
}
