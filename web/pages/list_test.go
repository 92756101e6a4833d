package pages

import (
	"slices"
	"testing"
)

func TestPager(t *testing.T) {
	for _, c := range []struct {
		page, pages int
		want        []int
	}{
		{1, 1, nil}, {1, 2, []int{1, 2}}, {1, 10, []int{1, 2, 3, 0, 10}}, {5, 10, []int{1, 0, 3, 4, 5, 6, 7, 0, 10}}, {10, 10, []int{1, 0, 8, 9, 10}}, {3, 5, []int{1, 2, 3, 4, 5}},
	} {
		var got []int
		for _, l := range newPager(c.page, c.pages, func(int) string { return "/x" }).Pages {
			got = append(got, l.Number)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("page %d of %d: %v, want %v", c.page, c.pages, got, c.want)
		}
	}
}

// TestCheckOf checks which typed texts are addresses of repositories, with and without https.
func TestCheckOf(t *testing.T) {
	for typed, want := range map[string]bool{
		"https://github.com/octo/tides": true, "github.com/octo/tides": true,
		"octo/tides": false, "io.github.octo/tides": false, "node.js/express/tools": false, "read my mail": false,
	} {
		if got := checkOf(typed); (got != "") != want {
			t.Errorf("%s: %q", typed, got)
		}
	}
}
