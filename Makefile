# Everything a newcomer needs: `make run` and `make test` set up their own environment (.venv) first.
# make PYTHON=/path/to/python3.12 run     another interpreter than the newest suitable one on PATH
# make EXAMPLE=my_snippet.py run          another snippet

VENV := .venv
PY := $(VENV)/bin/python
EXAMPLE ?= resources/examples/01_two_gradients.py
SCREENSHOT ?= gradviz-screenshot.png
# Two for each of two cores: a test that starts a worker waits for it.
JOBS ?= 4
MINUTES ?= 30
PLOTS ?= 20000
FILES ?= 5000
CALLS ?= 100000
EVENTS ?= 20000
ONLY ?=
CHECKED := $(addprefix tests/,architecture engine names nn distributions trace session document)

.PHONY: run test pytest check bench fuzz browser escapes mutants docs lint packages try-packages picture release lock clean
.DELETE_ON_ERROR:
unexport PYTHONDONTWRITEBYTECODE  # each of hundreds of processes would compile the program and the tests anew

run: $(VENV)/run.stamp
	@if [ "$$(uname)" = Linux ] && [ -z "$$DISPLAY$$WAYLAND_DISPLAY" ]; then \
		echo "No display: running $(EXAMPLE) without a window, step by step."; \
		$(PY) -m gradviz run --steps $(EXAMPLE) && \
		$(PY) -m gradviz $(EXAMPLE) --step end --screenshot $(SCREENSHOT) && \
		echo "A screenshot of the window is in $(CURDIR)/$(SCREENSHOT)"; \
	else \
		exec $(PY) -m gradviz $(EXAMPLE); \
	fi

lint: $(VENV)/test.stamp
	$(PY) -m ruff check .
	$(PY) -m mypy
	$(VENV)/bin/lint-imports --no-logo

# The tests and the checks of lint side by side: on a fresh clone the type checker takes a minute of one core.
test: $(VENV)/test.stamp
	@$(MAKE) --no-print-directory -j2 lint pytest

pytest: $(VENV)/test.stamp
	$(PY) -m pytest -n $(JOBS) --dist worksteal  # neighbours stay together, and share what they record

# For the everyday loop: what the engine, the trace, the documents and the session do, without windows and workers.
check: lint
	$(PY) -m pytest -q -n $(JOBS) --dist worksteal -m "not slow" $(CHECKED)

# Against real PyTorch too, where it is installed: make bench TORCH_PYTHON=/path/to/python (an interpreter with torch).
bench: $(VENV)/bench.stamp
	$(PY) -m benchmarks $(if $(TORCH_PYTHON),--torch-python $(TORCH_PYTHON))
	$(PY) -m pytest benchmarks -q --benchmark-enable --benchmark-timer=time.thread_time --benchmark-columns=min,median,max

