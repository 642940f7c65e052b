//===- HierarchySearch.cpp - The best tiles for a hierarchy ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Branch and bound over the levels from the outermost in. A tile is a position
// in the chain of each role, so a level's movement takes a few multiplications.
// One pass finds the least time of the slowest level, the next the least of the
// next slowest among all schedules that the first leaves, and so on.
//
//===----------------------------------------------------------------------===//

#include "tc/Hierarchy/HierarchySearch.h"

#include "tc/Hierarchy/HierarchyTiles.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace tc::model {

namespace {

/// The roles that tiles differ in, and the tensor that lacks each.
enum : unsigned { M, N, K, numRoles };
constexpr Role roles[numRoles] = {Role::M, Role::N, Role::K};
constexpr Tensor lacking[numRoles] = {Tensor::B, Tensor::A, Tensor::C};

constexpr double infinity = std::numeric_limits<double>::infinity();

using Positions = std::array<unsigned, numRoles>;
using Times = std::vector<double>;

/// The loops of one role that stand innermost, in a band and further out while
/// there is no other loop between. They reuse the tensor that lacks the role.
struct Run {
  unsigned role;
  double count; ///< of the tiles that the run walks through
};

/// The decision for one level.
struct LevelChoice {
  Positions tile = {};
  /// The role of the innermost loop.
  unsigned innermost = K;
  /// What follows: the run that starts in the level's band.
  std::optional<Run> run;
};

class Search {
public:
  Search(const Contraction &contraction, const Hierarchy &hierarchy,
         const TileConstraints &constraints)
      : contraction(contraction), hierarchy(hierarchy),
        constraints(constraints), outermost(hierarchy.size() - 1),
        firstLevel(constraints.registerTile ? 1 : 0), choices(outermost + 1),
        times(outermost), limits(outermost, infinity), maximal(outermost) {
    const std::optional<RegisterTile> &registers = constraints.registerTile;
    const int64_t units[numRoles] = {registers ? registers->m : 1,
                                     registers ? registers->n : 1, 1};
    for (unsigned role : {M, N, K}) {
      chains[role] = makeChain(contraction, roles[role], units[role]);
      choices[outermost].tile[role] = chains[role].tiles.size() - 1;
    }
    bool both = constraints.output != OutputTraffic::Once;
    bool skipsFirst = constraints.output == OutputTraffic::ReadAndWrite &&
                      !contraction.readsC;
    for (Tensor tensor : allTensors) {
      elementBytes[tensor] =
          static_cast<double>(byteWidth(contraction.elementType[tensor]));
      bytes[tensor] = contraction.elements(tensor) * elementBytes[tensor] *
                      (tensor == Tensor::C && both ? 2 : 1);
    }
    unvisited = skipsFirst ? bytes[Tensor::C] / 2 : 0;
    if (registers) {
      for (unsigned role : {M, N})
        leastRegisterTiles[role] = leastRegisterTilesOf(role);
      registerSeconds = leastRegisterSeconds();
      leastK = chains[K].tiles.size() > 1;
      for (unsigned level = 1; level < outermost; ++level)
        if (leastK > 0 && !fits(level, {0, 0, leastK}))
          leastK = 0;
    }
  }

  Result<TileChoice> run() {
    if (Status status = checkSmallest(); !status)
      return Error{status.error()};
    for (rank = 0; rank < outermost; ++rank) {
      least.clear();
      for (unsigned level = firstLevel; level < outermost; ++level)
        least.push_back(leastOf(level));
      best = infinity;
      branch(outermost);
      // What is as good as the best, but for rounding, is within the limit.
      limits[rank] = best * (1 + constraints.tolerance) * (1 + 1e-12);
    }
    TileChoice choice;
    choice.schedule = makeSchedule();
    Result<HierarchyCost> cost = estimateCost(
        contraction, hierarchy, choice.schedule, constraints.output);
    if (!cost)
      return Error{cost.error()};
    choice.cost = *cost;
    choice.statistics = statistics;
    return choice;
  }

private:
  double elements(unsigned role, const Positions &tile) const {
    return chains[role].tiles[tile[role]].elements;
  }

