package mail

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net"
	netmail "net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"mcpcensus/internal/registry"
)

// An smtpServer stores the mails that it receives.
type smtpServer struct {
	addr     string
	mu       sync.Mutex
	got      []received
	refuse   []error // one for each of the next mails
	password string  // "": nobody has to sign in
	arrived  chan received
}

type received struct {
	from, to, raw string
	tls, user     bool
}

func newBox(t *testing.T, tlsConfig *tls.Config, implicit bool) *smtpServer {
	t.Helper()
	b := &smtpServer{arrived: make(chan received, 100)}
	s := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session,
		error) {
		return &session{box: b, conn: c}, nil
	}))
	s.Domain, s.TLSConfig, s.AllowInsecureAuth = "localhost", tlsConfig, true
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b.addr = l.Addr().String()
	if implicit {
		l = tls.NewListener(l, tlsConfig)
	}
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
	return b
}

func (b *smtpServer) next(t *testing.T) received {
	t.Helper()
	select {
	case r := <-b.arrived:
		return r
	case <-time.After(20 * time.Second):
		t.Fatal("no mail came")
		return received{}
	}
}

type session struct {
	box  *smtpServer
	conn *smtp.Conn
	received
}

func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }
func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != "census" || password != s.box.password {
			return errors.New("wrong password")
		}
		s.user = true
		return nil
	}), nil
}

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	if s.box.password != "" && !s.user {
		return smtp.ErrAuthRequired
	}
	s.from = from
	return nil
}
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error { s.to += to + " "; return nil }
func (s *session) Reset()                                    {}
func (s *session) Logout() error                             { return nil }
func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	s.box.mu.Lock()
	defer s.box.mu.Unlock()
	if len(s.box.refuse) > 0 {
		err := s.box.refuse[0]
		s.box.refuse = s.box.refuse[1:]
		return err
	}
	s.raw = string(raw)
	_, s.tls = s.conn.TLSConnectionState()
	s.box.got = append(s.box.got, s.received)
	s.box.arrived <- s.received
	return nil
}

// start runs a sender until the test ends.
func start(t *testing.T, o Options) *Sender {
	t.Helper()
	if o.From == "" {
		o.From = "Census <census@example.com>"
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); s.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return s
}

func TestSend(t *testing.T) {
	b := newBox(t, nil, false)
	s := start(t, Options{URL: "smtp://" + b.addr})
	if err := s.Send("ada@xn--bcher-kva.example", "Bücher und mehr",
		"Grüße,\nein Link: https://census.example/account/confirm?token=abc\n.\nEnde\n"); err != nil {
		t.Fatal(err)
	}
	r := b.next(t)
	if r.from != "census@example.com" || r.to != "ada@xn--bcher-kva.example " {
		t.Errorf("%q to %q", r.from, r.to)
	}
	m, err := netmail.ReadMessage(strings.NewReader(r.raw))
	if err != nil {
		t.Fatal(err)
	}
	if m.Header.Get("Auto-Submitted") != "auto-generated" || m.Header.Get("Message-ID") == "" ||
		m.Header.Get("From") != `"Census" <census@example.com>` {
		t.Errorf("%v", m.Header)
	}
	if _, err := m.Header.Date(); err != nil {
		t.Error(err)
	}
	if id := m.Header.Get("Message-ID"); !strings.HasSuffix(id, "@example.com>") {
		t.Errorf("Message-ID %s names another machine", id)
	}
	for _, name := range []string{"User-Agent", "X-Mailer"} { // nobody's brand
		if m.Header.Get(name) != "" {
			t.Errorf("%s: %s", name, m.Header.Get(name))
		}
	}
}

// certificate returns a server's and a client's configuration that fit.
func certificate(t *testing.T) (server, client *tls.Config) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0,
			1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der},
		PrivateKey: key}}}, &tls.Config{RootCAs: pool}
}

func TestSendEncrypted(t *testing.T) {
	server, client := certificate(t)
	for name, c := range map[string]struct {
		scheme   string
		implicit bool
	}{"STARTTLS": {"smtp", false}, "TLS": {"smtps", true}} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t, server, c.implicit)
			b.password = "p:a/s@s word"
			s := start(t, Options{URL: c.scheme + "://census:p%3Aa%2Fs%40s%20word@" + b.addr,
				TLS: client})
			if err := s.Send("ada@example.com", "x", "y"); err != nil {
				t.Fatal(err)
			}
			if r := b.next(t); !r.tls || !r.user {
				t.Errorf("%+v", r)
			}
		})
	}
	t.Run("a certificate that nobody vouches for", func(t *testing.T) {
		b := newBox(t, server, false)
		ended := make(chan error, 1)
		s := start(t, Options{URL: "smtp://" + b.addr, Retry: []time.Duration{},
			Sent: func(err error) { ended <- err }})
		s.Send("ada@example.com", "x", "y")
		if err := <-ended; err == nil {
			t.Error("sent")
		}
	})
	t.Run("the wrong password", func(t *testing.T) {
		var log bytes.Buffer
		b := newBox(t, server, false)
		b.password = "right"
		ended := make(chan error, 1)
		s := start(t, Options{URL: "smtp://census:very-secret@" + b.addr, TLS: client,
			Retry: []time.Duration{}, Log: slog.New(slog.NewTextHandler(&log,
				nil)), Sent: func(err error) { ended <- err }})
		s.Send("ada@example.com", "x", "y")
		if err := <-ended; err == nil {
			t.Error("sent")
		}
		if strings.Contains(log.String(), "very-secret") ||
			strings.Contains(log.String(), "ada@") || !strings.Contains(log.String(), "giving up") {
			t.Errorf("log: %s", log.String())
		}
	})
}

