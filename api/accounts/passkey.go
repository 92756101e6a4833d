package accounts

import (
	"context"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
)

// keyChallenge is the session value with the token of the current challenge.
const keyChallenge = "passkeyChallenge"

// SignInPasskey signs in to the session of ctx with the browser's response to the last
// options of the session. Between the two factors, the passkey must belong to the account
// that waits for the second one.
func (a *API) SignInPasskey(ctx context.Context, c *gin.Context, response string) (account.Login, error) {
	l, err := a.Accounts.SignInByPasskey(ctx, a.sessions.PopString(ctx, keyChallenge), response)
	if err != nil {
		return l, err
	}
	how := "passkey"
	if a.PendingCode(ctx) {
		waiting, err := a.halfSignedIn(ctx)
		if err != nil {
			return l, err
		}
		if waiting.ID != l.ID {
			return l, notSignedIn()
		}
		how = a.sessions.GetString(ctx, keyHalfHow) + " and passkey"
	}
	return l, a.admit(ctx, c, l, how)
}

// Passkeys returns the passkeys of the signed-in account.
func (a *API) Passkeys(ctx context.Context) ([]account.Passkey, error) {
	l, err := a.SignedIn(ctx)
	if err != nil {
		return nil, err
	}
	return a.Accounts.Store.Passkeys(ctx, l.ID)
}

// RenamePasskey changes the name of a passkey of the signed-in account.
func (a *API) RenamePasskey(ctx context.Context, id, name string) error {
	l, n, err := a.passkeyAt(ctx, id)
	if err != nil {
		return err
	}
	return a.Accounts.RenamePasskey(ctx, l, n, name)
}

// RemovePasskey removes a passkey of the signed-in account.
func (a *API) RemovePasskey(ctx context.Context, id, password string) error {
	l, n, err := a.passkeyAt(ctx, id)
	if err != nil {
		return err
	}
	return a.Accounts.RemovePasskey(ctx, l, a.proof(ctx, password), n)
}

func (a *API) passkeyAt(ctx context.Context, id string) (l account.Login, n int64, err error) {
	if l, err = a.SignedIn(ctx); err != nil {
		return l, 0, err
	}
	if n, err = strconv.ParseInt(id, 10, 64); err != nil {
		err = account.NoPasskey("The account has no such passkey.")
	}
	return l, n, err
}

// passkeyRoutes returns the routes of passkeys.
func (a *API) passkeyRoutes() []route {
	return []route{
		{"POST", "/sign-in-passkey/options", 200, withBody(a.postSignInPasskeyOptions)},
		{"POST", "/sign-in-passkey", 200, withBody(a.postSignInPasskey)},
		{"GET", "/passkeys", 200, as(a.SignedIn, a.getPasskeys)},
		{"POST", "/passkeys/options", 200, asWithBody(a.SignedIn, a.postPasskeyOptions)},
		{"POST", "/passkeys", 204, asWithBody(a.SignedIn, a.postPasskey)},
		{"PATCH", "/passkeys/:id", 204, withBody(a.patchPasskey)},
		{"DELETE", "/passkeys/:id", 204, withBody(a.deletePasskey)},
	}
}

func (a *API) postSignInPasskeyOptions(ctx context.Context, _ *gin.Context, _ struct{}) (any, error) {
	var waiting *account.Login
	if a.PendingCode(ctx) {
		l, err := a.halfSignedIn(ctx)
		if err != nil {
			return nil, err
		}
		waiting = &l
	}
	options, token, err := a.Accounts.BeginPasskeySignIn(ctx, waiting)
	if err == nil {
		a.sessions.Put(ctx, keyChallenge, token)
	}
	return options, err
}

func (a *API) postSignInPasskey(ctx context.Context, c *gin.Context, b struct {
	Credential string `query:"credential"`
}) (any, error) {
	return a.ownAccount(a.SignInPasskey(ctx, c, b.Credential))
}

// A shownPasskey is the JSON of a passkey.
type shownPasskey struct {
	ID         int64      `json:"id"`
	Name       string     `json:"name"`
	CreatedAt  time.Time  `json:"createdAt"`
	LastUsedAt *time.Time `json:"lastUsedAt"`
}

func (a *API) shownPasskeys(ctx context.Context, id int64) ([]shownPasskey, error) {
	all, err := a.Accounts.Store.Passkeys(ctx, id)
	list := make([]shownPasskey, len(all))
	for i, p := range all {
		list[i] = shownPasskey{p.ID, p.Name, p.CreatedAt, p.UsedAt}
	}
	return list, err
}

func (a *API) getPasskeys(ctx context.Context, _ *gin.Context, l account.Login) (any, error) {
	list, err := a.shownPasskeys(ctx, l.ID)
	return map[string]any{"passkeys": list}, err
}

func (a *API) postPasskeyOptions(ctx context.Context, l account.Login, b proofBody) (any, error) {
	options, token, err := a.Accounts.NewPasskey(ctx, l, a.proof(ctx, b.Password), b.Code)
	if err == nil {
		a.sessions.Put(ctx, keyChallenge, token)
	}
	return options, err
}

func (a *API) postPasskey(ctx context.Context, l account.Login, b struct {
	Name       string `query:"name"`
	Credential string `query:"credential"`
}) (any, error) {
	err := a.Accounts.AddPasskey(ctx, l, a.sessions.PopString(ctx, keyChallenge), b.Name, b.Credential)
	if err == nil {
		a.Note(ctx, "The passkey was added.")
	}
	return nil, err
}

func (a *API) patchPasskey(ctx context.Context, c *gin.Context, b struct {
	Name string `query:"name"`
}) (any, error) {
	return nil, a.RenamePasskey(ctx, c.Param("id"), b.Name)
}

func (a *API) deletePasskey(ctx context.Context, c *gin.Context, b passwordBody) (any, error) {
	return nil, a.RemovePasskey(ctx, c.Param("id"), b.Password)
}
