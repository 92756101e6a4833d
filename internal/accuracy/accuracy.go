// Package accuracy holds the figures of the last acceptance test: the shares of correct facts.
// Its tests generate docs/accuracy.md.
package accuracy

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
)

// A Report is the result of acceptance tests. Dates are written as 2026-11-22.
type Report struct {
	Repositories int      `json:"repositories"`
	Negatives    int      `json:"negatives"` // repositories without a server
	Sources      bool     `json:"sources"`   // the repositories' files could be read
	OldestCommit string   `json:"oldestCommit"`
	NewestCommit string   `json:"newestCommit"`
	Figures      []Figure `json:"figures"` // in the order in which they were measured
}

// A Figure is the number of cases in which a fact was right, and of all cases.
type Figure struct {
	Fact  string `json:"fact"`
	Right int    `json:"right"`
	All   int    `json:"all"`
	Date  string `json:"date"` // of the measurement
}

// Share is the share that is right, in percent.
func (f Figure) Share() string {
	share := 100 * float64(f.Right) / float64(max(f.All, 1))
	if f.Right < f.All {
		share = min(share, 99.9) // not "100.0%"
	}
	return fmt.Sprintf("%.1f%%", share)
}

// Compared compares a figure with the one in r, an earlier report: "before: 63 of 64",
// with "FELL" before it if the share is smaller; "new" if r lacks it.
func (r Report) Compared(f Figure) string {
	i := slices.IndexFunc(r.Figures, func(former Figure) bool { return former.Fact == f.Fact })
	if i < 0 {
		return "new"
	}
	former := r.Figures[i]
	text := fmt.Sprintf("before: %s (%d of %d)", former.Share(), former.Right, former.All)
	switch now, then := f.Right*former.All, former.Right*f.All; {
	case now < then:
		return "FELL, " + text
	case now == then && f.All == former.All:
		return "as before"
	}
	return text
}

//go:embed accuracy.json
var stored []byte

// Last returns the report that this version of the program has.
func Last() Report {
	var r Report
	if err := json.Unmarshal(stored, &r); err != nil {
		panic("accuracy: " + err.Error()) // the file is embedded
	}
	return r
}
