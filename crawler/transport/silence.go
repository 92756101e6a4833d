package transport

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// After MaxLate consecutive requests without a response in time, requests of a client that gives up
// fail at once for SilentFor, so that an upstream that never responds does not keep those who send
// many.
const (
	MaxLate   = 3
	SilentFor = time.Minute
)

// ErrSilent is the cause of the errors of requests that are not sent because the upstream did not
// respond to others.
var ErrSilent = errors.New("it is asked again later")

// silence counts the consecutive requests of a client without a response in time.
type silence struct {
	mu    sync.Mutex
	late  int
	until time.Time // no request is sent before
}

func (s *silence) note(late bool, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.late++; !late {
		s.late = 0
	} else if s.late >= MaxLate {
		s.until = now.Add(SilentFor)
	}
}

// check returns an error while no request is sent.
func (s *silence) check(upstream string, now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !now.Before(s.until) {
		return nil
	}
	return &ResponseError{Upstream: upstream, Cause: ErrSilent,
		Reason: fmt.Sprintf("no response to %d requests", s.late)}
}
