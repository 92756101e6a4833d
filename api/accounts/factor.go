package accounts

import (
	"context"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
)

// Session values between the first and the second factor, and during the setup of a
// second factor.
const (
	keyHalf      = "halfAccount"
	keyHalfEpoch = "halfEpoch"
	keyHalfHow   = "halfHow"
	keyHalfBegan = "halfBegan" // in Unix seconds
	keySecret    = "factorSecret"
)

// halfTimeout is the maximum time between the two factors.
const halfTimeout = 10 * time.Minute

// CodeRequired is the error code for a missing second factor.
const CodeRequired = "code_required"

// firstFactor signs in an account that has proved its first factor; how names it. If the
// account has a second factor, the error has the code [CodeRequired], and [API.SignInCode]
// completes the sign-in in the same session.
func (a *API) firstFactor(ctx context.Context, c *gin.Context, l account.Login, how string) error {
	f, err := a.Accounts.Factor(ctx, l.ID)
	if err != nil {
		return err
	}
	if f == nil {
		return a.admit(ctx, c, l, how)
	}
	if err := a.renew(ctx); err != nil {
		return err
	}
	a.sessions.Put(ctx, keyHalf, strconv.FormatInt(l.ID, 10))
	a.sessions.Put(ctx, keyHalfEpoch, strconv.Itoa(l.Epoch))
	a.sessions.Put(ctx, keyHalfHow, how)
	a.sessions.Put(ctx, keyHalfBegan, strconv.FormatInt(a.Now().Unix(), 10))
	return &registry.Error{Kind: registry.ErrUnauthorized, Code: CodeRequired,
		Msg: "This account requires a code from your authenticator app, or a recovery code."}
}

// SignInCode completes the sign-in of the session of ctx with the second factor.
func (a *API) SignInCode(ctx context.Context, c *gin.Context, code string) (account.Login, error) {
	l, err := a.halfSignedIn(ctx)
	if err != nil {
		return l, err
	}
	if err := a.Accounts.CheckCode(ctx, l, code); err != nil {
		return account.Login{}, err
	}
	return l, a.admit(ctx, c, l, a.sessions.GetString(ctx, keyHalfHow)+" and code")
}

// halfSignedIn returns the account that has proved only its first factor in the session.
func (a *API) halfSignedIn(ctx context.Context) (account.Login, error) {
	late := &registry.Error{Kind: registry.ErrUnauthorized, Code: "not_signed_in",
		Msg: "Sign in first. The second step must follow within 10 minutes."}
	id, err := strconv.ParseInt(a.sessions.GetString(ctx, keyHalf), 10, 64)
	began, _ := strconv.ParseInt(a.sessions.GetString(ctx, keyHalfBegan), 10, 64)
	if err != nil || a.Now().Sub(time.Unix(began, 0)) > halfTimeout {
		return account.Login{}, late
	}
	l, err := a.Accounts.Get(ctx, id)
	if err != nil || strconv.Itoa(l.Epoch) != a.sessions.GetString(ctx, keyHalfEpoch) {
		return account.Login{}, late
	}
	return l, nil
}

// PendingCode reports whether the session waits for the second factor.
func (a *API) PendingCode(ctx context.Context) bool { return a.sessions.Exists(ctx, keyHalf) }

// NewSecret returns the secret of the second factor that the session sets up. The first
// call generates it.
func (a *API) NewSecret(ctx context.Context, l account.Login) (string, error) {
	if secret := a.sessions.GetString(ctx, keySecret); secret != "" {
		return secret, nil
	}
	secret, err := a.Accounts.NewFactor(l.Account)
	if err == nil {
		a.sessions.Put(ctx, keySecret, secret)
	}
	return secret, err
}

