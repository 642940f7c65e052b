//===- PackageVerifier.cpp - Launch descriptions against themselves - C++ -*-=//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conditions that any kernel must satisfy before it is worth launching, whoever
// described it: a wrong description would otherwise show as a wrong or endless
// run.
//
//===----------------------------------------------------------------------===//

#include "VerifierSupport.h"

#include "tc/Package/Blocks.h"
#include "tc/Package/DynamicShape.h"
#include "tc/Package/PackageFormat.h"
#include "tc/Problem/Expression.h"
#include "tc/Problem/Semiring.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>

#include <set>
#include <tuple>

using namespace tc;
using namespace tc::runtime;

/// An identifier as the PTX ISA has it (4.4), so that the name can be an entry.
static bool isEntryName(std::string_view name) {
  auto isLetter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  auto isFollow = [&](char c) {
    return isLetter(c) || (c >= '0' && c <= '9') || c == '_' || c == '$';
  };
  if (name.empty())
    return false;
  std::string_view rest = name.substr(1);
  bool start =
      isLetter(name[0]) ||
      ((name[0] == '_' || name[0] == '$' || name[0] == '%') && !rest.empty());
  return start && std::all_of(rest.begin(), rest.end(), isFollow);
}

/// Limits that every CUDA device since compute capability 3.0 allows in one
/// launch (CUDA C++ Programming Guide, technical specifications per compute
/// capability).
static constexpr Dim3 largestGrid = {2147483647, 65535, 65535};
static constexpr Dim3 largestBlock = {1024, 1024, 64};
static constexpr int64_t maxThreads = 1024;

static Status verifyDim3(const std::string &path, const Dim3 &dim,
                         const Dim3 &largest) {
  for (size_t i = 0; i < 3; ++i)
    if (dim[i] < 1 || dim[i] > largest[i])
      return fault(at(path, i), "must be between 1 and " +
                                    std::to_string(largest[i]) + ", not " +
                                    std::to_string(dim[i]));
  return {};
}

std::optional<unsigned>
tc::runtime::computeCapabilityOf(std::string_view target) {
  std::string_view prefix = "sm_";
  if (target.substr(0, prefix.size()) != prefix)
    return std::nullopt;
  unsigned capability = 0;
  const char *begin = target.data() + prefix.size();
  const char *end = target.data() + target.size();
  auto [next, error] = std::from_chars(begin, end, capability);
  // Code for one architecture or family only has a letter behind (sm_90a).
  if (error == std::errc() && next + 1 == end && *next >= 'a' && *next <= 'z')
    ++next;
  if (error != std::errc() || next != end)
    return std::nullopt;
  return capability;
}

Status tc::runtime::verifyTensor(const std::string &path,
                                 const TensorArgument &tensor,
                                 const std::string &name,
                                 ExtentOfLabel &extents) {
  if (tensor.name != name)
    return fault(path + ".name",
                 "expected \"" + name + "\", not \"" + tensor.name + "\"");
  size_t rank = tensor.labels.size();
  if (tensor.extents.size() != rank)
    return fault(path + ".extents", std::to_string(tensor.extents.size()) +
                                        " extents for " + std::to_string(rank) +
                                        " indices");
  if (tensor.strides.size() != rank)
    return fault(path + ".strides", std::to_string(tensor.strides.size()) +
                                        " strides for " + std::to_string(rank) +
                                        " indices");
  for (size_t i = 0; i < rank; ++i) {
    const std::string &label = tensor.labels[i];
    if (!model::isValidLabel(label))
      return fault(at(path + ".indices", i),
                   "\"" + label + "\" is not an index name");
    if (tensor.extents[i] < 1)
      return fault(at(path + ".extents", i),
                   "must be at least 1, not " +
                       std::to_string(tensor.extents[i]));
    auto [known, isNew] = extents.emplace(label, tensor.extents[i]);
    if (known->second != tensor.extents[i])
      return fault(at(path + ".extents", i),
                   "index \"" + label + "\" has extent " +
                       std::to_string(tensor.extents[i]) + " here and " +
                       std::to_string(known->second) + " before");
  }
  if (tensor.offset < 0)
    return fault(path + ".offset",
                 "must be at least 0, not " + std::to_string(tensor.offset));

  int64_t width = model::byteWidth(model::realTypeOf(tensor.type)),
          alignment = tensor.alignment;
  if (alignment < width || (alignment & (alignment - 1)) != 0 ||
      alignment > 4096)
    return fault(path + ".alignment",
                 "must be a power of two between " + std::to_string(width) +
                     " and 4096, not " + std::to_string(alignment));

  Result<Geometry> geometry = geometryOf(tensor);
  if (!geometry)
    return fault(path, geometry.error());
  if (geometry->elements() == saturated)
    return fault(path + ".extents", "the number of elements overflows");
  return {};
}

