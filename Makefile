PYTHON ?= python3
VENV ?= .venv
RUN := $(VENV)/bin
RUNTIME := $(VENV)/.runtime-installed
STAMP := $(VENV)/.installed
PIP := $(RUN)/python -m pip install --quiet --disable-pip-version-check
# The tests of a file share what its fixtures make: one process runs them all, the longest folders first. Bytecode is
# kept, since many tests start processes. Matrices are multiplied with one thread, as by the program.
PYTEST := env -u PYTHONDONTWRITEBYTECODE OPENBLAS_NUM_THREADS=1 $(RUN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

LOCK := $(RUN)/uv pip compile --quiet --universal --python-version 3.11 --extra all \
	--generate-hashes --no-strip-extras --no-emit-index-url --no-header

.PHONY: help demo test quick check fix docs reference wheel bench lock setup clean clip sample train
.DEFAULT_GOAL := help

help: ## print what can be made
	@awk -F':.*## ' '/^[a-z]+:.*## / {printf "make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(STAMP) ## set up .venv for development

$(RUNTIME): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Tilesight needs Python 3.11 or newer, and" \
		" $(PYTHON) is an older one; name a newer one: make PYTHON=python3.12")'
	@PYTHON=$(PYTHON) .ci/system-packages
	@test -x $(RUN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing the Python packages of Tilesight into $(VENV)"
	@$(PIP) --require-hashes -r requirements.lock
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

$(STAMP): $(RUNTIME) requirements-dev.lock
	@echo "Installing the Python packages of development into $(VENV)"
	@$(PIP) --require-hashes -r requirements-dev.lock
	@touch $@

demo: $(RUNTIME) ## follow the shipped game; write its game file and a picture into demo-output
	@mkdir -p demo-output
	$(RUN)/tilesight watch samples/shipped/icelandic --every turn --edition icelandic --players Anna,Jón \
		--out demo-output/game.gcg --picture demo-output/game.png --force
	@echo "The game file is demo-output/game.gcg, the annotated picture demo-output/game.png"

test: $(STAMP) ## run all tests; with COVERAGE=yes also measure which lines they run, as .ci/run does
	@PYTHON=$(PYTHON) .ci/system-packages tests
	$(PYTEST) $(if $(COVERAGE),--cov --cov-report=term:skip-covered)
	$(if $(COVERAGE),$(RUN)/python -m coverage report --include='scoring/*' --fail-under=100)
	$(if $(COVERAGE),$(RUN)/python -m coverage report --fail-under=90 --format=total)

quick: $(STAMP) ## run the unit tests, golden files and import rules, without slow tests
	@PYTHON=$(PYTHON) .ci/system-packages tests
	$(PYTEST) -m "not slow and not boards" tests/unit tests/golden tests/architecture

check: $(STAMP) ## lint, types, import rules and words; edits nothing
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .
	$(RUN)/mypy
	$(RUN)/lint-imports
	$(RUN)/codespell scoring vision calibration tilesight samples docs *.md

fix: $(STAMP) ## edit what ruff can mend
	$(RUN)/ruff check --fix .
	$(RUN)/ruff format .

bench: $(STAMP) ## measure accuracy and time, and write the tables of BENCHMARKS.md
	$(RUN)/python -m tests.benchmarks.run

docs: $(STAMP) ## build the site of the documents; a warning is an error
	$(RUN)/python -m docs.tools --check
	$(RUN)/python -m sphinx -W --keep-going --quiet -b html -c docs -d build/doctrees . build/docs
	@echo "The pages are build/docs/docs/index.html"

reference: $(STAMP) ## write the parts of the documents that follow from the code
	$(RUN)/python -m docs.tools

clip: $(STAMP) ## make the moving picture of the README
	$(RUN)/python -m docs.figures.terminal_clip

sample: $(STAMP) ## render the shipped sample again
	$(RUN)/python -m samples.rendering.icelandic_sample samples/shipped/icelandic

train: $(STAMP) ## train the networks; needs PyTorch: .venv/bin/python -m pip install -e '.[train]'
	$(RUN)/python -m calibration.training.train_corners --out training/corners
	$(RUN)/python -m calibration.training.train_squares glance --out training/glance
	$(RUN)/python -m calibration.training.train_squares cells --out training/cells
	mkdir -p training/tiles && ln -sfn ../cells/shards training/tiles/shards
	$(RUN)/python -m calibration.training.train_squares tiles --out training/tiles --cells training/cells/cells.onnx
	$(RUN)/python -m calibration.training.train_tile_embedding --out training/tiles
	$(RUN)/python -m calibration.training.train_print --out training/print
	$(RUN)/python -m calibration.training.fit_pooling --glance training/glance/glance.onnx \
		--cells training/cells/cells.onnx --tiles training/tiles/tiles.onnx

wheel: $(STAMP) ## build the wheel, install it in an empty environment, and run the commands there
	$(RUN)/python .ci/smoke.py

# The versions of development come first, so that both files have the same ones.
lock: $(STAMP) ## pin the dependencies anew, in requirements.lock and requirements-dev.lock
	$(LOCK) --extra dev --output-file requirements-dev.lock pyproject.toml
	echo 'setuptools>=77' | $(LOCK) --constraint requirements-dev.lock --output-file requirements.lock pyproject.toml -

clean: ## remove what was built
	rm -rf $(VENV) build *.egg-info demo-output .coverage
