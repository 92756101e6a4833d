package version

import (
	"cmp"
	"strings"
	"testing"
)

func TestCompare(t *testing.T) {
	for ecosystem, ordered := range map[string][]string{
		"npm": {"not a version", "1.0.0-alpha.2", "1.0.0-alpha.10", "1.0.0", "1.2.0", "1.10.0", "2.0.0-rc.1"},
		"pypi": {"rubbish!", "1.0.dev1", "1.0a1.dev1", "1.0a1", "1.0b2", "1.0rc1", "1.0",
			"1.0+local", "1.0.post1.dev2", "1.0.post1", "1.1", "1.10", "1!0.1"},
		"go":    {"v0.0.0-20240101000000-abcdefabcdef", "v0.8.0", "v0.10.0", "v1.0.0-rc.1", "v1.0.0"},
		"cargo": {"0.1.0", "0.2.0-beta", "0.2.0", "0.10.0"},
		"nuget": {"0.1.0-preview.2", "0.1.0-preview.10", "0.1.0", "0.1.0.1", "1.0.0"},
		"maven": {"1.0-alpha-1", "1.0-beta1", "1.0-M2", "1.0-rc1", "1.0-SNAPSHOT", "1.0", "1.0.1", "1.10"},
	} {
		for i, a := range ordered {
			for j, b := range ordered {
				if got, want := Compare(ecosystem, a, b), cmp.Compare(i, j); got != want {
					t.Errorf("%s: %s against %s: %d, want %d", ecosystem, a, b, got, want)
				}
			}
		}
	}
}

func TestCompareAny(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
		ok   bool
	}{
		{"1.2.0", "1.2.0", 0, true},
		{"v1.2.0", "1.2", 0, true},
		{"1.10.0", "1.9.9", 1, true},
		{"1.2.0-rc.1", "1.2.0", -1, true},
		{"1.2.0rc1", "1.2.0", -1, true},
		{"1.2.0-rc.10", "1.2.0-rc.9", 1, true},
		{"1.2.0.post1", "1.2.0", 1, true},
		{"1.2.0+build", "1.2.0", 0, true},
		{"@octo/x@1.4.0", "1.3.9", 1, true},
		{"cmd/x/v1.4.0", "v1.4.0", 0, true},
		{"2026.9.1", "2026.10.1", -1, true},
		{"latest", "1.0.0", 0, false},
		{"", "1.0.0", 0, false},
		{"1.2.3.4", "1.2.3.3", 1, true},
		{"2026.09.01", "2026.9.2", -1, true},
		{"1.2.0-next.3", "1.2.0-next.12", -1, true},
		{"99999999999999999999999", "1", 0, false},
	} {
		got, ok := CompareAny(tt.a, tt.b)
		if got != tt.want || ok != tt.ok {
			t.Errorf("CompareAny(%q, %q) = %d, %v; want %d, %v", tt.a, tt.b, got, ok, tt.want, tt.ok)
		}
	}
}

func FuzzCompareAny(f *testing.F) {
	for _, s := range []string{"1.2.0", "v1.2.0-rc.1", "@a/b@1", "1..2", "1.2.0rc10", "", "x"} {
		f.Add(s, "1.2.0")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, ok := CompareAny(a, b)
		y, ok2 := CompareAny(b, a)
		if x != -y || ok != ok2 {
			t.Errorf("%q against %q is %d, the other way round %d", a, b, x, y)
		}
		if z, ok := CompareAny(a, a); ok && z != 0 {
			t.Errorf("%q against itself is %d", a, z)
		}
		Major(a)
	})
}

func TestMajor(t *testing.T) {
	for v, want := range map[string]int{"1.0.0": 1, "v2": 2, "0.9": 0, "1.0.0-beta.1": 0,
		"1.1.0-beta": 1, "latest": -1, "": -1} {
		if got := Major(v); got != want {
			t.Errorf("Major(%q) = %d, want %d", v, got, want)
		}
	}
}

func TestIsExact(t *testing.T) {
	for ecosystem, versions := range map[string]map[bool]string{
		"npm":   {true: "1.2.3 1.0.0-next.1+b5 0.0.0", false: "1 1.2 1.x ^1.2.3 latest 1.2.3.4 v1.2.3 *"},
		"cargo": {true: "1.2.3 1.0.0-rc.1", false: "1 1.2 ^1.2.3 =1.2.3"},
		"pypi":  {true: "1 0.1 1!2.0.post1 1.0rc1 1.0+local.1", false: "latest >=1 1.*"},
		"nuget": {true: "1.0 1.2.3.4 1.0.0-beta", false: "1 1.* [1.0]"},
		"x":     {false: "1.2.3"},
	} {
		for want, list := range versions {
			for v := range strings.FieldsSeq(list) {
				if got := IsExact(ecosystem, v); got != want {
					t.Errorf("%s %s: exact %t", ecosystem, v, got)
				}
			}
		}
	}
}