/// Sums are complex where C is, and so is A or B; the other one may be real.
static Status verifyComplex(const std::string &path,
                            const KernelContraction &kernel,
                            const std::array<std::string, 3> &tensorPaths) {
  model::ElementType sums = kernel.accumulatorType;
  for (size_t i = 0; i < 2; ++i) {
    bool conjugates = i == 0 ? kernel.conjugatesA : kernel.conjugatesB;
    if (conjugates && !model::isComplex(kernel.tensors[i].type))
      return fault(path + (i == 0 ? ".conjugate_a" : ".conjugate_b"),
                   "applies to complex numbers, but " + kernel.tensors[i].name +
                       " has " +
                       std::string(model::stringify(kernel.tensors[i].type)));
  }
  bool anyIsComplex = model::isComplex(sums);
  for (const TensorArgument &tensor : kernel.tensors)
    anyIsComplex |= model::isComplex(tensor.type);
  if (!anyIsComplex)
    return {};
  bool mayBeReal = true;
  for (size_t i = 0; i < kernel.tensors.size(); ++i) {
    model::ElementType type = kernel.tensors[i].type;
    bool isReal = i < 2 && mayBeReal && type == model::realTypeOf(sums);
    if (isReal)
      mayBeReal = false;
    else if (type != sums)
      return fault(tensorPaths[i] + ".type",
                   "must be " + std::string(model::stringify(sums)) +
                       ", the type of the sums, not " +
                       std::string(model::stringify(type)));
  }
  if (!model::appliesTo(kernel.semiring, sums))
    return fault(path + ".semiring",
                 std::string(model::stringify(kernel.semiring)) +
                     " applies to real numbers, but sums are in " +
                     std::string(model::stringify(sums)));
  for (auto [key, text] : fusedCode)
    if (!(kernel.*text).empty())
      return fault(path + "." + key, "applies to real numbers");
  return {};
}

static Status verifySums(const std::string &path, const Kernel &kernel) {
  model::ElementType sums = kernel.accumulatorType;
  if (sums == model::accumulatorTypeOf(sums))
    return {};
  return fault(path + ".accumulator",
               "sums are in f32, f64, i32, i64, c32 or c64, not in " +
                   std::string(model::stringify(sums)));
}

Status
tc::runtime::verifyArithmetic(const std::string &path,
                              const KernelContraction &kernel,
                              const std::array<std::string, 3> &tensorPaths) {
  model::ElementType sums = kernel.accumulatorType;
  model::ElementType factors = factorTypeOf(kernel);
  if (!model::appliesTo(kernel.precision, factors))
    return fault(path + ".precision",
                 std::string(model::stringify(kernel.precision)) +
                     " applies to factors of f32, but they have " +
                     std::string(model::stringify(factors)));
  if (!model::appliesTo(kernel.semiring, factors))
    return fault(
        path + ".semiring",
        std::string(model::stringify(kernel.semiring)) + " applies to " +
            std::string(model::typesOf(kernel.semiring)) +
            ", but factors have " + std::string(model::stringify(factors)));
  for (auto [key, factor] :
       {std::pair(".alpha", &kernel.alpha), std::pair(".beta", &kernel.beta)})
    if (Status status = model::checkConstant(factor->value, sums); !status)
      return fault(path + key, status.error());
  return verifyComplex(path, kernel, tensorPaths);
}

/// A user-defined semiring has both operations and no factors.
static Status verifyUserSemiring(const std::string &path,
                                 const KernelContraction &kernel) {
  bool isUserDefined = kernel.semiring == model::Semiring::UserDefined;
  for (auto [key, text] : {std::pair(model::productKey, &kernel.product),
                           std::pair(model::combineKey, &kernel.combine)})
    if (text->empty() == isUserDefined)
      return fault(path + "." + key,
                   isUserDefined ? "is missing, but semiring is user_defined"
                                 : "belongs to semiring user_defined");
  if (!isUserDefined)
    return {};
  if (Status status =
          model::checkIdentity(kernel.identity, kernel.accumulatorType);
      !status)
    return fault(path + ".identity", status.error());
  for (auto [key, factor, absent] : {std::tuple(".alpha", &kernel.alpha, 1),
                                     std::tuple(".beta", &kernel.beta, 0)})
    if (factor->isArgument || factor->value != absent)
      return fault(path + key, "must be the constant " +
                                   std::to_string(absent) +
                                   " where semiring is user_defined");
  return {};
}

