package account

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
	"mcpcensus/web/format"
)

const membersPath = Prefix + "/members"

type membersPage struct {
	form
	Acting      account.Acting
	Members     []account.Member
	Invitations []account.Invitation
	Accounts    []account.Membership
	Link        string // of a new invitation, to be passed on; "": it was sent by mail
}

// Roles are those that can be given.
func (p membersPage) Roles() []account.Role {
	if p.Acting.Role == account.RoleOwner {
		return account.Roles
	}
	return account.Roles[1:]
}

// Manages reports whether members can be changed; with m that one.
func (p membersPage) Manages(m ...account.Member) bool {
	if len(m) > 0 && m[0].ID == p.Acting.ID {
		return false
	}
	return p.Acting.Role == account.RoleOwner ||
		p.Acting.Role == account.RoleAdmin && (len(m) == 0 || m[0].Role != account.RoleOwner)
}

func (v *request) members(ctx context.Context) (p membersPage, err error) {
	store := v.People.Store
	p.Acting, p.form = v.acc, v.newForm(ctx, "Members", "members")
	if p.Members, err = store.Members(ctx, p.Acting.ID); err != nil {
		return p, err
	}
	if p.Invitations, err = store.Invitations(ctx, p.Acting.ID, v.Now()); err != nil {
		return p, err
	}
	p.Accounts, err = store.Memberships(ctx, p.Acting.Person.ID)
	return p, err
}

// doMembers handles the forms of members: it calls do with the number in the path unless the
// form is refused. The store checks roles.
func (v *request) doMembers(ctx context.Context, do func(id int64) error) error {
	id, _ := strconv.ParseInt(v.c.Param("id"), 10, 64)
	return submit(v, ctx, "account-members", (*request).members,
		func() error { return do(id) }, "email")
}

func (v *request) inviteMember(ctx context.Context) error {
	return v.doMembers(ctx, func(int64) error {
		email := v.form.Get("email")
		link, err := v.People.Accounts.Invite(ctx, v.acc, email, account.Role(v.form.Get("role")))
		if err != nil || link == "" {
			return v.done(ctx, err, membersPath, "The invitation was sent to "+email+".")
		}
		p, err := v.members(ctx)
		p.Link = link
		return cmp.Or(err, v.show(http.StatusOK, "account-members", p))
	})
}

// changeMember sets the role of a member, or removes them without one.
func (v *request) changeMember(ctx context.Context) error {
	return v.doMembers(ctx, func(id int64) error {
		role, note := account.Role(v.form.Get("role")), "The member was removed."
		if role != "" {
			note = "The role was changed."
			if err := account.CheckRole(role); err != nil {
				return err
			}
		}
		err := v.People.Store.ChangeMember(ctx, v.acc.Person.ID, v.acc.ID, id, role, v.Now())
		if err == nil && id == v.acc.Person.ID && role == "" {
			err = v.People.Switch(ctx, id)
		}
		return v.done(ctx, err, membersPath, note)
	})
}

func (v *request) revokeInvitation(ctx context.Context) error {
	return v.doMembers(ctx, func(id int64) error {
		err := v.People.Store.RevokeInvitation(ctx, v.acc.Person.ID, v.acc.ID, id, v.Now())
		return v.done(ctx, err, membersPath, "The invitation was revoked.")
	})
}

func (v *request) switchAccount(ctx context.Context) error {
	return submit(v, ctx, "account-members", (*request).members, func() error {
		id, _ := strconv.ParseInt(v.form.Get("account"), 10, 64)
		return v.done(ctx, v.People.Switch(ctx, id), Prefix, "")
	}, "email")
}

const invitationPath = Prefix + "/invitation"

type invitationPage struct {
	form
	Invitation account.ShownInvitation
	Link       string // token
	Here       string // address of this page
	SignIn     string // address of the sign-in that returns here
}

// Fits reports whether the invited address is signed in.
func (p invitationPage) Fits() bool {
	return p.Who != nil && account.SameAddress(p.Who.Email, p.Invitation.Email)
}

// invitation returns the page of an invitation, which says who invites to what. It needs no
// sign-in.
func (v *request) invitation(ctx context.Context) (p invitationPage, err error) {
	if err := v.person(ctx); err != nil && !errors.Is(err, registry.ErrUnauthorized) {
		return p, err
	}
	p.form = v.newForm(ctx, "Invitation", "members")
	p.Link = format.Clip(cmp.Or(v.form.Get("token"), v.c.Query("token")), 100)
	p.Here = invitationPath + "?" + url.Values{"token": {p.Link}}.Encode()
	p.SignIn = signInAddress(p.Here)
	p.Invitation, err = v.People.Accounts.Invitation(ctx, p.Link)
	return p, err
}

func (v *request) acceptInvitation(ctx context.Context) error {
	if err := v.person(ctx); err != nil {
		return err
	}
	return submit(v, ctx, "account-invitation", (*request).invitation, func() error {
		m, err := v.People.Accounts.Accept(ctx, *v.who, v.form.Get("token"))
		if err == nil {
			err = v.People.Switch(ctx, m.Account)
		}
		return v.done(ctx, err, Prefix,
			"You joined the account of "+m.Email+" as "+string(m.Role)+".")
	})
}
