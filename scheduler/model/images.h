// Container images: which nodes hold which, as their status says, and which a waiting pod asks for.
// They say where a pod starts sooner, never where it fits: nothing here is on the change log, and
// no change of it wakes anybody. Names are interned; an id is a row number without meaning of its
// own, given out again as soon as nothing names the image any more.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scheduler/base/ids.h"
#include "scheduler/base/row_index.h"
#include "scheduler/model/event.h"

namespace muster::scheduler {

using ImageId = StrongId<struct ImageTag>;
// What the containers of a pod ask for, together.
using ImageSetId = StrongId<struct ImageSetTag>;
inline constexpr ImageSetId kNoImages{0};

class ImageTable {
 public:
  struct Holder {
    NodeId node;
    std::int64_t size = 0;  // Bytes, as this node says.
    friend bool operator==(const Holder&, const Holder&) = default;
  };

  // What the node holds from now on, by name and without repeats. Beside a look at each name it
  // costs O(log holders) for every image that came, went or changed its size.
  void SetHeld(NodeId node, std::span<const NodeImage> images);
  [[nodiscard]] std::vector<NodeImage> HeldBy(NodeId node) const;
  // By NodeId (no order of meaning).
  [[nodiscard]] std::span<const Holder> holders(ImageId id) const {
    return images_[id.value].holders;
  }

  // Raises the count of the set by one. `names`: of each container one, sorted.
  ImageSetId Acquire(std::span<const std::string> names);
  void Release(ImageSetId id);
  // One for each container.
  [[nodiscard]] std::span<const ImageId> images(ImageSetId id) const {
    return sets_[id.value].images;
  }
  [[nodiscard]] std::vector<std::string> NamesOf(ImageSetId id) const;
  // Differs whenever the id means something else; 0 for kNoImages alone.
  [[nodiscard]] std::uint64_t version(ImageSetId id) const { return sets_[id.value].version; }
  // Pods that have the set now; of kNoImages 0.
  [[nodiscard]] std::uint32_t live(ImageSetId id) const { return sets_[id.value].live; }
  // Ids are below this.
  [[nodiscard]] std::uint32_t sets() const { return static_cast<std::uint32_t>(sets_.size()); }

  // How many nodes hold each image, by name; those that none holds are left out.
  [[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> Spread() const;
  // Empty, or the first difference between what nodes hold and what is counted for images.
  [[nodiscard]] std::string Audit() const;

 private:
  struct Image {
    std::string name;
    std::vector<Holder> holders;
    std::uint32_t asked = 0;  // In how many places sets name it.
    bool live = false;        // The row is in use.
  };
  struct Set {
    std::vector<ImageId> images;  // In the order of the names.
    std::uint64_t hash = 0;
    std::uint64_t version = 0;
    std::uint32_t live = 0;
  };
  struct Held {
    ImageId image;
    std::int64_t size = 0;
  };

  [[nodiscard]] const std::string& name(ImageId id) const { return images_[id.value].name; }
  [[nodiscard]] std::optional<ImageId> Find(std::string_view name) const;
  ImageId Intern(std::string_view name);
  void DropIfUnused(ImageId id);
  void AddHolder(ImageId id, Holder holder);
  void RemoveHolder(ImageId id, NodeId node);
  // Of one row, against what it should be.
  [[nodiscard]] std::string AuditRow(ImageId id, const std::vector<Holder>& holders,
                                     std::uint32_t asked) const;
  [[nodiscard]] bool Holds(const std::vector<Held>& held, std::span<const NodeImage> images) const;

  std::vector<Image> images_;
  std::vector<ImageId> free_images_;
  RowIndex image_index_;
  std::vector<std::vector<Held>> held_;  // By node row; by name.
  std::vector<Set> sets_{1};             // The first is kNoImages.
  std::vector<ImageSetId> free_sets_;
  RowIndex set_index_;
  std::uint64_t versions_ = 0;
};

}  // namespace muster::scheduler
