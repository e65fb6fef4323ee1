#include "scheduler/model/images.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "scheduler/base/check.h"

namespace muster::scheduler {
namespace {

// Equal sets are found by it and compared; a collision costs no more than that.
std::uint64_t HashImages(std::span<const ImageId> images) {
  std::uint64_t hash = images.size();
  for (const ImageId id : images) {
    hash = (hash ^ id.value) * 0x9e37'79b9'7f4a'7c15U;
    hash ^= hash >> 29U;
  }
  return hash;
}

// Where the node stands among the holders, or would.
auto PlaceOf(auto& holders, NodeId node) {
  return std::ranges::lower_bound(holders, node, {}, &ImageTable::Holder::node);
}

}  // namespace

std::optional<ImageId> ImageTable::Find(std::string_view name) const {
  const auto row =
      image_index_.Find(HashText(name), [&](std::uint32_t r) { return images_[r].name == name; });
  if (!row) return std::nullopt;
  return ImageId{*row};
}

ImageId ImageTable::Intern(std::string_view name) {
  if (const auto found = Find(name)) return *found;
  ImageId id{static_cast<std::uint32_t>(images_.size())};
  if (free_images_.empty()) {
    images_.emplace_back();
  } else {
    id = free_images_.back();
    free_images_.pop_back();
  }
  images_[id.value].name = name;
  images_[id.value].live = true;
  image_index_.Insert(HashText(name), id.value);
  return id;
}

void ImageTable::DropIfUnused(ImageId id) {
  Image& image = images_[id.value];
  if (!image.holders.empty() || image.asked > 0) return;
  image_index_.Erase(HashText(image.name), id.value);
  image = Image{};
  free_images_.push_back(id);
}

void ImageTable::AddHolder(ImageId id, Holder holder) {
  std::vector<Holder>& holders = images_[id.value].holders;
  const auto at = PlaceOf(holders, holder.node);
  MUSTER_CHECK(at == holders.end() || at->node != holder.node);
  holders.insert(at, holder);
}

void ImageTable::RemoveHolder(ImageId id, NodeId node) {
  std::vector<Holder>& holders = images_[id.value].holders;
  const auto at = PlaceOf(holders, node);
  MUSTER_CHECK(at != holders.end() && at->node == node);
  holders.erase(at);
  DropIfUnused(id);
}

bool ImageTable::Holds(const std::vector<Held>& held, std::span<const NodeImage> images) const {
  return std::ranges::equal(held, images, [this](const Held& a, const NodeImage& b) {
    return a.size == b.size && name(a.image) == b.name;
  });
}

void ImageTable::SetHeld(NodeId node, std::span<const NodeImage> images) {
  if (held_.size() <= node.value) {
    if (images.empty()) return;
    held_.resize(node.value + 1);
  }
  std::vector<Held>& held = held_[node.value];
  if (Holds(held, images)) return;  // As nearly always: a repeat, or another field has changed.
  MUSTER_CHECK(std::ranges::is_sorted(images, std::less_equal(), &NodeImage::name));
  std::vector<Held> next;
  next.reserve(images.size());
  auto old = held.begin();
  for (const NodeImage& image : images) {
    while (old != held.end() && name(old->image) < image.name) {
      RemoveHolder((old++)->image, node);
    }
    if (old == held.end() || name(old->image) != image.name) {
      next.push_back({Intern(image.name), image.size});
      AddHolder(next.back().image, {node, image.size});
      continue;
    }
    next.push_back({(old++)->image, image.size});
    PlaceOf(images_[next.back().image.value].holders, node)->size = image.size;
  }
  while (old != held.end()) RemoveHolder((old++)->image, node);
  held = std::move(next);
}

std::vector<NodeImage> ImageTable::HeldBy(NodeId node) const {
  std::vector<NodeImage> images;
  if (node.value >= held_.size()) return images;
  images.reserve(held_[node.value].size());
  for (const Held& held : held_[node.value]) images.push_back({name(held.image), held.size});
  return images;
}

ImageSetId ImageTable::Acquire(std::span<const std::string> names) {
  if (names.empty()) return kNoImages;
  std::vector<ImageId> images;
  images.reserve(names.size());
  for (const std::string& name : names) {
    images.push_back(Intern(name));
    ++images_[images.back().value].asked;
  }
  const std::uint64_t hash = HashImages(images);
  const auto found =
      set_index_.Find(hash, [&](std::uint32_t row) { return sets_[row].images == images; });
  if (found) {  // It asks for them already.
    for (const ImageId id : images) --images_[id.value].asked;
    ++sets_[*found].live;
    return ImageSetId{*found};
  }
  ImageSetId id{sets()};
  if (free_sets_.empty()) {
    sets_.emplace_back();
  } else {
    id = free_sets_.back();
    free_sets_.pop_back();
  }
  sets_[id.value] = {.images = std::move(images), .hash = hash, .version = ++versions_, .live = 1};
  set_index_.Insert(hash, id.value);
  return id;
}

void ImageTable::Release(ImageSetId id) {
  if (id == kNoImages) return;
  Set& set = sets_[id.value];
  MUSTER_CHECK(set.live > 0);
  if (--set.live > 0) return;
  set_index_.Erase(set.hash, id.value);
  for (const ImageId image : set.images) {
    --images_[image.value].asked;
  }
  // Not before all are counted: one that stands in it twice is dropped once.
  std::ranges::sort(set.images);
  const auto repeats = std::ranges::unique(set.images);
  set.images.erase(repeats.begin(), repeats.end());
  for (const ImageId image : set.images) DropIfUnused(image);
  set = Set{};
  free_sets_.push_back(id);
}

std::vector<std::string> ImageTable::NamesOf(ImageSetId id) const {
  std::vector<std::string> names;
  for (const ImageId image : images(id)) names.push_back(name(image));
  return names;
}

std::vector<std::pair<std::string, std::uint64_t>> ImageTable::Spread() const {
  std::vector<std::pair<std::string, std::uint64_t>> spread;
  for (const Image& image : images_) {
    if (!image.holders.empty()) spread.emplace_back(image.name, image.holders.size());
  }
  std::ranges::sort(spread);
  return spread;
}

std::string ImageTable::AuditRow(ImageId id, const std::vector<Holder>& holders,
                                 std::uint32_t asked) const {
  const Image& image = images_[id.value];
  if (image.holders != holders) return "list of nodes";
  if (image.asked != asked) return "asked for";
  if (image.live != (asked > 0 || !holders.empty())) return "row";
  return image.live && Find(image.name) != id ? "not found by its name" : "";
}

std::string ImageTable::Audit() const {
  std::vector<std::vector<Holder>> holders(images_.size());
  for (std::uint32_t row = 0; row < held_.size(); ++row) {
    for (const Held& held : held_[row]) {
      holders[held.image.value].push_back({NodeId{row}, held.size});
    }
  }
  std::vector<std::uint32_t> asked(images_.size(), 0);
  for (const Set& set : sets_) {
    for (const ImageId id : set.images) ++asked[id.value];
  }
  for (std::uint32_t i = 0; i < images_.size(); ++i) {
    const std::string wrong = AuditRow(ImageId{i}, holders[i], asked[i]);
    if (!wrong.empty()) return "image " + images_[i].name + ": " + wrong;
  }
  return {};
}

}  // namespace muster::scheduler
