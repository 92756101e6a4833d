package account_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/webhook"
)

// TestDumpHasNoSecrets searches the database for every secret that people got from pages, cookies
// and mails.
func TestDumpHasNoSecrets(t *testing.T) {
	b := newBureau(t)
	w := b.browser()
	secrets := map[string]string{}
	found := func(name, form string) {
		t.Helper()
		m := regexp.MustCompile(form).FindStringSubmatch(w.body)
		if m == nil {
			t.Fatalf("%s shows no %s", w.path, name)
		}
		secrets[name] = m[1]
	}
	mailed := func(name string) (path string) {
		t.Helper()
		letter := b.mail()
		for !mailLink.MatchString(letter) {
			letter = b.mail()
		}
		path = mailLink.FindStringSubmatch(letter)[1]
		_, secrets[name], _ = strings.Cut(path, "token=")
		if code := mailCode.FindStringSubmatch(letter); code != nil {
			secrets[name+" code"] = `"` + strings.ReplaceAll(code[1], " ", "") + `"`
		}
		return path
	}
	w.ask("ada@example.com")
	w.open(mailed("link"), 200)
	w.send("/account/sign-in/link", 200)
	pgtest.Exec(t, b.db, `UPDATE accounts SET plan = 'enterprise'`)
	pgtest.Exec(t, b.db, `
		INSERT INTO customs (account, name, query, filters, sort, page_limit, facets, created_at,
			updated_at)
		SELECT id, 'mine', '', '{}', '', 10, false, now(), now() FROM accounts`)
	w.open("/account", 200)
	w.send("/account/keys", 200, "name", "production")
	found("key", `(mcp_\w{43})`)
	w.open("/account/webhooks", 200)
	w.send("/account/webhooks", 200, "url", "https://example.com/", "servers", "", "events",
		webhook.Listed)
	found("webhook secret", `whsec_([\w+/&#;]{42,}=)`)
	w.open("/account/webhooks/1", 200)
	w.send("/account/webhooks/1/rotate", 200)
	found("rotated secret", `whsec_([\w+/&#;]{42,}=)`)
	w.open("/account/views", 200)
	w.send("/account/views", 200, "name", "mine")
	found("view", `/r/([a-z0-9]{26})`)
	w.open("/account/members", 200)
	w.send("/account/members", 200, "email", "eve@example.com", "role", "member")
	mailed("invitation")
	other := b.browser()
	other.ask("ada@example.com")
	mailed("pending link")
	site, _ := url.Parse(b.url)
	for i, c := range append(w.client.Jar.Cookies(site), other.client.Jar.Cookies(site)...) {
		secrets[fmt.Sprint("cookie ", i, " ", c.Name)] = c.Value
	}
	dump := dumpOf(t, b)
	if !strings.Contains(dump, "ada@example.com") {
		t.Fatal("the dump is empty")
	}
	for name, secret := range secrets {
		secret = strings.ReplaceAll(secret, "&#43;", "+")
		forms := []string{secret, hex.EncodeToString([]byte(secret))}
		for _, e := range []*base64.Encoding{base64.StdEncoding, base64.RawURLEncoding} {
			if raw, err := e.DecodeString(secret); err == nil && len(raw) > 0 {
				forms = append(forms, hex.EncodeToString(raw))
			}
		}
		for _, form := range forms {
			if len(secret) < 8 || strings.Contains(dump, form) {
				t.Errorf("the database has the %s: %s", name, form)
			}
		}
	}
	t.Logf("%d secrets, %d bytes", len(secrets), len(dump))
}

// dumpOf returns all rows of all tables as JSON.
func dumpOf(t *testing.T, b *fixture) string {
	t.Helper()
	var tables []string
	pool := b.db.Pool()
	if err := pool.SelectContext(t.Context(), &tables, `
		SELECT quote_ident(table_name) FROM information_schema.tables
		WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, name := range tables {
		var rows []string
		if err := pool.SelectContext(t.Context(), &rows,
			`SELECT to_jsonb(r)::text FROM `+name+` r`); err != nil {
			t.Fatal(err)
		}
		all.WriteString(strings.Join(rows, "\n"))
	}
	return all.String()
}
