package main

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/keyring"
	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
)

// operator runs commands on a fresh database with one account.
func operator(t *testing.T) (db *postgres.DB, run func(args ...string) (stdout, stderr string, err error)) {
	t.Helper()
	db = pgtest.New(t)
	if _, _, err := db.SignUp(t.Context(), registry.Login{Account: registry.Account{Email: "Ann@Example.com"}}, "ann@example.com", nil, time.Now()); err != nil {
		t.Fatal(err)
	}
	return db, func(args ...string) (string, string, error) {
		var stdout, stderr bytes.Buffer
		err := execute(t, db.URL(), args, &stdout, &stderr)
		return stdout.String(), stderr.String(), err
	}
}

func execute(t *testing.T, url string, args []string, stdout, stderr *bytes.Buffer) error {
	return run(t.Context(), args, []string{"HOME=" + t.TempDir(), "DATABASE_URL=" + url}, stdout, stderr)
}

func TestOperatorManagesKeys(t *testing.T) {
	_, run := operator(t)
	text, note, err := run("key", "make", "ann@example.com", "--name", "ci")
	if err != nil || !regexp.MustCompile(`^`+keyring.Pattern+`\n$`).MatchString(text) {
		t.Fatalf("made %q, %v", text, err)
	}
	if strings.Contains(note, strings.TrimSpace(text)) {
		t.Error("the key is in the note too")
	}
	prefix := text[:10]
	list, _, err := run("key", "list", "ANN@example.com")
	if err != nil || !strings.Contains(list, prefix+"…  ci") || !strings.Contains(list, "works") || strings.Contains(list, text[:20]) {
		t.Errorf("list: %s, %v", list, err)
	}
	fresh, note, err := run("key", "rotate", "ann@example.com", prefix+"…")
	if err != nil || fresh == text || !strings.Contains(note, prefix) {
		t.Fatalf("rotate: %q, %q, %v", fresh, note, err)
	}
	// A key that leaked is given as it was found.
	if out, _, err := run("key", "revoke", "ann@example.com", strings.TrimSpace(fresh)); err != nil || !strings.Contains(out, fresh[:10]) || strings.Contains(out, strings.TrimSpace(fresh)) {
		t.Errorf("revoke: %q, %v", out, err)
	}
	list, _, _ = run("key", "list", "ann@example.com")
	if !strings.Contains(list, "revoked") || !strings.Contains(list, "works until") {
		t.Errorf("list: %s", list)
	}
	for want, args := range map[string][]string{
		"no account":       {"key", "list", "bob@example.com"},
		"must look like":   {"key", "list", "bob"},
		"say what to do":   {"key"},
		"no key 9999":      {"key", "revoke", "ann@example.com", "9999"},
		"begins so":        {"key", "revoke", "ann@example.com", "mcp_"},
		"give the address": {"key", "revoke", "ann@example.com"},
		"characters":       {"key", "make", "ann@example.com", "--name", " "},
	} {
		if _, _, err := run(args...); err == nil || !strings.Contains(words(err), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}

func TestOperatorSetsPlans(t *testing.T) {
	db, run := operator(t)
	list, _, err := run("plan", "list")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range registry.Plans {
		if !strings.Contains(list, p.ID) {
			t.Errorf("%s is not listed", p.ID)
		}
	}
	for _, step := range []struct {
		want string
		args []string
	}{
		{"Basic", nil},
		{"Enterprise", []string{"enterprise"}},
		{"Professional until 2999-01-31T00:00:00Z, then Basic", []string{"professional", "--until", "2999-01-31"}},
		{"Enterprise until 2999-01-31T11:30:00Z, then Professional", []string{"enterprise", "--until", "2999-01-31T12:30:00+01:00", "--next", "professional"}},
		{"Basic", []string{"basic"}},
	} {
		if step.args != nil {
			if out, _, err := run(append([]string{"plan", "set", "ann@example.com"}, step.args...)...); err != nil || !strings.Contains(out, step.want) {
				t.Errorf("%v: %q, %v", step.args, out, err)
			}
		}
		if out, _, err := run("plan", "show", "ann@example.com"); err != nil || out != step.want+"\n" {
			t.Errorf("after %v: %q, %v; want %q", step.args, out, err, step.want)
		}
	}
	if _, err := db.MakeCustomer(t.Context(), 1, time.Now(), func(context.Context) (string, error) { return "cus_1", nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Settle(t.Context(), registry.ByPayment, "cus_1", time.Now(), func(context.Context) (string, registry.Subscription, error) {
		return "sub_1", registry.Subscription{Plan: "professional"}, nil
	}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := run("plan", "set", "ann@example.com", "enterprise"); err == nil || !strings.Contains(words(err), "sub_1") || !strings.Contains(words(err), "--force") {
		t.Errorf("beside a subscription: %v", err)
	}
	if out, _, err := run("plan", "show", "ann@example.com"); err != nil || !strings.Contains(out, "Professional\nPaid with subscription sub_1") {
		t.Errorf("who pays: %q, %v", out, err)
	}
	if out, _, err := run("plan", "set", "ann@example.com", "enterprise", "--force"); err != nil || !strings.Contains(out, "Enterprise") {
		t.Errorf("by force: %q, %v", out, err)
	}
	for want, args := range map[string][]string{
		"no plan":       {"gold"},
		"is over":       {"enterprise", "--until", "2020-01-01"},
		"must be a day": {"enterprise", "--until", "tomorrow"},
		"needs --until": {"enterprise", "--next", "basic"},
		`plan "silver"`: {"enterprise", "--until", "2999-01-01", "--next", "silver"},
	} {
		if _, _, err := run(append([]string{"plan", "set", "ann@example.com"}, args...)...); err == nil || !strings.Contains(words(err), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}
