# The environment lies in .venv and is made by the first command that needs it; see tools/env.py.
# PYTHON=… names the Python to use, BLENDER=… the windowed Blender(s) to test in, separated by colons.
export PYTHON BLENDER

any_python := $(shell for python in $$PYTHON python3 python3.11 python3.13; do \
	$$python -c '' >/dev/null 2>&1 && echo $$python && break; done)
ifeq ($(any_python),)
$(error No Python found: apt-get install python3 python3-venv)
endif
env := $(any_python) tools/env.py

.PHONY: help demo test bench lint format zip clean

help:
	@echo 'make demo    import a robot, pose it, key it, render it: out/demo'
	@echo 'make test    all tests; window tests where there is a Blender with a window'
	@echo 'make bench   our solver and others on the same work: out/bench; QUICK=1 takes three minutes'
	@echo 'make lint    style and types'
	@echo 'make format  put the style right'
	@echo 'make zip     the extension, ready to install: dist'
	@echo 'make clean   remove what the others made, environments included'

demo:
	@$(env) run tools/demo.py

test:
	@$(env) test tools/test.py

bench:
	@$(env) bench benchmarks/run.py

lint:
	@$(env) lint tools/lint.py

format:
	@$(env) lint -m ruff check --fix-only --quiet .
	@$(env) lint -m ruff format .

zip:
	@$(env) run tools/build_zip.py

clean:
	rm -rf .venv out dist .mypy_cache .ruff_cache tests/.pytest_cache
