package postgres_test

import (
	"database/sql"
	"strings"
	"testing"
)

func TestMigrationOfPrivateTexts(t *testing.T) {
	const private = `"isSecret":true,"placeholder":"hunter2" ghp_16C7e42F292c6912E7710c838347Ae178B4a ` +
		`mail\nwilma@tides.dev at \"/Users/wilma/x\" C:\\Users\\wilma\\x postgres://wilma:hunter2@db/x ` +
		`<password>hunter2</password>\n~wilma/x \\\\nas7\\x \\d+\\w ~/x password: \"hunterxx\" or \"string\"`
	text := `{"a":{` + strings.Replace(private, `" ghp`, `","b":"ghp`, 1) + `"}}`
	url := migratedUntil(t, "0083",
		`INSERT INTO listings (name, listing, seen_at) VALUES ('io.github.octo/tides', '`+text+`', now()),
			('io.github.octo/other', '{"a":"user@example.com /home/node/x sk-your-key"}', now())`)
	openAll(t, url)
	db, err := sql.Open("postgres", url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for name, want := range map[string]string{
		"io.github.octo/tides": `{"a":{"isSecret":true,"b":"YOUR_TOKEN mail\nYOUR_EMAIL at \"/Users/YOUR_NAME/x\" ` +
			`C:\\Users\\YOUR_NAME\\x postgres://wilma:YOUR_PASSWORD@db/x ` +
			`<password>YOUR_TOKEN</password>\n~YOUR_NAME/x \\\\YOUR_HOST\\x \\d+\\w ~/x ` +
			`password: \"YOUR_TOKEN\" or \"string\""}}`,
		"io.github.octo/other": `{"a":"user@example.com /home/node/x sk-your-key"}`,
	} {
		var got string
		if err := db.QueryRow(`SELECT listing FROM listings WHERE name = $1`, name).Scan(&got); err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// TestMigrationOfPrivateFacts checks that what hosts, package services and inspections said, and
// stored files, have no secrets of former versions.
func TestMigrationOfPrivateFacts(t *testing.T) {
	const token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	const text = `by wilma@tides.dev with ` + token + ` in /Users/wilma/x, logo@2x`
	const public = `by YOUR_EMAIL with YOUR_TOKEN in /Users/YOUR_NAME/x, logo@2x`
	url := migratedUntil(t, "0087",
		`INSERT INTO repositories (host, owner, name, repo, snapshot, due_at, turn_at, created_at) VALUES
			('github', 'octo', 'tides', '{"description":"`+text+`"}',
			'{"repo":{"description":"`+text+`"},"files":[{"path":"logo@2x.png"}]}', now(), now(), now())`,
		`INSERT INTO repository_texts SELECT id, path, '', '`+text+`' FROM repositories,
			unnest('{README.zh-CN.md,x.js}'::text[]) path`,
		`INSERT INTO packages (registry_type, identifier, facts, asked_at)
			VALUES ('npm', 'tides', '{"deprecated":"`+text+`"}', now())`,
		`INSERT INTO inspections (registry_type, identifier, version, result, due_at)
			VALUES ('npm', 'tides', '1.0.0', '{"detail":"`+text+`"}', now())`)
	openAll(t, url)
	db, err := sql.Open("postgres", url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for query, want := range map[string]string{
		`SELECT repo->>'description' FROM repositories`:                    public,
		`SELECT snapshot->'repo'->>'description' FROM repositories`:        public,
		`SELECT snapshot->'files'->0->>'path' FROM repositories`:           "logo@2x.png",
		`SELECT facts->>'deprecated' FROM packages`:                        public,
		`SELECT result->>'detail' FROM inspections`:                        public,
		`SELECT text FROM repository_texts WHERE path = 'README.zh-CN.md'`: public,
		`SELECT text FROM repository_texts WHERE path = 'x.js'`:            strings.Replace(text, token, "YOUR_TOKEN", 1),
	} {
		var got string
		if err := db.QueryRow(query).Scan(&got); err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", query, got, want)
		}
	}
}