  /// Tiles of a level along a role.
  double count(unsigned level, unsigned role) const {
    return chains[role].tiles[choices[level].tile[role]].count;
  }

  bool fits(unsigned level, const Positions &tile) const {
    const MemoryLevel &memory = hierarchy[level];
    if (memory.capacityBytes == 0)
      return true;
    double m = elements(M, tile), n = elements(N, tile), k = elements(K, tile);
    double a = m * k * elementBytes[Tensor::A];
    double b = n * k * elementBytes[Tensor::B];
    double c = m * n * elementBytes[Tensor::C];
    double capacity = static_cast<double>(memory.capacityBytes);
    if (a + b + c > capacity)
      return false;
    if (memory.ways == 0)
      return true;
    double way = capacity / static_cast<double>(memory.ways);
    auto ways = [&](double size) {
      return static_cast<int64_t>((size + way - 1) / way);
    };
    return ways(a) + ways(b) + ways(c) <= memory.ways;
  }

  /// Whether the innermost tile that a level can have fits it.
  Status checkSmallest() const {
    for (unsigned level = 0; level < outermost; ++level) {
      PerTensor<double> smallest = {{1, 1, 1}};
      if (constraints.registerTile) {
        HierarchySchedule registers;
        registers.registerTile = constraints.registerTile;
        smallest = footprint(contraction, registers, 0);
        if (level > 0) {
          double m = elements(M, {}), n = elements(N, {});
          smallest = {{m, n, m * n}};
        }
      }
      if (Status status = checkFits(contraction, hierarchy[level], smallest);
          !status)
        return Error{"no tiles are small enough: " + status.error()};
    }
    return {};
  }

  /// The tiles of a level that lie within an outer tile and fit, and that are
  /// no part of a larger one that does.
  const std::vector<Positions> &maximalTiles(unsigned level,
                                             const Positions &outer) {
    auto [entry, isNew] = maximal[level].try_emplace(outer);
    std::vector<Positions> &found = entry->second;
    if (!isNew)
      return found;
    auto canGrow = [&](Positions tile, unsigned role) {
      tile[role] = chains[role].next[outer[role]][tile[role]];
      return tile[role] < chains[role].tiles.size() && fits(level, tile);
    };
    const std::vector<unsigned> &insideN = chains[N].inside[outer[N]];
    const std::vector<unsigned> &insideK = chains[K].inside[outer[K]];
    for (unsigned m : chains[M].inside[outer[M]]) {
      // The larger the tile along N, the smaller that along K has to be.
      auto first = insideK.begin();
      for (auto n = insideN.rbegin(); n != insideN.rend(); ++n) {
        while (first != insideK.end() && !fits(level, {m, *n, *first}))
          ++first;
        for (auto k = first; k != insideK.end(); ++k) {
          Positions tile = {m, *n, *k};
          // If so, it can with smaller ones along K, too.
          if (canGrow(tile, M) || canGrow(tile, N))
            break;
          if (*k >= leastK && !canGrow(tile, K))
            found.push_back(tile);
        }
      }
    }
    return found;
  }

  /// The tiles of a level to try within an outer tile: those that cannot grow,
  /// and those that cannot because the levels inside, down to some level, have
  /// the same tile.
  std::vector<Positions> tilesToTry(unsigned level, const Positions &outer) {
    std::vector<Positions> tiles;
    for (unsigned inner = level + 1; inner-- > firstLevel;)
      for (const Positions &tile : maximalTiles(inner, outer))
        if (inner == level || fits(level, tile))
          tiles.push_back(tile);
    if (firstLevel == 1)
      for (unsigned m : chains[M].inside[outer[M]])
        for (unsigned n : chains[N].inside[outer[N]])
          for (unsigned k : chains[K].inside[outer[K]])
            if (k >= leastK && isWithinRegisters({m, n, k}) &&
                fits(level, {m, n, k})) {
              tiles.push_back({m, n, k});
              break;
            }
    return tiles;
  }

  bool isWithinRegisters(const Positions &tile) const {
    return elements(M, tile) <= constraints.registerTile->m &&
           elements(N, tile) <= constraints.registerTile->n;
  }

