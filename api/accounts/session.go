package accounts

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
)

// Sessions keeps sessions by the SHA-256 of their tokens.
type Sessions interface {
	// Session returns a session that is not over, and notes that it was used.
	Session(ctx context.Context, token account.TokenHash, now time.Time) (account.Session, bool, error)
	// SaveSession makes a session, or, if it is not fresh, changes it unless it
	// is over.
	SaveSession(ctx context.Context, token account.TokenHash, s account.Session, fresh bool, now time.Time) (bool, error)
	EndSession(ctx context.Context, token account.TokenHash) error
}

// How long sessions last: from the sign-in, without being used, and before
// anybody has signed in.
const (
	sessionLife   = 30 * 24 * time.Hour
	sessionIdle   = 7 * 24 * time.Hour
	anonymousIdle = time.Hour
)

// Names of what a session holds.
const (
	keyAccount  = "account"
	keyEpoch    = "epoch"
	keySignedIn = "signedIn" // when, in Unix seconds
	keyCSRF     = "csrf"
	keyNote     = "note" // for the next page
	keyWanted   = "wanted"
)

// newSessions returns a manager. The cookie's name is nobody's brand. On plain HTTP to this machine the cookie has
// another name and is not Secure: browsers would not keep it otherwise.
func newSessions(store Sessions, base *url.URL, now func() time.Time) *scs.SessionManager {
	m := scs.New()
	m.Store = sessionStore{store, now}
	m.Codec = codec{}
	m.Lifetime = sessionLife
	m.Cookie.Name, m.Cookie.Secure = "__Host-registry-session", true
	if base.Scheme == "http" && loopback(base) {
		m.Cookie.Name, m.Cookie.Secure = "registry-session", false
	}
	m.Cookie.Path, m.Cookie.HttpOnly, m.Cookie.SameSite = "/", true, http.SameSiteLaxMode
	return m
}

// Open returns the request's context with its session, which is empty if there
// is none. What is changed in it is not kept until [API.Save].
func (a *API) Open(c *gin.Context) (context.Context, error) {
	ctx := c.Request.Context()
	token := ""
	if cookie, err := c.Request.Cookie(a.sessions.Cookie.Name); err == nil && len(cookie.Value) <= 100 {
		token = cookie.Value
	}
	ctx, err := a.sessions.Load(ctx, token)
	if err != nil {
		return nil, err
	}
	if a.sessions.Token(ctx) != "" {
		ctx = context.WithValue(ctx, loadedKey{}, token)
	}
	return ctx, nil
}

// Save stores the session of ctx if it was changed, and sets the cookie. It
// must be called before the answer is begun.
func (a *API) Save(ctx context.Context, c *gin.Context) error {
	switch a.sessions.Status(ctx) {
	case scs.Modified:
		token, expires, err := a.sessions.Commit(ctx)
		if errors.Is(err, errSessionOver) {
			return nil
		}
		if err != nil {
			return err
		}
		a.setCookie(c, a.sessions.Cookie.Name, token, expires)
	case scs.Destroyed:
		a.setCookie(c, a.sessions.Cookie.Name, "", time.Unix(1, 0))
	}
	return nil
}

func (a *API) setCookie(c *gin.Context, name, value string, expires time.Time) {
	cookie := &http.Cookie{
		Name: name, Value: value, Path: "/", Expires: expires,
		Secure: a.sessions.Cookie.Secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}
	if value == "" {
		cookie.MaxAge = -1
	}
	http.SetCookie(c.Writer, cookie)
}

// begin makes the session of ctx that of an account, under a new token, so
// that nobody who knew the old one is signed in.
func (a *API) begin(ctx context.Context, l account.Login) error {
	if err := a.sessions.Clear(ctx); err != nil {
		return err
	}
	if err := a.sessions.RenewToken(ctx); err != nil {
		return err
	}
	a.sessions.Put(ctx, keyAccount, strconv.FormatInt(l.ID, 10))
	a.sessions.Put(ctx, keyEpoch, strconv.Itoa(l.Epoch))
	a.sessions.Put(ctx, keySignedIn, strconv.FormatInt(a.Now().Unix(), 10))
	return nil
}

// SignedIn returns the account that the session of ctx is of. The error is of
// kind [registry.ErrUnauthorized] if nobody is signed in.
func (a *API) SignedIn(ctx context.Context) (account.Login, error) {
	id, err := strconv.ParseInt(a.sessions.GetString(ctx, keyAccount), 10, 64)
	if err != nil {
		return account.Login{}, notSignedIn()
	}
	l, err := a.Accounts.Get(ctx, id)
	if errors.Is(err, registry.ErrNotFound) || err == nil && strconv.Itoa(l.Epoch) != a.sessions.GetString(ctx, keyEpoch) {
		return account.Login{}, notSignedIn()
	}
	return l, err
}

