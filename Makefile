# Muster's tasks. `make` alone explains them: every target has a text after `##`.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help run demo deps build test sim model model-full bench kill-matrix outages hostile crds lint lint-all analyze fmt asan asan-slice tsan fuzz searches presubmit

SEEDS ?= 60
RUNS ?= 20000
COUNT ?= 10000
export CANARY PORT

help: ## this text
	@printf 'Muster: whole GPU jobs, placed and bound at once, on Kubernetes.\n'
	@sed -nE 's/^([a-z-]+):.*## (.*)$$/\1\t\2/p' Makefile | while IFS=$$'\t' read -r target text; do \
	  printf '  make %-11s %s\n' "$$target" "$$text"; done

run: ## build, start a simulated GPU cluster and Muster, run the samples, stay up; first time about 5 minutes, then 20 s
	@e2e/tools/run.sh run

demo: ## the same without waiting for a key; exit 0 only if every sample ended as stated
	@e2e/tools/run.sh demo

deps: ## install what is missing (Debian 12; as root or with sudo)
	@e2e/tools/deps.sh dev

build: ## the release build (g++ 12) into build/release
	@e2e/tools/build.sh release

test: ## all tests of the release build, about a minute once it is built; installs what they need
	@e2e/tools/deps.sh test
	@$(MAKE) --no-print-directory build
	@ctest --test-dir build/release --output-on-failure --no-label-summary -j 4

sim: build ## the simulation: canaries, then SEEDS=60 seeds under faults, one in five twice
	@build/release/e2e/muster-sim --seeds $(SEEDS)

model: ## the binding protocol as a Promela model, checked by spin; each rule left out must be found; about 2 minutes
	@e2e/tools/model.sh bounded

model-full: ## the same with larger numbers: hours, 12 GB, by hand
	@e2e/tools/model.sh full

bench: build ## medians of decisions, event costs, decoding and Bindings, each beside its goal (no test)
	@build/release/e2e/muster-bench

kill-matrix: build ## Muster killed at every Binding of a gang, and started again
	@build/release/e2e/kill-matrix --jobs 4

outages: build ## the API server in trouble for up to a minute, in seven ways, and how long Muster then needs; 2 minutes
	@build/release/e2e/outages --jobs 7

hostile: build ## COUNT=10000 hostile objects through watches and the API server, a healthy gang beside them
	@build/release/e2e/muster-hostile --count $(COUNT)

crds: ## kube-apiserver's own code judges crds/*.yaml, the samples and wrong inputs; needs Go 1.24 and its module proxy
	@e2e/tools/crds.sh check

lint: ## formatting, then clang-tidy over what users run
	@e2e/tools/lint.sh format
	@cmake --preset release >/dev/null
	@e2e/tools/lint.sh tidy

lint-all: build ## the same with the simulated API server, the simulation and the drivers
	@e2e/tools/lint.sh tidy all

analyze: build ## clang's static analyzer over the production files (slow)
	@e2e/tools/lint.sh analyze

fmt: ## format every source file in place
	@e2e/tools/lint.sh fix

# asan-slice: the tests of what users run, but for comparisons by brute force and the largest gang,
# which take as long as all others; the simulation runs when the hashes are compared.
ASAN_LONG := Oracle*:Rebuilt.DecidesAsTheLiveCore:Rebuilt.DecidesAsTheLiveCoreWith*:Rebuilt.DecidesTheSame*:Cluster.ItsSnapshot*:ThousandsTest.*
ASAN_SLICE := scheduler_test crds_test controllers_test operator_test rpc_test
asan: ## build with clang-16, ASan and UBSan into build/asan, run its tests, compare its decisions with g++'s
asan: build
	@e2e/tools/build.sh asan
	@ctest --test-dir build/asan --output-on-failure -j 2
	@e2e/tools/hashes.sh 10

asan-slice: build
	@e2e/tools/build.sh asan $(ASAN_SLICE) muster-sim
	@GTEST_FILTER='-$(ASAN_LONG)' e2e/tools/sharded.sh asan $(ASAN_SLICE)
	@e2e/tools/hashes.sh

tsan: ## build controllers and operator with clang-16 and ThreadSanitizer into build/tsan, run their tests
	@e2e/tools/build.sh tsan controllers_test operator_test tsan-canary
	@if build/tsan/operator/tsan-canary >/dev/null 2>&1; then echo "tsan: the planted race is not found" >&2; exit 1; fi
	@ctest --test-dir build/tsan --output-on-failure -j 2 -L '^(controllers_test|operator_test)$$'

# Each of them keeps one core busy; the many small ones come last, so that both cores end together.
FUZZ_TARGETS := $(addprefix fuzz-,$(notdir $(wildcard e2e/fuzz/corpus/*)))
.PHONY: fuzz-build $(FUZZ_TARGETS)
searches: model sim $(FUZZ_TARGETS)

fuzz: fuzz-build ## build with clang-16, run each fuzz target and its planted fault RUNS=20000 times, from one seed
	@e2e/tools/fuzz.sh $(RUNS)

fuzz-build:
	@e2e/tools/build.sh asan muster-fuzz

$(FUZZ_TARGETS): fuzz-%: fuzz-build
	@e2e/tools/fuzz.sh $(RUNS) $*

presubmit: ## what CI runs after `make deps`: lint, the definitions, both builds, the model, a minute of fuzzing, 60 seeds, all tests (sanitized: those of what users run); prints the minutes of each
	@e2e/tools/stage.sh --start
	@e2e/tools/stage.sh format e2e/tools/lint.sh format
	@e2e/tools/stage.sh crds e2e/tools/crds.sh check
	@e2e/tools/stage.sh build $(MAKE) --no-print-directory build
	@e2e/tools/stage.sh tidy e2e/tools/lint.sh tidy
	@e2e/tools/stage.sh asan $(MAKE) --no-print-directory asan-slice
	@e2e/tools/stage.sh searches $(MAKE) --no-print-directory -j 2 --output-sync=target searches
	@e2e/tools/stage.sh --report
	@e2e/tools/stage.sh test $(MAKE) --no-print-directory test
