# JAX by Doing. `make` lists what you can do; each target sets up what it needs.

PYTHON ?= python3
# Another JAX than the pinned one, e.g. `make test JAX=0.7.2`; it gets an environment of its own.
JAX ?=
VENV := .venv$(if $(JAX),-jax-$(JAX))
BIN := $(VENV)/bin
ARGS ?=
WORKERS ?= 2

.DEFAULT_GOAL := help
.PHONY: help setup book test lint format notebooks exercises lab pins clean

help:  ## list the targets
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 20

setup:  ## make the environment .venv with the pinned packages
	@$(PYTHON) tools/bootstrap.py --venv $(VENV) $(if $(JAX),--jax $(JAX))

book: setup  ## execute the lessons and build the website in _build/html
	@$(BIN)/jaxcourse book $(ARGS)

test: setup  ## test everything: the lessons, the package, the book (ARGS= for pytest)
	@$(BIN)/python -m pytest -n $(WORKERS) $(ARGS)

lint: setup  ## check style and types
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

format: setup  ## format the code
	@$(BIN)/ruff check --fix . ; $(BIN)/ruff format .

notebooks: setup  ## write Colab-ready .ipynb files into notebooks/, over those that are there
	@$(BIN)/jaxcourse notebooks notebooks

exercises: setup  ## write exercises/ anew from solutions/
	@$(BIN)/jaxcourse exercises

lab: setup  ## open the lessons in JupyterLab, as notebooks that are yours to change
	@$(BIN)/python -m pip install -q --disable-pip-version-check -c pins/default.txt -e '.[lab]'
	@test -d notebooks || $(BIN)/jaxcourse notebooks notebooks
	@$(BIN)/jupyter lab notebooks $(ARGS)

pins: setup  ## resolve pins/default.txt anew from pyproject.toml
	@$(PYTHON) tools/bootstrap.py --venv $(VENV)
	@$(BIN)/python -m pip install -q --disable-pip-version-check uv
	@echo "torch==2.13.0" | $(BIN)/uv pip compile -q --universal --python-version 3.11 --all-extras \
	  --no-emit-package jaxcourse --no-annotate --no-header --no-emit-index-url --no-emit-find-links \
	  pyproject.toml -c - -o pins/default.txt --upgrade

clean:  ## remove what was built; keeps the environment and your notebooks/
	rm -rf _build dist
