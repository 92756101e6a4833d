// Package mail sends mail through an SMTP server, off the path of requests:
// what is to be sent waits in memory and is tried several times.
package mail

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	netmail "net/mail"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/wneessen/go-mail"

	"mcpcensus/internal/registry"
)

// Options are what a Sender is made of.
type Options struct {
	// URL is the server: smtp://user:password@host:587, which must offer
	// STARTTLS unless it is on this machine or the URL ends in ?tls=off, or
	// smtps://user:password@host:465.
	URL  string
	From string // such as "Census <census@example.com>"
	Log  *slog.Logger
	TLS  *tls.Config // nil: the system's certificates
	// Retry is how long to wait before each further attempt; nil: 5 s, 30 s,
	// 2 min, 10 min and 30 min.
	Retry []time.Duration
	// Sent, if not nil, is told how each mail ended.
	Sent func(err error)
}

// A Sender sends mail. [Sender.Run] must run beside it.
type Sender struct {
	Options
	client *mail.Client
	from   *netmail.Address
	queue  chan message
	wg     sync.WaitGroup
}

type message struct {
	to, subject, text string
	tries             int
}

const (
	maxQueue = 1000
	sendTime = 30 * time.Second
	// drainTime is how long a stopping process goes on sending.
	drainTime = 7 * time.Second
)

// New returns a sender. It connects to nothing. The error names the variable
// at fault and never holds the password.
func New(o Options) (*Sender, error) {
	opts, err := options(o.URL)
	if err != nil {
		return nil, err
	}
	from, err := ParseFrom(o.From)
	if err != nil {
		return nil, err
	}
	host := opts.host
	if o.TLS != nil {
		c := o.TLS.Clone()
		c.ServerName = host
		opts.list = append(opts.list, mail.WithTLSConfig(c))
	}
	client, err := mail.NewClient(host, opts.list...)
	if err != nil {
		return nil, errors.New("CENSUS_SMTP_URL is not understood")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Retry == nil {
		o.Retry = []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute,
			10 * time.Minute, 30 * time.Minute}
	}
	return &Sender{Options: o, client: client, from: from, queue: make(chan message, maxQueue)}, nil
}

// CheckURL says what is wrong with the URL of a server; nil: nothing.
func CheckURL(raw string) error {
	_, err := options(raw)
	return err
}

// ParseFrom reads the address that mail comes from.
func ParseFrom(s string) (*netmail.Address, error) {
	a, err := netmail.ParseAddress(s)
	if err != nil || strings.ContainsAny(s, "\r\n\x00") {
		return nil, registry.Errorf(registry.ErrInvalid,
			"must be an address such as census@example.com or Census <census@example.com>")
	}
	return a, nil
}

type parsed struct {
	host string
	list []mail.Option
}

func options(raw string) (parsed, error) {
	bad := func(why string) (parsed, error) {
		return parsed{},
			registry.Errorf(registry.ErrInvalid, "%s", why)
	}
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "smtp" && u.Scheme != "smtps" || u.Hostname() == "" ||
		u.Path != "" && u.Path != "/" || u.Fragment != "" {
		return bad("must look like smtp://user:password@host:587 or smtps://user:password@host:465, with what is special in the password URL-encoded")
	}
	port := 587
	if u.Scheme == "smtps" {
		port = 465
	}
	if p := u.Port(); p != "" {
		if port, err = strconv.Atoi(p); err != nil || port < 1 || port > 65535 {
			return bad("has no port that there is")
		}
	}
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil || len(q) > 1 || len(q) == 1 && (q.Get("tls") != "off" || u.Scheme == "smtps") {
		return bad("takes no parameter but tls=off, which is for smtp:// only")
	}
	list := []mail.Option{mail.WithPort(port), mail.WithTimeout(sendTime), mail.WithoutNoop(),
		mail.WithoutRset()}
	local := loopback(u.Hostname())
	switch {
	case u.Scheme == "smtps":
		list = append(list, mail.WithSSL())
	case q.Get("tls") == "off":
		list = append(list, mail.WithTLSPolicy(mail.NoTLS))
	case local:
		list = append(list, mail.WithTLSPolicy(mail.TLSOpportunistic))
	default:
		list = append(list, mail.WithTLSPolicy(mail.TLSMandatory))
	}
	if u.User != nil {
		password, ok := u.User.Password()
		if u.User.Username() == "" || !ok {
			return bad("has a user without a password, or a password without a user")
		}
		if q.Get("tls") == "off" && !local {
			return bad("would send the password in the clear: leave tls=off out")
		}
		kind := mail.SMTPAuthAutoDiscover
		if local {
			kind = mail.SMTPAuthPlainNoEnc // the password does not leave the machine
		}
		list = append(list, mail.WithSMTPAuth(kind), mail.WithUsername(u.User.Username()),
			mail.WithPassword(password))
	}
	return parsed{u.Hostname(), list}, nil
}

func loopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.IsLoopback()
}

// Send takes a mail to send it soon. to is an address in ASCII; text is plain.
// The error is of kind [registry.ErrInvalid] if no mail can be made of it, and
// of kind [registry.ErrUnavailable] if too much waits already.
func (s *Sender) Send(to, subject, text string) error {
	m := message{to: to, subject: subject, text: text}
	if _, err := s.compose(m); err != nil {
		return err
	}
	select {
	case s.queue <- m:
		return nil
	default:
		return registry.Errorf(registry.ErrUnavailable, "too much mail is waiting")
	}
}

// compose returns the mail. Nothing of it can add a header: line breaks are
// refused.
func (s *Sender) compose(m message) (*mail.Msg, error) {
	if strings.ContainsAny(m.to+m.subject, "\r\n\x00") {
		return nil, registry.Errorf(registry.ErrInvalid, "an address or a subject has a line break")
	}
	msg := mail.NewMsg(mail.WithNoDefaultUserAgent())
	msg.FromMailAddress(s.from)
	if err := msg.To(m.to); err != nil {
		return nil, registry.Wrap(registry.ErrInvalid, err,
			"not an address that mail can be sent to")
	}
	msg.Subject(m.subject)
	msg.SetDate()
	// not this machine's name
	msg.SetMessageIDWithValue(rand.Text() +
		s.from.Address[strings.LastIndexByte(s.from.Address, '@'):])
	// RFC 3834: no automatic replies, please
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetBodyString(mail.TypeTextPlain, m.text)
	return msg, nil
}

// Run sends mail until ctx is done, and then once more what still waits, for
// some seconds. Mail that is given up is logged.
func (s *Sender) Run(ctx context.Context) error {
	for {
		select {
		case m := <-s.queue:
			s.try(ctx, m)
		case <-ctx.Done():
			s.wg.Wait() // retries see that ctx is done and put their mail back
			rest, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
			defer cancel()
			for {
				select {
				case m := <-s.queue:
					if err := s.deliver(rest, m); err != nil {
						s.giveUp(m, err)
					} else {
						s.told(nil)
					}
				default:
					return nil
				}
			}
		}
	}
}

// try sends a mail, and sees to it that it is tried again if that fails.
func (s *Sender) try(ctx context.Context, m message) {
	err := s.deliver(context.WithoutCancel(ctx), m)
	if err == nil {
		s.told(nil)
		return
	}
	if m.tries == len(s.Retry) || permanent(err) {
		s.giveUp(m, err)
		return
	}
	wait := s.Retry[m.tries]
	m.tries++
	s.Log.Warn("mail not sent, tried again later", "to", shortened(m.to), "subject", m.subject,
		"again", wait, "err", err)
	s.wg.Go(func() {
		t := time.NewTimer(wait)
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
		}
		select {
		case s.queue <- m:
		default:
			s.giveUp(m, errors.New("too much mail is waiting"))
		}
	})
}

func (s *Sender) deliver(ctx context.Context, m message) error {
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	msg, err := s.compose(m)
	if err != nil {
		return err
	}
	conn, err := s.client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return fmt.Errorf("reach the mail server: %w", err)
	}
	defer func() { _ = s.client.CloseWithSMTPClient(conn) }() // the mail is sent, or it is not
	if err := s.client.SendWithSMTPClient(conn, msg); err != nil {
		return fmt.Errorf("send mail: %w", err)
	}
	return nil
}

// permanent reports whether a server has refused a mail for good (5xx), or it
// cannot be sent at all.
func permanent(err error) bool {
	var e *mail.SendError
	return errors.Is(err, registry.ErrInvalid) || errors.As(err, &e) && !e.IsTemp() &&
		e.ErrorCode() >= 500
}

func (s *Sender) giveUp(m message, err error) {
	s.Log.Error("mail not sent, given up", "to", shortened(m.to), "subject", m.subject, "tries",
		m.tries+1, "err", err)
	s.told(err)
}

func (s *Sender) told(err error) {
	if s.Sent != nil {
		s.Sent(err)
	}
}

// shortened returns an address as logs may have it: o…@example.com.
func shortened(to string) string {
	local, domain, ok := strings.Cut(to, "@")
	if !ok || local == "" {
		return "…"
	}
	return local[:1] + "…@" + domain
}
