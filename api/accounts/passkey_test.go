package accounts_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/descope/virtualwebauthn"

	"mcpcensus/internal/account"
)

// A token is an authenticator in software with one passkey.
type token struct {
	party virtualwebauthn.RelyingParty
	auth  virtualwebauthn.Authenticator
	key   virtualwebauthn.Credential
}

// newToken returns an authenticator at the origin of the registry.
func (h *fixture) newToken() *token {
	origin := h.acc.PasskeyOrigin()
	key := virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2)
	// The package writes coordinates without leading zeros, which are not valid then.
	const size = 77
	for len(key.Key.AttestationData()) != size {
		key = virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2)
	}
	return &token{
		party: virtualwebauthn.RelyingParty{ID: "localhost", Name: "Census", Origin: origin},
		auth:  virtualwebauthn.NewAuthenticator(),
		key:   key,
	}
}

// create returns the response to options for navigator.credentials.create.
func (k *token) create(t *testing.T, options string) string {
	t.Helper()
	o, err := virtualwebauthn.ParseAttestationOptions(options)
	if err != nil {
		t.Fatalf("%v: %s", err, options)
	}
	var user struct {
		PublicKey struct{ User struct{ ID string } }
	}
	if err := json.Unmarshal([]byte(options), &user); err != nil {
		t.Fatal(err)
	}
	if k.auth.Options.UserHandle, err = base64.RawURLEncoding.DecodeString(user.PublicKey.User.ID); err != nil {
		t.Fatal(err)
	}
	return virtualwebauthn.CreateAttestationResponse(k.party, k.auth, k.key, *o)
}

// sign returns the response to options for navigator.credentials.get.
func (k *token) sign(t *testing.T, options string) string {
	t.Helper()
	o, err := virtualwebauthn.ParseAssertionOptions(options)
	if err != nil {
		t.Fatalf("%v: %s", err, options)
	}
	k.key.Counter++
	return virtualwebauthn.CreateAssertionResponse(k.party, k.auth, k.key, *o)
}

// addPasskey adds a passkey to the account of a client that is signed in.
func (p *client) addPasskey(k *token, name string) {
	p.t.Helper()
	options := p.wants(200, p.do("POST", "/passkeys/options", "password", password))
	p.wants(204, p.do("POST", "/passkeys", "name", name, "credential", k.create(p.t, options.body)))
}

// askPasskey returns options to sign in.
func (p *client) askPasskey() string {
	p.t.Helper()
	return p.wants(200, p.do("POST", "/sign-in-passkey/options")).body
}

func (p *client) signInPasskey(response string) result {
	p.t.Helper()
	return p.do("POST", "/sign-in-passkey", "credential", response)
}

type listedPasskeys struct {
	Passkeys []struct {
		ID         int64
		Name       string
		LastUsedAt *time.Time
	}
}

func TestPasskey(t *testing.T) {
	h := newHouse(t, options{mail: true})
	p := h.memberIn("ada@example.com")
	if r := p.do("POST", "/passkeys/options", "password", "wrong-password"); r.code() != "wrong_password" {
		t.Errorf("with a wrong password: %d %s", r.status, r.body)
	}
	k := h.newToken()
	p.addPasskey(k, "Laptop")
	if l := h.post.next(); !strings.Contains(l.subject, "A passkey was added") || !strings.Contains(l.text, `"Laptop"`) {
		t.Errorf("mail: %+v", l)
	}
	list := decode[listedPasskeys](t, p.wants(200, p.do("GET", "/passkeys"))).Passkeys
	if len(list) != 1 || list[0].Name != "Laptop" || list[0].LastUsedAt != nil {
		t.Fatalf("%+v", list)
	}
	at := fmt.Sprintf("/passkeys/%d", list[0].ID)

	q := h.visitor()
	q.wants(200, q.signInPasskey(k.sign(t, q.askPasskey())))
	if !q.signedIn() {
		t.Error("not signed in")
	}
	list = decode[listedPasskeys](t, q.wants(200, q.do("GET", "/passkeys"))).Passkeys
	if list[0].LastUsedAt == nil {
		t.Error("the use is not recorded")
	}
	q.wants(204, q.do("PATCH", at, "name", "  Old laptop "))
	q.wants(400, q.do("PATCH", at, "name", strings.Repeat("x", 61)))
	if r := q.do("DELETE", at, "password", "wrong-password"); r.code() != "wrong_password" {
		t.Errorf("removed with a wrong password: %d %s", r.status, r.body)
	}

	other := h.memberIn("bob@example.com")
	for _, r := range []result{other.do("PATCH", at, "name", "Mine"), other.do("DELETE", at, "password", password),
		other.do("DELETE", "/passkeys/x", "password", password)} {
		if r.code() != "passkey_not_found" {
			t.Errorf("the passkey of another account: %d %s", r.status, r.body)
		}
	}
	exported := p.wants(200, p.do("GET", "/export")).body
	if !strings.Contains(exported, `"Old laptop"`) || strings.Contains(exported, "publicKey") {
		t.Errorf("export: %s", exported)
	}

	q.wants(204, q.do("DELETE", at, "password", password))
	if l := h.post.next(); !strings.Contains(l.subject, "A passkey was removed") {
		t.Errorf("mail: %+v", l)
	}
	if r := q.signInPasskey(k.sign(t, q.askPasskey())); r.code() != "wrong_passkey" {
		t.Errorf("after its removal: %d %s", r.status, r.body)
	}
	audit := p.do("GET", "/audit").body
	for _, action := range []string{"passkey.added", "passkey.renamed", "passkey.removed"} {
		if !strings.Contains(audit, action) {
			t.Errorf("%s is not in the audit log: %s", action, audit)
		}
	}
}

