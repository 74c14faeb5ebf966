# Every target prepares .venv by itself when it is missing or older than the package's metadata.
# All that has to be there is Python 3.11 or newer (with venv and pip) and make.

PYTHON ?= python3
PYTEST_ARGS ?=
# Two q's: pip reports errors only. `make setup PIP_QUIET=` shows everything.
PIP_QUIET ?= -qq

VENV := .venv
PY := $(VENV)/bin/python
PIP_INSTALL := $(PY) -m pip install --disable-pip-version-check $(PIP_QUIET) -c constraints.txt

READY := $(VENV)/.ready
COMPILED := $(VENV)/.compiled
READY_DOCS := $(VENV)/.ready-docs
READY_BENCH := $(VENV)/.ready-bench

.DEFAULT_GOAL := help
.PHONY: help setup demo playground test fuzz soak lint bench docs clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: $(READY) ## prepare .venv with the package and the development tools, and compile what the estimators call
	-@$(PY) -m maxmargin.compile --if-needed
	@touch $(COMPILED)

# Compiles what it uses and no more: 25 s of processor time, where all that the estimators call takes ten times that.
demo: $(READY) ## train on a bundled table: a model, its proof and a report
	@$(PY) -m maxmargin.demo

playground: $(READY) ## draw points in the browser, and watch models and their proofs follow
	@$(PY) -m maxmargin playground

test: $(COMPILED) ## run the tests and the examples in the docstrings (PYTEST_ARGS="-k rbf" to choose)
	$(PY) -m pytest -n auto --dist worksteal $(PYTEST_ARGS)

FUZZ ?= 10000
FUZZ_CERTIFICATES ?= 20000
FUZZ_FILES ?= 50000
FUZZ_INTERRUPTS ?= 5000

fuzz: $(READY) ## certificates against exact optima, tampered models, hostile files, tables and matrices (FUZZ=10000 of each)
	$(PY) -m tests.referee.fuzz --count $(FUZZ_CERTIFICATES)
	$(PY) -m tests.persistence.fuzz --count $(FUZZ_FILES)
	$(PY) -m tests.tables.fuzz --count $(FUZZ)
	$(PY) -m tests.tables.fuzz_footer --count $(FUZZ)
	$(PY) -m tests.tables.fuzz_scaling
	$(PY) -m tests.cli.fuzz --count $(FUZZ)
	$(PY) -m tests.certificates.tamper --count $(FUZZ)
	$(PY) -m tests.certificates.tamper --count $(FUZZ) --honest
	$(PY) -m tests.data.fuzz_matrices --count $(FUZZ)
	$(PY) -m tests.engine.fuzz_interrupts --count $(FUZZ_INTERRUPTS)

MINUTES ?= 30

soak: $(READY) ## random work in threads and processes at once: no memory, thread, file or process is lost (MINUTES=30)
	$(PY) -m tests.soak --minutes $(MINUTES)

lint: $(READY) ## check style, types, the import order of the rooms, and that they import nothing private
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(VENV)/bin/lint-imports
	$(PY) -m pytest -q -p no:cacheprovider tests/test_walls.py

bench: $(READY_BENCH) ## measure against the peers that can be installed here
	$(PY) -m benchmarks

docs: $(READY_DOCS) ## build the manual into build/docs; a warning is an error
	$(PY) -m sphinx -q -W --keep-going -b html -d build/doctrees docs build/docs
	@echo "The manual is at build/docs/index.html"

clean: ## remove what was built and cached; .venv stays
	rm -rf build dist src/maxmargin/_machine_code $(COMPILED) docs/generated docs/gallery docs/sg_execution_times.rst .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . \( -name .git -o -name .venv \) -prune -o -name __pycache__ -type d -exec rm -rf {} +

# An environment that was left half made (no working pip) is made anew.
$(READY): pyproject.toml constraints.txt
	@$(PY) -m pip --version >/dev/null 2>&1 || { \
	  $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	    found=$$($(PYTHON) --version 2>/dev/null) || found="not found"; \
	    echo "maxmargin needs Python 3.11 or newer, and '$(PYTHON)' is $$found." >&2; \
	    echo "To use another one: make PYTHON=/path/to/python3.11 ..." >&2; \
	    exit 1; }; \
	  echo "Preparing $(VENV); the first time takes a minute or two."; \
	  $(PYTHON) -m venv --clear $(VENV); }
	@MAXMARGIN_MACHINE_CODE=0 $(PIP_INSTALL) -e '.[dev]'
	@touch $@

# Once, and without it all works, too. What is changed later is compiled where it is used, or by `make setup`.
$(COMPILED): $(READY)
	-@$(PY) -m maxmargin.compile --if-needed
	@touch $@

$(READY_DOCS): $(READY)
	@MAXMARGIN_MACHINE_CODE=0 $(PIP_INSTALL) -e '.[docs]'
	@touch $@

# Peers are tried one at a time, so that one that does not install (no wheel, no compiler) costs only itself.
# The stamp is left only when all of them are there: a peer that failed is tried again next time.
$(READY_BENCH): $(READY)
	@$(PY) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["bench"], sep="\n")' \
	| { missing=0; while IFS= read -r peer; do \
	    $(PIP_INSTALL) "$$peer" </dev/null || { \
	      missing=1; echo "bench: could not install $${peer%%[;>=]*}; going on without it"; }; \
	  done; [ $$missing = 1 ] || touch $@; }
