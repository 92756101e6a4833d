package changes

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRun(t *testing.T) {
	noListener := func(context.Context) (<-chan int64, error) { return nil, errors.New("refused") }
	hanging := func(ctx context.Context) (<-chan int64, error) { <-ctx.Done(); return nil, ctx.Err() }
	broken := func(context.Context) (<-chan int64, error) {
		c := make(chan int64)
		close(c)
		return c, nil
	}
	announcing := func(at ...time.Duration) func(context.Context) (<-chan int64, error) {
		return func(ctx context.Context) (<-chan int64, error) {
			c := make(chan int64, 1)
			go func() {
				start := time.Now()
				for i, d := range at {
					time.Sleep(time.Until(start.Add(d)))
					c <- int64(i)
				}
			}()
			return c, nil
		}
	}
	s := time.Second
	for name, test := range map[string]struct {
		listen     func(context.Context) (<-chan int64, error)
		fails      int // first calls that fail
		maxBackoff time.Duration
		want       []time.Duration // when CatchUp is called in the first seven seconds
	}{
		"polling":                  {nil, 0, 0, []time.Duration{0, 2 * s, 4 * s, 6 * s}},
		"refused listener":         {noListener, 0, 0, []time.Duration{0, 2 * s, 4 * s, 6 * s}},
		"hanging listener":         {hanging, 0, 0, []time.Duration{0, 2 * s, 4 * s, 6 * s}},
		"broken connection":        {broken, 0, 0, []time.Duration{0, s / 10, 2*s + s/10, 4*s + s/10, 6*s + s/10}},
		"announcements":            {announcing(s, 5*s), 0, 0, []time.Duration{0, s + s/10, 3*s + s/10, 5*s + s/10}},
		"announcements together":   {announcing(s, s+s/20), 0, 0, []time.Duration{0, s + s/10, s + s/5, 3*s + s/5, 5*s + s/5}},
		"failures at the interval": {nil, 2, 0, []time.Duration{0, 2 * s, 4 * s, 6 * s}},
		"failures with backoff":    {nil, 2, 3 * s, []time.Duration{0, 2 * s, 5 * s, 7 * s}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				var got []time.Duration
				ctx, cancel := context.WithTimeout(t.Context(), 7*s+s/100)
				defer cancel()
				f := Follower{
					Name: "copy", Listen: test.listen, Interval: 2 * s, Gather: s / 10, MaxBackoff: test.maxBackoff,
					Log: slog.New(slog.DiscardHandler),
					CatchUp: func(context.Context) error {
						got = append(got, time.Since(start))
						if len(got) <= test.fails {
							return errors.New("no database")
						}
						return nil
					},
				}
				if err := f.Run(ctx); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("Run: %v", err)
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("calls of CatchUp (-want +got):\n%s", diff)
				}
			})
		})
	}
}
