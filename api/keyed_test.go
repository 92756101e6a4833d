package api

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
)

// keyring gives each plan the key of its name.
type keyring struct{}

func (keyring) Find(_ time.Time, key string) (account.Access, error) {
	for n, p := range account.Plans {
		if p.ID == key {
			return account.Access{Account: int64(n + 1), Key: int64(n + 11), Plan: p}, nil
		}
	}
	return account.Access{}, &registry.Error{Kind: registry.ErrUnauthorized, Code: "invalid_api_key", Msg: "There is no such key."}
}

// limits are the headers about limits that an answer has.
func limits(h http.Header) (names []string) {
	for _, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-RateLimit-Plan"} {
		if h.Get(name) != "" {
			names = append(names, name)
		}
	}
	return names
}

func TestDocumentedResponsesToKeys(t *testing.T) {
	misplaced := []string{"X-Api-Key", "mcp_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg"}
	bearer := func(key string) []string { return []string{"Authorization", "Bearer " + key} }
	for path, target := range map[string]string{
		"/api/discover": "/api/discover", "/api/servers": "/api/servers", "/api/categories": "/api/categories",
		"/api/health": "/api/health?server=octo-weather-mcp", "/api/checks/{id}": "/api/checks/ck_anything",
	} {
		x := start(t, 0, func(o *Options) { o.Keys, o.Limiter = keyring{}, clientLimit{alone(t, o.Now), 3} })
		for _, c := range []struct {
			header []string
			status int
			limits int
		}{
			{bearer("basic"), 200, 4},
			{bearer("professional"), 200, 4},
			{bearer("enterprise"), 200, 1},
			{bearer("nobody"), 401, 3},
			{[]string{"Authorization", "Basic nobody"}, 401, 3},
			{misplaced, 401, 3},
			{bearer("nobody"), 429, 3}, // guessing counts for the client
			{nil, 429, 3},
			{bearer("basic"), 200, 4},
		} {
			res := x.do("GET", target, c.header...)
			names := limits(res.Header)
			if res.StatusCode != c.status || len(names) != c.limits {
				t.Errorf("%s with %q: %d and %v, want %d and %d", target, c.header, res.StatusCode, names, c.status, c.limits)
			}
			doc := x.doc.Paths.Find(path).Get.Responses.Status(c.status)
			if doc == nil {
				t.Errorf("%s has no %d in the document", path, c.status)
				continue
			}
			for _, name := range names {
				if doc.Value.Headers[name] == nil {
					t.Errorf("%s: %d has no %s in the document", path, c.status, name)
				}
			}
		}
	}
}

func TestDocumentedSecurity(t *testing.T) {
	x := start(t, 0)
	for path, item := range x.doc.Paths.Map() {
		api, v1 := strings.HasPrefix(path, "/api/"), strings.HasPrefix(path, "/v1/")
		if !api && !v1 {
			continue
		}
		for method, op := range item.Operations() {
			keyed, open := false, false
			if op.Security != nil {
				for _, s := range *op.Security {
					_, key := s["key"]
					keyed, open = keyed || key, open || len(s) == 0
				}
			}
			if !keyed || open != api {
				t.Errorf("%s %s: with a key %v, without %v", method, path, keyed, open)
			}
			for _, status := range []int{200, 201, 202, 429} {
				if res := op.Responses.Status(status); res != nil && res.Value.Headers["X-RateLimit-Plan"] == nil {
					t.Errorf("%s %s: %d has no X-RateLimit-Plan", method, path, status)
				}
			}
			if op.Responses.Status(401) == nil {
				t.Errorf("%s %s has no 401", method, path)
			}
		}
	}
}

// calls are counted calls by "account key endpoint".
type calls map[string]int

func (c calls) Call(account, key int64, endpoint string) {
	c[fmt.Sprint(account, " ", key, " ", endpoint)]++
}

func TestCountedCalls(t *testing.T) {
	got := calls{}
	x := start(t, 0, func(o *Options) {
		o.Keys, o.Meter, o.Limiter = keyring{}, got, clientLimit{alone(t, o.Now), 3}
	})
	basic := []string{"Authorization", "Bearer basic"}
	x.do("GET", "/api/discover", basic...)
	x.do("GET", "/api/discover?limit=0", basic...)
	x.do("GET", "/api/checks/ck_anything", basic...)
	x.do("GET", "/api/nothing", basic...)
	x.do("OPTIONS", "/api/discover", basic...)
	x.do("GET", "/api/discover")
	x.do("GET", "/api/discover", "Authorization", "Bearer nobody")
	want := calls{"1 11 /api/discover": 2, "1 11 /api/checks/:id": 1, "1 11 /api": 1}
	if !maps.Equal(got, want) {
		t.Errorf("counted %v, want %v", got, want)
	}
}
