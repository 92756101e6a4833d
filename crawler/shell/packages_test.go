package shell

import "testing"

func TestSplitNPM(t *testing.T) {
	for spec, want := range map[string][2]string{
		"a": {"a", ""}, "a@1.2": {"a", "1.2"}, "@s/a": {"@s/a", ""}, "@s/a@^1": {"@s/a", "^1"},
		"@s/a@1/dist/x.js": {"@s/a", "1"}, "@s/a/dist": {"@s/a", ""}, "@s": {"@s", ""},
		"@s/a@npm:b": {"b", ""}, "a@npm:@t/b@1.0.0": {"@t/b", "1.0.0"}, "npm:b@^1": {"b", "^1"},
		"a@git+https://x.dev/b.git": {"", ""}, "a@file:../b": {"", ""}, "a@workspace:*": {"", ""},
		"a@https://x.dev/b.tgz": {"", ""}, "@s/a@github:t/b": {"", ""}, "a@npm:c@npm:b": {"b", ""},
	} {
		name, version := SplitNPM(spec)
		if got := [2]string{name, version}; got != want {
			t.Errorf("%q: got %q, want %q", spec, got, want)
		}
	}
}
