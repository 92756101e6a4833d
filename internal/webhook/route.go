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
	Server *registry.Server // nil if it is not listed
}

// A Batch is the changes that are made into deliveries at a time.
type Batch struct {
	// Endpoints are those that are enabled and that the plans of their accounts include.
	Endpoints []Endpoint
	// Matchers decide which servers the results of views are. Endpoints with another
	// view receive nothing.
	Matchers map[View]func(*registry.Server) bool
	Events   []Event
	Servers  []ChangedServer
	// Members are those of the views among Servers, before the changes.
	Members  []Member
	Sequence int64 // number of the last change
	Now      time.Time
}

// A Routed batch is what results from it.
type Routed struct {
	Events       []Event // of views
	Deliveries   []Pair
	Joined, Left []Member
}

// A Pair is a delivery to be made.
type Pair struct {
	Endpoint int64
	Event    string // ID
}

// Route decides which endpoints receive which events. An endpoint with a view receives
// the events of servers that are among its results before or after the changes.
func Route(b *Batch) (r Routed, err error) {
	within := map[Member]bool{} // without slugs
	key := func(v View, id int64) Member { return Member{View: v, ServerID: id} }
	for _, m := range b.Members {
		within[key(m.View, m.ServerID)] = true
	}
	for v, matches := range b.Matchers {
		var added, removed []string
		for _, s := range b.Servers {
			was := within[key(v, s.ID)]
			is := s.Server != nil && matches(s.Server)
			m := Member{v, s.ID, s.Slug}
			switch {
			case is && !was:
				r.Joined, added = append(r.Joined, m), append(added, s.Slug)
				within[key(v, s.ID)] = true
			case was && !is:
				r.Left, removed = append(r.Left, m), append(removed, s.Slug)
			}
		}
		if len(added)+len(removed) == 0 {
			continue
		}
		slices.Sort(added)
		slices.Sort(removed)
		e, err := ViewChange(v.Name, added, removed).Event(b.Sequence, b.Now)
		if err != nil {
			return r, err
		}
		e.Account = v.Account
		for _, to := range b.Endpoints {
			if to.Account == v.Account && to.Search == v.Name && to.wants(e.Type) {
				r.Deliveries = append(r.Deliveries, Pair{to.ID, e.ID})
			}
		}
		r.Events = append(r.Events, e)
	}
	for _, e := range b.Events {
		for _, to := range b.Endpoints {
			if e.Account != 0 && e.Account != to.Account || !to.wants(e.Type) {
				continue
			}
			if to.Servers != nil && !slices.Contains(to.Servers, e.Server) ||
				to.Search != "" && !within[key(View{to.Account, to.Search}, e.ServerID)] {
				continue
			}
			r.Deliveries = append(r.Deliveries, Pair{to.ID, e.ID})
		}
	}
	slices.SortFunc(r.Events, func(a, b Event) int { return strings.Compare(a.ID, b.ID) })
	return r, nil
}

// wants reports whether an endpoint chose a type of events.
func (e *Endpoint) wants(kind string) bool {
	return e.Events == nil || slices.Contains(e.Events, kind)
}
