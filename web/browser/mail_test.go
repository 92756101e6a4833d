package browser

import (
	"fmt"
	"io"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/emersion/go-smtp"
)

// A mailbox is a mail server that keeps what it gets.
type mailbox struct {
	address string
	server  *smtp.Server

	mu    sync.Mutex
	mails []letter
}

// A letter is a received mail.
type letter struct{ to, subject, text string }

// startMailbox starts a mail server on this machine.
func startMailbox() (*mailbox, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &mailbox{address: l.Addr().String()}
	m.server = smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) {
		return &delivery{box: m}, nil
	}))
	m.server.Domain = "localhost"
	go m.server.Serve(l)
	return m, nil
}

// latest waits for the mail with a subject to an address, and removes it.
func (m *mailbox) latest(to, subject string) (letter, error) {
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		m.mu.Lock()
		for i, l := range m.mails {
			if l.to == to && strings.Contains(l.subject, subject) {
				m.mails = append(m.mails[:i], m.mails[i+1:]...)
				m.mu.Unlock()
				return l, nil
			}
		}
		m.mu.Unlock()
	}
	return letter{}, fmt.Errorf("no mail with %q to %s", subject, to)
}

// A delivery is a connection to a mailbox.
type delivery struct {
	box *mailbox
	to  string
}

func (d *delivery) Mail(string, *smtp.MailOptions) error { return nil }
func (d *delivery) Reset()                               {}
func (d *delivery) Logout() error                        { return nil }
func (d *delivery) Rcpt(to string, _ *smtp.RcptOptions) error {
	d.to = to
	return nil
}

func (d *delivery) Data(r io.Reader) error {
	m, err := mail.ReadMessage(r)
	if err != nil {
		return err
	}
	body := m.Body
	if m.Header.Get("Content-Transfer-Encoding") == "quoted-printable" {
		body = quotedprintable.NewReader(body)
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	d.box.mu.Lock()
	defer d.box.mu.Unlock()
	d.box.mails = append(d.box.mails, letter{d.to, m.Header.Get("Subject"), string(text)})
	return nil
}

// code returns the six digits of a mail to sign in.
func (l letter) code() string { return sixDigits.FindString(l.text) }

var sixDigits = regexp.MustCompile(`\b\d{3} \d{3}\b`)