Status tc::runtime::verifyFusedCode(const std::string &path,
                                    const KernelContraction &kernel) {
  for (auto [key, text] : fusedCode) {
    if ((kernel.*text).empty())
      continue;
    bool isOfSemiring = text == &KernelContraction::product ||
                        text == &KernelContraction::combine;
    Result<model::Expression> parsed =
        isOfSemiring ? model::parseSemiringOperation(kernel.*text)
        : text == &KernelContraction::epilogue
            ? model::parseEpilogue(kernel.*text)
            : model::parsePrologue(kernel.*text);
    if (!parsed)
      return fault(path + "." + key, parsed.error());
    if (Status status = model::checkNumbers(*parsed, kernel.accumulatorType);
        !status)
      return fault(path + "." + key, status.error());
    if (!model::isInteger(kernel.accumulatorType))
      continue;
    // Integers may be widened, which changes no number, and what a user-defined
    // semiring combines with C is in the epilogue.
    bool mayCompute =
        isOfSemiring || (text == &KernelContraction::epilogue &&
                         kernel.semiring == model::Semiring::UserDefined);
    if (!mayCompute && kernel.*text != "x")
      return fault(path + "." + key, "applies to floating-point numbers");
    if (Status status = model::checkComputesIntegers(*parsed); !status)
      return fault(path + "." + key, status.error());
  }
  return verifyUserSemiring(path, kernel);
}

/// The epilogue reads no other auxiliary tensors than there are, which are only
/// read.
static Status verifyAuxiliaries(const std::string &path, const Kernel &kernel,
                                ExtentOfLabel &extents) {
  const std::vector<std::string> &ofC = kernel.tensors[2].labels;
  std::set<std::string> names = {"A", "B", "C"};
  for (const std::string &variable : model::epilogueVariables())
    names.insert(variable);
  for (size_t i = 0; i < kernel.auxiliaries.size(); ++i) {
    const TensorArgument &auxiliary = kernel.auxiliaries[i];
    std::string argument = at(path + ".arguments", 3 + i);
    if (!model::isValidLabel(auxiliary.name) ||
        !names.insert(auxiliary.name).second)
      return fault(argument + ".name",
                   "\"" + auxiliary.name + "\" is no name for another tensor");
    if (Status s = verifyTensor(argument, auxiliary, auxiliary.name, extents);
        !s)
      return s;
    for (const std::string &label : auxiliary.labels)
      if (std::find(ofC.begin(), ofC.end(), label) == ofC.end())
        return fault(argument + ".indices",
                     "\"" + label + "\" is not an index of C");
    if (accessOf(auxiliary) != "read")
      return fault(argument + ".access", "expected \"read\"");
  }
  std::optional<model::Expression> epilogue = epilogueOf(kernel);
  if (!epilogue)
    return {};
  for (const model::Expression::Auxiliary &read : epilogue->auxiliaries()) {
    const TensorArgument *auxiliary = findAuxiliary(kernel, read.name);
    if (!auxiliary)
      return fault(path + ".epilogue",
                   "no argument is called \"" + read.name + "\"");
    if (auxiliary->labels != read.labels)
      return fault(path + ".epilogue",
                   "\"" + read.name + "\" has other indices as an argument");
  }
  return {};
}

const TensorArgument *tc::runtime::findAuxiliary(const Kernel &kernel,
                                                 std::string_view name) {
  for (const TensorArgument &auxiliary : kernel.auxiliaries)
    if (auxiliary.name == name)
      return &auxiliary;
  return nullptr;
}

std::optional<model::Expression>
tc::runtime::epilogueOf(const KernelContraction &kernel) {
  if (kernel.epilogue.empty())
    return std::nullopt;
  return *model::parseEpilogue(kernel.epilogue);
}

bool tc::runtime::epilogueReadsC(const KernelContraction &kernel) {
  std::optional<model::Expression> epilogue = epilogueOf(kernel);
  return epilogue && epilogue->reads(model::oldElementVariable);
}

