package accounts_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

func TestInvalidBodies(t *testing.T) {
	h := newHouse(t, setting{trusting: true})
	p := h.memberIn("ada@example.com")
	good := `{"email":"eve@example.com","password":"` + password + `"}`
	for name, c := range map[string]struct {
		body  string
		want  int
		names string // what the answer names
	}{
		"nothing":               {"", 400, "invalid_body"},
		"blanks":                {" \n ", 400, "invalid_body"},
		"no JSON":               {"email=ada", 400, "invalid_body"},
		"half":                  {`{"email":"eve@example.com"`, 400, "invalid_body"},
		"two values":            {good + good, 400, "invalid_body"},
		"an array":              {`[` + good + `]`, 400, "invalid_body"},
		"a text":                {`"x"`, 400, "invalid_body"},
		"null":                  {`null`, 400, "invalid_body"},
		"an empty object":       {`{}`, 400, `"email"`},
		"no password":           {`{"email":"eve@example.com"}`, 400, `"password"`},
		"a null member":         {`{"email":null,"password":"x"}`, 400, `"email"`},
		"unknown member":        {`{"email":"eve@example.com","password":"x","isAdmin":true}`, 400, `"isAdmin"`},
		"a number":              {`{"email":1,"password":"x"}`, 400, `"email"`},
		"an object":             {`{"email":"eve@example.com","password":{"$ne":""}}`, 400, `"password"`},
		"twice":                 {`{"email":"eve@example.com","email":"ada@example.com","password":"x"}`, 400, `"email"`},
		"twice, escaped":        {`{"email":"eve@example.com","\u0065mail":"ada@example.com","password":"x"}`, 400, `"email"`},
		"twice, in capitals":    {`{"email":"eve@example.com","EMAIL":"ada@example.com","password":"x"}`, 400, `"EMAIL"`},
		"not UTF-8":             {"{\"email\":\"eve\xff@example.com\",\"password\":\"x\"}", 400, "invalid_body"},
		"a NUL":                 {`{"email":"eve\u0000@example.com","password":"` + password + `"}`, 400, `"email"`},
		"a NUL byte":            {"{\"email\":\"eve\x00@example.com\"}", 400, "invalid_body"},
		"a line break":          {`{"email":"eve@example.com\r\nBcc: x@example.com","password":"` + password + `"}`, 400, `"email"`},
		"half a surrogate":      {`{"email":"eve\ud800@example.com","password":"` + password + `"}`, 400, `"email"`},
		"deep":                  {`{"email":` + strings.Repeat("[", 8000) + strings.Repeat("]", 8000) + `}`, 400, `"email"`},
		"large":                 {`{"email":"` + strings.Repeat("a", 20_000) + `"}`, 413, "payload_too_large"},
		"huge":                  {`{"email":"` + strings.Repeat("a", 200_000) + `"}`, 413, "payload_too_large"},
		"a password of 1,000":   {`{"email":"eve@example.com","password":"` + strings.Repeat("a1!", 334) + `"}`, 400, `"password"`},
		"in the member's value": {`{"email":"<script>alert(1)</script>","password":"x"}`, 400, `"email"`},
	} {
		t.Run(name, func(t *testing.T) {
			req := p.request("POST", "/account/api/sign-up", c.body)
			req.Header.Set("Content-Type", "application/json")
			r := p.send(req)
			if r.status != c.want || !strings.Contains(r.body, c.names) || r.header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("%d %.300s", r.status, r.body)
			}
		})
	}
	if n := h.row(`SELECT count(*) FROM accounts`); n != 1 {
		t.Errorf("%d accounts", n)
	}
}

