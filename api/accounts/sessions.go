package accounts

import (
	"context"
	"crypto/sha256"
	"errors"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/account"
	"mcpcensus/internal/registry"
)

// A shownSession is the JSON of a session.
type shownSession struct {
	ID         int64     `json:"id"`
	Network    string    `json:"network"` // "": unknown
	Agent      string    `json:"userAgent"`
	CreatedAt  time.Time `json:"createdAt"`
	LastUsedAt time.Time `json:"lastUsedAt"` // to the minute
	ExpiresAt  time.Time `json:"expiresAt"`  // if it is not used again
	Current    bool      `json:"current"`
}

// SessionsOf returns the sessions of an account, last used first.
func (a *API) SessionsOf(ctx context.Context, id int64) ([]account.SessionInfo, error) {
	current := sha256.Sum256([]byte(a.sessions.Token(ctx)))
	return a.Sessions.ListSessions(ctx, id, current, a.Now())
}

func (a *API) shownSessions(ctx context.Context, id int64) ([]shownSession, error) {
	list, err := a.SessionsOf(ctx, id)
	shown := make([]shownSession, len(list))
	for i, s := range list {
		shown[i] = shownSession{s.ID, s.Network, s.Agent, s.CreatedAt, s.SeenAt, s.ExpiresAt, s.Current}
	}
	return shown, err
}

// EndSession ends a session of the signed-in account.
func (a *API) EndSession(ctx context.Context, id string) error {
	l, err := a.SignedIn(ctx)
	if err != nil {
		return err
	}
	unknown := &registry.Error{Kind: registry.ErrNotFound, Code: "session_not_found",
		Msg: "This account has no such session."}
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return unknown
	}
	err = a.Sessions.EndSessionOf(ctx, n, account.AuditEntry{At: a.Now(), Account: l.ID,
		Actor: account.ByOwner, Action: "session.ended"})
	if errors.Is(err, registry.ErrNotFound) {
		return unknown
	}
	return err
}

// sessionRoutes returns the routes of sessions.
func (a *API) sessionRoutes() []route {
	return []route{
		{"GET", "/sessions", 200, as(a.SignedIn, a.getSessions)},
		{"DELETE", "/sessions/:id", 204, a.deleteSession},
		{"POST", "/sessions/end-others", 204, withBody(a.postEndOthers)},
	}
}

func (a *API) getSessions(ctx context.Context, _ *gin.Context, l account.Login) (any, error) {
	list, err := a.shownSessions(ctx, l.ID)
	return map[string]any{"sessions": list}, err
}

func (a *API) deleteSession(ctx context.Context, c *gin.Context) (any, error) {
	return nil, a.EndSession(ctx, c.Param("id"))
}

func (a *API) postEndOthers(ctx context.Context, _ *gin.Context, _ struct{}) (any, error) {
	return nil, a.SignOutElsewhere(ctx)
}