static Status verifyAccess(const std::string &path, const Kernel &kernel) {
  bool usesBeta = kernel.beta.isArgument ||
                  kernel.beta.value !=
                      model::zeroOf(kernel.semiring, kernel.accumulatorType);
  bool readsC = usesBeta || epilogueReadsC(kernel);
  for (size_t i = 0; i < 3; ++i) {
    const TensorArgument &tensor = kernel.tensors[i];
    const char *expected = i < 2 ? "read" : readsC ? "read_write" : "write";
    if (accessOf(tensor) != expected)
      return fault(at(path + ".arguments", i) + ".access",
                   std::string("expected \"") + expected + "\", not \"" +
                       std::string(accessOf(tensor)) + "\"" +
                       (i < 2      ? ""
                        : usesBeta ? ", because beta is not the constant 0"
                        : readsC   ? ", because the epilogue uses c"
                                   : ", because beta is the constant 0"));
  }
  return {};
}

Status tc::runtime::verifyOutput(const std::string &path,
                                 const KernelContraction &kernel,
                                 bool reduces) {
  const TensorArgument &c = kernel.tensors[2];
  std::set<std::string> inputLabels;
  for (size_t i = 0; i < 2; ++i)
    inputLabels.insert(kernel.tensors[i].labels.begin(),
                       kernel.tensors[i].labels.end());
  for (size_t i = 0; i < c.labels.size(); ++i)
    if (!inputLabels.count(c.labels[i]))
      return fault(at(path + ".indices", i),
                   "index \"" + c.labels[i] + "\" of C is in neither A nor B");
  if (!reduces && !geometryOf(c)->isNested())
    return fault(path + ".strides", "elements of C overlap");
  return {};
}

/// One number takes the place of C, and blocks have a place for their parts.
static Status verifyReduction(const std::string &path, const Kernel &kernel) {
  if (!kernel.reduces)
    return {};
  const TensorArgument &c = kernel.tensors[2];
  for (size_t i = 0; i < c.strides.size(); ++i)
    if (c.strides[i] != 0)
      return fault(at(at(path + ".arguments", 2) + ".strides", i),
                   "must be 0 where elements of C are added up, not " +
                       std::to_string(c.strides[i]));
  if (c.isRead)
    return fault(at(path + ".arguments", 2) + ".access",
                 "expected \"write\" where elements of C are added up");
  if (model::isComplex(c.type))
    return fault(path + ".reduce", "applies to real numbers");
  model::GridMapping plain;
  plain.rasterM = kernel.mapping.rasterM;
  if (!(kernel.mapping == plain))
    return fault(path + ".mapping", "must neither loop over tiles nor split K "
                                    "where elements of C are added "
                                    "up");
  int64_t parts = saturatingMultiply(
      kernel.grid[0], model::byteWidth(model::reductionTypeOf(c.type)));
  if (!kernel.workspace ||
      kernel.workspace->bytes - kernel.workspace->zeroedBytes < parts)
    return fault(path + ".reduce", "needs a workspace with " +
                                       std::to_string(parts) +
                                       " bytes for the parts of all blocks");
  return {};
}

/// Place of a role's indices in grid_dims.
static unsigned placeInOrder(model::Role role) {
  return role == model::Role::M ? 0 : role == model::Role::N ? 1 : 2;
}

static Status verifyMapping(const std::string &path, const Kernel &kernel) {
  const model::GridMapping &mapping = kernel.mapping;
  for (auto [key, value, least] :
       {std::tuple(".raster_m", mapping.rasterM, int64_t(0)),
        std::tuple(".tiles_per_block", mapping.tilesPerBlock, int64_t(1)),
        std::tuple(".split_k", mapping.splitK, int64_t(1))})
    if (value < least)
      return fault(path + ".mapping" + key,
                   "must be at least " + std::to_string(least) + ", not " +
                       std::to_string(value));
  if (mapping.stationary == model::Stationary::Output &&
      mapping.tilesPerBlock != 1)
    return fault(path + ".mapping.tiles_per_block",
                 "must be 1 where the output is stationary, not " +
                     std::to_string(mapping.tilesPerBlock));
  if (mapping.splitK > 1 && !kernel.workspace)
    return fault(path + ".mapping.split_k",
                 "is " + std::to_string(mapping.splitK) +
                     ", but there is no workspace for the partial sums");
  return {};
}