func TestContentTypes(t *testing.T) {
	h := newHouse(t, setting{trusting: true})
	h.member("ada@example.com")
	body := `{"email":"ada@example.com","password":"` + password + `"}`
	for name, c := range map[string]struct {
		kinds []string
		want  int
	}{
		"none":                 {nil, 415},
		"a form":               {[]string{"application/x-www-form-urlencoded"}, 415},
		"plain":                {[]string{"text/plain"}, 415},
		"plain with JSON":      {[]string{"text/plain; application/json"}, 415},
		"two":                  {[]string{"application/json", "text/plain"}, 415},
		"twice the same":       {[]string{"application/json", "application/json"}, 415},
		"in one line":          {[]string{"application/json, text/plain"}, 415},
		"another charset":      {[]string{"application/json; charset=utf-16"}, 415},
		"with a charset":       {[]string{"application/json; charset=UTF-8"}, 200},
		"in capitals":          {[]string{"Application/JSON"}, 200},
		"JSON of another kind": {[]string{"application/merge-patch+json"}, 415},
	} {
		p := h.visitor()
		req := p.request("POST", "/account/api/sign-in", body)
		req.Header["Content-Type"] = c.kinds
		if r := p.send(req); r.status != c.want {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
	}
}

func TestMethodsAndPaths(t *testing.T) {
	h := newHouse(t, setting{trusting: true})
	p := h.memberIn("ada@example.com")
	for _, c := range []struct {
		method, path string
		want         int
	}{
		{"HEAD", "/account/api", 200}, {"PUT", "/account/api", 405}, {"POST", "/account/api", 405}, {"GET", "/account/api/sign-in", 405},
		{"GET", "/account/api/", 404}, {"GET", "/account/api/nothing", 404}, {"POST", "/account/api/audit", 405}, {"POST", "/account/github", 405},
	} {
		if r := p.send(p.request(c.method, c.path, "")); r.status != c.want {
			t.Errorf("%s %s: %d %s", c.method, c.path, r.status, r.body)
		}
	}
}

func TestLongURLs(t *testing.T) {
	h := newHouse(t, setting{trusting: true})
	p := h.memberIn("ada@example.com")
	for _, path := range []string{"/account/api", "/account/api/keys", "/account/github", "/account/github/callback"} {
		if r := p.send(p.request("GET", path+"?"+strings.Repeat("x", 9000), "")); r.status != 414 || r.code() != "uri_too_long" {
			t.Errorf("%s: %d %.200s", path, r.status, r.body)
		}
	}
}

// A session is proved by a cookie: a program that sends a key instead gets
// nowhere.
func TestUnauthorizedChallenge(t *testing.T) {
	h := newHouse(t, setting{trusting: true})
	p := h.visitor()
	for _, r := range []result{p.do("GET", ""), p.signIn("ada@example.com", password), p.do("DELETE", "", "password", password)} {
		if got := r.header.Values("WWW-Authenticate"); r.status != 401 || len(got) != 1 || got[0] != `Cookie realm="account"` {
			t.Errorf("%d %q", r.status, got)
		}
	}
}

func TestInvalidCookies(t *testing.T) {
	h := newHouse(t, setting{trusting: true})
	h.member("ada@example.com")
	for _, cookie := range []string{"registry-session=", "registry-session=x", "registry-session=" + strings.Repeat("A", 10_000), "registry-session=\"quoted\"", "registry-session=%00", "registry-session=x; registry-session=y", "registry-known=x", "registry-session='; DROP TABLE sessions; --"} {
		p := h.visitor()
		p.cookie = cookie
		if r := p.do("GET", ""); r.status != 401 {
			t.Errorf("%.30s: %d %s", cookie, r.status, r.body)
		}
		p.wants(200, p.signIn("ada@example.com", password))
	}
}

func TestSecretsAreNotShown(t *testing.T) {
	h := newHouse(t, setting{trusting: true})
	p := h.memberIn("ada@example.com")
	var all map[string]any
	if err := json.Unmarshal([]byte(p.do("GET", "").body), &all); err != nil {
		t.Fatal(err)
	}
	for _, k := range []string{"id", "password", "epoch", "githubId"} {
		if _, ok := all[k]; ok {
			t.Errorf("%s is shown", k)
		}
	}
	for _, method := range []string{"GET", "OPTIONS"} {
		req := p.request(method, "/account/api", "")
		req.Header.Set("Origin", "https://evil.example")
		req.Header.Set("Access-Control-Request-Method", http.MethodDelete)
		if r := p.send(req); r.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: pages of other origins may read it", method)
		}
	}
}
