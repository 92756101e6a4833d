package account

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"mcpcensus/internal/hosts"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// A MailLimit is a number of mails, or of wrong codes from them, in a time.
type MailLimit struct {
	Key TokenHash // identifies the count
	Max int
	In  time.Duration // at most a day
}

// CodeLimit is the limit of wrong codes for the mails to an address. When it is reached, no
// code signs in, so that nobody can guess for long. Browsers that are known to have signed in
// with the address count apart from strangers.
func CodeLimit(emailKey string, known bool) MailLimit {
	of := "code"
	if known {
		of = "code again"
	}
	return MailLimit{Key: limitKey(of, emailKey), Max: 10, In: 24 * time.Hour}
}

// Limits of mails in an hour.
const (
	asksPerAddress = 3
	asksPerNetwork = 20 // a /24 of IPv4, a /48 of IPv6
	sameLetters    = 4  // of one kind to an address
	mailsToOthers  = 60 // that an account causes; an organization has at most 50 members
)

func limitKey(parts ...string) TokenHash { return sha256.Sum256(fmt.Appendf(nil, "%q", parts)) }

// countMail counts a mail, or returns an error.
func (a *Accounts) countMail(ctx context.Context, limits ...MailLimit) error {
	wait, of, err := a.Store.CountMail(ctx, a.Now(), limits...)
	if err != nil || wait <= 0 {
		return err
	}
	if v := VisitorOf(ctx); of == networkKey(v) && hosts.KindOf(v.Client) != hosts.Public {
		a.warnShared.Do(func() {
			a.Log.Warn("the limit of sign-in mails is reached for clients on this machine or a "+
				"private network; if they come through a proxy, it must send X-Forwarded-For and "+
				"be in CENSUS_TRUSTED_PROXIES, otherwise all its visitors share the limit",
				"network", v.Network())
		})
	}
	return &registry.Error{Kind: registry.ErrLimited, Code: "too_many_attempts", RetryAfter: wait,
		Msg: "Too many emails were requested for this address or from your network. Please try again in " +
			text.Count((wait+time.Minute-1)/time.Minute, "minute") + "."}
}

// ProofFor is how long a proof is valid.
const ProofFor = 180 * 24 * time.Hour

// Proof returns what a browser keeps after signing in to an account. Only this registry can
// make it. It is valid for [ProofFor], and for the epoch of the account, which ends with its
// address.
func (a *Accounts) Proof(l Login) string {
	return a.proof(fmt.Sprintf("%d.%d.%d", l.ID, l.Epoch, a.Now().Unix()))
}

func (a *Accounts) proof(of string) string {
	mac := hmac.New(sha256.New, a.Key)
	mac.Write([]byte("signed in: " + of))
	return of + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// proven returns the Address.Key that the proof of the visitor of ctx is for, "" without a
// valid one.
func (a *Accounts) proven(ctx context.Context) (emailKey string, err error) {
	proof := VisitorOf(ctx).Proof
	of := proof[:max(strings.LastIndexByte(proof, '.'), 0)]
	if !hmac.Equal([]byte(proof), []byte(a.proof(of))) {
		return "", nil
	}
	var id, at int64
	var epoch int
	if _, err := fmt.Sscanf(of, "%d.%d.%d", &id, &epoch, &at); err != nil {
		return "", nil
	}
	if a.Now().Sub(time.Unix(at, 0)) >= ProofFor {
		return "", nil
	}
	l, err := a.Store.Account(ctx, id)
	if errors.Is(err, registry.ErrNotFound) || err == nil && l.Epoch != epoch {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	addr, _ := ParseAddress(l.Email)
	return addr.Key, nil
}

// mayAsk counts a mail with a link that a visitor asks for. Browsers that have signed in with the
// address count apart from strangers, who can use up only their own limits.
func (a *Accounts) mayAsk(ctx context.Context, to Address) error {
	known, err := a.proven(ctx)
	if err != nil {
		return err
	}
	if known == to.Key {
		return a.countMail(ctx,
			MailLimit{Key: limitKey("ask again", to.Key), Max: asksPerAddress, In: time.Hour})
	}
	v := VisitorOf(ctx)
	limits := []MailLimit{{Key: limitKey("ask", to.Key), Max: asksPerAddress, In: time.Hour}}
	if v.Network() != "" {
		limits = append(limits, MailLimit{Key: networkKey(v), Max: asksPerNetwork, In: time.Hour})
	}
	return a.countMail(ctx, limits...)
}

func networkKey(v Visitor) TokenHash { return limitKey("network", v.Network()) }

// mayMail limits how often an address gets a letter, so that others cannot fill its mailbox.
func (a *Accounts) mayMail(ctx context.Context, to string, t letter) error {
	return a.countMail(ctx, MailLimit{
		Key: limitKey("mail", strings.ToLower(asciiOf(to)), t.subject), Max: sameLetters,
		In: time.Hour})
}

// mayMailOthers limits mail that an account causes to addresses of its choice.
func (a *Accounts) mayMailOthers(ctx context.Context, account int64) error {
	return a.countMail(ctx, MailLimit{
		Key: limitKey("others", strconv.FormatInt(account, 10)), Max: mailsToOthers,
		In: time.Hour})
}
