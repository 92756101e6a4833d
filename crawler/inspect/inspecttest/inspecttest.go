// Package inspecttest starts the inspector in tests that install packages from registries.
package inspecttest

import (
	"errors"
	"os"
	"strings"
	"testing"

	"mcpcensus/crawler/inspect"
	"mcpcensus/internal/registry"
)

// New returns an inspector that may reach the hosts in CENSUS_INSPECT_HOSTS, which are
// separated by commas. If exact is set, it starts packages only as printed. It is closed when the
// test ends. The test is skipped if the variable is not set or this machine has no sandbox.
func New(t testing.TB, exact bool) *inspect.Inspector {
	t.Helper()
	hosts := os.Getenv("CENSUS_INSPECT_HOSTS")
	if hosts == "" {
		t.Skip("SKIPPED: CENSUS_INSPECT_HOSTS is not set to the hosts of package registries")
	}
	inspector, err := inspect.New(t.Context(), inspect.Options{Hosts: strings.Split(hosts, ","), Exact: exact})
	if errors.Is(err, registry.ErrUnavailable) {
		t.Skipf("SKIPPED: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { inspector.Close() })
	return inspector
}
