package postgres_test

import (
	"database/sql"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/account"
	"mcpcensus/internal/postgres/people"
)

// oldAccounts are accounts in the schema of 0049: with a password and a second factor, with a
// passkey, unconfirmed ones without anything, with a key and with a plan of the operator, and an
// organisation of three.
const oldAccounts = `
	INSERT INTO accounts (email, email_key, password, confirmed_at, created_at, plan)
	SELECT name || '@Example.com', name || '@example.com', '$argon2id$x',
		CASE WHEN name LIKE 'un%' THEN NULL ELSE timestamptz '2026-10-02' END, '2026-10-01',
		CASE WHEN name IN ('org', 'unplan') THEN 'enterprise' ELSE 'basic' END
	FROM unnest('{totp,passkey,unused,unkey,unplan,org,member}'::text[]) name;
	INSERT INTO second_factors SELECT id, 'SECRET', 7, now() FROM accounts WHERE email_key LIKE 'totp@%';
	INSERT INTO recovery_codes SELECT account, sha256('x') FROM second_factors;
	INSERT INTO passkeys (account, credential_id, credential, sign_count, name, created_at)
		SELECT id, 'c', '{}', 0, 'Phone', now() FROM accounts WHERE email_key LIKE 'passkey@%';
	INSERT INTO keys (account, name, prefix, hash, created_at)
		SELECT id, 'ci', 'mcp_123456', sha256(email::bytea), now() FROM accounts
		WHERE email_key SIMILAR TO '(totp|unkey|org)@%';
	INSERT INTO members SELECT a.id, b.id, CASE WHEN b.email_key LIKE 'totp%' THEN 'admin' ELSE 'member' END,
		now() FROM accounts a, accounts b
		WHERE a.email_key LIKE 'org@%' AND b.email_key SIMILAR TO '(totp|member)@%';
	INSERT INTO sessions (hash, account, data, seen_at, idle, expires_at)
		SELECT sha256(email::bytea), id, '', now(), '1 hour', now() + interval '1 day' FROM accounts;
	INSERT INTO links (hash, account, purpose, created_at, expires_at)
		SELECT sha256(email::bytea), id, 'reset', now(), now() + interval '1 hour' FROM accounts;
	INSERT INTO devices SELECT id, sha256(email::bytea), now() FROM accounts;
	INSERT INTO audit (at, account, actor, action, detail)
		SELECT now(), id, 'owner', 'account.made', '' FROM accounts`

// Accounts keep their address, keys, plan and members. What belongs to nobody for sure goes, and
// so do passwords, second factors, links and sessions.
func TestMigrateSignIn(t *testing.T) {
	t.Parallel()
	db := openAll(t, migratedUntil(t, "0050", oldAccounts))
	conn, err := sql.Open("postgres", db.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for query, want := range map[string][]string{
		`SELECT email || ' ' || plan FROM accounts`: {"member@Example.com basic", "org@Example.com enterprise",
			"passkey@Example.com basic", "totp@Example.com basic", "unkey@Example.com basic",
			"unplan@Example.com enterprise"},
		`SELECT split_part(email, '@', 1) || ' ' || name || ' ' || (revoked_at IS NULL)
			FROM keys JOIN accounts a ON a.id = account`: {"org ci true", "totp ci true", "unkey ci true"},
		`SELECT split_part(a.email, '@', 1) || ' ' || split_part(b.email, '@', 1) || ' ' || role FROM members
			JOIN accounts a ON a.id = account JOIN accounts b ON b.id = member`: {"org member member", "org totp admin"},
		`SELECT 'session' FROM sessions`: nil,
		`SELECT 'link' FROM links`:       nil,
		`SELECT split_part(email, '@', 1) FROM audit JOIN accounts a ON a.id = account`: {"member", "org",
			"passkey", "totp", "unkey", "unplan"},
		`SELECT table_name FROM information_schema.tables
			WHERE table_schema = 'public' AND table_name ~ 'passkey|factor|recovery|devices|attempts$'`: nil,
		`SELECT column_name FROM information_schema.columns WHERE table_name = 'accounts'
			AND column_name IN ('password', 'confirmed_at')`: nil,
	} {
		rows, err := conn.Query(query + ` ORDER BY 1`)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		var got []string
		for rows.Next() {
			var s string
			if err := rows.Scan(&s); err != nil {
				t.Error(err)
			}
			got = append(got, s)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", query, diff)
		}
	}
	// Both an account that is left and a new one can sign in.
	for _, email := range []string{"totp@example.com", "unused@example.com"} {
		l, added, err := people.New(db).SignUp(t.Context(), account.Login{Account: account.Account{Email: email}},
			email, account.ByOwner, "", start)
		if err != nil || added != (email == "unused@example.com") || l.ID == 0 {
			t.Errorf("%s: %+v, %t, %v", email, l, added, err)
		}
	}
}
