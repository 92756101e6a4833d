package quota

import (
	"context"
	"errors"
	"slices"
)

// A Store has the counts that processes share.
type Store interface {
	// LeaseQuota applies [Count.Lease] to requests, which have different keys:
	// to all or, with an error, to none. If the error is ErrUncertain, it may
	// have applied it to all.
	LeaseQuota(ctx context.Context, process int32, requests []LeaseRequest) ([]Lease, error)
	// QuotaRecalls returns the keys of scarce counts that process holds.
	QuotaRecalls(ctx context.Context, process int32) ([]Key, error)
}

// ErrUncertain reports that a change may or may not have been made.
var ErrUncertain = errors.New("the outcome is unknown")

// A LeaseRequest returns the unused requests of a process to a count and leases
// new ones.
type LeaseRequest struct {
	Key
	Limit  int
	Unused int  // requests that the process returns: all it has, less than 0 if it let more pass
	Want   int  // requests to lease, without the reserve; 0: none
	Evict  bool // take other holders for dead
}

// A Lease is the response to a [LeaseRequest].
type Lease struct {
	Given   int // requests that the process may let pass
	Granted int // requests of the limit that are used or leased by any process
	Holders int // other processes that may have unused requests
}

// A Count is the state of a limit in the store. Granted never exceeds the limit,
// unless that is lowered, so no failure lets more requests pass.
type Count struct {
	Granted int     // requests that are used or leased by any process
	Holders []int32 // processes that may have unused requests
	Scarce  bool    // a process waits for the unused requests of the holders
}

// maxReserve is the maximum reserve, which a process that is killed loses.
const maxReserve = 100

// Lease takes back the unused requests of process, and leases as many as it wants
// or the limit allows. It adds a reserve of an eighth of the rest, or of a 32nd
// while other processes have reserves.
func (c *Count) Lease(process int32, r LeaseRequest) Lease {
	c.Granted -= r.Unused
	c.Holders = slices.DeleteFunc(c.Holders, func(h int32) bool { return r.Evict || h == process })
	l := Lease{Holders: len(c.Holders)}
	if r.Want > 0 {
		rest := max(0, r.Limit-c.Granted)
		reserve := rest / 8
		if l.Holders > 0 {
			reserve = rest / 32
		}
		l.Given = min(rest, max(r.Want, min(reserve, maxReserve)))
		c.Granted += l.Given
		c.Scarce = l.Given < r.Want && l.Holders > 0
		if l.Given > r.Want {
			c.Holders = append(c.Holders, process)
		}
	}
	l.Granted = c.Granted
	return l
}
