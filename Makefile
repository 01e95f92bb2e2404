# Every target does its own set-up; a second run only checks that nothing changed.
#   make demo    a real browser does a real task, from Python and from Node
#   make test    the tests of the core and of both languages
#   make all     what CI runs

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
# Targets share build folders and print their summaries in order.
.NOTPARALLEL:

SETUP := scripts/setup.sh
RUN := scripts/env.sh
# The crates that are no bindings.
CRATES := -p swingbridge-core -p swingbridge-client -p swingbridge-rehearsal
PY_TESTS ?= tests-py
# Tests that import the npm client need Node >= 22; all others run on the machine's own Node.
ifdef JS_TESTS
JS_TESTS_24 ?=
else
JS_TESTS = $$(find tests-js -name '*.test.js' -not -path '*/openai/*' | sort)
JS_TESTS_24 ?= $$(find tests-js -path '*/openai/*' -name '*.test.js' | sort)
endif
PY_SOURCES := $(wildcard bindings-python/python benches conformance examples scripts tests-py)
STUB := bindings-python/python/swingbridge/_core.pyi

.PHONY: help
help: ## Show the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | column -t -s "$$(printf '\t')"

# --- set-up -----------------------------------------------------------------------------------------------------------

.PHONY: setup setup-tools setup-python setup-node setup-browser
setup: ## Prepare .venv, node_modules, the wheel, the addon and a browser
	@$(SETUP)
setup-tools:
	@$(SETUP) tools python node
setup-python:
	@$(SETUP) tools python wheel
setup-node:
	@$(SETUP) tools python node addon
setup-browser:
	@$(SETUP) browser

.PHONY: clean clean-bindings
clean-bindings: ## Remove what was built of both bindings, so that the next set-up builds them from their sources
	@rm -rf target/wheels bindings-node/dist bindings-node/native/*.node bindings-node/native/native.js
	@rm -f .setup/wheel.stamp .setup/native.stamp .setup/typescript.stamp
	@cargo clean --quiet --release -p swingbridge-core -p swingbridge-python -p swingbridge-node
clean: ## Remove everything that was built or installed here
	@rm -rf target fuzz/target .venv node_modules bindings-node/dist bindings-node/native/*.node bindings-node/native/native.js .setup out

# --- the two commands of the README -----------------------------------------------------------------------------------

.PHONY: demo
demo: setup ## Book an appointment and look up a parcel in a real browser, from Python and from Node
	@$(RUN) python examples/booking/python/main.py
	@$(RUN) node examples/booking/node/main.js
	@$(RUN) python examples/pickup/python/main.py
	@$(RUN) node examples/pickup/node/main.js

.PHONY: test test-rust test-py test-js
test: test-rust test-py test-js ## Test the core and both languages
test-rust: ## Test the crates that are no bindings
	@if cargo nextest --version >/dev/null 2>&1; then \
	  cargo nextest run $(CRATES) && cargo test --quiet --doc -p swingbridge-core; \
	else \
	  echo '==> cargo-nextest is not here: cargo test'; cargo test $(CRATES); \
	fi
test-py: setup ## Test the Python package (PY_TESTS=path for a part)
	@$(RUN) python -m pytest $(PY_TESTS)
test-js: setup ## Test the Node package (JS_TESTS='file ...' for a part)
	@$(RUN) node --test --test-reporter=spec $(JS_TESTS)
	@files="$(JS_TESTS_24)"; if [ -n "$$files" ]; then \
	  echo "==> with Node $$($(RUN) bash -c '"$$SWINGBRIDGE_NODE24" --version')"; \
	  $(RUN) bash -c '"$$SWINGBRIDGE_NODE24" --test --test-reporter=spec "$$@"' node $$files; \
	fi

# --- checks -----------------------------------------------------------------------------------------------------------

.PHONY: fmt fmt-check
fmt: setup-tools ## Format Rust, Python and TypeScript
	@cargo fmt --all
	@$(RUN) ruff format --quiet $(PY_SOURCES)
	@$(RUN) ruff check --quiet --select I --fix $(PY_SOURCES)
	@npm run --silent format -- --log-level=warn
fmt-check: setup-tools
	@cargo fmt --all --check
	@$(RUN) ruff format --check $(PY_SOURCES)
	@npm run --silent format:check

.PHONY: lint
lint: setup-tools ## Lint Rust (warnings are errors) and Python, and build the documentation of the crates
	@PYO3_PYTHON=$(CURDIR)/.venv/bin/python cargo clippy --quiet --workspace --all-targets -- -D warnings
	@RUSTDOCFLAGS='-D warnings' cargo doc --quiet --no-deps $(CRATES)
	@$(RUN) ruff check $(PY_SOURCES)

.PHONY: types
types: setup ## Check types in both languages, code that must not type-check included
	@$(RUN) mypy
	@$(RUN) pyright --project pyproject.toml --warnings
	@$(RUN) pyright --project pyproject.toml --verifytypes swingbridge --ignoreexternal
	@$(RUN) tsc -p tests-js/tsconfig.json

.PHONY: stubs stubs-check
stubs: setup-tools ## Write the generated Python stub of the native module
	@scripts/stubs.sh write
stubs-check: setup
	@scripts/stubs.sh check

.PHONY: deny
deny: ## Check dependencies: bans, licences, sources (offline)
	@if cargo deny --version >/dev/null 2>&1; then \
	  cargo deny --offline --log-level error check bans licenses sources; \
	else \
	  echo '==> cargo-deny is not here: only the cargo tree test of the core (tests-py/packaging) runs'; \
	fi

.PHONY: fuzz-smoke
fuzz-smoke: ## Fuzz each target for ten seconds
	@scripts/fuzz_smoke.sh

.PHONY: vectors
vectors: setup ## Run only the conformance vectors, in Rust, sync and async Python and Node
	@cargo test -p swingbridge-core --test 'conformance*'
	@$(RUN) python -m pytest tests-py/conformance
	@$(RUN) node --test --test-reporter=spec $$(find tests-js/conformance -name '*.test.js' | sort)

# --- benchmarks -------------------------------------------------------------------------------------------------------

.PHONY: bench bench-core
bench-core: ## Count the core's instructions for each call (needs valgrind)
	@cargo bench --quiet -p swingbridge-core
bench: setup ## Measure swingbridge beside the openai packages, and count the core's instructions
	@cargo bench --quiet -p swingbridge-core
	@cargo bench --quiet -p swingbridge-client
	@$(RUN) python benches/python/bench.py
	@$(RUN) python benches/python/bench_computer.py
	@$(RUN) python benches/python/bench_runner.py
	@$(RUN) python benches/python/bench_client.py
	@$(RUN) python benches/python/memory.py
	@$(RUN) bash -c '"$$SWINGBRIDGE_NODE24" --expose-gc benches/node/bench.js'
	@$(RUN) bash -c '"$$SWINGBRIDGE_NODE24" --expose-gc benches/node/computer.js'
	@$(RUN) bash -c '"$$SWINGBRIDGE_NODE24" --expose-gc benches/node/runner.js'
	@$(RUN) bash -c '"$$SWINGBRIDGE_NODE24" --expose-gc benches/node/client.js'

# --- what CI runs -----------------------------------------------------------------------------------------------------

.PHONY: all tree-before tree-after
all: tree-before setup-tools fmt-check clean-bindings setup lint stubs-check types deny fuzz-smoke test tree-after ## All of it
tree-before:
	@scripts/tree.sh before
tree-after:
	@scripts/tree.sh after
