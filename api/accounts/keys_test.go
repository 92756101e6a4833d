package accounts_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/account"
	"mcpcensus/internal/keyring"
	"mcpcensus/internal/registry"
)

func into(t *testing.T, r result, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.body), v); err != nil {
		t.Fatalf("%v: %s", err, r.body)
	}
}

type keyView struct {
	ID        int64
	Key       string
	Name      string
	Prefix    string
	Status    string
	ExpiresAt *time.Time
	RevokedAt *time.Time
	Replaces  *keyView
}

func (p *client) keys() (list []keyView) {
	p.t.Helper()
	r := p.wants(200, p.do("GET", "/keys"))
	var b struct {
		Keys  []keyView
		Limit int
	}
	into(p.t, r, &b)
	if b.Limit != account.MaxKeys || b.Keys == nil {
		p.t.Errorf("limit %d, keys %v", b.Limit, b.Keys)
	}
	return b.Keys
}

func (p *client) makeKey(name string) (k keyView) {
	p.t.Helper()
	into(p.t, p.wants(201, p.do("POST", "/keys", "name", name)), &k)
	return k
}

func TestKeys(t *testing.T) {
	h := newHouse(t, options{})
	p := h.memberIn("ann@example.com")
	if list := p.keys(); len(list) != 0 {
		t.Errorf("at first: %v", list)
	}
	made := p.makeKey("  ci ")
	if !regexp.MustCompile("^"+keyring.Pattern+"$").MatchString(made.Key) || made.Name != "ci" || made.Prefix != made.Key[:10] || made.Status != "active" {
		t.Fatalf("made %+v", made)
	}
	a, err := h.ring.Find(h.now(), made.Key)
	if err != nil || a.Key != made.ID || a.Plan.ID != "basic" {
		t.Errorf("the key gives %+v, %v", a, err)
	}
	r := p.wants(200, p.do("GET", "/keys"))
	if strings.Contains(r.body, made.Key) || strings.Contains(r.body, `"key"`) {
		t.Errorf("the list has the key: %s", r.body)
	}
	if c := r.header.Get("Cache-Control"); c != "no-store" {
		t.Errorf("Cache-Control: %s", c)
	}
	path := fmt.Sprintf("/keys/%d", made.ID)
	p.wants(200, p.do("PATCH", path, "name", "build"))
	var next keyView
	into(t, p.wants(201, p.do("POST", path+"/rotate")), &next)
	if next.Name != "build" || next.Key == made.Key || next.Replaces == nil || next.Replaces.ID != made.ID || next.Replaces.Status != "rotated" || next.Replaces.Key != "" {
		t.Errorf("rotated to %+v", next)
	}
	p.wants(409, p.do("POST", path+"/rotate"))
	h.later(25 * time.Hour)
	if _, err := h.ring.Find(h.now(), made.Key); !errors.Is(err, registry.ErrUnauthorized) {
		t.Errorf("after the overlap: %v", err)
	}
	var gone keyView
	into(t, p.wants(200, p.do("DELETE", fmt.Sprintf("/keys/%d", next.ID))), &gone)
	if gone.Status != "revoked" || gone.RevokedAt == nil {
		t.Errorf("revoked: %+v", gone)
	}
	if _, err := h.ring.Find(h.now(), next.Key); !errors.Is(err, registry.ErrUnauthorized) {
		t.Errorf("after revoking: %v", err)
	}
	list := p.keys()
	if len(list) != 2 || list[0].Status != "revoked" || list[1].Status != "expired" {
		t.Errorf("list: %+v", list)
	}
	h.later(5 * 24 * time.Hour)
	if len(p.keys()) != 2 {
		t.Error("what ended is forgotten too soon")
	}
}

