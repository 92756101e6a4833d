package accounts

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
)

// memberRoutes returns the routes of members and invitations.
func (a *API) memberRoutes() []route {
	return []route{
		{"GET", "/memberships", 200, as(a.role(account.RoleMember), a.listMemberships)},
		{"POST", "/memberships/switch", 204, withBody(a.postSwitch)},
		{"GET", "/members", 200, as(a.role(account.RoleMember), a.listMembers)},
		{"POST", "/members", 202, asWithBody(a.role(account.RoleAdmin), a.invite)},
		{"PATCH", "/members/:id", 204, a.changeRole},
		{"DELETE", "/members/:id", 204, a.removeMember},
		{"DELETE", "/invitations/:id", 204, a.revokeInvitation},
		{"POST", "/invitations/accept", 200, asWithBody(a.SignedIn, a.acceptInvitation)},
	}
}

// Act returns the signed-in person in the account that they act in. The error is of kind
// [registry.ErrForbidden] if their role there lacks the powers of least, or if they no
// longer belong to it; from the next request on, they then act in their own account.
func (a *API) Act(ctx context.Context, least account.Role) (account.Acting, error) {
	l, err := a.SignedIn(ctx)
	if err != nil {
		return account.Acting{}, err
	}
	acting := account.Own(l)
	if in := a.sessions.GetString(ctx, keyActing); in != "" {
		id, _ := strconv.ParseInt(in, 10, 64)
		acting, err = a.Accounts.Store.Acting(ctx, id, l.ID)
		if errors.Is(err, registry.ErrNotFound) {
			a.sessions.Remove(ctx, keyActing)
			return acting, &registry.Error{Kind: registry.ErrForbidden, Code: "not_a_member",
				Msg: "You no longer belong to this account. You are back in your own account."}
		}
		if err != nil {
			return acting, err
		}
	}
	return acting, acting.Need(least)
}

// Switch makes the signed-in person act in another account that they belong to.
func (a *API) Switch(ctx context.Context, id int64) error {
	l, err := a.SignedIn(ctx)
	if err != nil {
		return err
	}
	if id == l.ID {
		a.sessions.Remove(ctx, keyActing)
		return nil
	}
	if _, err := a.Accounts.Store.Acting(ctx, id, l.ID); err != nil {
		return err
	}
	a.sessions.Put(ctx, keyActing, strconv.FormatInt(id, 10))
	return nil
}

type shownMembership struct {
	Account int64        `json:"account"`
	Email   string       `json:"email"`
	Role    account.Role `json:"role"`
	Current bool         `json:"current"` // the account of this session's requests
}

func (a *API) listMemberships(ctx context.Context, _ *gin.Context, acting account.Acting) (any, error) {
	list, err := a.shownMemberships(ctx, acting.Person.ID, acting.ID)
	return map[string]any{"memberships": list}, err
}

// shownMemberships returns the accounts of a person, and marks current.
func (a *API) shownMemberships(ctx context.Context, person, current int64) ([]shownMembership, error) {
	all, err := a.Accounts.Store.Memberships(ctx, person)
	list := make([]shownMembership, len(all))
	for i, m := range all {
		list[i] = shownMembership{m.Account, m.Email, m.Role, m.Account == current}
	}
	return list, err
}

func (a *API) postSwitch(ctx context.Context, _ *gin.Context, b struct {
	Account *int `query:"account,min=1"`
}) (any, error) {
	if b.Account == nil {
		return nil, account.Missing("account")
	}
	return nil, a.Switch(ctx, int64(*b.Account))
}

type shownMember struct {
	ID    int64        `json:"id"`
	Email string       `json:"email"`
	Role  account.Role `json:"role"`
	Since time.Time    `json:"since"`
}

type shownInvitation struct {
	ID        int64        `json:"id"`
	Email     string       `json:"email"`
	Role      account.Role `json:"role"`
	ExpiresAt time.Time    `json:"expiresAt"`
}

// shownMembers are the people of an account.
type shownMembers struct {
	Members     []shownMember     `json:"members"`
	Invitations []shownInvitation `json:"invitations"`
}

func (a *API) listMembers(ctx context.Context, _ *gin.Context, acting account.Acting) (any, error) {
	return a.shownMembers(ctx, acting.ID)
}

func (a *API) shownMembers(ctx context.Context, id int64) (shownMembers, error) {
	b := shownMembers{[]shownMember{}, []shownInvitation{}}
	members, err := a.Accounts.Store.Members(ctx, id)
	if err != nil {
		return b, err
	}
	invitations, err := a.Accounts.Store.Invitations(ctx, id, a.Now())
	for _, m := range members {
		b.Members = append(b.Members, shownMember{m.ID, m.Email, m.Role, m.Since.UTC()})
	}
	for _, i := range invitations {
		b.Invitations = append(b.Invitations, shownInvitation{i.ID, i.Email, i.Role, i.ExpiresAt})
	}
	return b, err
}

func (a *API) invite(ctx context.Context, acting account.Acting, b struct {
	Email string `query:"email"`
	Role  string `query:"role"`
}) (any, error) {
	link, err := a.Accounts.Invite(ctx, acting, b.Email, account.Role(b.Role))
	body := struct {
		Link *string `json:"link"` // to pass on; nil: sent by mail
	}{}
	if link != "" {
		body.Link = &link
	}
	return body, err
}

// member returns the acting person and the id in the path.
func (a *API) member(ctx context.Context, c *gin.Context) (account.Acting, int64, error) {
	acting, err := a.Act(ctx, account.RoleMember) // the store checks more
	if err != nil {
		return acting, 0, err
	}
	id, err := strconv.ParseInt(c.Param("id"), 10, 64)
	if err != nil || id < 1 {
		return acting, 0, &registry.Error{Kind: registry.ErrNotFound, Code: "member_not_found",
			Msg: "The account has no such member."}
	}
	return acting, id, nil
}

func (a *API) changeRole(ctx context.Context, c *gin.Context) (any, error) {
	var b struct {
		Role string `query:"role"`
	}
	acting, id, err := a.member(ctx, c)
	if err == nil {
		err = readBody(c, &b)
	}
	if err == nil {
		err = account.CheckRole(account.Role(b.Role))
	}
	if err == nil {
		err = a.Accounts.Store.ChangeMember(ctx, acting.Person.ID, acting.ID, id, account.Role(b.Role), a.Now())
	}
	return nil, err
}

func (a *API) removeMember(ctx context.Context, c *gin.Context) (any, error) {
	acting, id, err := a.member(ctx, c)
	if err == nil {
		err = a.Accounts.Store.ChangeMember(ctx, acting.Person.ID, acting.ID, id, "", a.Now())
	}
	return nil, err
}

func (a *API) revokeInvitation(ctx context.Context, c *gin.Context) (any, error) {
	acting, id, err := a.member(ctx, c)
	if err == nil {
		err = a.Accounts.Store.RevokeInvitation(ctx, acting.Person.ID, acting.ID, id, a.Now())
	}
	return nil, err
}

func (a *API) acceptInvitation(ctx context.Context, l account.Login, b tokenBody) (any, error) {
	m, err := a.Accounts.Accept(ctx, l, b.Token)
	return shownMembership{Account: m.Account, Email: m.Email, Role: m.Role}, err
}
