package delivery

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"mcpcensus/internal/account"
	"mcpcensus/internal/postgres/people"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/webhook"
)

const (
	maxConcurrent  = 128                   // requests of a worker
	maxPerEndpoint = 2                     // concurrent requests to an endpoint
	leaseTTL       = time.Minute           // longer than an attempt; after a crash, deliveries wait for it
	pollEvery      = time.Second           // while the queue is empty
	collectFor     = 20 * time.Millisecond // results, before claiming more deliveries
)

// A Worker creates and sends deliveries. Several processes may run one.
type Worker struct {
	Store  *people.Store
	Sender *Sender
	Mail   account.Mailer // nil: owners of disabled endpoints are not notified
	Site   string         // name and URL of the registry, for mail
	Base   string
	Log    *slog.Logger
	Now    func() time.Time
	// Done is called with the result of each attempt: "delivered", "failed" or
	// "disabled". It may be nil.
	Done func(result string)
}

// Run works until ctx is done. It then cancels requests in progress, which the next worker
// repeats.
func (w *Worker) Run(ctx context.Context) error {
	var group sync.WaitGroup
	defer group.Wait()
	slots := make(chan struct{}, maxConcurrent)
	finished := make(chan struct{}, 1)
	failing := false
	for ctx.Err() == nil {
		busy, err := w.step(ctx, cap(slots)-len(slots), func(j webhook.Job) {
			slots <- struct{}{}
			group.Go(func() {
				defer func() {
					<-slots
					select {
					case finished <- struct{}{}:
					default:
					}
				}()
				w.attempt(ctx, j)
			})
		})
		if err != nil && !failing && ctx.Err() == nil {
			w.Log.ErrorContext(ctx, "webhooks are delayed, retrying", "err", err)
		}
		failing = err != nil
		wait := pollEvery
		if busy && err == nil {
			wait = collectFor
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		case <-finished:
			select {
			case <-ctx.Done():
			case <-time.After(collectFor):
			}
		}
	}
	return nil
}

// step creates the deliveries of new events, and starts up to n due ones. busy reports
// that there may be more.
func (w *Worker) step(
	ctx context.Context, n int, start func(webhook.Job),
) (busy bool, err error) {
	now := w.Now()
	route := func(b *webhook.Batch) ([]webhook.Pair, error) { return b.Route(compile, now) }
	if busy, err = w.Store.Dispatch(ctx, route, now); err != nil || n == 0 {
		return busy, err
	}
	jobs, err := w.Store.ClaimDeliveries(ctx, n, maxPerEndpoint, leaseTTL, w.Now())
	for _, j := range jobs {
		start(j)
	}
	return busy || len(jobs) == n, err
}

// compile returns the matcher of the filters of a saved search.
func compile(filters string) (func(*registry.Server) bool, error) {
	filters = cmp.Or(filters, "{}")
	list, err := query.ParseFilters([]byte(filters))
	if err != nil {
		return nil, err
	}
	return query.Matcher(list), nil
}

const saveTimeout = 5 * time.Second

// attempt sends a delivery and stores the result.
func (w *Worker) attempt(ctx context.Context, j webhook.Job) {
	began := w.Now()
	r := w.Sender.send(ctx, &j, began)
	stopped := ctx.Err() != nil && r.status == 0
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	if stopped {
		if err := w.Store.ReleaseDeliveries(ctx, []webhook.Job{j}); err != nil {
			w.Log.WarnContext(ctx, "cannot release a delivery", "delivery", j.ID, "err", err)
		}
		return
	}
	now := w.Now()
	a := j.Result(webhook.Attempt{At: now, Took: now.Sub(began), Status: r.status, Error: r.fault},
		r.retryAfter)
	mailTo, err := w.Store.SaveAttempt(ctx, j, a)
	if err != nil {
		w.Log.WarnContext(ctx, "cannot store the result of a delivery, which will be repeated",
			"delivery", j.ID, "err", err)
		return
	}
	result := "delivered"
	switch {
	case a.Disable != "":
		result = "disabled"
	case a.Error != "":
		result = "failed"
	}
	if w.Done != nil {
		w.Done(result)
	}
	if mailTo != "" {
		w.Log.InfoContext(ctx, "webhook endpoint disabled", "endpoint", j.Endpoint.ID,
			"account", j.Endpoint.Account, "why", a.Disable)
		w.notify(mailTo, &j.Endpoint, a)
	}
}

// notify sends mail to the owner of a disabled endpoint.
func (w *Worker) notify(to string, e *webhook.Endpoint, a webhook.Attempt) {
	if w.Mail == nil {
		return
	}
	why := "all deliveries in the last 5 days failed; the last error: " + a.Error
	if a.Disable == webhook.DisabledGone {
		why = "it responded with 410 (Gone)"
	}
	text := "Your webhook endpoint at " + w.Site + " (" + w.Base + ")\nwas disabled:\n\n" + e.URL +
		"\n\nReason: " + why + ".\n\nIt no longer receives events. To enable it again, go to\n" +
		w.Base + "/account/webhooks\n"
	if address, err := account.ParseAddress(to); err == nil {
		to = address.ASCII
	}
	if err := w.Mail.Send(to, w.Site+": A webhook endpoint was disabled", text); err != nil {
		w.Log.Warn("mail not sent", "endpoint", e.ID, "err", err)
	}
}
