#!/bin/sh
# Creates the key of Meilisearch that census uses, unless it exists, and writes it to
# the file KEY_FILE. Unlike the master key it cannot create keys or make dumps.
# Needs MEILI_URL and MEILI_MASTER_KEY; run by docker-compose.yml.
set -eu
uid=6f1f27b6-9d0c-4c55-8a0f-7c1d3a5e2b90
authorization="Authorization: Bearer $MEILI_MASTER_KEY"
request() { curl --silent --show-error --max-time 10 --header "$authorization" "$@"; }

status=$(request --output /dev/null --write-out '%{http_code}' "$MEILI_URL/keys/$uid")
if [ "$status" = 404 ]; then
  request --fail --output /dev/null "$MEILI_URL/keys" --header 'Content-Type: application/json' --data '{
    "uid": "'"$uid"'", "name": "census", "description": "Made by deploy/meilisearch-key.sh",
    "actions": ["search", "documents.*", "indexes.*", "settings.*", "tasks.*", "stats.get", "version"],
    "indexes": ["*"], "expiresAt": null}'
elif [ "$status" != 200 ]; then
  echo "Meilisearch responded with $status; is MEILI_MASTER_KEY right?" >&2
  exit 1
fi
umask 022
request --fail "$MEILI_URL/keys/$uid" | sed -n 's/.*"key":"\([0-9a-f]*\)".*/\1/p' >"$KEY_FILE.new"
test -s "$KEY_FILE.new"
mv "$KEY_FILE.new" "$KEY_FILE"
