// Whatever a client says is Protobuf is a namespace with metadata alone, or nothing.
#include <string>

#include "e2e/apiserver/protobuf.h"
#include "e2e/fuzz/fuzz.h"
#include "scheduler/base/check.h"

int muster::e2e::FuzzProtobuf(const std::uint8_t* data, std::size_t size) {
  using namespace muster;
  auto object = e2e::NamespaceFromProtobuf(e2e::TextOf(data, size));
  if (!object) return 0;
  if (e2e::Planted()) (*object)["spec"] = e2e::Json::object();
  MUSTER_CHECK(object->size() == 3);
  MUSTER_CHECK(e2e::StringAt(*object, {"kind"}) == "Namespace");
  MUSTER_CHECK((*object)["metadata"].is_object());
  MUSTER_CHECK(e2e::Parse(e2e::Dump(*object)).has_value());
  return 0;
}
