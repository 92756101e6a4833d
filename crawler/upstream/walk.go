package upstream

import (
	"time"

	"mcpcensus/crawler/serverjson"
	"mcpcensus/internal/version"
)

const (
	walkVersion = 2
	// walkOverlap is the time before the last walk from which changes are read again.
	walkOverlap = 10 * time.Minute
	// walkFull is the time between full walks, which find servers that other walks missed.
	walkFull = 7 * 24 * time.Hour
)

// A walk is the progress of reading the official registry, and the state of the source.
type walk struct {
	Version int `json:"v"` // walkVersion

	// Of the walk in progress; Cursor is "" between walks.
	Cursor  string     `json:"cursor,omitempty"`
	Since   *time.Time `json:"since,omitempty"` // updated_since of the walk; nil: a full walk
	Started *time.Time `json:"started,omitempty"`
	Newest  *time.Time `json:"newest,omitempty"` // latest update seen
	Pages   int        `json:"pages,omitempty"`

	// Of finished walks.
	Seen    *time.Time `json:"seen,omitempty"`    // all updates before are known
	WholeAt *time.Time `json:"wholeAt,omitempty"` // start of the last full walk
}

// start starts a walk: a full one if the last full walk is a week old.
func (w *walk) start(now time.Time) {
	w.Since, w.Newest, w.Pages = nil, nil, 0
	now = now.UTC()
	w.Started = &now
	if w.Seen != nil && w.WholeAt != nil && now.Sub(*w.WholeAt) < walkFull && !w.WholeAt.After(now) {
		w.Since = new(w.Seen.Add(-walkOverlap))
	}
}

// finish records the time up to which changes are known: the start of the walk, or the latest
// update if that is earlier, because the registry's clock may be behind.
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

// better reports whether to list version a of a server instead of b.
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
