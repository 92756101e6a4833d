package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
)

// A Store stores endpoints and their deliveries; people.Store describes the methods. The error is of kind
// [registry.ErrNotFound] for those of other accounts.
type Store interface {
	Endpoints(ctx context.Context, account int64) ([]Endpoint, error)
	Endpoint(ctx context.Context, account, id int64) (Endpoint, error)
	AddEndpoint(ctx context.Context, e Endpoint, most int) (Endpoint, error)
	UpdateEndpoint(
		ctx context.Context, account, id int64, action string, change func(*Endpoint),
	) (Endpoint, error)
	DeleteEndpoint(ctx context.Context, account, id int64, now time.Time) error
	Deliveries(ctx context.Context, account, endpoint, before int64, limit int) ([]Delivery, error)
	Resend(ctx context.Context, account, endpoint, id int64, now time.Time) (Delivery, error)
	AddTest(ctx context.Context, account, endpoint int64, e Event) (Delivery, error)
	Customs(ctx context.Context, account int64) ([]account.Custom, error)
}

// A Service manages the endpoints of accounts, for the API and the pages.
type Service struct {
	Store
	// Key is the argument of [Endpoint.Secrets].
	Key []byte
	// Hosts is the argument of [Settings.Check].
	Hosts []string
	// Slug returns the current slug of a listed server by its current or a former one.
	Slug func(id string) (string, error)
	Now  func() time.Time
}

// Secret returns the current secret of an endpoint.
func (s *Service) Secret(e *Endpoint) string { return e.Secrets(s.Key, s.now())[0] }

// Create adds an endpoint with a new secret.
func (s *Service) Create(
	ctx context.Context, acc int64, plan *account.Plan, settings Settings,
) (Endpoint, error) {
	settings, err := s.check(ctx, acc, plan, settings)
	if err != nil {
		return Endpoint{}, err
	}
	now := s.now()
	e := Endpoint{Account: acc, Generation: 1, CreatedAt: now}
	e.Apply(settings, now)
	return s.AddEndpoint(ctx, e, plan.Webhooks)
}

// Change replaces the settings of an endpoint.
func (s *Service) Change(
	ctx context.Context, acc int64, plan *account.Plan, id int64, settings Settings,
) (Endpoint, error) {
	settings, err := s.check(ctx, acc, plan, settings)
	if err != nil {
		return Endpoint{}, err
	}
	now := s.now()
	return s.UpdateEndpoint(ctx, acc, id, "webhook.changed",
		func(e *Endpoint) { e.Apply(settings, now) })
}

// Rotate replaces the secret of an endpoint. The old one keeps signing for [RotatedFor].
func (s *Service) Rotate(ctx context.Context, acc, id int64) (Endpoint, error) {
	now := s.now()
	return s.UpdateEndpoint(ctx, acc, id, "webhook.rotated", func(e *Endpoint) { e.Rotate(now) })
}

// Delete deletes an endpoint and its deliveries.
func (s *Service) Delete(ctx context.Context, acc, id int64) error {
	return s.DeleteEndpoint(ctx, acc, id, s.now())
}

// Test sends a test event to an endpoint, which must be enabled.
func (s *Service) Test(ctx context.Context, acc, id int64) (Delivery, error) {
	if err := s.enabled(ctx, acc, id); err != nil {
		return Delivery{}, err
	}
	e, err := TestChange().Event(0, s.now())
	if err != nil {
		return Delivery{}, err
	}
	return s.AddTest(ctx, acc, id, e)
}

// Redeliver repeats a delivery to an endpoint, which must be enabled.
func (s *Service) Redeliver(ctx context.Context, acc, endpoint, id int64) (Delivery, error) {
	if err := s.enabled(ctx, acc, endpoint); err != nil {
		return Delivery{}, err
	}
	return s.Resend(ctx, acc, endpoint, id, s.now())
}