  /// The time to move bytes into a level, given how often each role's loops
  /// make the tensor that lacks it enter.
  double seconds(unsigned level,
                 const std::array<double, numRoles> &visits) const {
    double sum = -unvisited;
    for (unsigned role : {M, N, K})
      sum += visits[role] * bytes[lacking[role]];
    return sum / hierarchy[level + 1].bytesPerSecond;
  }

  /// Whether the loops over the tiles of a level along a role make several
  /// trips.
  bool repeats(unsigned level, unsigned role) const {
    if (level == 0 && constraints.registerTile) {
      double length = elements(role, choices[1].tile);
      return length > (role == M   ? constraints.registerTile->m
                       : role == N ? constraints.registerTile->n
                                   : 1);
    }
    return choices[level].tile[role] != choices[level + 1].tile[role];
  }

  /// The time of a level, all levels outside being chosen.
  double levelSeconds(unsigned level) {
    std::array<double, numRoles> visits;
    for (unsigned role : {M, N, K})
      visits[role] = level > 0 || !constraints.registerTile
                         ? count(level, role)
                         : registerTiles(role);
    if (const std::optional<Run> &run = choices[level].run)
      visits[run->role] = run->count;
    return seconds(level, visits);
  }

  /// The run that starts in a band, all levels outside being chosen.
  std::optional<Run> runFrom(unsigned band) const {
    const std::optional<Run> &outer = choices[band + 1].run;
    unsigned innermost = choices[band].innermost;
    if (!repeats(band, innermost))
      return outer;
    bool goesOn = outer && outer->role == innermost;
    for (unsigned role : {M, N, K})
      goesOn &= role == innermost || !repeats(band, role);
    return Run{innermost, goesOn ? outer->count : count(band + 1, innermost)};
  }

  /// Register tiles (along K, elements) in all tiles of level 1.
  double registerTiles(unsigned role) const {
    if (role == K)
      return chains[K].tiles.back().elements;
    return chains[role].tiles[choices[1].tile[role]].registerTiles;
  }

  /// Bounds on what enters a level, by the role of its innermost loop, whatever
  /// the outer tiles.
  struct Least {
    /// Bytes of the tensors that the innermost loop replaces.
    std::array<double, numRoles> replaced;
    /// Bytes of all tensors, where the innermost loops end with the level's own
    /// band.
    std::array<double, numRoles> all;
  };
  Least leastOf(unsigned level) const {
    Least ofLevel;
    ofLevel.replaced.fill(infinity);
    ofLevel.all.fill(infinity);
    for (unsigned inner : {M, N, K}) {
      unsigned first = inner == M ? N : M, second = inner == K ? N : K;
      for (unsigned p = 0; p < chains[first].tiles.size(); ++p) {
        unsigned innerTiles = chains[inner].tiles.size();
        for (unsigned q = 0; q < chains[second].tiles.size(); ++q) {
          Positions tile = {};
          tile[first] = p;
          tile[second] = q;
          if (!fits(level, tile))
            break;
          if (!feedsRegisters(level, tile, inner))
            continue;
          double replaced =
              chains[first].tiles[p].count * bytes[lacking[first]] +
              chains[second].tiles[q].count * bytes[lacking[second]];
          ofLevel.replaced[inner] = std::min(ofLevel.replaced[inner], replaced);
          // The outer tile contains this one. The larger the latter, the
          // fewer steps along the innermost role are left for it.
          while (innerTiles > 0 && level + 1 < outermost) {
            tile[inner] = innerTiles - 1;
            if (fits(level + 1, tile))
              break;
            --innerTiles;
          }
          if (innerTiles == 0)
            break;
          ofLevel.all[inner] =
              std::min(ofLevel.all[inner],
                       replaced + chains[inner].tiles[innerTiles - 1].count *
                                      bytes[lacking[inner]]);
        }
      }
    }
    return ofLevel;
  }

