package registry

import "time"

// Status is how the crawl stands.
type Status struct {
	At time.Time `json:"at"`

	// Repositories counts repositories by state: "new" (never visited, and
	// nothing known of them), "server", "not_server", "empty", "blocked",
	// "unknown", "missing" (the code host did not know them at the last visit)
	// and "gone" (missed often and long enough). Each is counted once.
	Repositories map[string]int `json:"repositories"`
	// Unvisited counts the repositories that were never visited. Of those among
	// them whose state is "server", the official registry says all that is known.
	Unvisited int   `json:"unvisited"`
	Servers   int   `json:"servers"` // listed
	Hidden    int   `json:"hidden"`
	Listings  int   `json:"listings"` // entries of the official registry
	Seq       int64 `json:"seq"`      // number of the last change

	Due    int `json:"due"`    // repositories whose turn has come, leased ones left out
	Leased int `json:"leased"` // being worked on
	Forced int `json:"forced"` // asked for by hand and not yet done

	// LagP50 and LagP95 say for how many seconds the due repositories have
	// been waiting; nil if none is due.
	LagP50 *float64 `json:"lagP50Seconds"`
	LagP95 *float64 `json:"lagP95Seconds"`
	// AgeP50 and AgeP95 say how many seconds ago the repositories that hold
	// servers were last looked at; nil if there are none.
	AgeP50 *float64 `json:"ageP50Seconds"`
	AgeP95 *float64 `json:"ageP95Seconds"`

	Failing []Failure `json:"failing"` // most frequent first, at most 20

	Packages     int `json:"packages"`
	PackagesDue  int `json:"packagesDue"`
	DownloadsDue int `json:"downloadsDue"`

	Sources []SourceState `json:"sources"`
	// Named counts the repositories that each source has ever named, by the
	// source's name.
	Named   map[string]int `json:"named"`
	Budgets []Budget       `json:"budgets"`
	Jobs    []JobRun       `json:"jobs"` // the last run of each
}

// A Failure is an error that some repositories or packages had at the last try.
type Failure struct {
	Of     string    `json:"of"` // "repository" or "package"
	Error  string    `json:"error"`
	Count  int       `json:"count"`
	LastAt time.Time `json:"lastAt"`
	// Example is one of them.
	Example string `json:"example"`
}
