package oci

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var digest = "sha256:" + strings.Repeat("ab", 32)

func TestParse(t *testing.T) {
	for name, c := range map[string]struct {
		identifier, base string
		want             Image
		err              error
	}{
		"familiar":          {"octo/weather", "", Image{Host: "docker.io", Name: "octo/weather"}, nil},
		"host":              {"ghcr.io/octo/weather", "", Image{Host: "ghcr.io", Name: "ghcr.io/octo/weather"}, nil},
		"host and tag":      {"ghcr.io/octo/weather:1.0", "", Image{Host: "ghcr.io", Name: "ghcr.io/octo/weather", Tag: "1.0"}, nil},
		"digest":            {"octo/weather@" + digest, "", Image{Host: "docker.io", Name: "octo/weather", Digest: digest}, nil},
		"tag and digest":    {"octo/weather:1@" + digest, "", Image{Host: "docker.io", Name: "octo/weather", Tag: "1", Digest: digest}, nil},
		"port":              {"r.octo.dev:5000/weather", "", Image{Host: "r.octo.dev:5000", Name: "r.octo.dev:5000/weather"}, nil},
		"base":              {"octo/weather", "https://ghcr.io", Image{Host: "ghcr.io", Name: "ghcr.io/octo/weather"}, nil},
		"base, one word":    {"weather", "https://ghcr.io", Image{Host: "ghcr.io", Name: "ghcr.io/weather"}, nil},
		"base is a host":    {"octo/weather:2", "ghcr.io", Image{Host: "ghcr.io", Name: "ghcr.io/octo/weather", Tag: "2"}, nil},
		"base with slash":   {"octo/weather", "https://GHCR.io/v2/", Image{Host: "ghcr.io", Name: "ghcr.io/octo/weather"}, nil},
		"same host twice":   {"ghcr.io/octo/weather", "https://ghcr.io/", Image{Host: "ghcr.io", Name: "ghcr.io/octo/weather"}, nil},
		"Docker Hub":        {"octo/weather", "https://docker.io", Image{Host: "docker.io", Name: "octo/weather"}, nil},
		"Docker Hub's API":  {"octo/weather", "https://registry-1.docker.io", Image{Host: "docker.io", Name: "octo/weather"}, nil},
		"Docker Hub twice":  {"docker.io/octo/weather", "https://docker.io", Image{Host: "docker.io", Name: "docker.io/octo/weather"}, nil},
		"one word":          {"weather", "", Image{Host: "docker.io", Name: "weather", Unscoped: true}, nil},
		"one word and base": {"weather", "docker.io", Image{Host: "docker.io", Name: "weather", Unscoped: true}, nil},
		"Docker's own":      {"docker.io/library/weather", "", Image{Host: "docker.io", Name: "docker.io/library/weather"}, nil},
		"localhost":         {"localhost/weather", "", Image{Host: "localhost", Name: "localhost/weather"}, nil},

		"two hosts":            {"quay.io/octo/weather", "https://ghcr.io", Image{}, ErrConflict},
		"Docker Hub and host":  {"ghcr.io/octo/weather", "https://docker.io", Image{}, ErrConflict},
		"host and Docker Hub":  {"docker.io/octo/weather", "https://ghcr.io", Image{}, ErrConflict},
		"base with a path":     {"weather", "https://ghcr.io/octo", Image{}, ErrBase},
		"base with a user":     {"octo/weather", "https://a:b@ghcr.io", Image{}, ErrBase},
		"base of another kind": {"octo/weather", "file:///images", Image{}, ErrBase},
		"base that is no host": {"octo/weather", "https://mirror", Image{}, ErrBase},
		"option":               {"--privileged", "", Image{}, ErrName},
		"capitals":             {"octo/Weather", "", Image{}, ErrName},
		"address":              {"https://ghcr.io/octo/weather", "", Image{}, ErrName},
		"blank":                {"a b", "", Image{}, ErrName},
		"line break":           {"octo/weather\n", "", Image{}, ErrName},
		"empty":                {"", "", Image{}, ErrName},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Parse(c.identifier, c.base)
			if diff := cmp.Diff(c.want, got); diff != "" || !errors.Is(err, c.err) {
				t.Errorf("error %v, want %v\n%s", err, c.err, diff)
			}
		})
	}
}

func TestReference(t *testing.T) {
	for _, c := range []struct{ identifier, version, want string }{
		{"octo/weather", "", "octo/weather"},
		{"octo/weather", "1.0", "octo/weather:1.0"},
		{"octo/weather:2.0", "1.0", "octo/weather:2.0"},
		{"octo/weather@" + digest, "1.0", "octo/weather@" + digest},
		{"octo/weather:2.0@" + digest, "1.0", "octo/weather:2.0@" + digest},
	} {
		img, err := Parse(c.identifier, "")
		if got := img.Reference(c.version); err != nil || got != c.want {
			t.Errorf("%s at %q: %q, %v, want %q", c.identifier, c.version, got, err, c.want)
		}
	}
}
