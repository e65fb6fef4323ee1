#include "scheduler/model/shapes.h"

#include <functional>

#include <gtest/gtest.h>

namespace muster::scheduler {
namespace {

PodShape Shape(std::int64_t cpu) {
  PodShape shape;
  shape.requests = {{"cpu", cpu}};
  return shape;
}

TEST(ShapeTable, EqualShapesShareARow) {
  const ResourceTable resources;
  ShapeTable shapes;
  const ShapeId a = shapes.Acquire(Shape(1), resources);
  EXPECT_EQ(shapes.Acquire(Shape(1), resources), a);
  EXPECT_NE(shapes.Acquire(Shape(2), resources), a);
  EXPECT_EQ(shapes.live(a), 2U);
  shapes.Release(a);
  shapes.Release(a);
  EXPECT_EQ(shapes.live(a), 0U);
  EXPECT_EQ(shapes.Acquire(Shape(1), resources), a) << "Kept warm for the next pod like it.";
}

TEST(ShapeTable, EveryFieldTellsShapesApart) {
  const ResourceTable resources;
  ShapeTable shapes;
  const std::vector<std::function<void(PodShape&)>> changes = {
      [](PodShape& s) { s.requests.emplace_back("memory", 0); },
      [](PodShape& s) {
        s.node_selector = {{"zone", "a"}};
      },
      [](PodShape& s) { s.has_required_affinity = true; },
      [](PodShape& s) { s.required_affinity.emplace_back(); },
      [](PodShape& s) {
        s.required_affinity = {{{{Requirement::Op::kIn, "zone", {"a"}}}, {}}};
      },
      [](PodShape& s) {
        s.required_affinity = {{{}, {{Requirement::Op::kIn, "zone", {"a"}}}}};
      },
      [](PodShape& s) { s.tolerations = {{.key = "k", .value = "v"}}; },
      [](PodShape& s) { s.tolerations = {{.key = "k", .value = "v", .any_effect = true}}; },
      [](PodShape& s) { s.node_name = "n"; },
      [](PodShape& s) { s.gpu_products = {"H100"}; },
      [](PodShape& s) { s.model = "m"; },
      [](PodShape& s) { s.model_required = true; },
  };
  shapes.Acquire(Shape(1), resources);
  for (const auto& change : changes) {
    PodShape shape = Shape(1);
    change(shape);
    shapes.Acquire(shape, resources);
  }
  EXPECT_EQ(shapes.rows(), changes.size() + 1);
}

TEST(ShapeTable, ManyDeadRowsAreReusedUnderAnotherVersion) {
  const ResourceTable resources;
  ShapeTable shapes;
  std::vector<std::uint64_t> versions;
  for (int i = 0; i < 1000; ++i) {
    const ShapeId id = shapes.Acquire(Shape(i), resources);
    versions.push_back(shapes.version(id));
    shapes.Release(id);
  }
  const ShapeId kept = shapes.Acquire(Shape(7), resources);
  shapes.Recycle();
  EXPECT_EQ(shapes.shape(kept), Shape(7));
  for (int i = 2000; i < 2900; ++i) {
    const ShapeId id = shapes.Acquire(Shape(i), resources);
    EXPECT_GT(shapes.version(id), versions.back());
  }
  EXPECT_EQ(shapes.rows(), 1000U) << "Old rows are enough.";
}

}  // namespace
}  // namespace muster::scheduler
