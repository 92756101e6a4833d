package scorer

import (
	"fmt"
	"math"
	"strings"
	"time"

	"mcpcensus/internal/registry"
)

// Minimum numbers of servers for computing priors: in total, and with the check measured.
const (
	MinPriorServers  = 1000
	MinPriorMeasured = 100
)

// A PriorSample gathers measured values over many servers. The zero value is
// empty and ready.
type PriorSample struct {
	servers int
	sum     []float64 // by check
	n       []int
}

// A Prior is the mean of one check over the servers where it was measured.
type Prior struct {
	Check    string  `json:"check"`
	Mean     float64 `json:"mean"`     // 0 to 1, two decimals
	Measured int     `json:"measured"` // servers
	Current  float64 `json:"current"`  // the prior of this version of the model
	// Enough reports whether the sample is large enough; without it the current prior stays.
	Enough bool `json:"enough"`
}

// Add adds one server to the sample. Servers without a score (gone, blocked, empty) are left
// out.
func (p *PriorSample) Add(f *registry.Facts, now time.Time) {
	if f.Gone || f.Blocked != "" || f.Repo.Empty || f.Repo.Private || f.Repo.Disabled {
		return
	}
	in := newInput(f, now)
	signals := in.measure()
	if in.stable(signals) {
		raise(signals)
	}
	if p.servers == 0 {
		p.sum, p.n = make([]float64, len(checks)), make([]int, len(checks))
	}
	p.servers++
	for i := range signals {
		if signals[i].state == StateOK {
			p.sum[i] += unit(signals[i].value)
			p.n[i]++
		}
	}
}

// Servers returns how many servers are in the sample.
func (p *PriorSample) Servers() int { return p.servers }

// Priors returns the mean of every check, in the order of the model.
func (p *PriorSample) Priors() []Prior {
	list := make([]Prior, len(checks))
	for i := range list {
		list[i] = Prior{Check: checks[i].ID, Current: checks[i].Prior, Mean: checks[i].Prior}
		if p.servers == 0 || p.n[i] == 0 {
			continue
		}
		list[i].Measured = p.n[i]
		list[i].Mean = math.Round(p.sum[i]/float64(p.n[i])*100) / 100
		list[i].Enough = p.servers >= MinPriorServers && p.n[i] >= MinPriorMeasured
	}
	return list
}

// Table returns a line for each check with the prior from the sample, to be set in the check's
// declaration. A check with too small a sample keeps its prior.
func (p *PriorSample) Table() string {
	var b strings.Builder
	for _, prior := range p.Priors() {
		value, note := prior.Mean, fmt.Sprintf("mean of %d", prior.Measured)
		if !prior.Enough {
			value, note = prior.Current, fmt.Sprintf("unchanged: only %d measured", prior.Measured)
		}
		fmt.Fprintf(&b, "%-18s Prior: %.2f // %s\n", prior.Check, value, note)
	}
	return b.String()
}
