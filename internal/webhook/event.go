// Package webhook defines the events of servers, the endpoints of accounts that receive
// them, and the signatures and retries of deliveries. Package delivery sends them.
package webhook

import (
	"crypto/rand"
	"encoding/json"
	"slices"
	"time"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// Types of events.
const (
	Listed       = registry.EventListed
	Updated      = "server.updated"
	Version      = "server.version"
	ScoreChanged = registry.EventScoreChanged
	Deprecated   = "server.deprecated"
	Archived     = "server.archived"
	Gone         = "server.gone"
	Advisory     = "server.advisory"
	ToolsChanged = registry.EventToolsChanged
	Test         = "webhook.test" // sent on request only
)

// Types are the types of events that endpoints can choose.
var Types = []string{
	Listed, Updated, Version, ScoreChanged, Deprecated, Archived, Gone, Advisory, ToolsChanged,
}

// KeepFor is how long events and their deliveries are stored.
const KeepFor = 30 * 24 * time.Hour

// An Event is a change of a server.
type Event struct {
	ID string
	// Sequence is the number of the change, in one sequence for all servers. The events
	// of a change share it.
	Sequence int64
	Type     string
	ServerID int64  // 0 for none
	Server   string // slug; "" for none
	Account  int64  // the only account that may receive it; 0 for all
	At       time.Time
	Data     json.RawMessage
}

// NewID returns a unique ID of an event.
func NewID() string { return "evt_" + rand.Text() }

func (e *Event) Body() ([]byte, error) {
	return text.JSON(struct {
		Type      string          `json:"type"`
		Timestamp time.Time       `json:"timestamp"`
		Data      json.RawMessage `json:"data"`
	}{e.Type, e.At.UTC(), e.Data})
}

// A State is a server before or after a change. Nil means not listed.
type State struct {
	Server     *registry.Server
	Advisories []registry.Advisory // open ones of its packages; nil if they did not change
}

func (s *State) Slug() string {
	if s == nil {
		return ""
	}
	return s.Server.Slug
}

// A Change is an event before it is stored.
type Change struct {
	Type string
	Data any
}

// Event returns the event of a change with the given sequence number.
func (c Change) Event(sequence int64, at time.Time) (Event, error) {
	data, err := text.JSON(c.Data)
	return Event{ID: NewID(), Sequence: sequence, Type: c.Type, At: at, Data: data}, err
}

// Limits of lists and texts in events, which keep payloads below 20 kB.
const (
	maxListed     = 30
	maxAdvisories = 15
	maxTitled     = 10 // of advisories, with title and URL
	maxName       = 80 // bytes
	maxText       = 200
)

// scoreStep is the minimum change of a score that is reported if the grade stays.
const scoreStep = 5

// The data of events. All have the server after the change, or before it was gone.
type (
	serverData struct {
		ID         string `json:"id"`
		Name       string `json:"name"`
		Repository string `json:"repository"`
		Status     string `json:"status"`
		Score      *int   `json:"score"`
		Grade      string `json:"grade,omitempty"`
		Version    string `json:"version,omitempty"`
	}
	listedData struct {
		Server serverData `json:"server"`
	}
	updatedData struct {
		Server  serverData `json:"server"`
		Changed []string   `json:"changed"`
	}
	versionData struct {
		Server serverData `json:"server"`
		Before string     `json:"before"`
		After  string     `json:"after"`
	}
	scoreData struct {
		Server serverData `json:"server"`
		Before rating     `json:"before"`
		After  rating     `json:"after"`
	}
	rating struct {
		Score int    `json:"score"`
		Grade string `json:"grade"`
	}
	statusData struct {
		Server    serverData `json:"server"`
		Message   string     `json:"message,omitempty"`
		Successor string     `json:"successorUrl,omitempty"`
	}
	advisoryData struct {
		Server     serverData     `json:"server"`
		Advisories []advisoryItem `json:"advisories"`
		Count      int            `json:"count"`
	}
	advisoryItem struct {
		ID       string `json:"id"`
		Severity string `json:"severity"`
		Package  string `json:"package,omitempty"`
		Fixed    string `json:"fixedIn,omitempty"`
		Title    string `json:"title,omitempty"`
		URL      string `json:"url,omitempty"`
	}
	toolsData struct {
		Server  serverData `json:"server"`
		Source  string     `json:"source"`
		Package *string    `json:"package"`
		Version string     `json:"version,omitempty"`
		// WithoutNewVersion reports that the list before was of the same version.
		WithoutNewVersion bool     `json:"withoutNewVersion"`
		Added             []string `json:"added"`
		Removed           []string `json:"removed"`
		Changed           []string `json:"changed"`
		Count             int      `json:"count"` // of all three; the lists may be shorter
	}
)

// Changes returns the events of a server that was before and is after; either may be
// nil. A change of the score is reported if it is at least 5 points or changes the
// grade, and both scores have the same version of the model.
func Changes(before, after *State) []Change {
	switch {
	case before == nil && after == nil:
		return nil
	case before == nil:
		return []Change{{Listed, listedData{dataOf(after.Server)}}}
	case after == nil:
		server := dataOf(before.Server)
		server.Status = registry.StatusDeleted
		return []Change{{Gone, statusData{Server: server}}}
	}
	was, is := before.Server, after.Server
	server := dataOf(is)
	var all []Change
	if changed := changedFields(was, is); len(changed) > 0 {
		all = append(all, Change{Updated, updatedData{server, changed}})
	}
	if a, b := was.LatestVersion, is.LatestVersion; a != b && a != "" && b != "" {
		all = append(all, Change{Version, versionData{server, cut(a), cut(b)}})
	}
	if a, b := was.Health, is.Health; scoreChanged(a, b) {
		all = append(all, Change{ScoreChanged, scoreData{server,
			rating{*a.Score, registry.GradeOf(*a.Score)},
			rating{*b.Score, registry.GradeOf(*b.Score)}}})
	}
	if was.Status != is.Status {
		data := statusData{server, clean(is.StatusMessage, maxText),
			clean(is.SuccessorURL, maxText)}
		switch is.Status {
		case registry.StatusDeprecated:
			all = append(all, Change{Deprecated, data})
		case registry.StatusArchived:
			all = append(all, Change{Archived, data})
		}
	}
	if found := newAdvisories(before.Advisories, after.Advisories); len(found) > 0 {
		n := len(found)
		all = append(all, Change{Advisory, advisoryData{server, found[:min(n, maxAdvisories)], n}})
	}
	if data, ok := toolsChange(was, is); ok {
		all = append(all, Change{ToolsChanged, data})
	}
	return all
}

func dataOf(s *registry.Server) serverData {
	d := serverData{ID: s.Slug, Name: cut(s.Name), Repository: clean(s.Repo.URL(), maxText),
		Status: s.Status, Score: s.Health.Score, Version: cut(s.LatestVersion)}
	if d.Score != nil {
		d.Grade = registry.GradeOf(*d.Score)
	}
	return d
}

func cut(s string) string { return clean(s, maxName) }

// clean returns at most n bytes of a text with visible characters only.
func clean(s string, n int) string { return text.Cut(text.Visible(text.Cut(s, n)), n) }

// changedFields returns the names of changed fields without a separate event. Figures
// that change daily are not included.
func changedFields(a, b *registry.Server) (names []string) {
	for _, f := range []struct {
		name string
		same bool
	}{
		{"name", a.Name == b.Name},
		{"title", a.Title == b.Title},
		{"description", a.Description == b.Description},
		{"registryName", a.RegistryName == b.RegistryName},
		{"category", a.Category == b.Category},
		{"license", a.License == b.License},
		{"homepage", a.Homepage == b.Homepage},
		{"repository", a.Repo.URL() == b.Repo.URL() && a.Subfolder == b.Subfolder},
		{"packages", slices.EqualFunc(a.Packages, b.Packages, samePackage)},
		{"remotes", slices.EqualFunc(a.Remotes, b.Remotes, sameRemote)},
		{"transports", slices.Equal(a.Transports, b.Transports)},
		{"official", a.Official == b.Official},
		{"verified", a.Verified == b.Verified},
		{"status", a.Status == b.Status || b.Status == registry.StatusDeprecated ||
			b.Status == registry.StatusArchived},
	} {
		if !f.same {
			names = append(names, f.name)
		}
	}
	return names
}

func samePackage(a, b registry.Package) bool {
	return a.RegistryType == b.RegistryType && a.Identifier == b.Identifier
}

func sameRemote(a, b registry.Remote) bool { return a.Type == b.Type && a.URL == b.URL }

func scoreChanged(a, b registry.Health) bool {
	if a.Score == nil || b.Score == nil || a.Version != b.Version {
		return false
	}
	step := *a.Score - *b.Score
	return step >= scoreStep || -step >= scoreStep ||
		registry.GradeOf(*a.Score) != registry.GradeOf(*b.Score)
}

// newAdvisories returns the advisories that only after has.
func newAdvisories(before, after []registry.Advisory) (found []advisoryItem) {
	known := map[[2]string]bool{}
	for _, a := range before {
		known[[2]string{a.ID, a.Package}] = true
	}
	for _, a := range after {
		key := [2]string{a.ID, a.Package}
		if known[key] {
			continue
		}
		known[key] = true
		found = append(found, advisoryItem{ID: cut(a.ID), Severity: cut(a.Severity),
			Package: cut(a.Package), Fixed: cut(a.Fixed)})
		if n := len(found); n <= maxTitled {
			found[n-1].Title, found[n-1].URL = clean(a.Title, maxText), clean(a.URL, maxText)
		}
	}
	return found
}

// toolsChange compares lists of the same source, other than READMEs. It ignores changed
// lists of the same version of a package, which different rules have read.
func toolsChange(a, b *registry.Server) (d toolsData, ok bool) {
	if a.ToolsHash == b.ToolsHash || a.ToolsHash == "" || b.ToolsHash == "" ||
		a.ToolsFrom != b.ToolsFrom || a.ToolsPackage != b.ToolsPackage ||
		b.ToolsFrom == registry.ToolsFromReadme {
		return d, false
	}
	same := a.ToolsVersion != "" && a.ToolsVersion == b.ToolsVersion
	if same && b.ToolsPackage.Identifier != "" {
		return d, false
	}
	d = toolsData{Server: dataOf(b), Source: b.ToolsFrom, Version: cut(b.ToolsVersion),
		WithoutNewVersion: same}
	if p := b.ToolsPackage; p.Identifier != "" {
		d.Package = new(cut(p.RegistryType + " " + p.Identifier))
	}
	added, removed, changed := CompareHashes(hashes(a.Tools), hashes(b.Tools))
	d.Count = len(added) + len(removed) + len(changed)
	for _, list := range [][]string{added, removed, changed} {
		for i, name := range list {
			list[i] = cut(name)
		}
	}
	d.Added, d.Removed, d.Changed = names(added), names(removed), names(changed)
	return d, d.Count > 0
}

// CompareHashes returns the sorted names that only the second map has, that only
// the first has, and those with different values.
func CompareHashes(before, after map[string]string) (added, removed, changed []string) {
	for name, hash := range after {
		if old, known := before[name]; !known {
			added = append(added, name)
		} else if old != hash {
			changed = append(changed, name)
		}
	}
	for name := range before {
		if _, known := after[name]; !known {
			removed = append(removed, name)
		}
	}
	slices.Sort(added)
	slices.Sort(removed)
	slices.Sort(changed)
	return added, removed, changed
}

func hashes(list []registry.Tool) map[string]string {
	by := make(map[string]string, len(list))
	for _, t := range list {
		by[t.Name] = t.Hash
	}
	return by
}

// names returns up to maxListed names.
func names(all []string) []string {
	return append([]string{}, all[:min(len(all), maxListed)]...)
}

// TestChange returns the event that tests an endpoint.
func TestChange() Change {
	return Change{Test, struct {
		Message string `json:"message"`
	}{"This is a test."}}
}