func (s *Service) enabled(ctx context.Context, acc, id int64) error {
	e, err := s.Endpoint(ctx, acc, id)
	if err == nil && e.DisabledAt != nil {
		err = &registry.Error{Kind: registry.ErrConflict, Code: "webhook_disabled",
			Msg: "The endpoint is disabled. Enable it first."}
	}
	return err
}

// now returns the time with the precision of the store.
func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Microsecond) }

func (s *Service) check(
	ctx context.Context, acc int64, plan *account.Plan, settings Settings,
) (Settings, error) {
	settings, faults := settings.Check(s.Hosts)
	if settings.Search != "" && !plan.Custom {
		ids := account.PlansWith(func(p *account.Plan) bool { return p.Custom })
		return settings, &registry.Error{Kind: registry.ErrForbidden, Code: "plan_upgrade_required",
			Plans: ids, Msg: "Webhooks for a custom endpoint require the Enterprise plan. Your plan is " +
				plan.Name + "."}
	}
	if len(faults) == 0 {
		for i, id := range settings.Servers {
			slug, err := s.Slug(id)
			if err != nil {
				faults = append(faults, registry.FieldError{Field: "servers",
					Message: fmt.Sprintf("must be IDs of listed servers, got %.100q", id)})
				break
			}
			settings.Servers[i] = slug
		}
		settings.Servers = distinct(settings.Servers)
	}
	if len(faults) == 0 && settings.Search != "" {
		fault, err := s.searchFault(ctx, acc, settings.Search)
		if err != nil {
			return settings, err
		}
		if fault != "" {
			faults = append(faults, registry.FieldError{Field: "search", Message: fault})
		}
	}
	if len(faults) == 0 {
		return settings, nil
	}
	slices.SortStableFunc(faults, func(a, b registry.FieldError) int {
		return strings.Compare(a.Field, b.Field)
	})
	messages := make([]string, len(faults))
	for i, f := range faults {
		messages[i] = f.Field + " " + f.Message
	}
	return settings, &registry.Error{Kind: registry.ErrInvalid, Msg: strings.Join(messages, "; "),
		Fields: faults}
}

// searchFault returns the fault of the name of a saved search, "" for none.
func (s *Service) searchFault(ctx context.Context, acc int64, name string) (string, error) {
	all, err := s.Customs(ctx, acc)
	if err != nil {
		return "", err
	}
	for _, c := range all {
		switch {
		case c.Name != name:
		case c.Query != "":
			return "must be a custom endpoint without q, because text search depends on the whole index", nil
		default:
			return "", nil
		}
	}
	return "must be the name of a custom endpoint of your account", nil
}

// States of a delivery.
const (
	Pending   = "pending"
	Delivered = "delivered"
	Failed    = "failed" // all attempts failed
)

// A Delivery is an event for an endpoint.
type Delivery struct {
	ID         int64
	EndpointID int64
	Event      Event
	State      string
	Attempts   int
	DueAt      time.Time // of the next attempt; meaningful while it is pending

	CreatedAt   time.Time
	AttemptedAt *time.Time // the last attempt; nil for none
	Status      *int       // of its response; nil: no response
	Error       string     // why it failed, for people; "": no failure
	Took        time.Duration
	DeliveredAt *time.Time
}

// A Job is a delivery that a worker has leased.
type Job struct {
	Delivery
	Lease    string
	Endpoint Endpoint
}

// An Attempt is the result of a job.
type Attempt struct {
	At     time.Time
	Took   time.Duration
	Status int    // of the response; 0: none
	Error  string // "" if it succeeded
	// State is the resulting state of the delivery, and DueAt the time of the next
	// attempt if it is pending.
	State string
	DueAt time.Time
	// Disable is the reason to disable the endpoint, one of the Disabled constants; "":
	// none.
	Disable string
}

// delays are the delays before each retry, over three days.
var delays = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour,
	14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// MaxAttempts is the maximum number of attempts of a delivery.
var MaxAttempts = len(delays) + 1

// FailFor is how long all attempts must fail before an endpoint is disabled.
const FailFor = 5 * 24 * time.Hour

