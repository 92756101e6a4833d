// Package mail sends mail through an SMTP server. It queues messages in memory
// and retries.
package mail

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	netmail "net/mail"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/wneessen/go-mail"

	"mcpcensus/internal/hosts"
	"mcpcensus/internal/registry"
)

// Options configure a Sender.
type Options struct {
	// URL is the server: smtp://user:password@host:587, which must offer
	// STARTTLS unless it is on this machine or the URL ends in ?tls=off, or
	// smtps://user:password@host:465.
	URL  string
	From string // such as "Census <census@example.com>"
	Log  *slog.Logger
	TLS  *tls.Config // nil: the system's certificates
	// Retry is the delay before each retry; nil: 5 s, 30 s, 2 min, 10 min and
	// 30 min.
	Retry []time.Duration
	// Sent, if not nil, is called with the result of each mail.
	Sent func(err error)
}

// A Sender sends mail while [Sender.Run] runs.
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
	maxQueue    = 1000
	sendTimeout = 30 * time.Second
	drainFor    = 7 * time.Second // for queued mail when the process stops
)

// New returns a sender, without connecting. The error does not contain the
// password.
func New(o Options) (*Sender, error) {
	server, err := parseURL(o.URL)
	if err != nil {
		return nil, err
	}
	from, err := ParseFrom(o.From)
	if err != nil {
		return nil, err
	}
	options := server.options()
	if o.TLS != nil {
		c := o.TLS.Clone()
		c.ServerName = server.host
		options = append(options, mail.WithTLSConfig(c))
	}
	client, err := mail.NewClient(server.host, options...)
	if err != nil {
		return nil, errors.New("CENSUS_SMTP_URL is invalid")
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Retry == nil {
		o.Retry = []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute,
			10 * time.Minute, 30 * time.Minute}
	}
	return &Sender{Options: o, client: client, from: from, queue: make(chan message, maxQueue)}, nil
}

// CheckURL returns an error if the URL of a server is invalid.
func CheckURL(raw string) error {
	_, err := parseURL(raw)
	return err
}

func ParseFrom(s string) (*netmail.Address, error) {
	a, err := netmail.ParseAddress(s)
	if err != nil || strings.ContainsAny(s, "\r\n\x00") {
		return nil, registry.Errorf(registry.ErrInvalid,
			"must be an address such as census@example.com or Census <census@example.com>")
	}
	return a, nil
}

// A server is a parsed server URL.
type server struct {
	host           string
	port           int
	local          bool // on this machine
	ssl            bool // TLS from the start
	plain          bool // without TLS
	user, password string
}

func invalid(why string) error { return registry.Errorf(registry.ErrInvalid, "%s", why) }

func parseURL(raw string) (s server, err error) {
	u, err := url.Parse(raw)
	if err != nil || !isServer(u) {
		return s, invalid("must look like smtp://user:password@host:587 or smtps://user:password@host:465, " +
			"with special characters of the password URL-encoded")
	}
	s = server{host: u.Hostname(), port: 587, ssl: u.Scheme == "smtps",
		local: hosts.KindOf(u.Hostname()) == hosts.Loopback}
	if s.ssl {
		s.port = 465
	}
	if p := u.Port(); p != "" {
		if s.port, err = strconv.Atoi(p); err != nil || s.port < 1 || s.port > 65535 {
			return s, invalid("has an invalid port")
		}
	}
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil || len(q) > 1 || len(q) == 1 && (q.Get("tls") != "off" || s.ssl) {
		return s, invalid("supports only the parameter tls=off, and only with smtp://")
	}
	s.plain = q.Get("tls") == "off"
	if u.User != nil {
		err = s.setUser(u.User)
	}
	return s, err
}

func (s *server) setUser(u *url.Userinfo) error {
	password, ok := u.Password()
	s.user, s.password = u.Username(), password
	switch {
	case s.user == "" || !ok:
		return invalid("must have both a user and a password, or neither")
	case s.plain && !s.local:
		return invalid("would send the password unencrypted; remove tls=off")
	}
	return nil
}

func isServer(u *url.URL) bool {
	return (u.Scheme == "smtp" || u.Scheme == "smtps") && u.Hostname() != "" && (u.Path == "" || u.Path == "/") &&
		u.Fragment == ""
}

