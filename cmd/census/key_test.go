package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcpcensus/internal/account"
	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/postgres/people"
)

// operator runs commands on a fresh database with one account.
func operator(
	t *testing.T,
) (db *postgres.DB, run func(args ...string) (stdout, stderr string, err error)) {
	t.Helper()
	db = pgtest.New(t)
	if _, _, err := people.New(db).SignUp(t.Context(),
		account.Login{Account: account.Account{Email: "Ann@Example.com"}}, "ann@example.com", account.ByOwner, "",
		time.Now()); err != nil {
		t.Fatal(err)
	}
	return db, func(args ...string) (string, string, error) {
		var stdout, stderr bytes.Buffer
		err := execute(t, db.URL(), args, &stdout, &stderr)
		return stdout.String(), stderr.String(), err
	}
}

func execute(t *testing.T, url string, args []string, stdout, stderr *bytes.Buffer) error {
	return run(t.Context(), args, []string{"HOME=" + t.TempDir(), "DATABASE_URL=" + url}, stdout,
		stderr)
}

func TestKeyCommands(t *testing.T) {
	_, run := operator(t)
	text, note, err := run("key", "make", "ann@example.com", "--name", "ci")
	if err != nil || !regexp.MustCompile(`^`+account.KeyPattern+`\n$`).MatchString(text) {
		t.Fatalf("made %q, %v", text, err)
	}
	if strings.Contains(note, strings.TrimSpace(text)) {
		t.Error("the key is in the note too")
	}
	prefix := text[:10]
	list, _, err := run("key", "list", "ANN@example.com")
	if err != nil || !strings.Contains(list, prefix+"…  ci") || !strings.Contains(list, "works") ||
		strings.Contains(list, text[:20]) {
		t.Errorf("list: %s, %v", list, err)
	}
	fresh, note, err := run("key", "rotate", "ann@example.com", prefix+"…")
	if err != nil || fresh == text || !strings.Contains(note, prefix) {
		t.Fatalf("rotate: %q, %q, %v", fresh, note, err)
	}
	// A leaked key is accepted as found.
	if out, _, err := run("key", "revoke", "ann@example.com",
		strings.TrimSpace(fresh)); err != nil || !strings.Contains(out, fresh[:10]) ||
		strings.Contains(out, strings.TrimSpace(fresh)) {
		t.Errorf("revoke: %q, %v", out, err)
	}
	list, _, _ = run("key", "list", "ann@example.com")
	if !strings.Contains(list, "revoked") || !strings.Contains(list, "works until") {
		t.Errorf("list: %s", list)
	}
	for want, args := range map[string][]string{
		"no account":          {"key", "list", "bob@example.com"},
		"must look like":      {"key", "list", "bob"},
		"missing subcommand":  {"key"},
		"no key 9999":         {"key", "revoke", "ann@example.com", "9999"},
		"begins with this":    {"key", "revoke", "ann@example.com", "mcp_"},
		"expects the address": {"key", "revoke", "ann@example.com"},
		"characters":          {"key", "make", "ann@example.com", "--name", " "},
	} {
		if _, _, err := run(args...); err == nil || !strings.Contains(words(err), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}

func TestPlanCommands(t *testing.T) {
	db, run := operator(t)
	list, _, err := run("plan", "list")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range account.Plans {
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
		{"Professional until 2999-01-31T00:00:00Z, then Basic",
			[]string{"professional", "--until", "2999-01-31"}},
		{"Enterprise until 2999-01-31T11:30:00Z, then Professional",
			[]string{"enterprise", "--until", "2999-01-31T12:30:00+01:00", "--next",
				"professional"}},
		{"Basic", []string{"basic"}},
	} {
		if step.args != nil {
			if out, _, err := run(append([]string{"plan", "set", "ann@example.com"},
				step.args...)...); err != nil || !strings.Contains(out, step.want) {
				t.Errorf("%v: %q, %v", step.args, out, err)
			}
		}
		if out, _, err := run("plan", "show", "ann@example.com"); err != nil ||
			out != step.want+"\n" {
			t.Errorf("after %v: %q, %v; want %q", step.args, out, err, step.want)
		}
	}
	if _, err := people.New(db).MakeCustomer(t.Context(), 1, time.Now(),
		func(context.Context) (string, error) { return "cus_1", nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := people.New(db).Settle(t.Context(), account.ByPayment, "cus_1", time.Now(),
		func(context.Context) (string, account.Subscription, error) {
			return "sub_1", account.Subscription{Plan: "professional"}, nil
		}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := run("plan", "set", "ann@example.com", "enterprise"); err == nil ||
		!strings.Contains(words(err), "sub_1") || !strings.Contains(words(err), "--force") {
		t.Errorf("beside a subscription: %v", err)
	}
	if out, _, err := run("plan", "show", "ann@example.com"); err != nil ||
		!strings.Contains(out, "Professional\nPaid with subscription sub_1") {
		t.Errorf("who pays: %q, %v", out, err)
	}
	if out, _, err := run("plan", "set", "ann@example.com", "enterprise", "--force"); err != nil ||
		!strings.Contains(out, "Enterprise") {
		t.Errorf("by force: %q, %v", out, err)
	}
	for want, args := range map[string][]string{
		"unknown plan":          {"gold"},
		"must be in the future": {"enterprise", "--until", "2020-01-01"},
		"must be a day":         {"enterprise", "--until", "tomorrow"},
		"needs --until":         {"enterprise", "--next", "basic"},
		`plan "silver"`:         {"enterprise", "--until", "2999-01-01", "--next", "silver"},
	} {
		if _, _, err := run(append([]string{"plan", "set", "ann@example.com"},
			args...)...); err == nil || !strings.Contains(words(err), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}

// Two processes, and commands as a third: keys, plans and revoking hold in all
// of them, and no log has a key.
func TestKeysInEveryProcess(t *testing.T) {
	w := newEnvironment(t)
	if _, _, err := people.New(w.db).SignUp(t.Context(),
		account.Login{Account: account.Account{Email: "ann@example.com"}}, "ann@example.com", account.ByOwner, "",
		time.Now()); err != nil {
		t.Fatal(err)
	}
	processes := []*instance{w.startInstance(), w.startInstance()}
	ask := func(n *instance, path, name, value string) (status int, plan, body string) {
		t.Helper()
		req, err := http.NewRequest("GET", n.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set(name, value)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, res.Header.Get("X-RateLimit-Plan"), string(b)
	}
	key := strings.TrimSpace(w.run("key", "make", "ann@example.com"))
	for i, n := range processes {
		// No waiting: an unknown key is looked up.
		if status, plan, body := ask(n, "/v1/servers", "Authorization",
			"Bearer "+key); status != 200 || plan != "basic" {
			t.Errorf("process %d: %d, plan %q: %s", i, status, plan, body)
		}
		for _, wrong := range [][3]string{
			{"/v1/servers", "X-API-Key", key}, {"/v1/servers?api_key=" + key, "X-No",
				"1"}, {"/api/servers?token=" + key, "X-No", "1"},
			{"/v1/servers", "Authorization", key}, {"/v1/servers", "Authorization", "Basic " + key},
		} {
			if status, _, body := ask(n, wrong[0], wrong[1], wrong[2]); status != 401 ||
				!strings.Contains(body, "missing_api_key") || strings.Contains(body, key) {
				t.Errorf("%q: %d %s", wrong, status, body)
			}
		}
		ask(n, "/v1/"+key, "X-Request-Id", "request-"+key)
	}
	w.run("plan", "set", "ann@example.com", "enterprise")
	for _, n := range processes {
		within(t, 10*time.Second, "the new plan", func() bool {
			_, plan, _ := ask(n, "/v1/servers", "Authorization", "Bearer "+key)
			return plan == "enterprise"
		})
	}
	w.run("key", "revoke", "ann@example.com", key[:10])
	for _, n := range processes {
		within(t, 10*time.Second, "the key is refused", func() bool {
			status, _, body := ask(n, "/api/servers", "Authorization", "Bearer "+key)
			return status == 401 && strings.Contains(body, "revoked_api_key")
		})
	}
	for _, n := range processes {
		n.end(syscall.SIGTERM)
		text := n.log.String()
		if !strings.Contains(text, "/v1/servers") {
			t.Fatalf("the log: %s", text)
		}
		if strings.Contains(text, key[4:]) {
			t.Error("a log has the key")
		}
	}
}
