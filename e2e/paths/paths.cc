#include "e2e/paths/paths.h"

namespace muster::e2e {

std::string SourceDir() {
  return MUSTER_SOURCE_DIR;
}

std::string BinaryDir() {
  return MUSTER_BINARY_DIR;
}

std::string CrdsFolder() {
  return SourceDir() + "/crds";
}

}  // namespace muster::e2e
