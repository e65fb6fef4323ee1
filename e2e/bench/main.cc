// muster-bench: every figure is a median of 21 and stands beside its goal. A missed goal is
// printed, not an error: machines differ.
#include "e2e/bench/decisions.h"
#include "e2e/bench/decode.h"

int main() {
  muster::e2e::DecisionBench();
  muster::e2e::DecodeBench();
  return 0;
}