# Coverage-guided fuzzing, one target after the other; then very many random plots, damaged files and hostile traces
# through the whole program, calls with hostile objects, and a monkey at the window: make fuzz MINUTES=5 PLOTS=1000
# FILES=100 CALLS=10000 EVENTS=1000. Findings are in build/fuzz; the monkey tells its own.
fuzz: $(VENV)/fuzz.stamp
	for target in policy documents traces figures messages recordings; do \
		$(PY) -m tests.fuzz $$target --minutes $(MINUTES) || exit 1; \
	done
	$(PY) -m tests.fuzz.many plots --count $(PLOTS)
	$(PY) -m tests.fuzz.many recordings --count $(FILES)
	$(PY) -m tests.fuzz.many lessons --count $(FILES)
	$(PY) -m tests.fuzz.many openings --count $(FILES)
	$(PY) -m tests.fuzz.many shown --count $(FILES)
	$(PY) -m tests.fuzz.many hostile_calls --count $(CALLS) --hang 20
	$(PY) -m benchmarks.monkey $(EVENTS) 1
	@! ls build/fuzz/*-findings/* 2>/dev/null

# Exported pages in a headless Chromium (Qt WebEngine, 200 MB once), step by step; two minutes.
browser: $(VENV)/browser.stamp
	$(PY) -m pytest -q tests/browser/in_chromium.py

# The published list of escapes, each tried anew against each layer. Linux, some minutes.
escapes: $(VENV)/test.stamp
	@mkdir -p build
	$(PY) -m tests.escapes.page > build/escapes.md
	mv build/escapes.md docs/escapes.md

# Each guard taken away once, in a copy: which test misses it? Half an hour for all; make mutants ONLY=seccomp for some.
mutants: $(VENV)/test.stamp
	nice $(PY) -m tests.mutants --jobs $(JOBS) --only "$(ONLY)"

# What follows from the sources: which names are there, the reference and the catalogue of operations. Tests say when they are not current.
docs: $(VENV)/test.stamp
	$(PY) -m gradviz.torch.coverage > docs/coverage.md
	$(PY) -m gradviz.engine.reference > docs/operations.md
	$(PY) -m gradviz.engine.catalogue
	$(PY) -m tests.engine.compared
	$(PY) -m tests.doctor.mistakes
	$(PY) -m tests.architecture.picture > docs/architecture.md

# The packages of the last commit, in dist/, and whether the frozen program works. See packaging/README.md.
packages: $(VENV)/run.stamp
	$(PY) packaging/build_packages.py
	$(PY) packaging/smoke_test.py build/packages/dist/gradviz

# The life of the .deb on a fresh Debian: installed, used, upgraded, removed. As root, with debootstrap.
try-packages: packages
	$(PY) packaging/clean_root.py dist/gradviz_*.deb dist/gradviz-*-linux-*.tar.xz

# The pictures of the README, from their examples.
picture: $(VENV)/run.stamp
	QT_QPA_PLATFORM=offscreen $(PY) packaging/moving_picture.py

# A release in dist/, after all checks; packaging/README.md says how it is published.
release: $(VENV)/test.stamp
	$(PY) packaging/release.py

# The exact versions that packages are built with; needs uv.
lock:
	uv pip compile pyproject.toml packaging/requirements.in --universal --python-version 3.11 --generate-hashes \
		--no-header --no-annotate --no-emit-index-url --quiet --output-file build/requirements.lock
	(echo "# What the packages are built with, by hash. Made by: make lock"; cat build/requirements.lock) \
		> packaging/requirements.lock

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .benchmarks .hypothesis *.egg-info $(SCREENSHOT)
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps say what .venv holds; they are renewed only when the dependencies may have changed.
$(VENV)/run.stamp: pyproject.toml packaging/make_venv.sh
	@PYTHON="$(PYTHON)" packaging/make_venv.sh $(VENV) .
	@touch $@

$(VENV)/test.stamp: pyproject.toml packaging/make_venv.sh
	@PYTHON="$(PYTHON)" packaging/make_venv.sh $(VENV) '.[test]'
	@touch $@ $(VENV)/run.stamp

$(VENV)/fuzz.stamp: pyproject.toml packaging/make_venv.sh
	@PYTHON="$(PYTHON)" packaging/make_venv.sh $(VENV) '.[test,fuzz]'
	@touch $@ $(VENV)/test.stamp $(VENV)/run.stamp

$(VENV)/browser.stamp: pyproject.toml packaging/make_venv.sh
	@PYTHON="$(PYTHON)" packaging/make_venv.sh $(VENV) '.[test,browser]'
	@touch $@ $(VENV)/test.stamp $(VENV)/run.stamp

$(VENV)/bench.stamp: pyproject.toml packaging/make_venv.sh
	@PYTHON="$(PYTHON)" packaging/make_venv.sh $(VENV) '.[test,bench]'
	@touch $@ $(VENV)/test.stamp $(VENV)/run.stamp
