# What people and CI call. `make` alone explains itself.
PYTHON ?= python3
export PYTHONPATH := $(CURDIR)/platform:$(CURDIR)
VENV := .venv/bin

.DEFAULT_GOAL := help
.PHONY: help run stop status clean dev set-up set-up-development generated check test test-thorough test-spark test-services test-units test-rest test-browser test-postgres test-system test-long bench browser promtool

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | while IFS="$$(printf '\t')" read -r name text; do printf '  make %-10s %s\n' "$$name" "$$text"; done
	@echo
	@echo '  Settings (environment): WEIR_WEB_PORT WEIR_KAFKA_PORT WEIR_VALKEY_PORT WEIR_DATA_DIR PYTHON'

run: set-up ## set up what is missing, start everything, print the address
	@exec $(VENV)/python -m weir.embedded.run

stop: ## end everything that make run started, engines too
	@if test -x $(VENV)/python; then $(VENV)/python -m weir.embedded.stop; else echo 'Nothing is set up yet: make run'; fi

status: ## each process with pid, uptime, port and last log line
	@test -x $(VENV)/python || { echo 'Nothing is set up yet: make run'; exit 1; }
	@$(VENV)/python -m weir.embedded.status

clean: ## remove all data (var/) after asking
	@test -x $(VENV)/python || { echo 'make clean needs what make run sets up: make set-up'; exit 1; }
	@$(VENV)/python -m weir.embedded.clean

dev: set-up-development ## like run, and starts processes anew when their source changes
	@exec $(VENV)/python -m weir.embedded.run --development

set-up:
	@$(PYTHON) -m weir.embedded.prerequisites
	@$(PYTHON) -m weir.embedded.install --to-run

set-up-development:
	@$(PYTHON) -m weir.embedded.prerequisites
	@$(PYTHON) -m weir.embedded.install --development

generated: set-up-development ## write generated files: OpenAPI, client, form, operators' pages, examples of docs and composer
	$(VENV)/python manage.py spectacular --validate --fail-on-warn --file docs/openapi.yaml
	cd frontend && npm run --silent generate
	$(VENV)/python -m tests.support.form_parameters
	$(VENV)/python -m tests.support.drawing_fits
	$(VENV)/python -m tests.support.reserved_words
	$(VENV)/python -m tests.support.worked_examples
	$(VENV)/python -m tests.support.operator_pages docs/reference/operators
	$(VENV)/python -m tests.support.semantics_examples
	$(VENV)/python -m tests.support.monitoring_page
	$(VENV)/python -m tests.support.alerts_page
	$(VENV)/python -m tests.support.sql_constructs docs/reference/sql-constructs.md

check: set-up-development ## format, lint, types, import contracts, citations, retired words, migrations, generated files
	$(VENV)/ruff format --check .
	$(VENV)/ruff check .
	$(VENV)/mypy
	$(VENV)/lint-imports
	$(VENV)/python -m tests.support.citations
	$(VENV)/python -m tests.support.retired_words
	$(VENV)/python manage.py makemigrations --check --dry-run
	$(VENV)/python manage.py spectacular --validate --fail-on-warn | diff -u docs/openapi.yaml - \
	  || { echo 'docs/openapi.yaml is out of date: make generated'; exit 1; }
	$(VENV)/python -m tests.support.worked_examples --check
	cd frontend && npm run --silent check

browser: set-up-development
	@$(VENV)/python -m tests.support.browser

promtool: set-up-development
	@$(VENV)/python -m tests.support.promtool

# Two runs side by side, twice. What a run printed is shown when it ends. Where an environment forbids it, each process
# that a test starts would compile all of its modules again.
test test-thorough test-long: export PYTHONDONTWRITEBYTECODE =

test: set-up-development browser promtool ## before each commit: unit, integration, browser, faults
	cd frontend && npm run --silent test
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=line test-spark test-services
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=line test-system test-units

test-thorough: export CHOSEN = thorough and not long
test-thorough: set-up-development browser ## what CI plays beside it: many cases, slow ones, forms in the browser, PostgreSQL
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=line test-spark test-services
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=line test-rest test-units

CHOSEN ?= not thorough and not long

# Five processes in all, since many tests wait; two of them with a Spark session, whose start takes 20 s of processor
# time. Files that need the same engine go to one (tests/support/file_sharing.py). Tables are made from the models, which
# takes each process six seconds less than migrations; those are played by the runs against a system and PostgreSQL.
INTEGRATION = $(VENV)/pytest --no-migrations --dist loadfile --no-loadscope-reorder --durations=10 \
  -m "$(CHOSEN) and not whole_system"

test-spark:
	$(INTEGRATION) -n 2 $$(grep -rlw SparkSession tests/integration --include='test_*.py')

test-services:
	$(INTEGRATION) -n 3 $$(grep -rLw SparkSession tests/integration --include='test_*.py')

# The units take what the others leave: a browser, and processes that were killed, are mostly waited for.
test-units:
	nice -n 10 $(VENV)/pytest -n 2 --no-migrations --durations=10 -m "$(CHOSEN)" tests \
	  --ignore=tests/integration --ignore=tests/e2e --ignore=tests/chaos

# A browser without a system, whose event loop would disturb other tests of its process, then tests of the first two
# kinds again, on PostgreSQL, then browser and faults.
test-rest: test-browser
	@$(MAKE) --no-print-directory test-postgres
	@$(MAKE) --no-print-directory test-system

test-browser:
	$(VENV)/pytest -n 2 --dist loadfile --durations=10 -m "not long" tests/e2e/frontend_only

test-postgres:
	$(VENV)/python -m tests.support.on_postgres -n 2 --dist loadfile --durations=10 \
	  -m "not long and every_database" $$(grep -rlw every_database tests --include='test_*.py')

# Tests that share one system, one after the other.
test-system:
	$(VENV)/pytest --durations=10 -m "$(CHOSEN) and (e2e or chaos or whole_system)" \
	  --ignore=tests/e2e/frontend_only tests/e2e tests/chaos $$(grep -rlw whole_system tests/integration --include='test_*.py')

test-long: set-up-development browser promtool ## what takes longer, too; writes docs/test-long.md
	$(VENV)/python -m tests.support.long_run

bench: set-up-development browser ## measure; writes docs/benchmarks.md. WITHIN=90: for that many minutes what is not measured yet
	$(VENV)/python -m bench $(if $(WITHIN),--within $(WITHIN))
