package postgres

import "testing"

func TestCleanJSON(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`"\u0000"`:         `"\ufffd"`,
		`"a\u0000b\u0000"`: `"a\ufffdb\ufffd"`,
		`"\\u0000"`:        `"\\u0000"`,
		`"\\\u0000"`:       `"\\\ufffd"`,
		`"\\\\u0000"`:      `"\\\\u0000"`,
		`{}`:               `{}`,
	} {
		if got := string(cleanJSON([]byte(in))); got != want {
			t.Errorf("cleanJSON(%s) = %s, want %s", in, got, want)
		}
	}
}