func TestSendRetries(t *testing.T) {
	b := newBox(t, nil, false)
	busy := &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 3, 0},
		Message: "try again later"}
	b.refuse = []error{busy, busy}
	s := start(t, Options{URL: "smtp://" + b.addr,
		Retry: []time.Duration{time.Millisecond, time.Millisecond, time.Millisecond}})
	s.Send("ada@example.com", "patience", "y")
	if r := b.next(t); !strings.Contains(r.raw, "patience") {
		t.Errorf("%+v", r)
	}
}

func TestSendRefused(t *testing.T) {
	b := newBox(t, nil, false)
	b.refuse = []error{&smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1},
		Message: "no such user"}}
	ended := make(chan error, 2)
	s := start(t, Options{URL: "smtp://" + b.addr, Retry: []time.Duration{time.Millisecond},
		Sent: func(err error) { ended <- err }})
	s.Send("nobody@example.com", "x", "y")
	s.Send("ada@example.com", "x", "y")
	if err := <-ended; err == nil {
		t.Error("the first was sent")
	}
	if err := <-ended; err != nil {
		t.Errorf("the second was not sent: %v", err)
	}
	if len(b.got) != 1 {
		t.Errorf("%d mails", len(b.got))
	}
}

// What waits to be tried again when the process stops is sent then.
func TestRunStops(t *testing.T) {
	b := newBox(t, nil, false)
	b.refuse = []error{&smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 3, 0},
		Message: "try again later"}}
	tried := make(chan struct{})
	s, err := New(Options{URL: "smtp://" + b.addr, From: "census@example.com",
		Retry: []time.Duration{time.Hour}, Log: slog.New(logSignal{slog.DiscardHandler, tried})})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); s.Run(ctx) }()
	s.Send("ada@example.com", "first", "y")
	<-tried
	cancel()
	<-done
	if len(b.got) != 1 || !strings.Contains(b.got[0].raw, "first") {
		t.Errorf("%v", b.got)
	}
}

// note closes a channel at the first line that is logged.
type logSignal struct {
	slog.Handler
	first chan struct{}
}

func (n logSignal) Enabled(context.Context, slog.Level) bool { return true }
func (n logSignal) Handle(context.Context, slog.Record) error {
	close(n.first)
	return nil
}

func TestSendHeaderInjection(t *testing.T) {
	s, err := New(Options{URL: "smtp://127.0.0.1:1", From: "census@example.com"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{
		{"ada@example.com\r\nBcc: eve@example.com", "x"}, {"ada@example.com",
			"x\r\nBcc: eve@example.com"}, {"ada@example.com\nRCPT TO:<eve@example.com>", "x"},
		{"ada@example.com", "x\x00"}, {"", "x"}, {"ada", "x"}, {"ada@example.com, eve@example.com",
			"x"},
	} {
		if err := s.Send(c[0], c[1], "y"); !errors.Is(err, registry.ErrInvalid) {
			t.Errorf("%q: %v", c, err)
		}
	}
}

func TestSendFullQueue(t *testing.T) {
	s, err := New(Options{URL: "smtp://127.0.0.1:1", From: "census@example.com"}) // nobody runs it
	if err != nil {
		t.Fatal(err)
	}
	for range maxQueue {
		if err := s.Send("ada@example.com", "x", "y"); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Send("ada@example.com", "x", "y"); !errors.Is(err, registry.ErrUnavailable) {
		t.Errorf("%v", err)
	}
}

func TestCheckURL(t *testing.T) {
	for _, u := range []string{"smtp://mail.example", "smtp://mail.example:25",
		"smtps://u:p@mail.example", "smtp://u:p%40@mail.example:587/", "smtp://relay:25?tls=off",
		"smtp://u:p@localhost:25?tls=off", "smtp://[::1]:25"} {
		if err := CheckURL(u); err != nil {
			t.Errorf("%s: %v", u, err)
		}
	}
	for _, u := range []string{"", "mail.example", "http://mail.example", "smtp://",
		"smtp://mail.example:0", "smtp://mail.example:99999", "smtp://u@mail.example",
		"smtp://:p@mail.example", "smtp://mail.example/x",
		"smtp://mail.example?tls=maybe", "smtp://mail.example?x=1",
		"smtp://u:p@mail.example?tls=off", "smtps://mail.example?tls=off",
		"smtp://u:secret%zz@mail.example", "smtp://mail.example#x"} {
		err := CheckURL(u)
		if !errors.Is(err, registry.ErrInvalid) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", u, err)
		}
	}
	for _, from := range []string{"", "x", "a@b.example, c@d.example",
		"Census <census@example.com>\r\nBcc: x@y.example"} {
		if _, err := ParseFrom(from); err == nil {
			t.Errorf("%q", from)
		}
	}
}
