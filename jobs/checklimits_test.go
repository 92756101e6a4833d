package jobs

import (
	"fmt"
	"testing"
	"time"

	"mcpcensus/internal/account"
)

// A network has a quarter of the checks at once, a client ten an hour, and what does not exist costs
// a third.
func TestCheckLimits(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	start := func(l *checkLimits, n int, client func(int) string, missing bool) (passed int) {
		for i := range n {
			by := account.Visitor{Client: client(i)}
			if why, wait := l.admit(by, now); why == nil {
				passed++
				if missing {
					l.refund(by)
				}
			} else if wait <= 0 {
				t.Errorf("%s: no time to wait", why.Msg)
			}
		}
		return passed
	}
	one := func(int) string { return "192.0.2.1" }
	of48 := func(i int) string { return fmt.Sprintf("2001:db8:1:%x::", i) }
	many := func(i int) string { return fmt.Sprintf("198.51.%d.1", i) }
	for _, test := range []struct {
		name    string
		client  func(int) string
		missing bool
		want    int // of 100
	}{
		{"client", one, false, clientBurst}, {"of missing ones", one, true, 3*clientBurst - 2},
		{"/48", of48, false, networkBurst}, {"all", many, false, checkBurst},
		{"without a visitor", func(int) string { return "" }, false, checkBurst},
	} {
		if got := start(newCheckLimits(), 100, test.client, test.missing); got != test.want {
			t.Errorf("%s: %d started, want %d", test.name, got, test.want)
		}
	}
	l := newCheckLimits()
	start(l, 45, of48, true)
	if got := start(l, 15, many, false); got != 15 {
		t.Errorf("beside 45 clients of one /48: %d of 15 started", got)
	}
	start(l, 100, one, false)
	now = now.Add(time.Hour)
	if got := start(l, 100, one, false); got != clientPerHour {
		t.Errorf("an hour later: %d", got)
	}
}