// maxRetryAfter bounds the Retry-After of receivers.
const maxRetryAfter = 24 * time.Hour

// Result completes an attempt with At, Took, Status and Error: it sets the other fields.
// retryAfter is the delay that the receiver requests, 0 for none.
func (j *Job) Result(a Attempt, retryAfter time.Duration) Attempt {
	switch {
	case a.Error == "":
		a.State = Delivered
		return a
	case a.Status == 410:
		a.State, a.Disable = Failed, DisabledGone
		return a
	case j.Attempts >= len(delays):
		a.State = Failed
	default:
		// Add up to a fifth, to spread the retries of many deliveries.
		delay := delays[j.Attempts]
		delay += time.Duration(rand.Int64N(int64(delay)/5 + 1))
		a.State = Pending
		a.DueAt = a.At.Add(max(delay, min(retryAfter, maxRetryAfter)))
	}
	if since := j.Endpoint.FailingSince; since != nil && a.At.Sub(*since) >= FailFor {
		a.Disable = DisabledFailing
	}
	return a
}

// A Subscriber is an enabled endpoint with what decides which events it receives.
type Subscriber struct {
	Endpoint Endpoint
	Plan     account.Subscription
	Filters  *string // definition of its saved search; nil: not defined, or by a text
}

// A Batch is a batch of events to deliver.
type Batch struct {
	Subscribers []Subscriber // by account and ID
	Events      []Event
	// Records are the records of the servers of Events by server ID, the last ones of servers
	// that are gone. They are needed if a subscriber has a saved search.
	Records map[int64]json.RawMessage
}

// A Pair identifies a delivery to create.
type Pair struct {
	Endpoint int64
	Event    string // ID
}

// A Compiler returns the test of whether a server satisfies filters, given as JSON.
type Compiler func(filters string) (func(*registry.Server) bool, error)

// A receiver is an endpoint within the plan of its account.
type receiver struct {
	Endpoint
	matches func(*registry.Server) bool // of its saved search; nil: none
}

// Route decides which endpoints receive which events. An endpoint with a saved search receives
// the events of servers that satisfy it after the changes, or did before they were gone.
func (b *Batch) Route(compile Compiler, now time.Time) ([]Pair, error) {
	servers := map[int64]*registry.Server{}
	for id, record := range b.Records {
		servers[id] = new(registry.Server)
		if err := json.Unmarshal(record, servers[id]); err != nil {
			return nil, fmt.Errorf("record of server %d: %w", id, err)
		}
	}
	var all []Pair
	receivers := within(b.Subscribers, compile, now)
	for _, e := range b.Events {
		for _, to := range receivers {
			if to.receives(&e, servers[e.ServerID]) {
				all = append(all, Pair{to.ID, e.ID})
			}
		}
	}
	return all, nil
}

// within returns the oldest endpoints of each account, as many as its plan has. Without a plan
// for saved searches, or without the search, an endpoint with one receives nothing.
func within(all []Subscriber, compile Compiler, now time.Time) (out []receiver) {
	used := map[int64]int{}
	for _, s := range all {
		plan, to := s.Plan.At(now), receiver{Endpoint: s.Endpoint}
		if used[to.Account]++; used[to.Account] > plan.Webhooks {
			continue
		}
		if to.Search != "" {
			if s.Filters == nil || !plan.Custom {
				continue
			}
			var err error
			if to.matches, err = compile(*s.Filters); err != nil { // saved by another version
				continue
			}
		}
		out = append(out, to)
	}
	return out
}

// receives reports whether an endpoint receives an event of a server, nil if unknown.
func (to *receiver) receives(e *Event, s *registry.Server) bool {
	return (e.Account == 0 || e.Account == to.Account) &&
		(to.Events == nil || slices.Contains(to.Events, e.Type)) &&
		(to.Servers == nil || slices.Contains(to.Servers, e.Server)) &&
		(to.matches == nil || s != nil && to.matches(s))
}
