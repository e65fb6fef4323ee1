// The extension points, under kube-scheduler's names. A plugin is const and stateless: what it
// knows is in the views, in what its own Prepare returned for this shape, and in its arguments. It
// runs only where the shape index cannot answer: on nodes that were touched.
// Where upstream holds pods back one by one (Permit, Reserve), these are asked about a whole gang
// inside one Transaction; giving up is the rollback, so there is no Unreserve to write.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scheduler/framework/args.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/transaction.h"

namespace muster::scheduler {

// How many pods of one shape a node takes, by one plugin alone. Counting needs the number.
struct Fit {
  std::int32_t pods = 0;
  // Why 0, in kube-scheduler's words: a string literal of the plugin.
  std::string_view reason;
  // Bit i: the shape's i-th request is not met here; each is a reason of its own ("Insufficient
  // cpu"). Beside it `reason` may be set too.
  std::uint64_t lacking = 0;
};
inline constexpr std::int32_t kAnyNumber = 1 << 30;
[[nodiscard]] constexpr Fit AnyNumber() {
  return {.pods = kAnyNumber, .reason = {}};
}
[[nodiscard]] constexpr Fit Refused(std::string_view reason) {
  return {.pods = 0, .reason = reason};
}
// Every normalised score lies in [0, kMaxScore] before its weight.
inline constexpr std::int64_t kMaxScore = 100;

// What an answer depends on beside the shape; the index caches by it.
enum class Scope : std::uint8_t {
  kNodeSpec,  // The node object: asked again when that changes.
  kNodeUse,   // Also what is placed on that node: asked again whenever the node is touched.
  kCluster,   // Scores alone. Also the pod's images and who else holds them: nothing is kept.
};

struct NodeView {
  const Cluster& cluster;
  NodeId node;
};
struct PodView {
  const Cluster& cluster;
  ShapeId shape;
  ImageSetId images = kNoImages;  // For scores of scope kCluster alone.
};
struct GangView {
  const Cluster& cluster;
  GangId gang;
  Wall queue_time;     // Since when it waits: its creation, or the moment it was given up last.
  bool below = false;  // Members are bound, too few. For QueueSort.
};
// One pod of a gang on its node, as the open Transaction has it.
struct Assignment {
  PodId pod;
  NodeId node;
};

// What PreFilter or PreScore found out about a shape, kept while its index lives.
struct Prepared {
  Prepared() = default;
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;
  virtual ~Prepared() = default;
};

class Plugin {
 public:
  Plugin() = default;
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;
  virtual ~Plugin() = default;
};

// PreEnqueue. A gang that is held stays out of its queue; it is asked again whenever something
// about the gang, its members, its queue or its namespace changed.
class PreEnqueuePlugin : public virtual Plugin {
 public:
  // Why the gang is held back; nullopt lets it in.
  [[nodiscard]] virtual std::optional<std::string> PreEnqueue(const GangView& gang) const = 0;
};

// QueueSort, as numbers and not as a comparison, so that an ordered set can keep them: compared
// from the left, the smaller goes first. Equal ones are ordered by (namespace, name, uid)
// afterwards.
using SortKey = std::array<std::int64_t, 4>;
class QueueSortPlugin : public virtual Plugin {
 public:
  [[nodiscard]] virtual SortKey QueueSort(const GangView& gang) const = 0;
};

class FilterPlugin : public virtual Plugin {
 public:
  [[nodiscard]] virtual Scope scope() const = 0;
  // False: this shape has nothing that the plugin looks at (upstream's Skip).
  [[nodiscard]] virtual bool Applies(const PodView& pod) const;
  // PreFilter: once per shape index.
  [[nodiscard]] virtual std::unique_ptr<Prepared> Prepare(const PodView& pod) const;
  [[nodiscard]] virtual Fit Filter(const PodView& pod, const NodeView& node,
                                   const Prepared* prepared) const = 0;
};

// PostFilter: a gang was refused by placement. The text joins its message.
class PostFilterPlugin : public virtual Plugin {
 public:
  [[nodiscard]] virtual std::string PostFilter(const GangView& gang) const = 0;
};

class ScorePlugin : public virtual Plugin {
 public:
  // NormalizeScore, done by the framework over the nodes that pass every kNodeSpec filter. Other
  // than kNone is for kNodeSpec scores only: a maximum that moves with every placement would move
  // the key of every node.
  enum class Normalize : std::uint8_t { kNone, kByMax, kByMaxReversed };
  [[nodiscard]] virtual Scope scope() const = 0;
  [[nodiscard]] virtual Normalize normalize() const;
  [[nodiscard]] virtual bool Applies(const PodView& pod) const;
  // PreScore: once per shape index; of scope kCluster once per placement.
  [[nodiscard]] virtual std::unique_ptr<Prepared> Prepare(const PodView& pod) const;
  // At least 0, higher is better; in [0, kMaxScore] where normalize() is kNone.
  [[nodiscard]] virtual std::int64_t Score(const PodView& pod, const NodeView& node,
                                           const Prepared* prepared) const = 0;
};

// Reserve: picks what the pod gets on its node. It writes cells only, so Unreserve is the rollback
// of the Transaction, or the event that frees the pod.
class ReservePlugin : public virtual Plugin {
 public:
  virtual void Reserve(Transaction& transaction, const Assignment& assignment) const = 0;
};

// Permit: asked once, for all pods that are about to be admitted together.
class PermitPlugin : public virtual Plugin {
 public:
  // Why they may not start; nullopt lets them.
  [[nodiscard]] virtual std::optional<std::string> Permit(
      const GangView& gang, std::span<const Assignment> assignments) const = 0;
};

// PreBind: what the Binding carries, as data. The binder does the work; the core never waits.
class PreBindPlugin : public virtual Plugin {
 public:
  virtual void PreBind(const GangView& gang, const Assignment& assignment,
                       std::map<std::string, std::string>& annotations) const = 0;
};

// PostBind: a pod that was reserved is seen bound to its node.
class PostBindPlugin : public virtual Plugin {
 public:
  virtual void PostBind(const GangView& gang, const Assignment& assignment) const = 0;
};

struct PluginDescriptor {
  std::string_view name;
  Result<std::unique_ptr<Plugin>> (*create)(const ArgMap& args);
};

// For a plugin P with P::Args, P::kArgs and P(Args).
template <class P>
constexpr PluginDescriptor DescribePlugin(std::string_view name) {
  return {name, [](const ArgMap& values) -> Result<std::unique_ptr<Plugin>> {
            MUSTER_ASSIGN(typename P::Args args, DecodeArgs<typename P::Args>(P::kArgs, values));
            return P::Create(std::move(args));
          }};
}

// For a plugin without arguments.
struct NoArgs {};
template <class P>
class Simple : public virtual Plugin {
 public:
  using Args = NoArgs;
  static constexpr std::tuple<> kArgs{};
  [[nodiscard]] static Result<std::unique_ptr<Plugin>> Create(const Args&) {
    return std::unique_ptr<Plugin>(std::make_unique<P>());
  }
};

// Every plugin in scheduler/plugins/, sorted by file name. Generated by CMake.
[[nodiscard]] std::span<const PluginDescriptor* const> AllPlugins();

}  // namespace muster::scheduler
