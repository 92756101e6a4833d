#!/usr/bin/env bash
# Tests the SDK: installs the development tools, builds the package, tests and checks it, and
# follows README.md in an empty folder. The live tests run if CENSUS_SDK_TEST_URL and
# CENSUS_SDK_TEST_KEY are set.
set -euo pipefail
cd "$(dirname "$0")"

if ! command -v npm >/dev/null || ! node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' 2>/dev/null; then
  echo "SKIPPED: the TypeScript SDK was not tested: Node.js 20 or newer with npm is required" >&2
  exit 0
fi

export npm_config_audit=false npm_config_fund=false npm_config_update_notifier=false
step() {
  echo "== $*"
  "$@"
}

if [ "$(cat node_modules/.stamp 2>/dev/null)" != "$(node --version) $(cksum <package-lock.json)" ]; then
  if ! step npm ci --silent; then
    echo "SKIPPED: the TypeScript SDK was not tested: its development tools cannot be installed" >&2
    exit 0
  fi
  echo "$(node --version) $(cksum <package-lock.json)" >node_modules/.stamp
fi
if [ -z "${CENSUS_SDK_TEST_URL-}" ]; then
  echo "SKIPPED: the live tests of the TypeScript SDK: CENSUS_SDK_TEST_URL is not set" >&2
fi
step npm test --silent
step npm run --silent check
step npm run --silent test:installed