  /// Whether a tile of level 1, with some extent along the role `open`, may
  /// leave register tiles within the limit that earlier passes have set.
  bool feedsRegisters(unsigned level, Positions tile, unsigned open) const {
    if (firstLevel == 0 || level != 1)
      return true;
    std::array<double, numRoles> visits = {};
    for (unsigned role : {M, N})
      visits[role] = role == open
                         ? leastRegisterTiles[role].back()
                         : chains[role].tiles[tile[role]].registerTiles;
    if (leastK == 0)
      return true;
    for (tile[K] = std::max(tile[K], leastK);; ++tile[K]) {
      // Where it is the only loop, C may stay for longer.
      visits[K] = chains[K].tiles[tile[K]].count;
      if (isWithinRegisters(tile) || seconds(0, visits) <= limits.front())
        return fits(level, tile);
      if (open != K || tile[K] + 1 == chains[K].tiles.size())
        return false;
    }
  }

  /// The least time of the innermost level, whatever the tiles of level 1,
  /// where its innermost loop ends with the level's own band.
  double leastRegisterSeconds() const {
    double leastSeconds = infinity;
    for (unsigned m = 0; m < chains[M].tiles.size(); ++m) {
      unsigned k = chains[K].tiles.size();
      for (unsigned n = 0; n < chains[N].tiles.size(); ++n) {
        while (k > 0 && !fits(1, {m, n, k - 1}))
          --k;
        if (k == 0)
          break;
        leastSeconds =
            std::min(leastSeconds, seconds(0, {chains[M].tiles[m].registerTiles,
                                               chains[N].tiles[n].registerTiles,
                                               chains[K].tiles[k - 1].count}));
      }
    }
    return leastSeconds;
  }

  /// For each tile of a role, the least register tiles of those inside it that
  /// level 1 can hold.
  std::vector<double> leastRegisterTilesOf(unsigned role) const {
    std::vector<double> fewest;
    for (const std::vector<unsigned> &inside : chains[role].inside) {
      fewest.push_back(infinity);
      for (unsigned position : inside) {
        Positions tile = {};
        tile[role] = position;
        if (fits(1, tile))
          fewest.back() = std::min(fewest.back(),
                                   chains[role].tiles[position].registerTiles);
      }
    }
    return fewest;
  }

  /// The time of a level at least, once the levels from `outer` out are
  /// known, and with them how many tiles the innermost loops walk at the least.
  /// Unless `merged`, the innermost loops end with the level's own band.
  double boundSeconds(unsigned level, unsigned outer,
                      const std::array<double, numRoles> &reused,
                      bool merged) const {
    if (level < firstLevel) {
      std::array<double, numRoles> visits = {};
      for (unsigned role : {M, N})
        visits[role] = leastRegisterTiles[role][choices[outer].tile[role]];
      visits[K] = reused[K];
      double bound = seconds(level, visits);
      if (!merged && level + 1 < outer)
        bound = std::max(bound, registerSeconds);
      if (leastK > 0)
        return bound;
      // Another innermost loop.
      return std::min(bound,
                      seconds(level, {reused[M], reused[N], registerTiles(K)}));
    }
    const Least &own = least[level - firstLevel];
    double bytesLeft = infinity;
    for (unsigned inner : {M, N, K}) {
      double replaced = 0;
      for (unsigned role : {M, N, K})
        if (role != inner)
          replaced += count(outer, role) * bytes[lacking[role]];
      double sum = reused[inner] * bytes[lacking[inner]] +
                   std::max(replaced, own.replaced[inner]);
      if (!merged && level + 1 < outer)
        sum = std::max(sum, own.all[inner]);
      bytesLeft = std::min(bytesLeft, sum);
    }
    return (bytesLeft - unvisited) / hierarchy[level + 1].bytesPerSecond;
  }

