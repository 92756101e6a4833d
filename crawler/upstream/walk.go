package upstream

import (
	"time"

	"mcpcensus/crawler/serverjson"
	"mcpcensus/internal/version"
)

const (
	walkVersion = 2
	// walkOverlap is how far a walk over changes goes back before the last.
	walkOverlap = 10 * time.Minute
	// walkFull is the time between full walks, which find servers that others missed.
	walkFull = 7 * 24 * time.Hour
)

// A walk is how far the official registry has been read. It is the state of
// the source.
type walk struct {
	Version int `json:"v"` // walkVersion

	// Of the walk under way; Cursor is "" between walks.
	Cursor  string     `json:"cursor,omitempty"`
	Since   *time.Time `json:"since,omitempty"` // updated_since of the walk; nil: a full walk
	Started *time.Time `json:"started,omitempty"`
	Newest  *time.Time `json:"newest,omitempty"` // latest update seen
	Pages   int        `json:"pages,omitempty"`

	// Of finished walks.
	Seen    *time.Time `json:"seen,omitempty"`    // everything updated before is known
	WholeAt *time.Time `json:"wholeAt,omitempty"` // start of the last full walk
}

// start begins a walk: a full one if there was none in the last week.
func (w *walk) start(now time.Time) {
	w.Since, w.Newest, w.Pages = nil, nil, 0
	now = now.UTC()
	w.Started = &now
	if w.Seen != nil && w.WholeAt != nil && now.Sub(*w.WholeAt) < walkFull && !w.WholeAt.After(now) {
		since := w.Seen.Add(-walkOverlap)
		w.Since = &since
	}
}

// finish records what the walk has covered. Changes during the walk are later
// than its start. The registry's clock may be behind, so an earlier latest
// update counts instead of the start.
func (w *walk) finish() {
	seen := w.Newest
	if seen == nil || w.Started != nil && w.Started.Before(*seen) {
		seen = w.Started
	}
	if w.Since != nil && w.Newest == nil {
		seen = w.Seen // nothing changed
	}
	if seen != nil && (w.Since == nil || w.Seen == nil || seen.After(*w.Seen)) {
		w.Seen = seen
	}
	if w.Since == nil {
		w.WholeAt = w.Started
	}
	w.Cursor, w.Since, w.Started, w.Newest, w.Pages = "", nil, nil, nil, 0
}

// note records the updates of entries.
func (w *walk) note(entries []serverjson.Entry) {
	for _, e := range entries {
		if at := e.Listing.UpdatedAt; at != nil && (w.Newest == nil || at.After(*w.Newest)) {
			w.Newest = at
		}
	}
}

// better reports whether a rather than b is the version of a server to list.
func better(a, b serverjson.Entry) bool {
	if a.Latest != b.Latest {
		return a.Latest
	}
	if deletedA, deletedB := a.Listing.Status == "deleted",
		b.Listing.Status == "deleted"; deletedA != deletedB {
		return deletedB
	}
	if c := version.Compare("npm", a.Listing.Version, b.Listing.Version); c != 0 {
		return c > 0
	}
	at, bt := a.Listing.UpdatedAt, b.Listing.UpdatedAt
	return at != nil && (bt == nil || at.After(*bt))
}
