# Two commands for everybody: `make play` and `make test`. Both do all the set-up on first use.
# `make test-all` runs what takes long as well, and measures coverage.
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
NODE_READY := tools/js/node_modules/.ready
PYTHON ?= python3
MESSAGES := src/gridhouse/server/pages/static/messages.d.ts
SCHEMA := $(BIN)/check-jsonschema --quiet --builtin-schema vendor
SITE := src/gridhouse/server/pages/docs
UV_VERSION := 0.13.8
# A worker that dies ends the run: what is left of its file would be waited for in vain.
WORKERS := -n 2 --max-worker-restart 0

.PHONY: play test test-all check docs export programs messages texts bench strength lock clean

play: $(READY)
	@$(BIN)/gridhouse play

# Minutes: what is marked as slow is left out, and Hypothesis tries little.
test: $(READY)
	HYPOTHESIS_PROFILE=quick $(BIN)/python -m pytest $(WORKERS) --dist loadfile -m "not slow" --durations=10

# Compile once first: parallel workers would otherwise compile the same kernels. A worker keeps to
# tests that stand together, which share browsers and loaded kernels. Coverage is that of all
# branches of the games.
test-all: $(READY)
	$(BIN)/gridhouse warm
	$(BIN)/python -m pytest $(WORKERS) --dist worksteal --durations=10 \
		--cov --cov-fail-under=100 --cov-report=term

check: $(READY) $(NODE_READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell
	$(SCHEMA).github-workflows .github/workflows/*.yml
	$(SCHEMA).github-issue-forms .github/ISSUE_TEMPLATE/[!c]*.yml
	$(SCHEMA).github-issue-config .github/ISSUE_TEMPLATE/config.yml
	$(SCHEMA).citation-file-format CITATION.cff
	$(BIN)/vermin --quiet --no-tips --target=3.8- --violations --exclude typing.Self \
		$$($(BIN)/python -c 'from gridhouse.export import files; print(*files())') programs \
		src/gridhouse/sandbox/inside.py src/gridhouse/grading/driver.py \
		src/gridhouse/arena/kit/*.py
	$(BIN)/python tools/texts.py --check
	$(BIN)/python tools/js/write_messages.py | cmp - $(MESSAGES)
	$(BIN)/node tools/js/node_modules/typescript/bin/tsc --project tools/js
	$(BIN)/node tools/js/node_modules/eslint/bin/eslint.js --config tools/js/eslint.config.js \
		--max-warnings 0 src/gridhouse/server/pages/static tools/js

# The site of the documentation, which the house shows as well.
docs: $(READY)
	$(BIN)/python -m sphinx -W --keep-going -q -d $(VENV)/.doctrees docs $(SITE)
	@echo "the site is in $(SITE); the house shows it under /docs/"

# make export GAME=tactego FOLDER=somewhere: the game's exact program, which needs nothing else.
export: $(READY)
	@$(BIN)/gridhouse export $(GAME) $(FOLDER)

# The scripts in programs/, which are made of the same parts as exported ones.
programs: $(READY)
	$(BIN)/python -c "from gridhouse.export import write_linked; write_linked('programs')"

bench: $(VENV)/.bench
	$(BIN)/python benchmarks/programs.py
	$(BIN)/python benchmarks/long_games.py
	$(BIN)/python benchmarks/random_games.py
	$(BIN)/python benchmarks/environments.py
	$(BIN)/python benchmarks/house_load.py

# Hours, not minutes: hundreds of games a pairing.
strength: $(READY)
	$(BIN)/python benchmarks/strength.py --write

# The peers of the benchmarks are large and nothing else needs them.
$(VENV)/.bench: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]'
	@touch $@

# The page's types of a table's messages.
messages: $(READY)
	$(BIN)/python tools/js/write_messages.py >$(MESSAGES)

# All that the house says, in the catalogues of its languages; new sentences come without translation.
# make texts LANGUAGE=af begins another one.
texts: $(READY)
	$(BIN)/python tools/texts.py $(LANGUAGE)

# The set-up: uv where it can be had, plain pip otherwise. Everything comes from the hashed lock.
$(READY): requirements.lock pyproject.toml
	$(PYTHON) -m venv --clear $(VENV) || { $(PYTHON) -m venv --clear --without-pip $(VENV) \
		&& $(PYTHON) -m pip --python $(BIN)/python install --quiet pip; }
	@if $(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION); then \
		echo 'installing with uv'; \
		$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock \
		&& $(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e .; \
	else \
		echo 'installing with pip'; \
		$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock \
		&& $(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .; \
	fi
	@touch $@

# Node comes as a wheel, so that nobody has to have it; only `make check` needs it.
$(NODE_READY): $(READY) tools/js/requirements.lock tools/js/package.json tools/js/package-lock.json
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes \
		-r tools/js/requirements.lock
	$(BIN)/npm ci --prefix tools/js --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

# Versions and hashes only, no addresses.
lock: $(NODE_READY)
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
		--extra dev --extra gui --extra web \
		--no-header --no-emit-index-url --no-annotate --output-file requirements.lock pyproject.toml
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
		--no-header --no-emit-index-url --no-annotate \
		--output-file tools/js/requirements.lock tools/js/requirements.in
	$(BIN)/npm update --prefix tools/js --package-lock-only --omit-lockfile-registry-resolved \
		--ignore-scripts --no-audit --no-fund --loglevel=error

clean:
	rm -rf $(VENV) $(SITE) tools/js/node_modules dist .coverage .coverage.* .*_cache .hypothesis
