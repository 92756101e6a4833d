package account

import (
	"context"
	"net/http"
	"strconv"

	"mcpcensus/api/accounts"
	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
)

const membersPath = accounts.Prefix + "/members"

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

// members responds to GET /account/members.
func (v *request) members(ctx context.Context) error { return v.memberList(ctx, "", nil) }

func (v *request) memberList(ctx context.Context, link string, wrong error) error {
	acting, err := v.acting(ctx, account.RoleMember)
	if err != nil {
		return err
	}
	store := v.People.Accounts.Store
	p := membersPage{form: v.newForm(ctx, "Members", "members"), Acting: acting, Link: link}
	if p.Members, err = store.Members(ctx, acting.ID); err != nil {
		return err
	}
	if p.Invitations, err = store.Invitations(ctx, acting.ID, v.Now()); err != nil {
		return err
	}
	if p.Accounts, err = store.Memberships(ctx, acting.Person.ID); err != nil {
		return err
	}
	if wrong != nil {
		return v.refuse(wrong, &p.form, "account-members", &p, "email")
	}
	return v.show(http.StatusOK, "account-members", p)
}

// doMembers handles the forms of members: it calls do with who acts and the number in the
// path unless the form is refused.
func (v *request) doMembers(
	ctx context.Context, note string, do func(acting account.Acting, id int64) error,
) error {
	acting, err := v.acting(ctx, account.RoleMember) // the store checks more
	if err != nil {
		return err
	}
	id, _ := strconv.ParseInt(v.c.Param("id"), 10, 64)
	if err = v.checkToken(ctx); err == nil {
		err = do(acting, id)
	}
	if err != nil {
		return v.memberList(ctx, "", err)
	}
	return v.redirectTo(ctx, membersPath, note)
}

func (v *request) inviteMember(ctx context.Context) error {
	acting, err := v.acting(ctx, account.RoleMember)
	if err != nil {
		return err
	}
	link, email := "", v.form.Get("email")
	if err = v.checkToken(ctx); err == nil {
		link, err = v.People.Accounts.Invite(ctx, acting, email, account.Role(v.form.Get("role")))
	}
	if err != nil || link != "" {
		return v.memberList(ctx, link, err)
	}
	return v.redirectTo(ctx, membersPath, "The invitation was sent to "+email+".")
}

// changeMember sets the role of a member, or removes them without one.
func (v *request) changeMember(ctx context.Context) error {
	role := account.Role(v.form.Get("role"))
	note := "The role was changed."
	if role == "" {
		note = "The member was removed."
	}
	return v.doMembers(ctx, note, func(acting account.Acting, id int64) error {
		if role != "" {
			if err := account.CheckRole(role); err != nil {
				return err
			}
		}
		err := v.People.Accounts.Store.ChangeMember(ctx, acting.Person.ID, acting.ID, id, role, v.Now())
		if err == nil && id == acting.Person.ID && role == "" {
			err = v.People.Switch(ctx, id)
		}
		return err
	})
}

func (v *request) revokeInvitation(ctx context.Context) error {
	return v.doMembers(ctx, "The invitation was revoked.", func(acting account.Acting, id int64) error {
		return v.People.Accounts.Store.RevokeInvitation(ctx, acting.Person.ID, acting.ID, id, v.Now())
	})
}

func (v *request) switchAccount(ctx context.Context) error {
	id, _ := strconv.ParseInt(v.form.Get("account"), 10, 64)
	err := v.checkToken(ctx)
	if err == nil {
		err = v.People.Switch(ctx, id)
	}
	if err != nil {
		return v.memberList(ctx, "", err)
	}
	return v.redirectTo(ctx, accounts.Prefix, "")
}

type invitationPage struct {
	form
	Invitation string // token
}

func (v *request) invitationForm(ctx context.Context) error {
	if _, err := v.signedIn(ctx); err != nil {
		return err
	}
	return v.show(http.StatusOK, "account-invitation",
		invitationPage{v.newForm(ctx, "Invitation", "members"), v.c.Query("token")})
}

func (v *request) acceptInvitation(ctx context.Context) error {
	l, err := v.signedIn(ctx)
	if err != nil {
		return err
	}
	p := invitationPage{v.newForm(ctx, "Invitation", "members"), v.form.Get("token")}
	var m account.Membership
	if err = v.checkToken(ctx); err == nil {
		m, err = v.People.Accounts.Accept(ctx, l, p.Invitation)
	}
	if err == nil {
		err = v.People.Switch(ctx, m.Account)
	}
	if registry.HasCode(err, "invalid_link") { // the form has no field for it
		err = registry.Errorf(registry.ErrInvalid,
			"This invitation is invalid, expired, revoked or already used.")
	}
	if err != nil {
		return v.refuse(err, &p.form, "account-invitation", &p)
	}
	return v.redirectTo(ctx, accounts.Prefix, "You joined the account of "+m.Email+" as "+string(m.Role)+".")
}