// EnableFactor sets the second factor of the signed-in account to the secret of
// [API.NewSecret], and returns its recovery codes.
func (a *API) EnableFactor(ctx context.Context, password, code string) ([]string, error) {
	l, err := a.SignedIn(ctx)
	if err != nil {
		return nil, err
	}
	secret := a.sessions.GetString(ctx, keySecret)
	if secret == "" {
		return nil, registry.Errorf(registry.ErrConflict, "Setup has not been started in this session.")
	}
	codes, err := a.Accounts.EnableFactor(ctx, l, a.proof(ctx, password), secret, code)
	if err == nil {
		a.sessions.Remove(ctx, keySecret)
	}
	return codes, err
}

// DisableFactor removes the second factor of the signed-in account.
func (a *API) DisableFactor(ctx context.Context, password, code string) error {
	l, err := a.SignedIn(ctx)
	if err != nil {
		return err
	}
	return a.Accounts.DisableFactor(ctx, l, a.proof(ctx, password), code)
}

// RenewRecovery replaces the recovery codes of the signed-in account.
func (a *API) RenewRecovery(ctx context.Context, password, code string) ([]string, error) {
	l, err := a.SignedIn(ctx)
	if err != nil {
		return nil, err
	}
	return a.Accounts.RenewRecovery(ctx, l, a.proof(ctx, password), code)
}

// factorRoutes returns the routes of second factors.
func (a *API) factorRoutes() []route {
	return []route{
		{"POST", "/sign-in-code", 200, withBody(a.postSignInCode)},
		{"GET", "/second-factor", 200, as(a.SignedIn, a.getFactor)},
		{"POST", "/second-factor/secret", 200, asWithBody(a.SignedIn, a.postSecret)},
		{"POST", "/second-factor", 201, withBody(a.postFactor)},
		{"DELETE", "/second-factor", 204, asWithBody(a.SignedIn, a.deleteFactor)},
		{"POST", "/second-factor/recovery", 201, withBody(a.postRecovery)},
	}
}

func (a *API) postSignInCode(ctx context.Context, c *gin.Context, b struct {
	Code string `query:"code"`
}) (any, error) {
	return a.ownAccount(a.SignInCode(ctx, c, b.Code))
}

// A shownFactor is the JSON of a second factor.
type shownFactor struct {
	Enabled  bool       `json:"enabled"`
	Since    *time.Time `json:"since"`
	Recovery int        `json:"recoveryCodes"` // unused ones
}

func showFactor(f *account.Factor) shownFactor {
	if f == nil {
		return shownFactor{}
	}
	return shownFactor{true, &f.Since, f.Recovery}
}

func (a *API) getFactor(ctx context.Context, _ *gin.Context, l account.Login) (any, error) {
	f, err := a.Accounts.Factor(ctx, l.ID)
	return showFactor(f), err
}

func (a *API) postSecret(ctx context.Context, l account.Login, _ struct{}) (any, error) {
	secret, err := a.NewSecret(ctx, l)
	if err != nil {
		return nil, err
	}
	url, err := a.Accounts.FactorURL(l.Account, secret)
	return struct {
		Secret string `json:"secret"`
		URL    string `json:"url"`
	}{secret, url}, err
}

// proofBody is the body of requests that require proof.
type proofBody struct {
	Password string `query:"password"`
	Code     string `query:"code"`
}

type shownRecovery struct {
	Codes []string `json:"recoveryCodes"`
}

func (a *API) postFactor(ctx context.Context, _ *gin.Context, b proofBody) (any, error) {
	codes, err := a.EnableFactor(ctx, b.Password, b.Code)
	return shownRecovery{codes}, err
}

func (a *API) postRecovery(ctx context.Context, _ *gin.Context, b proofBody) (any, error) {
	codes, err := a.RenewRecovery(ctx, b.Password, b.Code)
	return shownRecovery{codes}, err
}

func (a *API) deleteFactor(ctx context.Context, _ account.Login, b proofBody) (any, error) {
	return nil, a.DisableFactor(ctx, b.Password, b.Code)
}