  /// Whether times as good as those of the levels from `outer` out, with
  /// bounds for the others, can still beat the best of this pass. Sets
  /// `promise` to the best that is left.
  bool isPromising(unsigned outer) {
    promise = infinity;
    if (times[outer] > mostSeconds())
      return false;
    std::array<double, numRoles> reused;
    for (unsigned role : {M, N, K})
      reused[role] = count(outer, role);
    // The innermost loops may belong to a run that goes on further out.
    if (const std::optional<Run> &run = choices[outer].run)
      reused[run->role] = run->count;
    // For each level whose next is not chosen either: whether its innermost
    // loops go on in that one's band. If so, both tiles have the same extents
    // along the other roles, and as much enters the outer level as the inner.
    unsigned cases = outer > 1 ? 1u << (outer - 1) : 1;
    for (unsigned merged = 0; merged < cases; ++merged) {
      ranked = times;
      std::fill(ranked.begin(), ranked.begin() + outer, 0.0);
      for (unsigned level = 0; level < outer; ++level) {
        bool merges = merged >> level & 1;
        double bound = boundSeconds(level, outer, reused, merges);
        ranked[level] = std::max(ranked[level], bound);
        if (merges)
          ranked[level + 1] = bound * hierarchy[level + 1].bytesPerSecond /
                              hierarchy[level + 2].bytesPerSecond;
      }
      std::sort(ranked.begin(), ranked.end(), std::greater<>());
      bool within = true;
      for (unsigned i = 0; i < rank; ++i)
        within &= ranked[i] <= limits[i];
      if (within)
        promise = std::min(promise, ranked[rank]);
    }
    return promise < best;
  }

  /// The longest that a level may take.
  double mostSeconds() const { return rank == 0 ? best : limits.front(); }

  /// Sets the innermost loop of a band to each that makes several trips, and
  /// the time of its level, and visits those that are not too slow. If no loop
  /// makes several trips, there is one case; likewise for a micro-kernel that
  /// has a loop over K.
  template <typename Visit> void forEachInnermost(unsigned band, Visit visit) {
    auto choose = [&](unsigned role) {
      choices[band].innermost = role;
      choices[band].run = runFrom(band);
      times[band] = levelSeconds(band);
      if (times[band] <= mostSeconds())
        visit();
    };
    bool any = false;
    for (unsigned role : {K, N, M})
      if (repeats(band, role) &&
          !(any && band < firstLevel && choices[band].innermost == K)) {
        choose(role);
        any = true;
      }
    if (!any)
      choose(K);
  }

  /// A tile and an innermost loop for a level and, next to a micro-kernel, the
  /// latter's innermost loop.
  struct Branch {
    LevelChoice choice, registers;
    double seconds = 0, registerSeconds = 0;
    double promise = 0;
  };

  void take(unsigned level, const Branch &branch) {
    choices[0] = branch.registers;
    times[0] = branch.registerSeconds;
    choices[level] = branch.choice;
    times[level] = branch.seconds;
  }

  /// The choices for a level inside `outer` that are not too slow.
  std::vector<Branch> branchesOf(unsigned level, unsigned outer) {
    std::vector<Branch> branches;
    auto add = [&] {
      branches.push_back({choices[level], choices[0], times[level], times[0]});
    };
    for (const Positions &tile : tilesToTry(level, choices[outer].tile)) {
      choices[level].tile = tile;
      forEachInnermost(level, [&] {
        if (level > firstLevel || firstLevel == 0)
          return add();
        forEachInnermost(0, add);
      });
    }
    return branches;
  }

  /// The choices for the innermost level and the registers that no other
  /// choice is as good as. They follow from the outer tile and its run alone.
  std::vector<Branch> lastBranches(unsigned outer) {
    auto find = [&] {
      std::vector<Branch> all = branchesOf(firstLevel, outer), undominated;
      std::sort(all.begin(), all.end(), [](const Branch &a, const Branch &b) {
        return a.seconds != b.seconds ? a.seconds < b.seconds
                                      : a.registerSeconds < b.registerSeconds;
      });
      for (const Branch &branch : all)
        if (undominated.empty() ||
            branch.registerSeconds < undominated.back().registerSeconds)
          undominated.push_back(branch);
      return undominated;
    };
    // The first pass drops what its best so far excludes.
    if (rank == 0)
      return find();
    const LevelChoice &choice = choices[outer];
    auto [entry, isNew] = lastOf.try_emplace(
        {choice.tile, choice.run ? choice.run->role : numRoles,
         choice.run ? choice.run->count : 0});
    if (isNew)
      entry->second = find();
    return entry->second;
  }

