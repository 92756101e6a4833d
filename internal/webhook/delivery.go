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
