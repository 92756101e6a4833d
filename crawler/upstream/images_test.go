package upstream

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
)

// An imageRegistry is a registry that issues tokens to anyone.
type imageRegistry struct {
	base   string
	realm  string // "" for its own
	tokens http.HandlerFunc
	tags   http.HandlerFunc
}

func (r *imageRegistry) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	const scope = "repository:octo/tides:pull"
	switch {
	case strings.HasSuffix(req.URL.Path, "/token") && r.tokens != nil:
		r.tokens(w, req)
	case strings.HasSuffix(req.URL.Path, "/token"):
		if req.FormValue("scope") != scope || req.FormValue("service") != "images" ||
			req.Header.Get("Authorization") != "" {
			http.Error(w, "wrong request for a token", http.StatusBadRequest)
			return
		}
		fmt.Fprint(w, `{"token": "granted"}`)
	case req.URL.Path != "/ghcr.io/v2/octo/tides/tags/list":
		http.Error(w, "unexpected path", http.StatusTeapot)
	case req.Header.Get("Authorization") != "Bearer granted":
		realm := r.realm
		if realm == "" {
			realm = r.base + "/ghcr.io/token"
		}
		w.Header().Set("WWW-Authenticate", `Bearer realm="`+realm+`",service="images",scope="`+scope+`"`)
		w.WriteHeader(http.StatusUnauthorized)
	default:
		r.tags(w, req)
	}
}

func respondWith(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

func TestImages(t *testing.T) {
	now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	yes, no := true, false
	const missing = `{"errors": [{"code": "NAME_UNKNOWN", "message": "no such repository"}]}`
	image := func(p registry.PackageFacts) registry.PackageFacts {
		p.RegistryType, p.Identifier = "oci", "ghcr.io/octo/tides"
		return p
	}
	for name, c := range map[string]struct {
		registry imageRegistry
		before   registry.PackageFacts
		want     registry.PackageFacts
		failed   bool
	}{
		"tags": {
			registry: imageRegistry{tags: respondWith(200,
				`{"name": "octo/tides", "tags": ["v1.10.0", "latest", "v1.9.0", "2.0.0-rc.1", "sha-1"]}`)},
			want: registry.PackageFacts{Found: &yes, ObservedAt: &now, Latest: "v1.10.0",
				Tags: []string{"2.0.0-rc.1", "latest", "sha-1", "v1.10.0", "v1.9.0"}},
		},
		"token under its other name": {
			registry: imageRegistry{tokens: respondWith(200, `{"access_token": "granted"}`),
				tags: respondWith(200, `{"name": "octo/tides", "tags": ["latest"]}`)},
			want: registry.PackageFacts{Found: &yes, ObservedAt: &now, Tags: []string{"latest"}},
		},
		"more tags than one response has": {
			registry: imageRegistry{tags: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Link", `</v2/octo/tides/tags/list?last=a>; rel="next"`)
				fmt.Fprint(w, `{"name": "octo/tides", "tags": ["a"]}`)
			}},
			want: registry.PackageFacts{Found: &yes, ObservedAt: &now},
		},
		"no tags": {
			registry: imageRegistry{tags: respondWith(200, `{"name": "octo/tides", "tags": null}`)},
			want:     registry.PackageFacts{ObservedAt: &now},
		},
		"no such image": {
			registry: imageRegistry{tags: respondWith(404, missing)},
			before:   registry.PackageFacts{Found: &yes, Tags: []string{"a"}},
			want:     registry.PackageFacts{Found: &no, ObservedAt: &now, MissingSince: &now},
		},
		"404 of a proxy": {
			registry: imageRegistry{tags: respondWith(404, "<html>not found</html>")},
			before:   registry.PackageFacts{Found: &yes}, want: registry.PackageFacts{Found: &yes}, failed: true,
		},
		"private": {
			registry: imageRegistry{tags: respondWith(401, `{"errors": [{"code": "UNAUTHORIZED"}]}`)},
			want:     registry.PackageFacts{ObservedAt: &now},
		},
		"no token": {
			registry: imageRegistry{tokens: respondWith(403, `{"errors": [{"code": "DENIED"}]}`)},
			before:   registry.PackageFacts{Found: &yes},
			want:     registry.PackageFacts{Found: &yes, ObservedAt: &now},
		},
		"limit": {
			registry: imageRegistry{tags: respondWith(429, `{"errors": [{"code": "TOOMANYREQUESTS"}]}`)},
			failed:   true,
		},
		"server error": {registry: imageRegistry{tags: respondWith(500, "")}, failed: true},
		"garbage":      {registry: imageRegistry{tags: respondWith(200, "\x00{]")}, failed: true},
		"other JSON":   {registry: imageRegistry{tags: respondWith(200, `{"tags": ["a"]}`)}, failed: true},
		"huge response": {registry: imageRegistry{tags: respondWith(200,
			`{"name": "`+strings.Repeat("a", 2<<20)+`"}`)}, failed: true},
		"huge token": {registry: imageRegistry{tokens: respondWith(200,
			`{"token": "`+strings.Repeat("a", 1<<17)+`"}`)}, failed: true},
		"token with a line break": {
			registry: imageRegistry{tokens: respondWith(200, `{"token": "a\nHost: b"}`)}, failed: true,
		},
		"token from elsewhere": {registry: imageRegistry{realm: "https://tides.dev/token"}, failed: true},
	} {
		t.Run(name, func(t *testing.T) {
			r := &c.registry
			r.base = serve(t, r.ServeHTTP)
			images, err := NewImages(Options{Base: r.base, Now: func() time.Time { return now }})
			if err != nil {
				t.Fatal(err)
			}
			e := &Enricher{Images: images}
			got, err := e.Facts(t.Context(), image(c.before))
			if (err != nil) != c.failed || c.failed && !errors.Is(err, registry.ErrUnavailable) {
				t.Errorf("error %v", err)
			}
			if d := cmp.Diff(image(c.want), got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

// TestImagesWait checks that a registry that limits requests is not queried before its time.
func TestImagesWait(t *testing.T) {
	now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	asked := 0
	base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("Retry-After", "600")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	images, err := NewImages(Options{Base: base, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		_, err := images.Facts(t.Context(), registry.PackageFacts{RegistryType: "oci", Identifier: "octo/tides"})
		if at := transport.RetryAt(err); !at.Equal(now.Add(10 * time.Minute)) {
			t.Errorf("wait until %v: %v", at, err)
		}
	}
	if asked != 1 {
		t.Errorf("%d requests", asked)
	}
}

func TestImagesUnsupported(t *testing.T) {
	images, err := NewImages(Options{Base: serve(t, func(http.ResponseWriter, *http.Request) {
		t.Error("a registry was queried")
	})})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"tides", "localhost:5000/octo/tides", "tides.dev/octo/tides", "not an image", ""} {
		got, err := images.Facts(t.Context(), registry.PackageFacts{RegistryType: "oci", Identifier: id})
		if err != nil || got.Found != nil || got.ObservedAt == nil {
			t.Errorf("%s: %+v, %v", id, got, err)
		}
	}
}

func FuzzParseChallenge(f *testing.F) {
	for _, s := range []string{"", "Bearer", `Bearer realm="https://a.dev/token",service="b"`, `Basic realm="x"`,
		`bearer realm="`, `Bearer realm="", service=""`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if realm, _, ok := parseChallenge(s); ok != (realm != "") || strings.Contains(realm, `"`) {
			t.Errorf("%q: %q, %v", s, realm, ok)
		}
	})
}
