package postgres_test

import (
	"fmt"
	"slices"
	"testing"

	"mcpcensus/internal/pgtest"
)

func TestNews(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	crawled(t, db, "octo/weather", 7, start, "")
	crawled(t, db, "octo/other", 8, start, "")
	// weather: 70, 83, 82, unknown, 79; other stays at 70.
	scores := []*int{nil, new(83), new(82), nil, new(79)}
	for day, score := range scores {
		if day > 0 {
			for _, w := range lease(t, db, 2, at(float64(24*day))) {
				r := fetched(w, observed(w.Ref.String(),
					map[string]int64{"octo/weather": 7,
						"octo/other": 8}[w.Ref.String()], at(float64(24*day))), at(
					float64(24*day)), "")
				if w.Ref.String() == "octo/weather" {
					r.Scored[0].Server.Health.Score = score
				}
				save(t, db, r)
			}
		}
		if _, err := db.SnapshotDay(t.Context(), at(float64(24*day))); err != nil {
			t.Fatal(err)
		}
	}
	told := func(slugs []string, from, until, limit int) (all []string) {
		t.Helper()
		news, err := db.News(t.Context(), slugs, at(float64(24*from)), at(float64(24*until)), limit)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range news {
			text := n.Slug + " listed"
			if n.Then != nil {
				text = fmt.Sprintf("%s %s: %d, then %d", n.At.Format("2 15:04"), n.Slug, *n.Before,
					*n.Then)
			} else if n.At.IsZero() {
				t.Errorf("%s: at no time", n.Slug)
			}
			all = append(all, text)
		}
		return all
	}
	first := []string{"octo-other listed", "octo-weather listed"}
	// the day after the first, which is the 1st, ends so
	rise := "3 00:00 octo-weather: 70, then 83"
	for _, c := range []struct {
		slugs              []string
		from, until, limit int
		want               []string
	}{
		// an unknown day is between 82 and 79
		{nil, -1, 5, 10, append(slices.Clone(first), rise)},
		{nil, -1, 1, 10, first}, // the day is not over
		{nil, 2, 5, 10, first},  // one point is not news
		{[]string{"octo-weather", "nobody"}, -1, 5, 10, []string{"octo-weather listed", rise}},
		{[]string{}, -1, 5, 10, nil},
		{nil, -1, 5, 1, []string{"octo-other listed", rise}},
	} {
		got := told(c.slugs, c.from, c.until, c.limit)
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("%v from %d until %d: %q, want %q", c.slugs, c.from, c.until, got, c.want)
		}
	}
	if err := db.Hide(t.Context(), "octo-weather", "a test"); err != nil {
		t.Fatal(err)
	}
	if got := told(nil, -1, 5, 10); !slices.Equal(got, []string{"octo-other listed"}) {
		t.Errorf("of a hidden server: %q", got)
	}
}
