package account

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"mcpcensus/internal/registry"
)

// A Role determines what a member of an account may do.
type Role string

// The roles. An owner may do everything except delete the account, which is reserved for
// the person who signed up with it. An admin cannot change the plan or owners. A member
// sees usage and has their own keys for reading.
const (
	RoleOwner  Role = "owner"
	RoleAdmin  Role = "admin"
	RoleMember Role = "member"
)

// Roles are all roles, most powerful first.
var Roles = []Role{RoleOwner, RoleAdmin, RoleMember}

var powers = map[Role]int{RoleMember: 1, RoleAdmin: 2, RoleOwner: 3}

// May reports whether r has at least the powers of least.
func (r Role) May(least Role) bool { return powers[r] > 0 && powers[r] >= powers[least] }

// MemberScopes are the scopes that the keys of a [RoleMember] may have.
const MemberScopes = ScopeRead | ScopeAnalytics

// An Acting is a signed-in person in one of the accounts that they belong to.
type Acting struct {
	Person Login
	Account
	Role Role
}

func Own(l Login) Acting { return Acting{Person: l, Account: l.Account, Role: RoleOwner} }

// Need returns an error unless the role has the powers of least.
func (a Acting) Need(least Role) error {
	if a.Role.May(least) {
		return nil
	}
	return &registry.Error{Kind: registry.ErrForbidden, Code: "role_required",
		Msg: "This requires the role " + string(least) + ". Your role in the account of " + a.Email + " is " +
			string(a.Role) + "."}
}

// Sees reports whether a may see and change a key. Members see only the keys they made.
func (a Acting) Sees(k Key) bool { return a.Role.May(RoleAdmin) || k.MadeBy == a.Person.ID }

// Limit restricts the scopes of a key to those that the role allows. makes reports that
// the key is new.
func (a Acting) Limit(c KeyChange, makes bool) (KeyChange, error) {
	if a.Role.May(RoleAdmin) {
		return c, nil
	}
	if c.Scopes == nil && makes {
		c.Scopes = MemberScopes.Names()
	}
	if s, err := ParseScopes(c.Scopes); c.Scopes != nil && err == nil && !MemberScopes.Has(s) {
		return c, ErrMemberScopes
	}
	return c, nil
}

// ErrMemberScopes is returned for scopes that the key of a [RoleMember] cannot have.
var ErrMemberScopes = &registry.Error{Kind: registry.ErrForbidden, Code: "role_required",
	Msg: "Keys of members can only have the scopes " + strings.Join(MemberScopes.Names(), " and ") + "."}

// A Member is a person who belongs to an account. Exports have all of it.
type Member struct {
	ID    int64     `json:"id"` // of the person's own account
	Email string    `json:"email"`
	Role  Role      `json:"role"`
	Since time.Time `json:"since"`
}

// A Membership is an account that a person belongs to. Exports have all of it.
type Membership struct {
	Account int64  `json:"account"`
	Email   string `json:"email"` // of the account
	Role    Role   `json:"role"`
}

// An Invitation is a single-use link that makes an address a member.
type Invitation struct {
	ID        int64     `json:"id"`
	Account   int64     `json:"-"`
	Email     string    `json:"email"`
	EmailKey  string    `json:"-"` // Address.Key of Email
	Role      Role      `json:"role"`
	Hash      TokenHash `json:"-"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// A ShownInvitation is what an invitation says to the person who got it.
type ShownInvitation struct {
	Email   string // the invited address
	Account string // address of the account
	Inviter string // address of the inviting person
	Role    Role
}

// MaxMembers is the maximum number of members and open invitations of an account.
const MaxMembers = 50

const invitedFor = 7 * 24 * time.Hour

// MayChange returns an error unless a person with the role by may change a member's role;
// "" means not a member.
func MayChange(by, from, to Role) error {
	switch {
	case by == RoleOwner:
		return nil
	case by != RoleAdmin:
		return &registry.Error{Kind: registry.ErrForbidden, Code: "role_required",
			Msg: "Only owners and admins can change members."}
	case from == RoleOwner || to == RoleOwner:
		return &registry.Error{Kind: registry.ErrForbidden, Code: "role_required",
			Msg: "Only owners can add, change and remove owners."}
	}
	return nil
}

// CheckRole returns an error unless r is a role.
func CheckRole(r Role) error {
	if powers[r] == 0 {
		return registry.Invalid("role", "must be owner, admin or member")
	}
	return nil
}

// Invite invites an address to an account. Without mail, it returns the link for the
// inviting person to pass on.
func (a *Accounts) Invite(ctx context.Context, by Acting, email string, role Role) (link string, err error) {
	addr, err := ParseAddress(email)
	if err == nil {
		err = CheckRole(role)
	}
	if err == nil {
		err = MayChange(by.Role, "", role)
	}
	if err != nil {
		return "", err
	}
	if a.Mail != nil {
		if err := a.countMail(ctx, MailLimit{Key: limitKey("others", strconv.FormatInt(by.ID, 10)),
			Max: mailsToOthers, In: time.Hour}); err != nil {
			return "", err
		}
		if err := a.mayMail(ctx, addr.Shown, invitationMail); err != nil {
			return "", err
		}
	}
	token, hash := newToken()
	now := a.Now()
	if err := a.Store.Invite(ctx, by.Person.ID, Invitation{Account: by.ID, Email: addr.Shown,
		EmailKey: addr.Key, Role: role, Hash: hash, ExpiresAt: now.Add(invitedFor)}, now); err != nil {
		return "", err
	}
	to := a.linkURL("invitation", token)
	if a.Mail == nil {
		return to, nil
	}
	body := fmt.Sprintf("%s invites you to the account of %s as %s.\n\n%s",
		asciiOf(by.Person.Email), asciiOf(by.Email), role, to)
	return "", a.later(ctx, "invitation", func(context.Context) error {
		return a.send(addr.Shown, invitationMail, body)
	})
}

// Invitation returns the invitation with a token. The error has the code invalid_link without
// such an invitation.
func (a *Accounts) Invitation(ctx context.Context, token string) (ShownInvitation, error) {
	i, err := a.Store.Invitation(ctx, HashToken(token), a.Now())
	if errors.Is(err, registry.ErrNotFound) {
		err = &registry.Error{Kind: registry.ErrNotFound, Code: "invalid_link", Cause: err,
			Msg: "This invitation is invalid, expired, revoked or already used."}
	}
	return i, err
}

// Accept uses an invitation, which must be for the address of l.
func (a *Accounts) Accept(ctx context.Context, l Login, token string) (Membership, error) {
	if !isToken(token) {
		return Membership{}, badLink(nil)
	}
	m, err := a.Store.Accept(ctx, l.ID, HashToken(token), a.Now())
	if err == nil {
		a.notify(ctx, m.Email, joinedMail, l.Email+" as "+string(m.Role))
	}
	return m, err
}
