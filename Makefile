# Every target does its own set-up, and does nothing where nothing is missing.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo serve test test-native test-engine test-readers bench coverage truth fmt check-fmt check-deps lint lint-wasm

# What these targets make and check has the web app in it.
unexport TOKENCAP_SKIP_WEB

CARGO ?= cargo
# What `make serve` serves.
BUNDLES ?= demo.tokencap
# Python programs that the tests use, each in its own environment.
TOOLS := $(CURDIR)/target/tools
ENGINE_PYTHON := $(TOOLS)/engine/bin/python
ENGINE_READY := $(TOOLS)/engine/ready
READERS_PYTHON := $(TOOLS)/readers/bin/python
READERS_READY := $(TOOLS)/readers/ready
DEPS_READY := $(TOOLS)/deps/ready
AXE := $(TOOLS)/axe/axe_playwright_python/axe.min.js

# cargo-nextest where there is one: it runs test binaries side by side.
RUN_TESTS = $(if $(shell command -v cargo-nextest),nextest run,test)

help: ## List the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/\1\t\2/' | expand -t 16

demo: ## Sweep a simulated cluster, then serve its report on http://127.0.0.1:8080
	scripts/setup wasm
	$(CARGO) run --locked --release -- demo

serve: ## Serve reports on http://127.0.0.1:8080: make serve BUNDLES="a.tokencap b.tokencap"
	scripts/setup wasm
	$(CARGO) run --locked --release -- serve $(BUNDLES)

test: check-fmt check-deps lint-wasm lint test-native ## Check everything: format, dependencies, lints, native, WASM and browser tests

test-native: $(ENGINE_READY) $(READERS_READY) $(AXE) ## Run the tests: native, the web app in Chromium, a real engine, DuckDB and pandas
	scripts/setup wasm browser
	TOKENCAP_ENGINE_PYTHON=$(ENGINE_PYTHON) TOKENCAP_READERS_PYTHON=$(READERS_PYTHON) \
	  TOKENCAP_AXE=$(AXE) $(CARGO) $(RUN_TESTS) --locked --workspace

test-engine: $(ENGINE_READY) ## Run the client's tests against llama.cpp's own server
	TOKENCAP_SKIP_WEB=1 TOKENCAP_ENGINE_PYTHON=$(ENGINE_PYTHON) \
	  $(CARGO) test --locked -p tokencap --test engine

test-readers: $(READERS_READY) ## Read bundles and exports with DuckDB, pandas, a schema validator and openpyxl
	TOKENCAP_SKIP_WEB=1 TOKENCAP_READERS_PYTHON=$(READERS_PYTHON) \
	  $(CARGO) test --locked -p tokencap --test readers

bench: ## Measure speed
	scripts/setup wasm browser
	$(CARGO) bench --locked --workspace --benches

coverage: ## Measure how often the judge is wrong, on queues whose truth is known
	TOKENCAP_SKIP_WEB=release $(CARGO) run --locked --release -p tokencap-studies --bin coverage

# FIRST is the number of the first draw: another one makes fresh clusters. THREADS is every core.
# MINUTES limits the time that each search measures.
truth: ## Measure what the search finds, on simulated clusters whose truth is known: make truth CLUSTERS=300 FIRST=0
	TOKENCAP_SKIP_WEB=release $(CARGO) run --locked --release -p tokencap-studies --bin truth

fmt: ## Format the sources
	$(CARGO) fmt --all

check-fmt:
	scripts/setup lint
	$(CARGO) fmt --all --check

# Licences, sources and wildcards; advisories need a database that a machine may not reach. Then
# that every dependency is used, and where it is declared.
check-deps: $(DEPS_READY)
	$(TOOLS)/deps/bin/cargo-deny --locked --all-features check --hide-inclusion-graph bans licenses sources
	$(TOOLS)/deps/bin/cargo-shear --locked

lint:
	scripts/setup wasm lint
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings

# In the builder's own folder, with its compiler and profile: procedural macros are compiled once.
lint-wasm:
	scripts/setup wasm lint
	scripts/setup clippy --locked -p tokencap-shared -p tokencap-frontend -p tokencap-workbench \
	  --profile wasm-release --target-dir target/web -- -D warnings

# A stamp, because a virtual environment's python is a link to a file that never changes.
$(ENGINE_READY): scripts/engine.txt
	scripts/setup python
	python3 -m venv --clear $(TOOLS)/engine
	$(ENGINE_PYTHON) -m pip --quiet --disable-pip-version-check install --requirement $<
	touch $@

$(READERS_READY): scripts/readers.txt
	python3 -m venv --clear $(TOOLS)/readers
	$(READERS_PYTHON) -m pip --quiet --disable-pip-version-check install --requirement $<
	touch $@

$(DEPS_READY): scripts/deps.txt
	scripts/setup python
	python3 -m venv --clear $(TOOLS)/deps
	$(TOOLS)/deps/bin/python -m pip --quiet --disable-pip-version-check install --requirement $<
	touch $@

$(AXE): scripts/axe.txt $(READERS_READY)
	$(READERS_PYTHON) -m pip --quiet --disable-pip-version-check install --no-deps --upgrade \
	  --target $(TOOLS)/axe --requirement $<
	touch $@
