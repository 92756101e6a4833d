package jobs

import (
	"context"
	"log/slog"
	"sync"
)

// An outage logs an error that lasts once, and its end. The zero value is ready for use, and safe
// for concurrent use.
type outage struct {
	mu   sync.Mutex
	last string // the error, "" for none
}

// log notes the result of an attempt.
func (o *outage) log(ctx context.Context, log *slog.Logger, what string, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case err == nil && o.last != "":
		log.InfoContext(ctx, what+": works again")
		o.last = ""
	case err != nil && err.Error() != o.last:
		log.ErrorContext(ctx, what, "err", err)
		o.last = err.Error()
	}
}