func notSignedIn() error {
	return &registry.Error{Kind: registry.ErrUnauthorized, Code: "not_signed_in", Msg: "Nobody is signed in. Sign in first."}
}

// signedIn returns the account of a request of the JSON API.
func (a *API) signedIn(ctx context.Context, _ *gin.Context) (account.Account, error) {
	l, err := a.SignedIn(ctx)
	return l.Account, err
}

// signedInAt returns when the session's owner has signed in.
func (a *API) signedInAt(ctx context.Context) time.Time {
	at, err := strconv.ParseInt(a.sessions.GetString(ctx, keySignedIn), 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(at, 0)
}

// FormToken returns the token that forms of the session of ctx must send back.
func (a *API) FormToken(ctx context.Context) string {
	token := a.sessions.GetString(ctx, keyCSRF)
	if token == "" {
		token = rand.Text()
		a.sessions.Put(ctx, keyCSRF, token)
	}
	return token
}

// CheckForm refuses a form whose token is not that of the session of ctx.
func (a *API) CheckForm(ctx context.Context, token string) error {
	want := a.sessions.GetString(ctx, keyCSRF)
	if want == "" || subtle.ConstantTimeCompare([]byte(want), []byte(token)) != 1 {
		return &registry.Error{Kind: registry.ErrForbidden, Code: "form_expired", Msg: "This form has expired. Load the page again and repeat what you did."}
	}
	return nil
}

// Note leaves a sentence in the session of ctx for the page that comes next.
func (a *API) Note(ctx context.Context, text string) { a.sessions.Put(ctx, keyNote, text) }

// TakeNote returns what was left for this page, "" for nothing, and forgets it.
func (a *API) TakeNote(ctx context.Context) string {
	if !a.sessions.Exists(ctx, keyNote) {
		return ""
	}
	return a.sessions.PopString(ctx, keyNote)
}

// Want keeps in the session of ctx where somebody wanted to go who has to look
// into his mail first. It lasts as long as the session: an hour.
func (a *API) Want(ctx context.Context, path string) {
	if path != a.sessions.GetString(ctx, keyWanted) {
		a.sessions.Put(ctx, keyWanted, path)
	}
}

// Wanted returns what was kept by [API.Want], "" if nothing was. Signing in
// forgets it.
func (a *API) Wanted(ctx context.Context) string { return a.sessions.GetString(ctx, keyWanted) }

// errSessionOver says that a session ended while it was used.
var errSessionOver = errors.New("the session is over")

// loadedKey is what the token of a session that was read stands under in its
// context.
type loadedKey struct{}

// A sessionStore is what scs sees of Sessions.
type sessionStore struct {
	Sessions
	now func() time.Time
}

func (s sessionStore) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	found, ok, err := s.Session(ctx, sha256.Sum256([]byte(token)), s.now())
	return found.Data, ok, err
}

func (s sessionStore) CommitCtx(ctx context.Context, token string, data []byte, expires time.Time) error {
	_, values, err := codec{}.Decode(data)
	if err != nil {
		return err
	}
	session := account.Session{Data: data, Idle: anonymousIdle, ExpiresAt: expires}
	if id, _ := values[keyAccount].(string); id != "" {
		session.Idle = sessionIdle
		if session.Account, err = strconv.ParseInt(id, 10, 64); err != nil {
			return err
		}
	}
	loaded, _ := ctx.Value(loadedKey{}).(string)
	ok, err := s.SaveSession(ctx, sha256.Sum256([]byte(token)), session, loaded != token, s.now())
	if err == nil && !ok {
		return errSessionOver
	}
	return err
}

func (s sessionStore) DeleteCtx(ctx context.Context, token string) error {
	return s.EndSession(ctx, sha256.Sum256([]byte(token)))
}

func (s sessionStore) Find(token string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), token)
}

func (s sessionStore) Commit(token string, data []byte, expires time.Time) error {
	return s.CommitCtx(context.Background(), token, data, expires)
}

func (s sessionStore) Delete(token string) error { return s.DeleteCtx(context.Background(), token) }

// A codec writes sessions, which hold texts only, as JSON.
type codec struct{}

type encoded struct {
	Deadline time.Time         `json:"deadline"`
	Values   map[string]string `json:"values"`
}

func (codec) Encode(deadline time.Time, values map[string]any) ([]byte, error) {
	e := encoded{deadline, make(map[string]string, len(values))}
	for k, v := range values {
		s, ok := v.(string)
		if !ok {
			return nil, fmt.Errorf("a session holds texts only, not %T", v)
		}
		e.Values[k] = s
	}
	return json.Marshal(e)
}

func (codec) Decode(b []byte) (time.Time, map[string]any, error) {
	var e encoded
	if err := json.Unmarshal(b, &e); err != nil {
		return time.Time{}, nil, fmt.Errorf("read a session: %w", err)
	}
	values := make(map[string]any, len(e.Values))
	for k, v := range e.Values {
		values[k] = v
	}
	return e.Deadline, values, nil
}
