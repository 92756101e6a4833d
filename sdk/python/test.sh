#!/usr/bin/env bash
# Tests the SDK: makes an environment in .venv, builds the packages, tests and checks them, and
# follows README.md in an empty environment. PYTHON names the interpreter. The live tests run if
# CENSUS_SDK_TEST_URL and CENSUS_SDK_TEST_KEY are set.
set -euo pipefail
cd "$(dirname "$0")"

python=
for candidate in ${PYTHON:-python3 python3.13 python3.12 python3.11 python3.10 python}; do
  if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
    python=$candidate
    break
  fi
done
if [ -z "$python" ]; then
  echo "SKIPPED: the Python SDK was not tested: Python 3.10 or newer with venv is required" >&2
  exit 0
fi

export PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1
stamp="$("$python" -c 'import sys; print(sys.version)') $(cat requirements-dev.txt)"
if [ "$(cat .venv/stamp 2>/dev/null)" != "$stamp" ]; then
  rm -rf .venv
  "$python" -m venv .venv
  if ! .venv/bin/pip install -q -r requirements-dev.txt; then
    echo "SKIPPED: the Python SDK was not tested: its development tools cannot be installed" >&2
    exit 0
  fi
  printf '%s' "$stamp" >.venv/stamp
fi
PATH="$PWD/.venv/bin:$PATH"

step() {
  echo "== $*"
  "$@"
}

rm -rf dist
step python -m build --no-isolation >dist.log 2>&1 || { cat dist.log; exit 1; }
rm dist.log
step twine check --strict dist/*
step pip install -q --force-reinstall --no-deps dist/*.whl
step ruff check .
step ruff format --check -q .
step mypy
step pytest -q
step python scripts/follow_readme.py dist/*.whl
docs=$(mktemp -d)
trap 'rm -rf "$docs"' EXIT
# The installed package is typed, without the settings of this folder.
(cd "$docs" && step mypy --strict --config-file= --cache-dir="$docs/mypy" "$OLDPWD"/examples/*.py)
step pdoc -d google -o "$docs" mcp_census
ls -l dist