  /// Tries all tiles of the level inside `outer`.
  void branch(unsigned outer) {
    if (outer == firstLevel)
      return evaluate();
    unsigned level = outer - 1;
    bool isLast = level == firstLevel;
    std::vector<Branch> branches;
    for (Branch &branch :
         isLast ? lastBranches(outer) : branchesOf(level, outer)) {
      take(level, branch);
      if (!isPromising(isLast ? 0 : level))
        continue;
      branch.promise = promise;
      branches.push_back(branch);
    }
    std::vector<unsigned> order(branches.size());
    for (unsigned i = 0; i < order.size(); ++i)
      order[i] = i;
    std::sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
      return branches[a].promise != branches[b].promise
                 ? branches[a].promise < branches[b].promise
                 : a < b;
    });
    for (unsigned i : order) {
      if (branches[i].promise >= best)
        break;
      take(level, branches[i]);
      ++statistics.expanded;
      branch(level);
    }
  }

  void evaluate() {
    ++statistics.evaluated;
    if (!isPromising(0))
      return;
    best = promise;
    chosen = choices;
  }

  HierarchySchedule makeSchedule() const {
    HierarchySchedule schedule;
    schedule.registerTile = constraints.registerTile;
    for (unsigned level = 0; level < outermost; ++level) {
      LevelTile tile;
      unsigned role = chosen[level].innermost;
      if (level >= firstLevel) {
        tile.extents.assign(contraction.indices.size(), 1);
        for (unsigned r : {M, N, K})
          chains[r].apply(contraction, chosen[level].tile[r], tile.extents);
      }
      // The loop over the index that the tile cuts makes several trips.
      std::vector<unsigned> indices = chains[role].indices;
      if (!indices.empty())
        tile.innermost =
            level < firstLevel
                ? indices.front()
                : indices[chains[role].tiles[chosen[level].tile[role]].filled];
      schedule.levels.push_back(std::move(tile));
    }
    return schedule;
  }

  const Contraction &contraction;
  const Hierarchy &hierarchy;
  const TileConstraints &constraints;
  /// The level without a tile, and the innermost one whose tile is searched.
  unsigned outermost, firstLevel;
  std::array<RoleChain, numRoles> chains;
  PerTensor<double> elementBytes = {}, bytes = {};
  /// Bytes of C that nobody reads.
  double unvisited = 0;
  /// From the first level on.
  std::vector<Least> least;
  /// For each tile along M and along N.
  std::array<std::vector<double>, 2> leastRegisterTiles;
  double registerSeconds = 0;
  /// The first tile along K with a loop for the micro-kernel.
  unsigned leastK = 0;

  /// The schedule at hand, by level; the outermost's "tile" is all there is.
  std::vector<LevelChoice> choices;
  Times times, ranked;
  /// What the passes before leave, by rank, and the best of this pass.
  std::vector<double> limits;
  unsigned rank = 0;
  double best = infinity, promise = 0;
  std::vector<LevelChoice> chosen;
  std::vector<std::map<Positions, std::vector<Positions>>> maximal;
  /// By outer tile, and role and count of its run.
  std::map<std::tuple<Positions, unsigned, double>, std::vector<Branch>> lastOf;
  TileSearchStatistics statistics;
};

} // namespace

Result<TileChoice> chooseTiles(const Contraction &contraction,
                               const Hierarchy &hierarchy,
                               const TileConstraints &constraints) {
  if (Status status = checkHierarchy(hierarchy); !status)
    return Error{status.error()};
  if (const auto &tile = constraints.registerTile;
      tile && (tile->m < 1 || tile->n < 1))
    return Error{"the register tile is " + std::to_string(tile->m) + " x " +
                 std::to_string(tile->n) + ", but both must be at least 1"};
  if (!(constraints.tolerance >= 0))
    return Error{"the tolerance is " + std::to_string(constraints.tolerance) +
                 ", but must not be negative"};
  return Search(contraction, hierarchy, constraints).run();
}

} // namespace tc::model
