package keyring

import (
	"strings"
	"testing"

	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
)

func TestNewKey(t *testing.T) {
	seen := map[string]bool{}
	for range 2000 {
		k := newKey()
		if !account.IsKey(k) {
			t.Fatalf("%q is not a key", k)
		}
		if seen[k] {
			t.Fatal("twice the same key")
		}
		seen[k] = true
	}
}

func TestEncode(t *testing.T) {
	one, most := [32]byte{31: 1}, [32]byte{}
	for i := range most {
		most[i] = 0xff
	}
	for _, tt := range []struct {
		in   [32]byte
		want string
	}{
		{[32]byte{}, "mcp_" + strings.Repeat("0", 43)},
		{one, "mcp_" + strings.Repeat("0", 42) + "1"},
		{[32]byte{31: 61}, "mcp_" + strings.Repeat("0", 42) + "Z"},
		{[32]byte{31: 62}, "mcp_" + strings.Repeat("0", 41) + "10"},
	} {
		if got := encode(tt.in); got != tt.want {
			t.Errorf("encode(%x) = %q, want %q", tt.in, got, tt.want)
		}
	}
	if !account.IsKey(encode(most)) { // 256 bits fit into 43 digits
		t.Errorf("the greatest number is %q", encode(most))
	}
}

func TestFindMalformed(t *testing.T) {
	k := newKey()
	for _, s := range []string{"", "mcp_", k[:len(k)-1], k + "0", "MCP_" + k[4:], k[4:] + "mcp_", k[:20] + " " + k[21:],
		k[:20] + "-" + k[21:], k[:20] + "\x00" + k[21:], k[:20] + "\xff" + k[21:], strings.Repeat("m", 1<<20)} {
		if account.IsKey(s) {
			t.Errorf("%.60q is taken for a key", s)
		}
	}
}

func TestCleanName(t *testing.T) {
	for in, want := range map[string]string{
		" ci ": "ci", strings.Repeat("ü", 60): strings.Repeat("ü", 60), "北京": "北京", "a  b": "a  b",
		"": "", "  ": "", strings.Repeat("x", 61): "", "a\nb": "", "a\x00b": "", "\xff": "", "a\u202eb": "", "ci " + newKey(): "",
	} {
		got, err := cleanName(in)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("cleanName(%q) = %q, %v", in, got, err)
		}
		if err != nil && err.(*registry.Error).Fields[0].Field != "name" {
			t.Errorf("%q: the error does not name the field: %v", in, err)
		}
	}
}
