#!/usr/bin/env bash
# Generates a client of the registry's OpenAPI document with openapi-python-client, and runs
# page.py with it. Packages are installed into the user's cache.
set -euo pipefail
cd "$(dirname "$0")"

if ! python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
  echo "SKIPPED: the generated Python client was not tested: Python 3.11 or newer with venv is required"
  exit 0
fi
cache="${XDG_CACHE_HOME:-$HOME/.cache}/census-generated"
mkdir -p "$cache"
export PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1
if ! python3 -m venv "$cache/python" || ! "$cache/python/bin/pip" install -q openapi-python-client==0.29.1; then
  echo "SKIPPED: the generated Python client was not tested: its packages cannot be installed"
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo 'project_name_override: generated
package_name_override: generated
post_hooks: []' >"$work/config.yaml"
"$cache/python/bin/openapi-python-client" generate --url "$CENSUS_SDK_TEST_URL/openapi.yaml" \
  --config "$work/config.yaml" --output-path "$work/client" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
PYTHONPATH="$work/client" "$cache/python/bin/python" page.py
