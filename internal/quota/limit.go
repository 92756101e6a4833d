package quota

import "time"

// ClientsHourly is how many requests a client without a key has on /api in a
// UTC hour.
const ClientsHourly = 100

// A Limited says what a limit counts, and over which window.
type Limited uint8

// What limits count.
const (
	ClientHour  Limited = iota // requests of a client's address in a UTC hour
	AccountHour                // requests with the keys of an account in a UTC hour, on /api
	AccountDay                 // requests with the keys of an account in a UTC day, on /v1
	VisitorHour                // requests of a client's address to the account pages in a UTC hour
	FormHour                   // what a client's address adds and reports on the pages in a UTC hour
	OwnerHour                  // requests of an account's owner to the account pages in a UTC hour, once the address has none left
	Limiteds    = 6            // how many there are
)

// Window returns how long a window is. Windows start at whole multiples of it
// since 1970, UTC.
func (l Limited) Window() time.Duration {
	if l == AccountDay {
		return 24 * time.Hour
	}
	return time.Hour
}

// A Subject is whom a limit counts: an account by its ID, or a client by its
// address as a number.
type Subject struct {
	Of Limited
	ID uint64
}

// A Tally is the count of a subject in one window.
type Tally struct {
	Subject
	Starts int64 // of the window, in Unix seconds
}

// Left is what a limit leaves of a window.
type Left struct {
	Limit int
	// Remaining is never more than what is left; less while other processes
	// hold a part of it.
	Remaining int
	Reset     time.Time     // when the window ends
	Wait      time.Duration // until Reset, as seen by who counts; for a request that may not pass
	Passed    bool          // whether the request may pass
}

// A LeaseAsk asks for requests of a tally on behalf of a process, and gives
// back what it has of it.
type LeaseAsk struct {
	Tally
	Limit  int
	Unused int // how many that the process has are given back
	Want   int // how many requests wait; 0: none
}

// A Lease is the answer to a [LeaseAsk].
type Lease struct {
	Given   int  // how many requests the process may let pass
	Granted int  // how many of the limit are used, or with processes, this one's too
	Others  int  // how many other living processes have some that they may not have used
	Lost    int  // how many other processes, living or not, may have some
	Spread  bool // several processes ask for it
}

// LeaseShares says how processes split a part of a window's limit for every
// subject alike, before any of them is seen.
type LeaseShares struct {
	Each      int     // requests for each process
	Processes []int32 // who has a share
}
