package registry

import "time"

// News is something that happened to a listed server and is not in its record:
// that it was listed, or that its score changed from one day to the next.
type News struct {
	Slug string
	// At is when it was listed, or the end of the UTC day that a score is of.
	At time.Time
	// Before and Then are the scores of two days that follow each other; both
	// are nil where the server was listed.
	Before, Then *int
}
