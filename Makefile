# What people and CI call. `make` alone explains itself.
PYTHON ?= python3
export PYTHONPATH := $(CURDIR)/platform:$(CURDIR)
VENV := .venv/bin

.DEFAULT_GOAL := help
.PHONY: help run stop status clean dev set-up set-up-development generated check test test-long bench browser promtool

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | while IFS="$$(printf '\t')" read -r name text; do printf '  make %-10s %s\n' "$$name" "$$text"; done
	@echo
	@echo '  Settings (environment): WEIR_WEB_PORT WEIR_KAFKA_PORT WEIR_VALKEY_PORT WEIR_DATA_DIR PYTHON'

run: set-up ## set up what is missing, start everything, print the address
	@exec $(VENV)/python -m weir.embedded.run

stop: ## end everything that make run started, engines too
	@test ! -x $(VENV)/python || $(VENV)/python -m weir.embedded.stop

status: ## each process with pid, uptime, port and last log line
	@test -x $(VENV)/python || { echo 'Nothing is set up yet: make run'; exit 1; }
	@$(VENV)/python -m weir.embedded.status

clean: ## remove all data (var/) after asking
	@test ! -x $(VENV)/python || $(VENV)/python -m weir.embedded.clean

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

# Five runs, so that the broker, Spark session, system or database of one kind of test is gone before the next begins.
# In all but the last, files run in parallel (tests/support/file_sharing.py), those of the second, which wait most, four
# at a time; tests of the last share one system, which needs both cores. The third plays tests of the first two on
# PostgreSQL. The fourth is a browser without a system, whose event loop would disturb other tests of its process.
# Where tables are made from the models, which takes each process six seconds less, migrations are played by the others.
# Where an environment forbids it, each process that a test starts would compile all of its modules again.
test test-long: export PYTHONDONTWRITEBYTECODE =

test: set-up-development browser promtool ## everything that a change must pass: unit, integration, browser
	cd frontend && npm run --silent test
	$(VENV)/pytest -n 2 --no-migrations --durations=10 -m "not long" tests \
	  --ignore=tests/integration --ignore=tests/e2e --ignore=tests/chaos
	$(VENV)/pytest -n 4 --no-migrations --dist loadfile --no-loadscope-reorder --durations=10 \
	  -m "not long and not whole_system" tests/integration
	$(VENV)/python -m tests.support.on_postgres -n 2 --dist loadfile --durations=10 \
	  -m "not long and every_database" $$(grep -rlw every_database tests --include='test_*.py')
	$(VENV)/pytest -n 2 --dist loadfile --durations=10 -m "not long" tests/e2e/frontend_only
	$(VENV)/pytest --durations=10 -m "not long and (e2e or chaos or whole_system)" \
	  --ignore=tests/e2e/frontend_only tests/e2e tests/chaos $$(grep -rlw whole_system tests/integration --include='test_*.py')

test-long: set-up-development browser promtool ## what takes longer, too; writes docs/test-long.md
	$(VENV)/python -m tests.support.long_run

bench: set-up-development ## measure; writes docs/benchmarks.md
	$(VENV)/python -m bench
