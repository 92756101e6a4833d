package listing

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestChoose(t *testing.T) {
	paths := []string{
		"examples/beds/tests/test_dig.py", "examples/beds/src/beds/util.py", "examples/beds/src/beds/server.py",
		"examples/beds/src/beds/tools/dig.py", "examples/beds/README.md", "examples/beds/conftest.py",
		"examples/beds/src/beds/tools.py",
	}
	want := []string{
		"examples/beds/src/beds/tools.py", "examples/beds/src/beds/server.py",
		"examples/beds/src/beds/tools/dig.py", "examples/beds/src/beds/util.py",
	}
	if diff := cmp.Diff(want, Choose(paths, Score, ".py")); diff != "" {
		t.Errorf("Choose -want +got:\n%s", diff)
	}
}
