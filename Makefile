# Everything a reader or maintainer runs. Only Python (3.11 to 3.14) and make are needed:
# each target installs what it uses into .venv first.

PYTHON ?= python3
PYTHONS := 3.11 3.12 3.13 3.14
FOUND = $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
PORT ?= 8000
BIN := .venv/bin

.PHONY: help install book live pdf notebooks test test-slow check colab serve dist lock clean
.DEFAULT_GOAL := help

help:  ## Show this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "%-12s%s\n", $$1, $$2}' $(MAKEFILE_LIST)

# For Linux, PyPI has torch with 5 GB of libraries for NVIDIA GPUs; its own index has it without. Who
# has told pip where to look has chosen already.
.venv/.installed: requirements.txt pyproject.toml
	@$(if $(filter $(FOUND),$(PYTHONS)),,echo "The book needs Python $(firstword $(PYTHONS)) to \
	    $(lastword $(PYTHONS)), and $(PYTHON) is $(FOUND). Name another one: make PYTHON=python3.12"; exit 1)
	$(PYTHON) -m venv .venv
	@[ "$$(uname -s)" != Linux ] || $(BIN)/python -m pip config list | grep -E 'index|find-links' >/dev/null || \
	    $(BIN)/python -m pip install --quiet --retries 1 --no-deps --index-url https://download.pytorch.org/whl/cpu \
	        $$(grep '^torch==' requirements.txt) 2>/dev/null || echo "No build of torch for CPUs: PyPI's follows."
	$(BIN)/python -m pip install --quiet --requirement requirements.txt
	@touch $@

install: .venv/.installed  ## Install everything into .venv

# Python for the cells that run in the pages. Without it the book has no such cells, and says so.
.venv/pyodide/.installed: tools/pyodide/package-lock.json .venv/.installed
	@mkdir -p .venv/pyodide
	@cp tools/pyodide/package.json tools/pyodide/package-lock.json .venv/pyodide
	-PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/npm ci --prefix .venv/pyodide --ignore-scripts --no-audit --no-fund --silent && touch $@

# Only what has changed is built. After a build with a warning, the next one would pass over the page
# with the fault: it reads all pages again.
book: .venv/.installed .venv/pyodide/.installed  ## Build the book into _build/html
	@$(BIN)/jupyter-book build . -W -n --keep-going --quiet || { rm -rf _build/.doctrees; exit 1; }
	@echo "The book: file://$(CURDIR)/_build/html/index.html"

# With a folder of its own for what it has read, so that `make book` still sees each warning.
live: .venv/.installed .venv/pyodide/.installed  ## Serve the book, build what you save, reload the browser (PORT=8000)
	@$(BIN)/python -c "import socket; socket.create_server(('127.0.0.1', $(PORT)))" 2>/dev/null || \
	    { echo "Port $(PORT) cannot be used. Choose another: make live PORT=8001"; exit 1; }
	LC_ALL=C.UTF-8 $(BIN)/jupyter-book config sphinx .
	LC_ALL=C.UTF-8 PYTHONPATH=book/_ext $(BIN)/sphinx-autobuild . _build/html -n -q -d _build/.live --port $(PORT) \
	    --ignore _build --ignore .venv --ignore book/notebooks --re-ignore __pycache__

pdf: book  ## Print the whole book to _build/text-to-vectors.pdf (with Chromium)
	$(BIN)/python tools/pdf.py

notebooks: book  ## Generate book/notebooks from the chapters
	$(BIN)/python tools/update_notebooks.py

test: book  ## Build the book and run every test
	$(BIN)/python -m pytest

test-slow: book  ## Run the long tests, which make test leaves out
	$(BIN)/python -m pytest -m slow

check: .venv/.installed  ## Lint, types, spelling
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/codespell

colab: .venv/.installed  ## Run the published notebooks on the versions of Colab and on the newest (COLAB_PYTHON=python3.13)
	$(BIN)/python tools/colab.py

serve: book  ## Build the book and serve it on http://localhost:8000 (PORT=8000)
	@$(BIN)/python tools/serve.py $(PORT)

dist: pdf  ## Build what a release holds into dist
	$(MAKE) --no-print-directory book # again: now the site offers the PDF
	rm -rf dist
	$(BIN)/hatchling build --directory dist
	name=text-to-vectors-$$($(BIN)/hatchling version) && cp _build/html/text-to-vectors.pdf dist/$$name.pdf && \
	    cp -R _build/html dist/$$name-site && cd dist && \
	    "$(CURDIR)/$(BIN)/python" -m zipfile -c $$name-site.zip $$name-site && rm -r $$name-site
	@ls -l dist

lock: .venv/.installed  ## Pin the newest versions in requirements.txt, or of one package (PACKAGE=name)
	$(BIN)/python -m pip install --quiet uv
	grep == requirements.txt > .venv/pins.txt
	$(BIN)/uv pip compile pyproject.toml --quiet --output-file .venv/pins.txt \
	    $(if $(PACKAGE),--upgrade-package $(PACKAGE),--upgrade)
	@for platform in x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu aarch64-apple-darwin x86_64-pc-windows-msvc; do \
	    for python in $(PYTHONS); do \
	        echo "Looking for the wheels for $$platform, Python $$python"; \
	        MACOSX_DEPLOYMENT_TARGET=14.0 $(BIN)/uv pip compile .venv/pins.txt --no-config --quiet --no-deps \
	            --only-binary :all: --python-platform $$platform --python-version $$python \
	            --output-file .venv/wheels.txt || exit 1; \
	    done; \
	done
	( sed -n '1,/^$$/p' requirements.txt; cat .venv/pins.txt; echo; echo '# The companion package, in place.'; echo '-e .' ) > .venv/requirements.txt
	mv .venv/requirements.txt requirements.txt

clean:  ## Remove everything that was built or installed
	rm -rf _build .venv dist mutants .pytest_cache .hypothesis .mypy_cache .ruff_cache
