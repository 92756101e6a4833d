//go:build linux && (amd64 || arm64)

package inspect

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

func TestMain(m *testing.M) {
	Init()
	hostile()
	os.Exit(m.Run())
}

func diffInspections(want, got registry.Inspection) string {
	return cmp.Diff(want, got)
}