func TestInvalidKeyRequests(t *testing.T) {
	h := newHouse(t, options{})
	p, other := h.memberIn("ann@example.com"), h.memberIn("bob@example.com")
	theirs := other.makeKey("theirs")
	mine := p.makeKey("mine")
	path := fmt.Sprintf("/keys/%d", mine.ID)
	for _, tt := range []struct {
		method, path, body string
		status             int
		code               string
	}{
		{"POST", "/keys", `{"name": ""}`, 400, "missing_parameter"},
		{"POST", "/keys", `{"name": "` + strings.Repeat("x", 61) + `"}`, 400, "invalid_parameter"},
		{"POST", "/keys", `{"name": "a\u0000b"}`, 400, "invalid_parameter"},
		{"POST", "/keys", `{"name": "a\nb"}`, 400, "invalid_parameter"},
		{"POST", "/keys", `{"name": 7}`, 400, "invalid_parameter"},
		{"POST", "/keys", `{"name": null}`, 400, "missing_parameter"},
		{"POST", "/keys", `{}`, 400, "missing_parameter"},
		{"POST", "/keys", `{"name": "x", "expires": "never"}`, 400, "invalid_parameter"},
		{"POST", "/keys", `{"name": "x"`, 400, "invalid_body"},
		{"POST", "/keys", `[]`, 400, "invalid_body"},
		{"PATCH", path, `{}`, 400, "missing_parameter"},
		{"PATCH", "/keys/0", `{"name": "x"}`, 404, "key_not_found"},
		{"PATCH", fmt.Sprintf("/keys/%d", theirs.ID), `{"name": "x"}`, 404, "key_not_found"},
		{"DELETE", fmt.Sprintf("/keys/%d", theirs.ID), "", 404, "key_not_found"},
		{"POST", fmt.Sprintf("/keys/%d/rotate", theirs.ID), "", 404, "key_not_found"},
		{"DELETE", "/keys/99999999999999999999", "", 404, "key_not_found"},
		{"DELETE", "/keys/" + mine.Key, "", 404, "key_not_found"},
	} {
		r := p.send(p.request(tt.method, "/account/api"+tt.path, tt.body))
		if r.status != tt.status || r.code() != tt.code {
			t.Errorf("%s %s %s: %d %s, want %d %s", tt.method, tt.path, tt.body, r.status, r.body, tt.status, tt.code)
		}
		if strings.Contains(r.body, mine.Key) && !strings.Contains(tt.path, mine.Key) {
			t.Errorf("%s %s: the answer has a key", tt.method, tt.path)
		}
	}
	for range account.MaxKeys - 1 {
		p.makeKey("more")
	}
	if r := p.do("POST", "/keys", "name", "too many"); r.status != 409 || r.code() != "too_many_keys" {
		t.Errorf("one too many: %d %s", r.status, r.body)
	}
	stranger := h.visitor()
	for _, r := range [][2]string{{"GET", "/keys"}, {"POST", "/keys"}, {"PATCH", path}, {"DELETE", path}, {"POST", path + "/rotate"},
		{"GET", "/plan"}, {"POST", "/plan"}, {"POST", "/plan/portal"}} {
		if got := stranger.do(r[0], r[1], "name", "x"); got.status != 401 || got.code() != "not_signed_in" {
			t.Errorf("%s %s of a stranger: %d %s", r[0], r[1], got.status, got.body)
		}
	}
	req := p.request("DELETE", "/account/api"+path, "")
	req.Header.Set("Sec-Fetch-Site", "cross-site")
	if r := p.send(req); r.status != 403 || r.code() != "cross_origin" {
		t.Errorf("from another site: %d %s", r.status, r.body)
	}
	if _, err := h.ring.Find(h.now(), mine.Key); err != nil {
		t.Errorf("the key does not work any more: %v", err)
	}
}

func TestKeyLimits(t *testing.T) {
	h := newHouse(t, options{})
	p := h.memberIn("ann@example.com")
	type limits struct {
		ID                int64
		Scopes, Addresses []string
		ExpiresAt         *time.Time
		Status            string
	}
	send := func(method, path, body string) result {
		return p.send(p.request(method, "/account/api/keys"+path, body))
	}
	var k limits
	into(t, p.wants(201, send("POST", "", `{"name": "ci", "scopes": ["read"], "addresses": ["192.0.2.0/24"], "expiresAt": "2999-01-31"}`)), &k)
	if fmt.Sprintf("%v %v %d %s", k.Scopes, k.Addresses, k.ExpiresAt.Year(), k.Status) != "[read] [192.0.2.0/24] 2999 active" {
		t.Errorf("%+v", k)
	}
	path := fmt.Sprintf("/%d", k.ID)
	k = limits{}
	into(t, p.wants(200, send("PATCH", path, `{"scopes": ["webhooks", "read"], "expiresAt": "never"}`)), &k)
	if fmt.Sprint(k.Scopes, k.Addresses, k.ExpiresAt) != "[read webhooks] [192.0.2.0/24] <nil>" {
		t.Errorf("%+v", k)
	}
	for body, field := range map[string]string{
		`{"scopes": []}`: "scopes", `{"scopes": ["all"]}`: "scopes", `{"scopes": "read"}`: "scopes",
		`{"addresses": ["x"]}`: "addresses", `{"expiresAt": "2020-01-01"}`: "expiresAt",
		`{"scope": ["read"]}`: "scope", `{}`: "name",
	} {
		if r := send("PATCH", path, body); r.status != 400 || !strings.Contains(r.body, `"field":"`+field) {
			t.Errorf("%s: %d %s", body, r.status, r.body)
		}
	}
	other := h.memberIn("bob@example.com")
	if r := other.send(other.request("PATCH", "/account/api/keys"+path, `{"scopes": ["custom"]}`)); r.status != 404 {
		t.Errorf("of another account: %d", r.status)
	}
}
