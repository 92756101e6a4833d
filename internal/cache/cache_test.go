package cache

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

var now = time.Date(2026, 8, 2, 12, 0, 0, 0, time.UTC)

func TestCache(t *testing.T) {
	c, loads := New[int](2), 0
	load := func() (int, time.Duration, error) { loads++; return loads, time.Minute, nil }
	get := func(key string, at time.Time, want int) {
		t.Helper()
		if got, err := c.Get(key, at, load); err != nil || got != want {
			t.Errorf("%s: got %d, want %d: %v", key, got, want, err)
		}
	}
	get("a", now, 1)
	get("a", now.Add(time.Minute-1), 1)
	get("a", now.Add(time.Minute), 2)
	get("b", now, 3)
	get("a", now, 2)
	get("c", now, 4) // evicts b
	get("a", now, 2)
	get("b", now, 5)
	c.Remove("b")
	get("b", now, 6)

	failed := errors.New("failed")
	_, err := c.Get("b", now.Add(time.Hour), func() (int, time.Duration, error) { return 0, 0, failed })
	if v, ok := c.Peek("b"); !errors.Is(err, failed) || !ok || v != 6 {
		t.Errorf("after a failed load: %v, the expired value is %d, %v", err, v, ok)
	}
}

func TestCache_GetContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New[string](1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		slow := func(ctx context.Context) (string, time.Duration, error) {
			time.Sleep(3 * time.Second)
			return "slow", time.Hour, ctx.Err()
		}
		if _, err := c.GetContext(ctx, "a", now, slow); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a caller that leaves early: %v", err)
		}
		never := func(context.Context) (string, time.Duration, error) {
			t.Error("loaded twice")
			return "", 0, nil
		}
		if v, err := c.GetContext(t.Context(), "a", now, never); v != "slow" || err != nil {
			t.Errorf("a caller that waits: %q, %v", v, err)
		}
	})
}

func TestBytes(t *testing.T) {
	size := func(k string, v []byte) int64 { return int64(len(k) + len(v)) }
	c := NewBytes(3*(1000+300), size)
	for i := range 5 {
		c.Put(fmt.Sprint("k", i), make([]byte, 1000))
		c.Get("k0")
	}
	_, first := c.Get("k0")
	_, old := c.Get("k1")
	_, last := c.Get("k4")
	if !first || old || !last {
		t.Errorf("k0 %v, k1 %v, k4 %v", first, old, last)
	}
	c.Put("k0", make([]byte, 1<<20))
	if _, ok := c.Get("k0"); ok {
		t.Error("a value over the size of the cache is cached")
	}
	for n := range 5000 {
		c.Put(fmt.Sprint(n%50), make([]byte, n%500))
		if c.bytes > c.max || c.entries.Len() > 15 {
			t.Fatalf("%d bytes in %d entries", c.bytes, c.entries.Len())
		}
	}
}
