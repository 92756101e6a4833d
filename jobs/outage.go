package jobs

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"mcpcensus/internal/registry"
)

// An Outage logs the first of consecutive errors, others that say something else to operators, and
// their end. The zero value is ready for use, and safe for concurrent use.
type Outage struct {
	mu     sync.Mutex
	failed bool   // the last attempt
	said   string // by its error
}

// Note notes the result of an attempt.
func (o *Outage) Note(ctx context.Context, log *slog.Logger, what string, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	said := ""
	if e, ok := errors.AsType[*registry.Error](err); ok {
		said = e.Msg
	}
	switch {
	case err == nil && o.failed:
		log.InfoContext(ctx, what+": works again")
	case err != nil && (!o.failed || said != o.said):
		log.ErrorContext(ctx, what, "err", err)
	}
	o.failed, o.said = err != nil, said
}
