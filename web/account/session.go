package account

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
	"mcpcensus/internal/postgres/people"
	"mcpcensus/internal/registry"
)

// How long sessions last.
const (
	sessionLife   = 30 * 24 * time.Hour // since the sign-in
	sessionIdle   = 7 * 24 * time.Hour  // without use
	anonymousIdle = time.Hour           // without use, before the sign-in
)

// Session values.
const (
	keyAccount     = "account"
	keyEpoch       = "epoch"
	keySignedIn    = "signedIn" // when, in Unix seconds
	keyCSRF        = "csrf"
	keyNote        = "note" // for the next page
	keyDestination = "wanted"
	keyActing      = "acting" // account that the person acts in, unless it is their own
	keyProof       = "proof"  // for the browser to keep, see [account.Accounts.Proof]
)

// newSessions returns a session manager. Its cookie options are unused, see
// [People.setCookie].
func newSessions(store *people.Store, now func() time.Time) *scs.SessionManager {
	m := scs.New()
	m.Store = sessionStore{people: store, now: now}
	m.Codec = codec{}
	m.Lifetime = sessionLife
	return m
}

// Names of cookies.
const (
	sessionCookie = "registry-session"
	proofCookie   = "registry-known"
)

// cookieName returns the full name of a cookie. If the registry's address is plain HTTP at this
// machine, cookies have other names and are not Secure: browsers would not store them.
func (a *People) cookieName(name string) string {
	if a.plain {
		return name
	}
	return "__Host-" + name
}

// cookie returns the value of a cookie of a request, "" for none.
func (a *People) cookie(c *gin.Context, name string) string {
	cookie, err := c.Request.Cookie(a.cookieName(name))
	if err != nil || len(cookie.Value) > 100 {
		return ""
	}
	return cookie.Value
}

// Open returns the context of a request with its session, which may be empty.
// [People.Save] stores changes.
func (a *People) Open(c *gin.Context) (context.Context, error) {
	ctx := account.WithVisitor(c.Request.Context(), a.visitor(c))
	token := a.cookie(c, sessionCookie)
	ctx, err := a.sessions.Load(ctx, token)
	if err != nil {
		return nil, err
	}
	if a.sessions.Token(ctx) != "" {
		ctx = context.WithValue(ctx, loadedKey{}, token)
	}
	if a.sessions.GetString(ctx, keyActing) != "" {
		v := account.VisitorOf(ctx)
		v.Member, _ = strconv.ParseInt(a.sessions.GetString(ctx, keyAccount), 10, 64)
		ctx = account.WithVisitor(ctx, v)
	}
	return ctx, nil
}

// Save stores the session of ctx if it has changed, and sets the cookie. It must
// be called before the response is written.
func (a *People) Save(ctx context.Context, c *gin.Context) error {
	switch a.sessions.Status(ctx) {
	case scs.Modified:
		if proof := a.sessions.PopString(ctx, keyProof); proof != "" {
			a.setCookie(c, proofCookie, proof, a.Now().Add(account.ProofFor))
		}
		token, expires, err := a.sessions.Commit(ctx)
		if errors.Is(err, errSessionOver) {
			return nil
		}
		if err != nil {
			return err
		}
		a.setCookie(c, sessionCookie, token, expires)
	case scs.Destroyed:
		a.setCookie(c, sessionCookie, "", time.Unix(1, 0))
	}
	return nil
}

func (a *People) setCookie(c *gin.Context, name, value string, expires time.Time) {
	cookie := &http.Cookie{
		Name: a.cookieName(name), Value: value, Path: "/", Expires: expires,
		Secure: !a.plain, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}
	if value == "" {
		cookie.MaxAge = -1
	}
	http.SetCookie(c.Writer, cookie)
}

// renew clears the session of ctx and gives it a new token, which prevents session
// fixation.
func (a *People) renew(ctx context.Context) error {
	if err := a.sessions.Clear(ctx); err != nil {
		return err
	}
	return a.sessions.RenewToken(ctx)
}

// begin signs an account in to the session of ctx, with a new token.
func (a *People) begin(ctx context.Context, l account.Login) error {
	if err := a.renew(ctx); err != nil {
		return err
	}
	a.sessions.Put(ctx, keyAccount, strconv.FormatInt(l.ID, 10))
	a.sessions.Put(ctx, keyEpoch, strconv.Itoa(l.Epoch))
	a.sessions.Put(ctx, keySignedIn, strconv.FormatInt(a.Now().Unix(), 10))
	a.sessions.Put(ctx, keyProof, a.Accounts.Proof(l))
	return nil
}

