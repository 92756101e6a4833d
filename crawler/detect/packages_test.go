package detect

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestImageDigest(t *testing.T) {
	digest := "sha256:" + strings.Repeat("ab", 32)
	d := of(t, map[string]string{"server.json": `{"name": "io.github.octo/tides", "version": "1.0.0", "packages": [
		{"registryType": "oci", "registryBaseUrl": "https://ghcr.io", "identifier": "octo/tides:1.0.0@` + digest + `"}]}`}, nil)
	var got []string
	for _, p := range d.Packages {
		got = append(got, p.Identifier+" "+p.Version+" "+p.RegistryBaseURL)
	}
	if diff := cmp.Diff([]string{"ghcr.io/octo/tides@" + digest + " 1.0.0 "}, got); diff != "" {
		t.Error(diff)
	}
}
