package jobs

import (
	"context"
	"errors"
	"iter"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

// A namedHost is a host that answers for each repository with its own name.
type namedHost struct {
	noClient
	limit int // visits until its budget is spent
}

func (s namedHost) Visit(ctx context.Context, works []registry.Work) iter.Seq[registry.Visit] {
	return func(yield func(registry.Visit) bool) {
		for _, w := range works[:min(s.limit, len(works))] {
			if ctx.Err() != nil || !yield(registry.Visit{Work: w, Outcome: registry.Fetched,
				Blocked: s.id}) {
				return
			}
		}
	}
}

func TestHostsVisit(t *testing.T) {
	works := func(hosts ...string) (all []registry.Work) {
		for _, h := range hosts {
			all = append(all, registry.Work{Ref: registry.RepoRef{Host: h, Owner: "o", Name: "r"}})
		}
		return all
	}
	registry.Hosts = append(slices.Clone(registry.Hosts),
		&registry.Host{ID: "forge", Name: "Forge"})
	t.Cleanup(func() { registry.Hosts = registry.Hosts[:1] })
	hosts := Hosts{registry.GitHub: namedHost{noClient{registry.GitHub}, 2},
		"forge": namedHost{noClient{"forge"}, 9}}
	for _, c := range []struct {
		name  string
		works []registry.Work
		want  []string // which host answered, sorted; "" for a failure
	}{
		{"none", nil, nil},
		{"one host", works("forge", "forge"), []string{"forge", "forge"}},
		{"two hosts, one with a spent budget",
			works("github", "forge", "github", "github", "forge"),
			[]string{"forge", "forge", "github", "github"}},
		{"no client", works("other", "forge"), []string{"", "forge"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for v := range hosts.visit(t.Context(), c.works) {
				got = append(got, v.Blocked)
				if v.Blocked == "" && !errors.Is(v.Err, registry.ErrUnsupported) {
					t.Errorf("%s: %v", v.Work.Ref.Host, v.Err)
				}
			}
			slices.Sort(got)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("ended by the caller", func(t *testing.T) {
		n := 0
		for range hosts.visit(t.Context(), works("github", "forge", "github", "forge")) {
			if n++; n == 2 {
				break
			}
		}
		if n != 2 {
			t.Errorf("%d visits", n)
		}
	})
}
