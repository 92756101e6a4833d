package delivery

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"mcpcensus/internal/account"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/webhook"
)

// A Store is the queue of deliveries.
type Store interface {
	// Dispatch makes deliveries of the next events that have none, and returns whether
	// there may be more. One process at a time does so; in others it returns at once.
	Dispatch(
		ctx context.Context, compile func(filters string) (func(*registry.Server) bool, error),
		now time.Time,
	) (more bool, err error)
	// ClaimDeliveries leases up to n due deliveries for ttl, at most each of an endpoint.
	ClaimDeliveries(
		ctx context.Context, n, each int, ttl time.Duration, now time.Time,
	) ([]webhook.Job, error)
	ReleaseDeliveries(ctx context.Context, jobs []webhook.Job) error
	// SaveAttempt stores the result of a job, unless its lease has ended. If that disables
	// the endpoint, it returns the address of its owner.
	SaveAttempt(ctx context.Context, j webhook.Job, a webhook.Attempt) (mailTo string, err error)
}

// A Mailer sends mail, possibly later. to is an address in ASCII.
type Mailer interface {
	Send(to, subject, text string) error
}

const (
	// atOnce is how many requests a worker sends at the same time, and each of them to
	// one endpoint.
	atOnce, each = 128, 2
	// leaseTTL is longer than an attempt takes. After a crash, deliveries are repeated
	// when it has passed.
	leaseTTL = time.Minute
	// poll is how often the queue is read while it is empty.
	poll = time.Second
	// settle is how long a worker collects results before it claims more.
	settle = 20 * time.Millisecond
)

// A Worker makes and sends deliveries. Several processes may run one.
type Worker struct {
	Store  Store
	Sender *Sender
	Mail   Mailer // nil: owners of disabled endpoints get no mail
	Site   string // name and URL of the registry, in mails
	Base   string
	Log    *slog.Logger
	Now    func() time.Time
	// Done is called with the result of each attempt: "delivered", "failed" or
	// "disabled". It may be nil.
	Done func(result string)
	// TTL is how long deliveries are leased; default one minute.
	TTL time.Duration
}

// Run works until ctx is done. Requests in progress are then canceled and repeated by the
// next worker.
func (w *Worker) Run(ctx context.Context) error {
	var group sync.WaitGroup
	defer group.Wait()
	slots := make(chan struct{}, atOnce)
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
			w.Log.ErrorContext(ctx, "webhooks are delayed, trying again", "err", err)
		}
		failing = err != nil
		wait := poll
		if busy && err == nil {
			wait = settle
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		case <-finished:
			select {
			case <-ctx.Done():
			case <-time.After(settle):
			}
		}
	}
	return nil
}

// step makes deliveries of new events, and starts at most n that are due. busy reports
// that there may be more to do.
func (w *Worker) step(
	ctx context.Context, n int, start func(webhook.Job),
) (busy bool, err error) {
	if busy, err = w.Store.Dispatch(ctx, compile, w.Now()); err != nil || n == 0 {
		return busy, err
	}
	ttl := w.TTL
	if ttl <= 0 {
		ttl = leaseTTL
	}
	jobs, err := w.Store.ClaimDeliveries(ctx, n, each, ttl, w.Now())
	for _, j := range jobs {
		start(j)
	}
	return busy || len(jobs) == n, err
}

// compile is the test of a saved search without a text.
func compile(filters string) (func(*registry.Server) bool, error) {
	if filters == "" {
		filters = "{}"
	}
	list, err := query.ParseFilters([]byte(filters))
	if err != nil {
		return nil, err
	}
	return query.Matcher(list), nil
}

// saveTimeout is for storing a result after the worker was stopped.
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
			w.Log.WarnContext(ctx, "delivery not released", "delivery", j.ID, "err", err)
		}
		return
	}
	now := w.Now()
	a := j.Result(webhook.Attempt{At: now, Took: now.Sub(began), Status: r.status, Error: r.fault},
		r.retryAfter)
	mailTo, err := w.Store.SaveAttempt(ctx, j, a)
	if err != nil {
		w.Log.WarnContext(ctx, "result of a delivery not stored, it will be repeated",
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
		w.tell(mailTo, &j.Endpoint, a)
	}
}

// tell sends the owner of a disabled endpoint a mail.
func (w *Worker) tell(to string, e *webhook.Endpoint, a webhook.Attempt) {
	if w.Mail == nil {
		return
	}
	why := "all deliveries in the last 5 days failed; the last one: " + a.Error
	if a.Disable == webhook.DisabledGone {
		why = "it responded with 410 (Gone)"
	}
	text := "Your webhook endpoint at " + w.Site + " (" + w.Base + ")\nwas disabled:\n\n" + e.URL +
		"\n\nReason: " + why + ".\n\nIt receives no more events. To enable it again, go to\n" +
		w.Base + "/account/webhooks\n"
	if address, err := account.ParseAddress(to); err == nil {
		to = address.ASCII
	}
	if err := w.Mail.Send(to, w.Site+": A webhook endpoint was disabled", text); err != nil {
		w.Log.Warn("mail not sent", "endpoint", e.ID, "err", err)
	}
}
