#!/usr/bin/env bash
# Generates a client of the registry's OpenAPI document with oapi-codegen in a module of its
# own, compiles page.go with it, and runs it.
set -euo pipefail
cd "$(dirname "$0")"

if ! command -v go >/dev/null; then
  echo "SKIPPED: the generated Go client was not tested: Go is required"
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/registry"
cp page.go "$work"
cd "$work"
echo 'package registry' >registry/registry.go
export GOFLAGS=-mod=mod GOWORK=off
go mod init generated 2>/dev/null
if ! go get -tool github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 2>log ||
  ! go get github.com/oapi-codegen/runtime@v1.9.0 2>log; then
  cat log
  echo "SKIPPED: the generated Go client was not tested: its modules cannot be downloaded"
  exit 0
fi
curl -sSf "$CENSUS_SDK_TEST_URL/openapi.yaml" -o openapi.yaml
go tool oapi-codegen -generate types,client -package registry -o registry/registry.go openapi.yaml
go run .
