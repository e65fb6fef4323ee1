// How resource lists of pods and nodes are read: amounts in the inner unit, clipped. For
// decode_*.cc only.
#pragma once

#include <string>
#include <vector>

#include "crds/json_reader.h"
#include "crds/pod.h"

namespace muster::crds {

struct Resources {
  ResourceList requests, limits;
};

// {"cpu":"500m", ..}: sorted by name.
bool ReadResourceList(JsonReader& reader, JsonValue& value, ResourceList& out);
// {"requests":{..},"limits":{..}} as requests: one that is missing takes the limit, as the API
// server does when it stores a pod.
bool ReadRequests(JsonReader& reader, JsonValue& value, ResourceList& out);
// The paths that ReadRequests reads, for JsonField::list.
void ListRequests(const std::string& prefix, std::vector<std::string>& out);

}  // namespace muster::crds