func TestPasskeyRefused(t *testing.T) {
	h := newHouse(t, options{})
	p := h.memberIn("ada@example.com")
	k := h.newToken()
	p.addPasskey(k, "Laptop")
	other := h.newToken()
	h.memberIn("bob@example.com").addPasskey(other, "Phone")

	refused := func(t *testing.T, code string, act func(q *client) result) {
		t.Helper()
		q := h.visitor()
		if r := act(q); r.status != 403 || r.code() != code || q.signedIn() {
			t.Errorf("%d %s", r.status, r.body)
		}
	}
	for name, change := range map[string]func(*token){
		"wrong origin":            func(k *token) { k.party.Origin = "https://evil.example" },
		"origin of another port":  func(k *token) { k.party.Origin = "http://localhost:1" },
		"wrong relying party":     func(k *token) { k.party.ID = "evil.example" },
		"user not verified":       func(k *token) { k.auth.Options.UserNotVerified = true },
		"user not present":        func(k *token) { k.auth.Options.UserNotPresent = true },
		"no user handle":          func(k *token) { k.auth.Options.UserHandle = nil },
		"user handle of another":  func(k *token) { k.auth.Options.UserHandle = other.auth.Options.UserHandle },
		"key of another":          func(k *token) { k.key.Key = other.key.Key },
		"unknown credential":      func(k *token) { k.key.ID = []byte("unknown-credential") },
		"lower sign count":        func(k *token) { k.key.Counter = 0 },
		"backup eligible changes": func(k *token) { k.auth.Options.BackupEligible = true },
	} {
		t.Run(name, func(t *testing.T) {
			h.later(time.Hour) // failed attempts of other cases
			q := h.visitor()
			k.key.Counter += 10
			q.wants(200, q.signInPasskey(k.sign(t, q.askPasskey())))
			changed := *k
			change(&changed)
			refused(t, "wrong_passkey", func(q *client) result {
				return q.signInPasskey(changed.sign(t, q.askPasskey()))
			})
		})
	}
	k.key.Counter += 10
	h.later(time.Hour)
	t.Run("replayed challenge", func(t *testing.T) {
		q := h.visitor()
		response := k.sign(t, q.askPasskey())
		q.wants(200, q.signInPasskey(response))
		if r := q.signInPasskey(response); r.code() != "passkey_expired" {
			t.Errorf("%d %s", r.status, r.body)
		}
		refused(t, "wrong_passkey", func(q *client) result { q.askPasskey(); return q.signInPasskey(response) })
	})
	t.Run("challenge of another session", func(t *testing.T) {
		response := k.sign(t, h.visitor().askPasskey())
		refused(t, "passkey_expired", func(q *client) result { return q.signInPasskey(response) })
	})
	t.Run("late", func(t *testing.T) {
		refused(t, "passkey_expired", func(q *client) result {
			response := k.sign(t, q.askPasskey())
			h.later(5*time.Minute + time.Second)
			return q.signInPasskey(response)
		})
	})
	t.Run("nonsense", func(t *testing.T) {
		refused(t, "wrong_passkey", func(q *client) result { q.askPasskey(); return q.signInPasskey("{}") })
	})
	t.Run("registration without verification", func(t *testing.T) {
		weak := h.newToken()
		weak.auth.Options.UserNotVerified = true
		options := p.wants(200, p.do("POST", "/passkeys/options", "password", password))
		created := weak.create(t, options.body)
		if r := p.do("POST", "/passkeys", "name", "x", "credential", created); r.code() != "wrong_passkey" {
			t.Errorf("%d %s", r.status, r.body)
		}
		created = h.newToken().create(t, options.body)
		if r := p.do("POST", "/passkeys", "name", "x", "credential", created); r.code() != "passkey_expired" {
			t.Errorf("a challenge is used twice: %d %s", r.status, r.body)
		}
	})
	t.Run("registration at another origin", func(t *testing.T) {
		foreign := h.newToken()
		foreign.party.Origin = "https://evil.example"
		options := p.wants(200, p.do("POST", "/passkeys/options", "password", password))
		created := foreign.create(t, options.body)
		if r := p.do("POST", "/passkeys", "name", "x", "credential", created); r.code() != "wrong_passkey" {
			t.Errorf("%d %s", r.status, r.body)
		}
	})
	t.Run("registered twice", func(t *testing.T) {
		options := p.wants(200, p.do("POST", "/passkeys/options", "password", password))
		if r := p.do("POST", "/passkeys", "name", "x", "credential", other.create(t, options.body)); r.status != 409 {
			t.Errorf("the passkey of another account: %d %s", r.status, r.body)
		}
	})
}