/// The most bytes that a kernel can use of a workspace: a counter of four bytes
/// for each block, in whole pages, and of each block one number or what its
/// threads have in registers.
static int64_t maxWorkspaceBytes(const Kernel &kernel) {
  constexpr int64_t counterBytes = 4, pageBytes = 4096,
                    registerBytesOfThread = 255 * 4;
  if (!kernel.reduces && kernel.mapping.splitK == 1)
    return 0;
  int64_t threads = kernel.block[0] * kernel.block[1] * kernel.block[2];
  int64_t ofBlock =
      kernel.reduces
          ? model::byteWidth(model::reductionTypeOf(kernel.tensors[2].type))
          : saturatingMultiply(threads, registerBytesOfThread);
  int64_t counters =
      roundUp(saturatingMultiply(kernel.grid[0], counterBytes), pageBytes);
  return saturatingAdd(counters, saturatingMultiply(kernel.grid[0], ofBlock));
}

static Status verifyWorkspace(const std::string &path, const Kernel &kernel) {
  if (!kernel.workspace)
    return {};
  size_t place = 3 + kernel.auxiliaries.size() + kernel.alpha.isArgument +
                 kernel.beta.isArgument;
  std::string argument = at(path + ".arguments", place);
  const auto &[bytes, zeroed, alignment] = *kernel.workspace;
  if (bytes < 1)
    return fault(argument + ".bytes",
                 "must be at least 1, not " + std::to_string(bytes));
  if (zeroed < 0 || zeroed > bytes)
    return fault(argument + ".zeroed_bytes",
                 "must be between 0 and the " + std::to_string(bytes) +
                     " bytes of the workspace, not " + std::to_string(zeroed));
  if (alignment < 1 || (alignment & (alignment - 1)) != 0 || alignment > 4096)
    return fault(argument + ".alignment",
                 "must be a power of two between 1 and 4096, not " +
                     std::to_string(alignment));
  if (int64_t most = maxWorkspaceBytes(kernel); bytes > most)
    return fault(argument + ".bytes",
                 most == 0 ? "blocks share no sums, so there is no use for a "
                             "workspace"
                           : "is " + std::to_string(bytes) +
                                 ", but the blocks can use no more than " +
                                 std::to_string(most));
  return {};
}

static Status verifyGridDims(const std::string &path, const Kernel &kernel) {
  const TensorArgument &c = kernel.tensors[2];
  std::string dimsPath = path + ".grid_dims";
  std::set<std::string> covered;
  bool isPlain = kernel.mapping == model::GridMapping();
  model::Role last = model::Role::M;
  for (size_t i = 0; i < kernel.gridDims.size(); ++i) {
    const GridDim &dim = kernel.gridDims[i];
    std::string dimPath = at(dimsPath, i);
    auto found = std::find(c.labels.begin(), c.labels.end(), dim.label);
    if (found == c.labels.end())
      return fault(dimPath + ".index",
                   "\"" + dim.label + "\" is not an index of C");
    if (!covered.insert(dim.label).second)
      return fault(dimPath + ".index", "\"" + dim.label + "\" occurs twice");
    int64_t extent = c.extents[found - c.labels.begin()];
    if (dim.extent != extent)
      return fault(dimPath + ".extent", "index \"" + dim.label +
                                            "\" of C has extent " +
                                            std::to_string(extent) + ", not " +
                                            std::to_string(dim.extent));
    if (dim.tile < 1 || dim.tile > dim.extent)
      return fault(dimPath + ".tile", "must be between 1 and the extent " +
                                          std::to_string(dim.extent) +
                                          ", not " + std::to_string(dim.tile));
    model::Role role = roleOf(kernel, dim);
    if (!isPlain && placeInOrder(role) < placeInOrder(last))
      return fault(dimPath + ".index",
                   "\"" + dim.label +
                       "\" is out of place: indices of M come first, then "
                       "those of N, then the batch");
    last = role;
  }
  for (size_t i = 0; i < c.labels.size(); ++i)
    if (c.extents[i] > 1 && !covered.count(c.labels[i]))
      return fault(dimsPath, "index \"" + c.labels[i] + "\" of C is missing");
  int64_t blocks = countBlocks(kernel);
  if (kernel.grid != Dim3{blocks, 1, 1})
    return fault(path + ".grid",
                 "expected [" + std::to_string(blocks) + ", 1, 1], " +
                     (isPlain
                          ? "the number of tiles in grid_dims"
                          : "the blocks that grid_dims and mapping ask for") +
                     ", not [" + std::to_string(kernel.grid[0]) + ", " +
                     std::to_string(kernel.grid[1]) + ", " +
                     std::to_string(kernel.grid[2]) + "]");
  return {};
}

