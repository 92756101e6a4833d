#!/usr/bin/env bash
# Generates types of the registry's OpenAPI document with openapi-typescript, compiles page.ts
# with them and with openapi-fetch, and runs it. Packages are installed into the user's cache.
set -euo pipefail
cd "$(dirname "$0")"

if ! command -v npm >/dev/null || ! node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' 2>/dev/null; then
  echo "SKIPPED: the generated TypeScript client was not tested: Node.js 20 or newer with npm is required"
  exit 0
fi
cache="${XDG_CACHE_HOME:-$HOME/.cache}/census-generated/typescript"
mkdir -p "$cache"
export npm_config_audit=false npm_config_fund=false npm_config_update_notifier=false
if ! npm install --silent --prefix "$cache" openapi-typescript@7.13.0 openapi-fetch@0.17.0 typescript@5.9.3; then
  echo "SKIPPED: the generated TypeScript client was not tested: its packages cannot be installed"
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp page.ts "$work"
ln -s "$cache/node_modules" "$work/node_modules"
echo '{"type": "module"}' >"$work/package.json"
cd "$work"
node_modules/.bin/openapi-typescript "$CENSUS_SDK_TEST_URL/openapi.yaml" --enum -o api.ts
node_modules/.bin/tsc --strict --target es2022 --module nodenext --moduleResolution nodenext \
  --lib es2022,dom,dom.iterable --skipLibCheck page.ts
node page.js
