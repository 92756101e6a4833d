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
