package subregistry

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWithOwnRemotes(t *testing.T) {
	owner := map[string]int{}
	for i, c := range []struct{ doc, want string }{
		{`{"name":"a","remotes":[{"url":"u"},{"url":"u"},{"url":"v"}],"x":1}`, ""},
		{`{"name":"b","packages":[{}],"remotes":[{"url":"w","type":"sse"},{"url":"v"}],"x":1}`,
			`{"name":"b","packages":[{}],"remotes":[{"url":"w","type":"sse"}],"x":1}`},
		{`{"name":"c","packages":[{}],"remotes":[{"url":"w"}]}`, `{"name":"c","packages":[{}]}`},
		{`{"name":"d","remotes":[{"url":"u"}]}`, "-"},
		{`{"name":"e","packages":[{}]}`, ""},
	} {
		got, err := withOwnRemotes([]byte(c.doc), i, owner)
		if c.want == "" {
			c.want = c.doc
		} else if c.want == "-" {
			c.want = ""
		}
		if diff := cmp.Diff(c.want, string(got)); diff != "" || err != nil {
			t.Errorf("%s: %v %s", c.doc, err, diff)
		}
	}
	if _, err := withOwnRemotes([]byte(`[]`), 9, owner); err == nil {
		t.Error("an array is accepted")
	}
}
