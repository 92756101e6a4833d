package quota

import "time"

// ClientsHourly is the limit of requests to /api in a UTC hour for a client
// without a key.
const ClientsHourly = 100

// A Kind determines what a limit counts, and its window.
type Kind uint8

// The kinds. Their numbers are stored.
const (
	ClientHour  Kind = iota // requests of a client's address in an hour
	AccountHour             // requests with the keys of an account in an hour, on /api
	AccountDay              // requests with the keys of an account in a day, on /v1
	VisitorHour             // requests of a client's address to the account pages in an hour
	// forms of a client's address in an hour, which add servers or report problems
	FormHour
	// requests of a signed-in account to the account pages in an hour, after those of
	// its address
	OwnerHour
	ToolHour // calls of tools at /mcp of a client's address in an hour
	Kinds    // number of kinds
)

// Window returns the length of a window. Windows start at multiples of it in
// UTC.
func (k Kind) Window() time.Duration {
	if k == AccountDay {
		return 24 * time.Hour
	}
	return time.Hour
}

// A Subject is an account, by its id, or a client, by its address as a number: the upper
// half of an IPv6 address, or 0xffff in the upper 16 bits and an IPv4 address in the
// lower 32.
type Subject struct {
	Of Kind
	ID uint64
}

// SiteFactor is the limit of the network of a client that one subscriber may own, an IPv4 /24 or an
// IPv6 /48, relative to that of a client.
const SiteFactor = 4

// The upper 16 bits of the numbers of IPv4 addresses and of sites; no IPv6 network of clients begins
// with them.
const client4, site4, site6 = 0xffff, 0xfffe, 0xfffd

// isClient reports whether s is a known client or the site of one.
func (s Subject) isClient() bool {
	return s.ID != 0 && (s.Of == ClientHour || s.Of == VisitorHour || s.Of == FormHour ||
		s.Of == ToolHour)
}

// site returns the subject of the site of a client.
func (s Subject) site() Subject {
	if s.ID>>48 == client4 {
		s.ID = site4<<48 | s.ID&(1<<32-1)>>8
	} else {
		s.ID = site6<<48 | s.ID>>16
	}
	return s
}

// network returns the subject of the network of a client or site, a /16 of IPv4 or a /32 of
// IPv6. For accounts it returns s.
func (s Subject) network() Subject {
	bits := 32
	switch {
	case !s.isClient():
		bits = 0
	case s.ID>>48 == client4, s.ID>>48 == site6:
		bits = 16
	case s.ID>>48 == site4:
		bits = 8
	}
	s.ID &^= 1<<bits - 1
	return s
}

// A Key identifies the count of a subject in one window.
type Key struct {
	Subject
	Starts int64 // of the window, in Unix seconds
}

func (s Subject) at(now time.Time) Key { return Key{s, now.Truncate(s.Of.Window()).Unix()} }

func (k Key) ends() time.Time { return time.Unix(k.Starts, 0).Add(k.Of.Window()) }

// A Result reports whether a request may pass, and the rest of its limit.
type Result struct {
	Limit int
	// Remaining does not include the unused requests that other processes have leased.
	Remaining  int
	Reset      time.Time     // the end of the window
	RetryAfter time.Duration // until Reset, if the request may not pass
	Allowed    bool          // the request may pass
	OfSite     bool          // it may not, because the network of the client has made too many
}
