package scorer

import (
	"testing"

	"mcpcensus/internal/registry"
)

// The chance falls with the days since the last commit, however many they are.
func TestCommitChanceOfQuietServers(t *testing.T) {
	last := 1.0
	for _, days := range []int{1, 30, 89, 90, 91, 180, 365, 1000, 5000} {
		at := testNow.AddDate(0, 0, -days)
		f := registry.Facts{Repo: registry.Repository{ObservedAt: testNow},
			Activity: &registry.Activity{LastCommitAt: &at, Humans: ptr(1), ObservedAt: testNow}}
		got := newInput(&f, testNow).commitChance()
		switch {
		case got == nil:
			t.Fatalf("no chance after %d days", days)
		case *got > last:
			t.Errorf("%v after %d days, more than before", *got, days)
		case days >= 1000 && *got > .1:
			t.Errorf("%v after %d days", *got, days)
		}
		last = *got
	}
}
