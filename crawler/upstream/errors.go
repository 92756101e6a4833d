package upstream

import (
	"errors"
	"slices"
	"strings"
	"time"

	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
)

// A Shortfall contains the errors of the services that failed. The facts from the others are
// complete.
type Shortfall struct {
	errs map[string]error // by service
}

// add records the error of a service.
func (s *Shortfall) add(service string, err error) {
	if s.errs == nil {
		s.errs = map[string]error{}
	}
	if known := s.errs[service]; known == nil || errors.Is(known, registry.ErrLimited) {
		s.errs[service] = err // other errors take precedence over limits
	}
}

// err returns s as an error, nil if it is empty.
func (s *Shortfall) err() error {
	if len(s.errs) == 0 {
		return nil
	}
	return s
}

// Reasons returns the reasons by service, as in [registry.Facts.Failures].
func (s *Shortfall) Reasons() map[string]string {
	out := map[string]string{}
	for service, err := range s.errs {
		out[service] = transport.Reason(err)
	}
	return out
}

func (s *Shortfall) Error() string {
	var parts []string
	for service, reason := range s.Reasons() {
		parts = append(parts, service+": "+reason)
	}
	slices.Sort(parts)
	return strings.Join(parts, "; ")
}

// Unwrap makes a Shortfall a [registry.ErrUnavailable], and a
// [registry.ErrLimited] if all of its errors are limits.
func (s *Shortfall) Unwrap() []error {
	for _, err := range s.errs {
		if !errors.Is(err, registry.ErrLimited) {
			return []error{registry.ErrUnavailable}
		}
	}
	return []error{registry.ErrLimited, registry.ErrUnavailable}
}

// RetryAt returns when a request that failed with err may be retried, for a [Shortfall] the
// earliest time. It is zero if a service did not return a time.
func RetryAt(err error) time.Time {
	short, ok := errors.AsType[*Shortfall](err)
	if !ok {
		return transport.RetryAt(err)
	}
	var earliest time.Time
	for _, e := range short.errs {
		at := transport.RetryAt(e)
		if at.IsZero() {
			return at
		}
		if earliest.IsZero() || at.Before(earliest) {
			earliest = at
		}
	}
	return earliest
}