// A passkey replaces the code of the second factor, and a passkey alone is enough.
func TestPasskeySecondFactor(t *testing.T) {
	h := newHouse(t, options{})
	p := h.memberIn("ada@example.com")
	secret, _ := p.enable(password)
	if r := p.do("POST", "/passkeys/options", "password", password); r.status != 400 {
		t.Errorf("a passkey without a code: %d %s", r.status, r.body)
	}
	h.later(time.Minute)
	k := h.newToken()
	options := p.wants(200, p.do("POST", "/passkeys/options", "password", password, "code", h.code(secret)))
	p.wants(204, p.do("POST", "/passkeys", "name", "Key", "credential", k.create(t, options.body)))
	other := h.newToken()
	h.memberIn("bob@example.com").addPasskey(other, "Phone")

	q := h.visitor()
	if r := q.signIn("ada@example.com", password); r.code() != "code_required" {
		t.Fatalf("%d %s", r.status, r.body)
	}
	if r := q.signInPasskey(other.sign(t, q.askPasskey())); r.code() != "wrong_passkey" || q.signedIn() {
		t.Errorf("the passkey of another account as second factor: %d %s", r.status, r.body)
	}
	q.wants(200, q.signInPasskey(k.sign(t, q.askPasskey())))
	if audit := q.do("GET", "/audit").body; !strings.Contains(audit, "password and passkey") {
		t.Errorf("audit: %s", audit)
	}

	alone := h.visitor()
	alone.wants(200, alone.signInPasskey(k.sign(t, alone.askPasskey())))

	late := h.visitor()
	late.signIn("ada@example.com", password)
	h.later(11 * time.Minute)
	if r := late.do("POST", "/sign-in-passkey/options"); r.status != 401 {
		t.Errorf("eleven minutes after the password: %d %s", r.status, r.body)
	}
}

// Failures count as those of passwords: they slow the client down, not the owner elsewhere.
func TestPasskeyLimits(t *testing.T) {
	h := newHouse(t, options{})
	k := h.newToken()
	h.memberIn("ada@example.com").addPasskey(k, "Laptop")
	wrong := *k
	wrong.auth.Options.UserNotVerified = true
	limited := false
	for range 12 {
		q := h.visitorFrom("203.0.113.9")
		limited = limited || q.signInPasskey(wrong.sign(t, q.askPasskey())).status == 429
	}
	if !limited {
		t.Error("12 failures are not limited")
	}
	q := h.visitorFrom("198.51.100.7")
	k.key.Counter = wrong.key.Counter
	q.wants(200, q.signInPasskey(k.sign(t, q.askPasskey())))
}

func TestPasskeyOrigin(t *testing.T) {
	for base, want := range map[string]string{
		"https://census.example":      "https://census.example",
		"https://census.example:8443": "https://census.example:8443",
		"http://127.0.0.1:8080":       "http://localhost:8080",
		"http://localhost:8080":       "http://localhost:8080",
		"http://census.example":       "",
		"https://192.0.2.1":           "",
	} {
		if got := account.New(account.Options{BaseURL: base}).PasskeyOrigin(); got != want {
			t.Errorf("%s: %q, want %q", base, got, want)
		}
	}
	h := newHouse(t, options{base: "http://census.example"})
	if r := h.visitor().do("POST", "/sign-in-passkey/options"); r.status != 404 {
		t.Errorf("without https: %d %s", r.status, r.body)
	}
}

// Of concurrent requests with the same response, one signs in.
func TestPasskeyConcurrent(t *testing.T) {
	h := newHouse(t, options{})
	k := h.newToken()
	h.memberIn("ada@example.com").addPasskey(k, "Laptop")
	q := h.visitor()
	body, err := json.Marshal(map[string]string{"credential": k.sign(t, q.askPasskey())})
	if err != nil {
		t.Fatal(err)
	}
	var admitted atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			resp, err := q.client.Do(q.request("POST", "/account/api/sign-in-passkey", string(body)))
			if err != nil {
				t.Error(err)
				return
			}
			resp.Body.Close()
			if resp.StatusCode == 200 {
				admitted.Add(1)
			}
		})
	}
	wg.Wait()
	if n := admitted.Load(); n != 1 {
		t.Errorf("%d of 8 signed in", n)
	}
}
