package listing

import (
	"testing"

	"mcpcensus/internal/registry"

	"github.com/google/go-cmp/cmp"
)

func TestIsLikely(t *testing.T) {
	for file, want := range map[string]bool{
		"internal/tools/tides/tides.go": true, "internal/tools/tide_table/tidetable.go": true, "src/tool.py": true,
		"internal/tools/tides/cache.go": false, "internal/tides/tides.go": false, "main.go": false,
	} {
		if got := IsLikely(file); got != want {
			t.Errorf("%s: %v", file, got)
		}
	}
}

func TestIsAside(t *testing.T) {
	for file, want := range map[string]bool{
		"demoserver/server.py": true, "demographics/server.py": false, "docs/index.rs": true,
		"src/tools/docs/docs.rs": false, "src/tools/tests/a.rs": true, "pkg/test_runs.go": false,
		"src/dig.test.ts": true, "jest.config.js": true,
	} {
		if got := IsAside("", file); got != want {
			t.Errorf("%s: %v", file, got)
		}
	}
}

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
	if diff := cmp.Diff(want, Choose(paths, Score, "Python")); diff != "" {
		t.Errorf("Choose -want +got:\n%s", diff)
	}
}

func TestCodeOf(t *testing.T) {
	for _, tt := range []struct{ file, text, want string }{
		{"a.ts", "a(); // b\nc(`d\ne`); /* f\n */ g('h`', /`/);", "a();  \nc( \n);  \n g('h`',  );"},
		{"a.ts", "a('it is\nb", "a('it is\nb"},
		{"a.py", "a('#') # b\n'''c\n'''\nd(\"\\\"#\")", "a('#')  \n \n\nd(\"\\\"#\")"},
		{"a.go", "a := `b` // c\nd", "a :=    \nd"},
		{"a.rs", "fn a<'b>() { c(r#\"d\"#) }", "fn a<'b>() { c( ) }"},
		{"a.php", "$a = 'b'; // c\n#[D]\n", "$a = 'b';  \n#[D]\n"},
		{"a.ts", "/* open", " "},
		{"a.ts", "", ""},
		{"a.kt", "a() // b", "a()  "},
		{"a.txt", "a() // b", ""},
	} {
		if d := cmp.Diff(tt.want, CodeOf(tt.file, tt.text)); d != "" {
			t.Errorf("%s: %q (-want +got)\n%s", tt.file, tt.text, d)
		}
	}
}

func TestHint(t *testing.T) {
	for name, want := range map[string]bool{"readOnlyHint": true, "read_only": true, "read_only_hint": true,
		"ReadOnly": true, "WithReadOnlyHintAnnotation": true, "setReadOnlyHint": true,
		"readOnly": false, "setReadOnly": false, "readonly": false, "openWorld": false, "": false} {
		if got := Hint(&registry.ToolAnnotations{}, name) != nil; got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

func TestHostOf(t *testing.T) {
	for text, want := range map[string]string{
		"https://api.tides.org/v1": "api.tides.org", "http://tides.org/ns": "", "http://tides.org/a/ns/sea#x": "",
		"http://schemas.tides.org/2006/sea": "", "http://tides.org/nsx": "tides.org", "https://tides.org/ns": "tides.org",
		"http://json-schema.org/schema": "", "tides.org/v1": "",
	} {
		if got := hostOf(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
