package catalog

import (
	"strings"
	"testing"

	"mcpcensus/internal/registry"
)

func TestTagsOfAnotherDatabaseDiffer(t *testing.T) {
	encode := func(*registry.Server, bool) (Record, error) { return Record{Basic: []byte("{}")}, nil }
	tags := map[string]string{}
	for _, identity := range []string{"one database", "another", "one database, newer program"} {
		c := New(encode)
		c.Identify(identity)
		if err := c.Apply([]registry.Server{{Slug: "a", Seq: 1}}, nil, 7); err != nil {
			t.Fatal(err)
		}
		tag := c.View().Tag()
		if other, taken := tags[tag]; taken {
			t.Errorf("%q and %q have the tag %s", identity, other, tag)
		}
		tags[tag] = identity
		if id := c.View().Identity(); len(id) < 8 || !strings.Contains(tag, id) {
			t.Errorf("the identity %q is no part of the tag %s", id, tag)
		}
	}
}
