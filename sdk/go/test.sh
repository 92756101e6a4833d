#!/usr/bin/env bash
# Tests the SDK, and the commands for users, which are built on it. The live tests run if
# CENSUS_SDK_TEST_URL and CENSUS_SDK_TEST_KEY are set.
set -euo pipefail
cd "$(dirname "$0")"

if ! command -v go >/dev/null; then
  echo "SKIPPED: the Go SDK was not tested: Go is required" >&2
  exit 0
fi

go vet .
go test -count=1 -v -run 'Live|Readme|Fixtures|Example' . ../../internal/cli
go test -run '^$' -bench Call -benchtime 2s .
