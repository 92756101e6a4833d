package shell

import "testing"

func TestSplitNPM(t *testing.T) {
	for spec, want := range map[string][2]string{
		"a": {"a", ""}, "a@1.2": {"a", "1.2"}, "@s/a": {"@s/a", ""}, "@s/a@^1": {"@s/a", "^1"},
		"@s/a@1/dist/x.js": {"@s/a", "1"}, "@s/a/dist": {"@s/a", ""}, "@s": {"@s", ""},
	} {
		name, version := SplitNPM(spec)
		if got := [2]string{name, version}; got != want {
			t.Errorf("%q: got %q, want %q", spec, got, want)
		}
	}
}
