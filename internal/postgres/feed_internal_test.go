package postgres

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/generate"
	"mcpcensus/internal/registry"
)

// TestFeedServer reads servers without the checks that only caps need.
func TestFeedServer(t *testing.T) {
	for _, capped := range []bool{false, true} {
		s := generate.Server(1, 1)
		s.Health.Caps = nil
		if capped {
			s.Health.Caps = []registry.Cap{{ID: "archived"}}
		}
		record, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var want registry.Server
		if err := json.Unmarshal(record, &want); err != nil {
			t.Fatal(err)
		}
		got, err := feedRow{ID: 7, Seq: 9, Slug: s.Slug, Record: record, Readme: "# A"}.server()
		if err != nil {
			t.Fatal(err)
		}
		want.ID, want.Seq, want.Slug, want.Readme = 7, 9, s.Slug, "# A"
		if !capped {
			want.Health.Categories, want.Health.Improve = nil, nil
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("capped %t: %s", capped, diff)
		}
	}
}
