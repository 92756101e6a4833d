package webhook

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
)

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
