#!/usr/bin/env bash
# Runs the commands against the registry of `make sdk-test`, which sets CENSUS_SDK_TEST_URL and
# CENSUS_SDK_TEST_KEY.
set -euo pipefail
cd "$(dirname "$0")"
go test -count=1 -v -run Live .
