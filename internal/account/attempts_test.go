package account

import (
	"testing"
	"time"
)

func TestAttemptsTry(t *testing.T) {
	const s = time.Second
	l := AttemptLimit{Free: 3, Step: 2 * s, Max: 20 * s, Decay: time.Minute}
	now := time.Date(2026, 11, 1, 10, 0, 0, 0, time.UTC)
	var a Attempts
	for i, tc := range []struct {
		after, want time.Duration
	}{
		{0, 0}, {0, 0}, {0, 0},
		{0, 2 * s}, {2 * s, 0}, {0, 4 * s}, {0, 4 * s}, {4 * s, 0}, {0, 8 * s}, {8 * s, 0}, {0, 16 * s}, {15500 * time.Millisecond, s},
		{500 * time.Millisecond, 0}, {0, 20 * s}, {20 * s, 0}, {0, 20 * s}, {20 * s, 0}, // nine attempts, one forgotten
		{6*time.Minute + s, 0}, {0, 2 * s}, // two left of eight, and this one
		{time.Hour, 0}, {0, 0}, {0, 0}, {0, 2 * s},
	} {
		now = now.Add(tc.after)
		if got := a.Try(l, now); got != tc.want {
			t.Errorf("step %d: wait %v, want %v", i, got, tc.want)
		}
	}
	t.Run("refused attempts extend the delay", func(t *testing.T) {
		l := AttemptLimit{Free: 3, Step: 2 * s, Max: 20 * s, Decay: time.Minute, Extend: true}
		var a Attempts
		now := now
		for i, want := range []time.Duration{0, 0, 0, 4 * s, 8 * s, 16 * s, 20 * s, 20 * s} {
			if got := a.Try(l, now); got != want {
				t.Errorf("attempt %d: wait %v, want %v", i, got, want)
			}
		}
		for range 1_000_000 {
			a.Try(l, now)
		}
		if now = now.Add(20 * s); a.Try(l, now) != 0 {
			t.Error("waits although the delay is over")
		}
		if now = now.Add((maxCounted + 4) * l.Decay); a.Try(l, now) != 0 || a.Count != 1 {
			t.Errorf("%d attempts after all were forgotten", a.Count)
		}
	})
	t.Run("just below the limit", func(t *testing.T) {
		l := AttemptLimit{Free: 3, Step: time.Hour, Max: time.Hour, Decay: 30 * time.Minute}
		var a Attempts
		for i := range 12 {
			if wait := a.Try(l, now.Add(time.Duration(i)*29*time.Minute)); wait != 0 {
				t.Fatalf("attempt %d waits %v", i, wait)
			}
		}
	})
}
