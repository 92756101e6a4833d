package quota

import (
	"context"
	"errors"
	"slices"
	"time"
)

// A Store has the counts that processes share.
type Store interface {
	// Join returns the number of a new process.
	Join(ctx context.Context) (process int32, err error)
	// Beat records that a process is alive, and returns the store's time.
	Beat(ctx context.Context, process int32) (time.Time, error)
	// Share returns the shares of an hour. The first call splits total evenly
	// among the processes that are alive; later calls return the same without
	// the processes that have left.
	Share(ctx context.Context, starts int64, total int) (Share, error)
	// Lease applies [Count.Lease] to requests, which have different keys: to
	// all or, with an error, to none. If the error is ErrUncertain, it may
	// have applied it to all.
	Lease(ctx context.Context, process int32, requests []LeaseRequest) ([]Lease, error)
	// Granted returns Count.Granted of a key.
	Granted(ctx context.Context, k Key) (int, error)
	// Leave removes a process that has returned its leases, and returns its
	// shares.
	Leave(ctx context.Context, process int32) error
	// Recalls returns a channel of keys whose leases this process should
	// return because other processes need them. It is closed when ctx is done.
	Recalls(ctx context.Context, process int32) (<-chan Key, error)
}

// ErrUncertain says that it is unknown whether a change was made.
var ErrUncertain = errors.New("the outcome is unknown")

// AliveFor is how long after its last beat a process counts as alive.
const AliveFor = 10 * time.Second

// A Share is the part of the limit of every client that processes may use in an
// hour without a lease.
type Share struct {
	Each      int // requests for each process
	Processes []int32
}

// A LeaseRequest asks for requests of a limit on behalf of a process, and
// returns those that it has.
type LeaseRequest struct {
	Key
	Limit  int
	Unused int // requests that the process returns: all it has
	Want   int // requests that wait; 0: none
}

// A Lease is the response to a [LeaseRequest].
type Lease struct {
	Given   int // requests that the process may let pass
	Granted int // requests of the limit that are used, or leased by any process
	Holders int // other processes that may have unused requests
	Alive   int // those of Holders that are alive, if Given is less than requested
}

// A Count is the state of a limit in the store. Granted is at most the limit,
// unless that was lowered: whatever fails, no more requests pass. A subject
// without a count has one in which the shares are granted.
type Count struct {
	Granted int     // requests that are used, or leased by any process
	Holders []int32 // processes that may have unused requests
}

// maxReserve is the maximum reserve, which a process that is killed loses.
const maxReserve = 100

// Lease takes back the requests that process returns, and leases the requested
// ones as far as the limit allows. It adds a reserve of an eighth of the rest, or
// of a 32nd while other processes have reserves. It leaves Lease.Alive to the store.
func (c *Count) Lease(process int32, r LeaseRequest) Lease {
	c.Granted -= r.Unused
	c.Holders = slices.DeleteFunc(c.Holders, func(h int32) bool { return h == process })
	l := Lease{Holders: len(c.Holders)}
	if r.Want > 0 {
		rest := max(0, r.Limit-c.Granted)
		reserve := rest / 8
		if l.Holders > 0 {
			reserve = rest / 32
		}
		l.Given = min(rest, max(r.Want, min(reserve, maxReserve)))
		c.Granted += l.Given
		if l.Given > r.Want {
			c.Holders = append(c.Holders, process)
		}
	}
	l.Granted = c.Granted
	return l
}
