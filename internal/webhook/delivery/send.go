// Package delivery makes deliveries of events and sends them to the endpoints of
// accounts, each at least once.
package delivery

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"mcpcensus/crawler/transport"
	"mcpcensus/internal/webhook"
)

const sendTimeout = 15 * time.Second

// A Sender sends requests to hosts that users configure. Its methods are safe for
// concurrent use.
type Sender struct {
	// Guard opens connections to public addresses only; its zero value is for production.
	Guard transport.Guard
	// Hosts, each "host" or "host:port", are also allowed with http: and at private
	// addresses.
	Hosts     []string
	Key       []byte // the argument of [webhook.Endpoint.Secrets]
	UserAgent string
	Timeout   time.Duration // default 15 s
}

// A response is the response of a receiver.
type response struct {
	status     int           // 0: no response
	retryAfter time.Duration // 0: not given
	fault      string        // why the attempt failed, for people; "" if it succeeded
}

// send sends an event once. It does not follow redirects or read the body of the
// response.
func (s *Sender) send(ctx context.Context, j *webhook.Job, now time.Time) response {
	timeout := s.Timeout
	if timeout <= 0 {
		timeout = sendTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	body, err := j.Event.Body()
	if err != nil {
		return response{fault: "the event cannot be encoded"}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, j.Endpoint.URL, bytes.NewReader(body))
	if err != nil {
		return response{fault: "the URL is invalid"}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", s.UserAgent)
	if err := webhook.Sign(req.Header, j.Event.ID, now, body,
		j.Endpoint.Secrets(s.Key, now)); err != nil {
		return response{fault: "the secret is invalid"}
	}
	t, err := s.open(ctx, req.URL)
	if err != nil {
		return response{fault: faultOf(err)}
	}
	defer t.CloseIdleConnections()
	resp, err := t.RoundTrip(req) // unlike a client, it follows no redirects
	if err != nil {
		return response{fault: faultOf(err)}
	}
	_ = resp.Body.Close()
	r := response{status: resp.StatusCode}
	if at := transport.RetryAfter(resp.Header, now); !at.IsZero() {
		r.retryAfter = at.Sub(now)
	}
	switch {
	case r.status >= 300 && r.status < 400:
		r.fault = "responded with " + strconv.Itoa(r.status) + "; redirects are not followed"
	case r.status < 200 || r.status >= 300:
		r.fault = "responded with " + strconv.Itoa(r.status)
	}
	return r
}

// open returns a transport to the host of a URL.
func (s *Sender) open(ctx context.Context, u *url.URL) (*http.Transport, error) {
	if webhook.Trusted(u, s.Hosts) {
		d := &net.Dialer{Timeout: 5 * time.Second}
		return &http.Transport{DialContext: d.DialContext, DisableKeepAlives: true,
			MaxResponseHeaderBytes: 64 << 10,
			TLSClientConfig:        &tls.Config{RootCAs: s.Guard.Roots, MinVersion: tls.VersionTLS12}}, nil
	}
	if u.Scheme != "https" { // the operator removed it from the list
		return nil, errNotHTTPS
	}
	addrs, err := s.Guard.Resolve(ctx, u.Hostname())
	if err != nil {
		return nil, err
	}
	g := s.Guard
	g.HeaderTimeout = sendTimeout
	t := g.Open(u.Hostname(), addrs)
	t.DisableKeepAlives = true
	return t, nil
}

var errNotHTTPS = errors.New("not https")

// faultOf describes why a request failed, without details of our network.
func faultOf(err error) string {
	_, dns := errors.AsType[*net.DNSError](err)
	_, cert := errors.AsType[*tls.CertificateVerificationError](err)
	_, unknown := errors.AsType[x509.UnknownAuthorityError](err)
	_, record := errors.AsType[tls.RecordHeaderError](err)
	_, alert := errors.AsType[tls.AlertError](err)
	timeout, _ := errors.AsType[net.Error](err)
	switch {
	case errors.Is(err, transport.ErrPrivateAddress):
		return "the host has no public address"
	case errors.Is(err, errNotHTTPS):
		return "the URL must begin with https://"
	case errors.Is(err, context.DeadlineExceeded), timeout != nil && timeout.Timeout():
		return "no response in time"
	case dns:
		return "the host name cannot be resolved"
	case cert, unknown, record, alert:
		return "the TLS connection failed"
	}
	return "the connection failed"
}
