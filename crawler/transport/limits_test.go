package transport

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestInterval(t *testing.T) {
	f := newWorld(t, func(http.ResponseWriter, *http.Request, int) {})
	c := f.client(t, func(o *Options) { o.Interval = 3 * time.Second })
	for range 3 {
		if _, err := get(c, "/"); err != nil {
			t.Fatal(err)
		}
	}
	f.move(2 * time.Second)
	if _, err := get(c, "/"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]time.Duration{3 * time.Second, 3 * time.Second, time.Second}, f.slept); diff != "" {
		t.Error(diff)
	}

	// A request whose turn is after its deadline fails at once.
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	calls := f.calls
	if _, err = c.HTTP().Do(req); ctx.Err() != nil || f.calls != calls {
		t.Errorf("waited until the deadline: %v, %d requests more", err, f.calls-calls)
	}
	if at := RetryAt(err); !at.Equal(f.now.Add(3 * time.Second)) {
		t.Errorf("%v, retry at %v", err, at)
	}
}

func TestStrict(t *testing.T) {
	status := http.StatusForbidden
	f := newWorld(t, func(w http.ResponseWriter, r *http.Request, call int) {
		w.Header().Set("Retry-After", "60")
		w.WriteHeader(status)
	})
	c := f.client(t, func(o *Options) { o.Strict, o.Pause, o.MaxPause = true, 15*time.Minute, time.Hour })
	for i, want := range []time.Duration{15, 30, 60, 60} {
		_, err := get(c, "/")
		if got := RetryAt(err).Sub(f.now); got != want*time.Minute {
			t.Fatalf("refusal %d: %v, want %d minutes", i, err, want)
		}
		if c.Ready("core") == nil {
			t.Fatal("ready after a refusal")
		}
		f.move(want * time.Minute)
	}
	status = http.StatusOK
	if _, err := get(c, "/"); err != nil {
		t.Fatal(err)
	}
	status = http.StatusTooManyRequests
	if _, err := get(c, "/"); RetryAt(err).Sub(f.now) != 15*time.Minute {
		t.Errorf("after a success: %v", err)
	}
}

func TestResponseError(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		err       error
		temporary bool
		retryAt   time.Time
		reason    string
	}{
		"limit":       {&LimitError{Until: now}, true, now, "asked for fewer requests; next request at 12:00 UTC"},
		"no response": {&ResponseError{Reason: "could not be reached"}, true, time.Time{}, "could not be reached"},
		"500":         {&ResponseError{Status: 500, RetryAt: now, Reason: "responded with status 500"}, true, now, "responded with status 500"},
		"unusable":    {&ResponseError{Status: 200, Reason: "response is not JSON"}, true, time.Time{}, "response is not JSON"},
		"400":         {&ResponseError{Status: 400, Reason: "responded with status 400"}, false, time.Time{}, "responded with status 400"},
		"other":       {errors.New("other"), false, time.Time{}, "other"},
	} {
		t.Run(name, func(t *testing.T) {
			err := errors.Join(c.err)
			if Temporary(err) != c.temporary || !RetryAt(err).Equal(c.retryAt) || Reason(err) != c.reason {
				t.Errorf("%v, %v, %q", Temporary(err), RetryAt(err), Reason(err))
			}
		})
	}
}

func TestNoResponse(t *testing.T) {
	f := newWorld(t, func(http.ResponseWriter, *http.Request, int) {})
	c := f.client(t, nil)
	f.Close()
	_, err := get(c, "/")
	e, ok := errors.AsType[*ResponseError](err)
	if !ok || e.Status != 0 || e.Reason != "could not be reached" || e.Cause == nil {
		t.Errorf("%v", err)
	}
}
