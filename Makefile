# make setup   .venv with everything pbem needs, to run and to be tested
# make up      a running service on this machine, with a page that shows every mail
# make check   all checks and the quick tests, which start nothing: a minute
# make test    all checks and all tests
# make format  Python, HTML, CSS and JavaScript put into their usual form
# make lock    newer versions of what is installed, written to constraints.txt
# make clean   takes away what the others made; your matches in var/ stay
#
# Needs Python 3.11 or newer and make, nothing else. Another Python: make setup PYTHON=python3.12

# Tests start hundreds of processes: each begins in half the time where bytecode is kept.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup up check test format lock clean

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/complete
# where HTML, CSS and JavaScript stand
PAGES := pbem templates
# the rooms of tests that need neither pages nor mails
QUICK := tests/clocks tests/engine tests/record tests/store tests/words
PYTHON := python3 python3.14 python3.13 python3.12 python3.11 python

# A .venv whose Python went away with a system upgrade is made anew.
ifneq ($(shell $(BIN)/python -c "print('runs')" 2>/dev/null),runs)
.PHONY: $(STAMP)
endif

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

setup: $(STAMP)

# The stamp is written last, so a set-up that was cut short is done again.
$(STAMP): pyproject.toml constraints.txt
	@found=; for python in $(PYTHON); do \
		"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
		found=$$python; \
		"$$python" -c 'import ensurepip, venv' 2>/dev/null || continue; \
		echo "Making $(VENV) with $$("$$python" --version); this takes a minute the first time."; \
		[ -x $(BIN)/python ] && $(BIN)/python -m pip --version >/dev/null 2>&1 \
			|| "$$python" -m venv --clear $(VENV) || exit 1; \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt \
			--editable '.[test]' || exit 1; \
		touch $(STAMP); exit 0; \
	done; \
	if [ -n "$$found" ]; then \
		echo "$$found has no venv module. On Debian and Ubuntu: apt install python3-venv"; \
	else \
		echo "pbem needs Python 3.11 or newer, and none was found (looked for: $(PYTHON))."; \
		echo "Install one, or say where it is: make setup PYTHON=/path/to/python3.12"; \
	fi >&2; exit 1

up: setup
	@exec $(BIN)/pbem up

# Every check runs, so one run shows all that is wrong; it fails if one of them did.
# mypy works on one core, and beside the tests. Each process of the tests would compile all files of a
# new checkout for itself: here it is done once, beside the checks. Who is done with its tests takes
# over half of another's: else one works alone at the end.
define checks
	@failed=; try() { name=$$1; shift; "$$@" || failed="$$failed $$name"; }; \
	types=$$(mktemp); $(BIN)/mypy >"$$types" 2>&1 & mypy=$$!; \
	$(BIN)/python -m pytest --collect-only $(1) >/dev/null 2>&1 & compiled=$$!; \
	try ruff-check $(BIN)/ruff check .; \
	try ruff-format $(BIN)/ruff format --check .; \
	try djangofmt $(BIN)/djangofmt --quiet --check $(PAGES); \
	try djangofmt-check $(BIN)/djangofmt check $(PAGES); \
	try oxfmt $(BIN)/oxfmt --check $(PAGES); \
	try oxlint $(BIN)/oxlint $(PAGES); \
	try lint-imports $(BIN)/lint-imports; \
	wait $$compiled; \
	try pytest $(BIN)/python -m pytest -n auto --maxprocesses 8 --dist worksteal $(1); \
	try mypy wait $$mypy; cat "$$types"; rm -f "$$types"; \
	if [ -n "$$failed" ]; then echo "Failed:$$failed" >&2; exit 1; fi
endef

check: setup
	$(call checks,-m "not process and not slow" $(QUICK))

# Twice as many at a time as there are cores: many tests wait for processes that they started.
test: setup
	$(call checks,-n $$($(BIN)/python -c 'import os; print(min(8, 2 * os.cpu_count()))') -rs)

format: setup
	@$(BIN)/ruff check --quiet --fix .; $(BIN)/ruff format --quiet .
	@$(BIN)/djangofmt check --quiet --fix $(PAGES); $(BIN)/djangofmt --quiet $(PAGES)
	@$(BIN)/oxlint --quiet --fix $(PAGES); $(BIN)/oxfmt $(PAGES)

# For every Python and system that pbem runs on, whatever this machine has.
lock: setup
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@$(BIN)/uv pip compile pyproject.toml --extra test --universal --python-version 3.11 --upgrade \
		--quiet --no-header --no-annotate --output-file constraints.txt

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist build
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
