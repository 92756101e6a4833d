package webhook

import (
	"slices"
	"strings"
	"time"

	"mcpcensus/internal/registry"
)

// A View names a saved search of an account.
type View struct {
	Account int64
	Name    string
}

// A Member is a server among the results of a view.
type Member struct {
	View
	ServerID int64
	Server   string // slug
}

// A ChangedServer is a server after changes.
type ChangedServer struct {
	ID     int64
	Seq    int64 // number of the last change
	Slug   string
	Server *registry.Server // nil: not listed
}

// A Batch is a batch of changes to deliver.
type Batch struct {
	// Endpoints are the enabled endpoints within the plans of their accounts.
	Endpoints []Endpoint
	// Matchers report which servers views contain. Endpoints with other views receive
	// nothing.
	Matchers map[View]func(*registry.Server) bool
	Events   []Event
	Servers  []ChangedServer
	// Members are the members of the views among Servers, before the changes.
	Members  []Member
	Sequence int64 // number of the last change
	Now      time.Time
}

// A Routed is the result of a Batch.
type Routed struct {
	Events       []Event // of views
	Deliveries   []Pair
	Joined, Left []Member
}

// A Pair identifies a delivery to create.
type Pair struct {
	Endpoint int64
	Event    string // ID
}

// Route decides which endpoints receive which events. An endpoint with a view receives
// the events of servers that are among its results before or after the changes.
func Route(b *Batch) (r Routed, err error) {
	within := map[Member]bool{} // without slugs
	for _, m := range b.Members {
		within[Member{View: m.View, ServerID: m.ServerID}] = true
	}
	for v, matches := range b.Matchers {
		if err := r.change(b, v, matches, within); err != nil {
			return r, err
		}
	}
	for _, e := range b.Events {
		for _, to := range b.Endpoints {
			if to.receives(&e, within) {
				r.Deliveries = append(r.Deliveries, Pair{to.ID, e.ID})
			}
		}
	}
	slices.SortFunc(r.Events, func(a, b Event) int { return strings.Compare(a.ID, b.ID) })
	return r, nil
}

// change adds the servers that joined and left a view, and the event about them. It also
// adds joined servers to within.
func (r *Routed) change(
	b *Batch, v View, matches func(*registry.Server) bool, within map[Member]bool,
) error {
	var added, removed []string
	for _, s := range b.Servers {
		key := Member{View: v, ServerID: s.ID}
		is, m := s.Server != nil && matches(s.Server), Member{v, s.ID, s.Slug}
		switch was := within[key]; {
		case is && !was:
			r.Joined, added = append(r.Joined, m), append(added, s.Slug)
			within[key] = true
		case was && !is:
			r.Left, removed = append(r.Left, m), append(removed, s.Slug)
		}
	}
	if len(added)+len(removed) == 0 {
		return nil
	}
	slices.Sort(added)
	slices.Sort(removed)
	e, err := ViewChange(v.Name, added, removed).Event(b.Sequence, b.Now)
	if err != nil {
		return err
	}
	e.Account = v.Account
	for _, to := range b.Endpoints {
		if to.Account == v.Account && to.Search == v.Name && to.wants(e.Type) {
			r.Deliveries = append(r.Deliveries, Pair{to.ID, e.ID})
		}
	}
	r.Events = append(r.Events, e)
	return nil
}

// receives reports whether an endpoint receives an event of a server.
func (to *Endpoint) receives(e *Event, within map[Member]bool) bool {
	return (e.Account == 0 || e.Account == to.Account) && to.wants(e.Type) &&
		(to.Servers == nil || slices.Contains(to.Servers, e.Server)) &&
		(to.Search == "" || within[Member{View: View{to.Account, to.Search}, ServerID: e.ServerID}])
}

// wants reports whether an endpoint chose a type of events.
func (e *Endpoint) wants(kind string) bool {
	return e.Events == nil || slices.Contains(e.Events, kind)
}