func (s server) options() []mail.Option {
	list := []mail.Option{
		mail.WithPort(s.port), mail.WithTimeout(sendTimeout), mail.WithoutNoop(), mail.WithoutRset(),
	}
	switch {
	case s.ssl:
		list = append(list, mail.WithSSL())
	case s.plain:
		list = append(list, mail.WithTLSPolicy(mail.NoTLS))
	case s.local:
		list = append(list, mail.WithTLSPolicy(mail.TLSOpportunistic))
	default:
		list = append(list, mail.WithTLSPolicy(mail.TLSMandatory))
	}
	if s.user != "" {
		auth := mail.SMTPAuthAutoDiscover
		if s.local {
			auth = mail.SMTPAuthPlainNoEnc // the password does not leave the machine
		}
		list = append(list, mail.WithSMTPAuth(auth), mail.WithUsername(s.user), mail.WithPassword(s.password))
	}
	return list
}

// Send enqueues a mail. to is an address in ASCII; text is plain text. The error
// is of kind [registry.ErrInvalid] if an argument is invalid, and of kind
// [registry.ErrUnavailable] if the queue is full.
func (s *Sender) Send(to, subject, text string) error {
	m := message{to: to, subject: subject, text: text}
	if _, err := s.compose(m); err != nil {
		return err
	}
	select {
	case s.queue <- m:
		return nil
	default:
		return registry.Errorf(registry.ErrUnavailable, "the mail queue is full")
	}
}

// compose returns the mail. It refuses line breaks, which could add headers.
func (s *Sender) compose(m message) (*mail.Msg, error) {
	if strings.ContainsAny(m.to+m.subject, "\r\n\x00") {
		return nil, registry.Errorf(registry.ErrInvalid, "address or subject contains a line break")
	}
	msg := mail.NewMsg(mail.WithNoDefaultUserAgent())
	msg.FromMailAddress(s.from)
	if err := msg.To(m.to); err != nil {
		return nil, registry.Wrap(registry.ErrInvalid, err, "invalid address")
	}
	msg.Subject(m.subject)
	msg.SetDate()
	// Do not reveal the name of this machine.
	msg.SetMessageIDWithValue(rand.Text() +
		s.from.Address[strings.LastIndexByte(s.from.Address, '@'):])
	// Prevent automatic replies (RFC 3834).
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetBodyString(mail.TypeTextPlain, m.text)
	return msg, nil
}

// Run sends mail until ctx is done, and then tries each queued mail once more. It logs
// failures.
func (s *Sender) Run(ctx context.Context) error {
	for {
		select {
		case m := <-s.queue:
			s.try(ctx, m)
		case <-ctx.Done():
			s.wg.Wait() // pending retries return to the queue
			rest, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainFor)
			defer cancel()
			for {
				select {
				case m := <-s.queue:
					s.finish(m, s.deliver(rest, m))
				default:
					return nil
				}
			}
		}
	}
}

// try sends a mail, and retries later if that fails.
func (s *Sender) try(ctx context.Context, m message) {
	err := s.deliver(context.WithoutCancel(ctx), m)
	if err == nil || m.tries == len(s.Retry) || permanent(err) {
		s.finish(m, err)
		return
	}
	wait := s.Retry[m.tries]
	m.tries++
	s.Log.Warn("mail not sent, retrying", "to", shortened(m.to), "subject", m.subject,
		"after", wait, "err", err)
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
			s.finish(m, errors.New("the mail queue is full"))
		}
	})
}

func (s *Sender) deliver(ctx context.Context, m message) error {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	msg, err := s.compose(m)
	if err != nil {
		return err
	}
	conn, err := s.client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return fmt.Errorf("connect to the mail server: %w", err)
	}
	defer func() { _ = s.client.CloseWithSMTPClient(conn) }()
	if err := s.client.SendWithSMTPClient(conn, msg); err != nil {
		return fmt.Errorf("send mail: %w", err)
	}
	return nil
}

// permanent reports whether retries are useless: the server has refused the mail with
// 5xx, or it is invalid.
func permanent(err error) bool {
	var e *mail.SendError
	return errors.Is(err, registry.ErrInvalid) || errors.As(err, &e) && !e.IsTemp() &&
		e.ErrorCode() >= 500
}

// finish logs and reports the final result of a mail.
func (s *Sender) finish(m message, err error) {
	if err != nil {
		s.Log.Error("mail not sent, giving up", "to", shortened(m.to), "subject", m.subject,
			"tries", m.tries+1, "err", err)
	}
	if s.Sent != nil {
		s.Sent(err)
	}
}

// shortened returns an address for logs: o…@example.com.
func shortened(to string) string {
	local, domain, ok := strings.Cut(to, "@")
	if !ok || local == "" {
		return "…"
	}
	return local[:1] + "…@" + domain
}