// SignedIn returns the account of the session of ctx. The error is of kind
// [registry.ErrUnauthorized] if there is none.
func (a *People) SignedIn(ctx context.Context) (account.Login, error) {
	id, err := strconv.ParseInt(a.sessions.GetString(ctx, keyAccount), 10, 64)
	if err != nil {
		return account.Login{}, notSignedIn()
	}
	l, err := a.Store.Account(ctx, id)
	epoch := a.sessions.GetString(ctx, keyEpoch)
	if errors.Is(err, registry.ErrNotFound) || err == nil && strconv.Itoa(l.Epoch) != epoch {
		return account.Login{}, notSignedIn()
	}
	return l, err
}

func notSignedIn() error {
	return &registry.Error{Kind: registry.ErrUnauthorized, Code: "not_signed_in", Msg: "You are not signed in."}
}

func (a *People) signedInAt(ctx context.Context) time.Time {
	at, err := strconv.ParseInt(a.sessions.GetString(ctx, keySignedIn), 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(at, 0)
}

// browser returns the token of the session of ctx, which links that are mailed are bound to.
// Only its hash is stored.
func (a *People) browser(ctx context.Context) string { return a.sessions.Token(ctx) }

// FormToken returns the CSRF token of the session of ctx.
func (a *People) FormToken(ctx context.Context) string {
	token := a.sessions.GetString(ctx, keyCSRF)
	if token == "" {
		token = rand.Text()
		a.sessions.Put(ctx, keyCSRF, token)
	}
	return token
}

// CheckForm returns an error unless token is the CSRF token of the session of ctx.
func (a *People) CheckForm(ctx context.Context, token string) error {
	want := a.sessions.GetString(ctx, keyCSRF)
	switch {
	case token == "":
		return &registry.Error{Kind: registry.ErrForbidden, Code: "form_incomplete", Msg: incomplete}
	case want == "", subtle.ConstantTimeCompare([]byte(want), []byte(token)) != 1:
		return &registry.Error{Kind: registry.ErrForbidden, Code: "form_expired",
			Msg: "This form has expired. Reload the page and try again."}
	}
	return nil
}

// Note stores a message for the next page in the session of ctx.
func (a *People) Note(ctx context.Context, text string) { a.sessions.Put(ctx, keyNote, text) }

// TakeNote removes and returns the message of [People.Note], "" for none.
func (a *People) TakeNote(ctx context.Context) string {
	if !a.sessions.Exists(ctx, keyNote) {
		return ""
	}
	return a.sessions.PopString(ctx, keyNote)
}

// SetDestination stores the path to redirect to after the sign-in, for the hour
// of an anonymous session.
func (a *People) SetDestination(ctx context.Context, path string) {
	if path != a.sessions.GetString(ctx, keyDestination) {
		a.sessions.Put(ctx, keyDestination, path)
	}
}

// Destination returns the path of [People.SetDestination], "" for none. Signing in removes it.
func (a *People) Destination(ctx context.Context) string {
	return a.sessions.GetString(ctx, keyDestination)
}

// errSessionOver reports that a session has ended during the request.
var errSessionOver = errors.New("the session has ended")

// loadedKey is the context key of the token of the loaded session.
type loadedKey struct{}

// A sessionStore adapts a store to scs, which only calls the methods of [scs.CtxStore].
type sessionStore struct {
	scs.Store // nil
	people    *people.Store
	now       func() time.Time
}

func (s sessionStore) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	found, ok, err := s.people.Session(ctx, sha256.Sum256([]byte(token)), s.now())
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
	ok, err := s.people.SaveSession(ctx, sha256.Sum256([]byte(token)), session, loaded != token, s.now())
	if err == nil && !ok {
		return errSessionOver
	}
	return err
}

func (s sessionStore) DeleteCtx(ctx context.Context, token string) error {
	return s.people.EndSession(ctx, sha256.Sum256([]byte(token)))
}

// A codec encodes sessions, whose values are strings, as JSON.
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
			return nil, fmt.Errorf("session value is a %T, not a string", v)
		}
		e.Values[k] = s
	}
	return json.Marshal(e)
}

func (codec) Decode(b []byte) (time.Time, map[string]any, error) {
	var e encoded
	if err := json.Unmarshal(b, &e); err != nil {
		return time.Time{}, nil, fmt.Errorf("decode a session: %w", err)
	}
	values := make(map[string]any, len(e.Values))
	for k, v := range e.Values {
		values[k] = v
	}
	return e.Deadline, values, nil
}
