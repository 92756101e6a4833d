package account

import "time"

// A Login is an account with what is needed to sign in to it. It stays inside:
// nothing of it but the account is shown.
type Login struct {
	Account
	Password string // argon2id in PHC form; "": none
	Epoch    int    // sessions that began in an earlier one are over
}

// A TokenHash is the SHA-256 of a random token that is stored nowhere.
type TokenHash [32]byte

// What a link is for.
const (
	LinkConfirm = "confirm" // to confirm the address of a new account
	LinkEmail   = "email"   // to confirm a new address of an account
	LinkReset   = "reset"   // to set a password without the old one
)

// A Link is a single-use link, without its token.
type Link struct {
	Hash      TokenHash
	Purpose   string
	Email     string // of LinkEmail: the new address
	EmailKey  string // the same as it is compared
	Password  string // of LinkConfirm: the hash of the password that was chosen with it
	ExpiresAt time.Time
}

// An Allowance is how often something may be tried: Free times at once, then
// with a delay that doubles from Step to Max. One attempt is forgotten every
// Decay.
type Allowance struct {
	Key              TokenHash // of what is counted
	Free             int
	Step, Max, Decay time.Duration
}

// A Session is what is kept of a browser's or a program's session.
type Session struct {
	Account   int64 // 0: nobody has signed in
	Data      []byte
	Idle      time.Duration // it is over when it was not used for so long
	ExpiresAt time.Time     // and then in any case
}

// Who did what an [AuditEntry] tells.
const (
	ByOwner    = "owner"
	ByOperator = "operator"
	BySomebody = "somebody" // who has named the address, and need not be its owner
	ByPayment  = "payment"
)