static Status verifyKernel(const std::string &path, const Kernel &kernel) {
  if (!isEntryName(kernel.entry))
    return fault(path + ".entry",
                 "\"" + kernel.entry + "\" is not the name of a PTX entry");
  if (!isEntryName(symbolOf(kernel)))
    return fault(path + ".symbol",
                 "\"" + kernel.symbol + "\" is not the name of a PTX entry");
  if (Status s = verifyDim3(path + ".grid", kernel.grid, largestGrid); !s)
    return s;
  if (Status s = verifyDim3(path + ".block", kernel.block, largestBlock); !s)
    return s;
  int64_t threads = kernel.block[0] * kernel.block[1] * kernel.block[2];
  if (threads > maxThreads)
    return fault(path + ".block", std::to_string(threads) +
                                      " threads, more than " +
                                      std::to_string(maxThreads));

  auto verifyBytes = [&](const char *key, int64_t bytes) -> Status {
    if (bytes < 0 || bytes > std::numeric_limits<int32_t>::max())
      return fault(path + key, "must be between 0 and 2^31 - 1, not " +
                                   std::to_string(bytes));
    return {};
  };
  if (Status s = verifyBytes(".static_shared_bytes", kernel.staticSharedBytes);
      !s)
    return s;
  if (Status s =
          verifyBytes(".dynamic_shared_bytes", kernel.dynamicSharedBytes);
      !s)
    return s;

  if (kernel.hasOtherCode)
    return fault(path, "has fused code that no expression describes");
  if (Status s = verifySums(path, kernel); !s)
    return s;
  if (Status s = verifyFusedCode(path, kernel); !s)
    return s;
  static constexpr std::array<const char *, 3> names = {"A", "B", "C"};
  ExtentOfLabel extents;
  for (size_t i = 0; i < 3; ++i)
    if (Status s = verifyTensor(at(path + ".arguments", i), kernel.tensors[i],
                                names[i], extents);
        !s)
      return s;
  if (Status s = verifyAuxiliaries(path, kernel, extents); !s)
    return s;
  if (Status s = verifyArithmetic(path, kernel,
                                  {at(path + ".arguments", 0),
                                   at(path + ".arguments", 1),
                                   at(path + ".arguments", 2)});
      !s)
    return s;
  if (Status s = verifyAccess(path, kernel); !s)
    return s;
  if (Status s =
          verifyOutput(at(path + ".arguments", 2), kernel, kernel.reduces);
      !s)
    return s;
  if (Status s = verifyMapping(path, kernel); !s)
    return s;
  if (Status s = verifyWorkspace(path, kernel); !s)
    return s;
  if (Status s = verifyReduction(path, kernel); !s)
    return s;
  if (Status s = verifyGridDims(path, kernel); !s)
    return s;
  if (Status s = verifyGroup(path, kernel); !s)
    return s;
  return verifyDynamicShape(path, kernel);
}

Status tc::runtime::verify(const Package &package) {
  std::filesystem::path file = package.codeFile;
  bool climbs = std::find(file.begin(), file.end(), "..") != file.end();
  if (file.empty() || file.is_absolute() || climbs)
    return fault("$.code.file", "\"" + package.codeFile +
                                    "\" is not a path below the folder of the "
                                    "description");
  if (!computeCapabilityOf(package.target))
    return fault("$.target",
                 "\"" + package.target + "\" is not a chip like \"sm_90\"");
  if (package.kernels.empty())
    return fault("$.kernels", "no kernels");
  std::set<std::string> entries, symbols;
  for (size_t i = 0; i < package.kernels.size(); ++i) {
    std::string path = at("$.kernels", i);
    if (Status s = verifyKernel(path, package.kernels[i]); !s)
      return s;
    if (!entries.insert(package.kernels[i].entry).second)
      return fault(path + ".entry",
                   "\"" + package.kernels[i].entry + "\" occurs twice");
    if (const std::string &symbol = symbolOf(package.kernels[i]);
        !symbols.insert(symbol).second)
      return fault(path + ".symbol", "\"" + symbol + "\" occurs twice");
    if (Status s = verifyVersion(path, package, i); !s)
      return s;
  }
  return verifyPrograms(package);
}
