// Rejects nodes whose GPUs are not what the pod asks for: the product, the memory of each, the
// version of their driver, RDMA. The facts are node labels that GPU feature discovery and NFD
// (RDMA) set.
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>

#include "scheduler/framework/plugin.h"
#include "scheduler/model/label_match.h"

namespace muster::scheduler {
namespace {

// "535.104.05": numbers of one to three parts; nullopt: it is no version.
using DriverVersion = std::array<std::int32_t, 3>;

std::optional<std::int32_t> WholeNumber(std::string_view text) {
  std::int32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc{} && end == text.data() + text.size() && number >= 0;
  return whole ? std::optional(number) : std::nullopt;
}

std::optional<DriverVersion> ToVersion(std::string_view text) {
  DriverVersion version{};
  for (std::size_t i = 0; i < version.size(); ++i) {
    const std::size_t dot = std::min(text.find('.'), text.size());
    const auto number = WholeNumber(text.substr(0, dot));
    if (!number) return std::nullopt;
    version.at(i) = *number;
    if (dot == text.size()) return version;
    text.remove_prefix(dot + 1);
  }
  return std::nullopt;
}

class GpuFit final : public Simple<GpuFit>, public FilterPlugin {
 public:
  [[nodiscard]] Scope scope() const override { return Scope::kNodeSpec; }
  [[nodiscard]] bool Applies(const PodView& pod) const override {
    const PodShape& shape = pod.cluster.shape(pod.shape);
    return !shape.gpu_products.empty() || shape.gpu_memory_min != 0 ||
           !shape.driver_version_min.empty() || !shape.rdma.empty();
  }

  [[nodiscard]] std::unique_ptr<Prepared> Prepare(const PodView& pod) const override {
    auto wish = std::make_unique<Wish>();
    wish->driver = ToVersion(pod.cluster.shape(pod.shape).driver_version_min);
    return wish;
  }

  [[nodiscard]] Fit Filter(const PodView& pod, const NodeView& node,
                           const Prepared* prepared) const override {
    const PodShape& shape = pod.cluster.shape(pod.shape);
    const Labels& labels = node.cluster.node(node.node).labels;
    if (!HasProduct(shape, labels)) return Refused("node(s) didn't have the requested GPU product");
    if (shape.gpu_memory_min < 0) {
      return Refused("node(s) can't match annotation muster.dev/gpu-memory-min: it is no quantity");
    }
    if (!HasMemory(shape, labels)) return Refused("node(s) didn't have the requested GPU memory");
    const auto& driver = static_cast<const Wish&>(*prepared).driver;
    if (!shape.driver_version_min.empty()) {
      if (!driver) {
        return Refused(
            "node(s) can't match annotation muster.dev/driver-version-min: it is no version");
      }
      const std::optional<DriverVersion> have = DriverOf(labels);
      if (!have || *have < *driver) {
        return Refused("node(s) didn't have the requested driver version");
      }
    }
    if (shape.rdma.empty()) return AnyNumber();
    if (shape.rdma != "required") {
      return Refused("node(s) can't match annotation muster.dev/rdma: it says other than required");
    }
    return HasRdma(labels) ? AnyNumber() : Refused("node(s) didn't have RDMA");
  }

 private:
  struct Wish final : Prepared {
    std::optional<DriverVersion> driver;
  };

  static bool HasProduct(const PodShape& shape, const Labels& labels) {
    const auto& wanted = shape.gpu_products;
    if (wanted.empty()) return true;
    const std::string* product = FindLabel(labels, "nvidia.com/gpu.product");
    return product != nullptr && std::find(wanted.begin(), wanted.end(), *product) != wanted.end();
  }

  // The label is in MiB.
  static bool HasMemory(const PodShape& shape, const Labels& labels) {
    if (shape.gpu_memory_min == 0) return true;
    const std::string* memory = FindLabel(labels, "nvidia.com/gpu.memory");
    const auto mebibytes = memory == nullptr ? std::nullopt : WholeNumber(*memory);
    return mebibytes && std::int64_t{*mebibytes} * 1024 * 1024 >= shape.gpu_memory_min;
  }

  // One label since GPU feature discovery 0.15, before it one for each part.
  static std::optional<DriverVersion> DriverOf(const Labels& labels) {
    if (const auto* full = FindLabel(labels, "nvidia.com/cuda.driver-version.full")) {
      return ToVersion(*full);
    }
    const std::string* major = FindLabel(labels, "nvidia.com/cuda.driver.major");
    const std::string* minor = FindLabel(labels, "nvidia.com/cuda.driver.minor");
    const std::string* revision = FindLabel(labels, "nvidia.com/cuda.driver.rev");
    if (major == nullptr || minor == nullptr) return std::nullopt;
    return ToVersion(*major + "." + *minor + (revision == nullptr ? "" : "." + *revision));
  }

  // The device is there, and so are the modules that make it one for verbs.
  static bool HasRdma(const Labels& labels) {
    const std::string* available = FindLabel(labels, "feature.node.kubernetes.io/rdma.available");
    return available != nullptr && *available == "true";
  }
};

}  // namespace

extern const PluginDescriptor gpu_fit_plugin;
constinit const PluginDescriptor gpu_fit_plugin = DescribePlugin<GpuFit>("GpuFit");

}  // namespace muster::scheduler
