package pages

import (
	"fmt"
	"testing"
	"time"
)

func TestOnce(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	o := newOnce(clientClicks)
	for _, c := range []struct {
		name   string
		client uint64
		slug   string
		at     time.Time
		want   bool
	}{
		{"first", 1, "a", now, true},
		{"again", 1, "a", now.Add(onceWindow - 1), false},
		{"another server", 1, "b", now, true},
		{"another client", 2, "a", now, true},
		{"next window", 1, "a", now.Add(onceWindow), true},
	} {
		if got := o.first(c.client, c.slug, c.at); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	for i := range 2 * clientClicks {
		if got, want := o.first(3, fmt.Sprint(i), now), i < clientClicks; got != want {
			t.Errorf("server %d of one client: %v, want %v", i, got, want)
		}
	}
	if !o.first(3, "x", now.Add(onceWindow)) {
		t.Error("the number of a client does not begin again")
	}
	if n := o.events.Len(); n > maxEvents {
		t.Errorf("%d events are remembered", n)
	}
}
