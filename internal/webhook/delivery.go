package webhook

import (
	"math/rand/v2"
	"time"
)

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
	Error       string     // why it failed, for people; ""
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
	// State is that of the delivery after it, and DueAt the next attempt if it is
	// pending.
	State string
	DueAt time.Time
	// Disable is why the endpoint is disabled, one of the Disabled constants; "" if it
	// is not.
	Disable string
}

// delays are the delays before each retry, over three days.
var delays = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour,
	14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// MaxAttempts is how often a delivery is attempted.
var MaxAttempts = len(delays) + 1

// FailFor is how long all attempts may fail before an endpoint is disabled.
const FailFor = 5 * 24 * time.Hour

// maxRetryAfter bounds what a receiver asks for.
const maxRetryAfter = 24 * time.Hour

// Result completes the attempt of a job, of which At, Took, Status and Error are set: it
// determines what happens next. retryAfter is what the receiver asks for, 0 for nothing.
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
		// Up to a fifth more, so that the retries of many deliveries spread.
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
