# make demo    sets up, reads the shipped sample with the real pipeline and shows the moves
# make test    sets up and runs all tests
# make quick   runs the tests that need neither a browser nor other processes, in a minute and a half
# make check   lint, types, import rules and words; edits nothing       make fix   edits what can be mended
# continuous integration (.ci/run) runs make check and make test
# make bench   measures accuracy and time, and writes the tables of the README and BENCHMARKS.md
# make lock    pins the dependencies anew                        make clean removes what was built

PYTHON ?= python3
VENV ?= .venv
RUN := $(VENV)/bin
STAMP := $(VENV)/.installed
# The tests of a file share what its fixtures make: one process runs them all, the longest folders first. Bytecode is
# kept, since many tests start processes.
PYTEST := env -u PYTHONDONTWRITEBYTECODE $(RUN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

.PHONY: demo test quick check fix docs reference bench lock setup clean clip sample train

setup: $(STAMP)

$(STAMP): requirements.lock pyproject.toml
	@PYTHON=$(PYTHON) .ci/system-packages
	@test -x $(RUN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing Python packages into $(VENV)"
	@$(RUN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(RUN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

demo: $(STAMP)
	@mkdir -p demo-output
	$(RUN)/tilesight watch samples/shipped/icelandic --every turn --edition icelandic --players Anna,Jón \
		--out demo-output/game.gcg --picture demo-output/game.png --force
	@echo "The game file is demo-output/game.gcg, the annotated picture demo-output/game.png"

test: $(STAMP)
	@PYTHON=$(PYTHON) .ci/system-packages tests
	$(PYTEST) --cov --cov-report=term:skip-covered
	$(RUN)/python -m coverage report --include='scoring/*' --fail-under=100
	$(RUN)/python -m coverage report --fail-under=90 --format=total

quick: $(STAMP)
	$(PYTEST) -m "not slow and not boards" tests/unit tests/golden tests/architecture

check: $(STAMP)
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .
	$(RUN)/mypy
	$(RUN)/lint-imports
	$(RUN)/codespell scoring vision calibration tilesight samples docs *.md

fix: $(STAMP)
	$(RUN)/ruff check --fix .
	$(RUN)/ruff format .

bench: $(STAMP)
	$(RUN)/python -m tests.benchmarks.run

docs: $(STAMP)
	$(RUN)/python -m docs.tools --check
	$(RUN)/python -m sphinx -W --keep-going --quiet -b html -c docs -d build/doctrees . build/docs
	@echo "The pages are build/docs/docs/index.html"

reference: $(STAMP)
	$(RUN)/python -m docs.tools

clip: $(STAMP)
	$(RUN)/python -m docs.figures.terminal_clip

sample: $(STAMP)
	$(RUN)/python -m samples.rendering.icelandic_sample samples/shipped/icelandic

# Needs PyTorch: pip install '.[train]'
train: $(STAMP)
	$(RUN)/python -m calibration.training.train_corners --out training/corners
	$(RUN)/python -m calibration.training.train_squares glance --out training/glance
	$(RUN)/python -m calibration.training.train_squares cells --out training/cells
	$(RUN)/python -m calibration.training.train_squares tiles --out training/tiles --cells training/cells/cells.onnx
	$(RUN)/python -m calibration.training.train_tile_embedding --out training/tiles
	$(RUN)/python -m calibration.training.fit_pooling --glance training/glance/glance.onnx \
		--cells training/cells/cells.onnx --tiles training/tiles/tiles.onnx

lock:
	$(RUN)/uv pip compile --quiet --universal --python-version 3.11 --extra all --extra dev \
		--generate-hashes --no-emit-index-url --no-header --output-file requirements.lock pyproject.toml

clean:
	rm -rf $(VENV) build *.egg-info demo-output .coverage
