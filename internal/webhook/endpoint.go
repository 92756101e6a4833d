package webhook

import (
	"cmp"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"mcpcensus/internal/hosts"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// An Endpoint receives events of an account.
type Endpoint struct {
	ID, Account int64
	URL         string
	Description string     // "" for none
	Events      []string   // types; nil: all
	Servers     []string   // slugs; nil: all
	Search      string     // custom endpoint that selects the servers; "": none
	Generation  int        // of its secret
	OldUntil    *time.Time // until when the secret before also signs; nil: it does not
	CreatedAt   time.Time
	UpdatedAt   time.Time

	DisabledAt   *time.Time // nil: enabled
	DisabledWhy  string     // one of the Disabled constants
	FailingSince *time.Time // nil: the last attempt succeeded, or there was none
}

// Reasons why an endpoint is disabled.
const (
	DisabledByOwner = "owner"   // its owner disabled it
	DisabledGone    = "gone"    // it responded with 410
	DisabledFailing = "failing" // all attempts of [FailFor] failed
	DisabledSearch  = "search"  // its custom endpoint was deleted
	DisabledEvents  = "events"  // the events that it had chosen no longer exist
)

// Secrets returns the secrets that sign at a time, the current one first. They are derived from the
// key of the installation.
func (e *Endpoint) Secrets(key []byte, now time.Time) []string {
	all := []string{e.secret(key, e.Generation)}
	if e.OldUntil != nil && now.Before(*e.OldUntil) {
		all = append(all, e.secret(key, e.Generation-1))
	}
	return all
}

// secret returns the secret of a generation. The time of creation distinguishes endpoints with the
// same ID, as after a database is restored.
func (e *Endpoint) secret(key []byte, generation int) string {
	derived, _ := hkdf.Key(sha256.New, key, nil, fmt.Sprintf("webhook endpoint %d %d %d", e.ID,
		e.CreatedAt.UnixMicro(), generation), 32) // fails for longer keys only
	return secretMark + base64.StdEncoding.EncodeToString(derived)
}

// RotatedFor is how long a replaced secret keeps signing.
const RotatedFor = 24 * time.Hour

// Rotate replaces the secret.
func (e *Endpoint) Rotate(now time.Time) {
	e.Generation, e.OldUntil, e.UpdatedAt = e.Generation+1, new(now.Add(RotatedFor)), now
}

// Settings are the settings of an endpoint.
type Settings struct {
	URL         string
	Description string
	Events      []string
	Servers     []string
	Search      string
	Disabled    bool
}

// Apply changes the settings of an endpoint, which must have been checked.
func (e *Endpoint) Apply(s Settings, now time.Time) {
	e.URL, e.Description, e.Events, e.Servers, e.Search = s.URL, s.Description, s.Events, s.Servers,
		s.Search
	e.UpdatedAt = now
	switch {
	case !s.Disabled && e.DisabledAt != nil:
		e.DisabledAt, e.DisabledWhy, e.FailingSince = nil, "", nil
	case s.Disabled && e.DisabledAt == nil:
		e.DisabledAt, e.DisabledWhy = &now, DisabledByOwner
	}
}

// Limits of settings.
const (
	MaxServers     = 100
	maxURL         = 2000
	maxDescription = 200
)

// Check validates settings and returns them in their stored form. Servers must be
// existing slugs, and Search the name of a custom endpoint, which callers check. hosts,
// each "host" or "host:port", are also allowed with http: and at private addresses.
func (s Settings) Check(hosts []string) (Settings, []registry.FieldError) {
	var faults []registry.FieldError
	fault := func(field, format string, args ...any) {
		faults = append(faults, registry.FieldError{Field: field, Message: fmt.Sprintf(format, args...)})
	}
	s.URL, s.Description = strings.TrimSpace(s.URL), strings.TrimSpace(s.Description)
	if why := urlFault(s.URL, hosts); why != "" {
		fault("url", "%s", why)
	}
	switch {
	case utf8.RuneCountInString(s.Description) > maxDescription:
		fault("description", "must have at most %d characters", maxDescription)
	case !text.IsLine(s.Description):
		fault("description", "must be one line without invisible characters")
	}
	s.Events, s.Servers = distinct(s.Events), distinct(s.Servers)
	unknown := func(e string) bool { return !slices.Contains(Types, e) }
	if slices.ContainsFunc(s.Events, unknown) {
		fault("events", "must be among %s", strings.Join(Types, ", "))
	}
	switch {
	case len(s.Servers) > MaxServers:
		fault("servers", "must name at most %d servers, got %d", MaxServers, len(s.Servers))
	case len(s.Servers) > 0 && s.Search != "":
		fault("search", "cannot be combined with servers")
	}
	return s, faults
}

// distinct returns the sorted distinct values, nil for none.
func distinct(values []string) []string {
	if len(values) == 0 {
		return nil
	}
	values = slices.Clone(values)
	slices.Sort(values)
	return slices.Compact(values)
}

// urlFault returns the fault of the URL of an endpoint, "" for none. The addresses of a
// host name are checked when it is dialled.
func urlFault(raw string, trusted []string) string {
	if len(raw) > maxURL {
		return fmt.Sprintf("must have at most %d characters", maxURL)
	}
	if strings.ContainsFunc(raw, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "must consist of ASCII characters without spaces"
	}
	u, err := url.Parse(raw)
	if err != nil || u.Opaque != "" || u.Host == "" {
		return "must be a URL such as https://example.com/webhooks"
	}
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return "must begin with https://"
	case u.User != nil:
		return "must not contain a user name or password"
	case u.Fragment != "" || strings.Contains(raw, "#"):
		return "must not have a fragment"
	case Trusted(u, trusted):
		return ""
	case u.Scheme != "https":
		return "must begin with https://"
	case !hosts.IsPublicName(u.Hostname()):
		return "must have a public host name, not an address"
	}
	return portFault(u)
}

func portFault(u *url.URL) string {
	if p := u.Port(); p != "" {
		if n, err := strconv.Atoi(p); err != nil || n != 443 && n < 1024 || n > 65535 {
			return "must have the port 443 or one from 1024 to 65535"
		}
	} else if strings.HasSuffix(u.Host, ":") {
		return "has no port after the colon"
	}
	return ""
}

// Trusted reports whether the operator lists the host of a URL.
func Trusted(u *url.URL, hosts []string) bool {
	port := u.Port()
	port = cmp.Or(port, map[string]string{"http": "80", "https": "443"}[u.Scheme])
	host := strings.ToLower(u.Hostname())
	return slices.Contains(hosts, host) || slices.Contains(hosts, host+":"+port)
}

const secretMark = "whsec_"

// Sign adds the headers of the Standard Webhooks specification: the ID of the event, the
// time of sending, and a signature for each secret.
func Sign(h http.Header, id string, at time.Time, body []byte, secrets []string) error {
	stamp := strconv.FormatInt(at.Unix(), 10)
	signatures := make([]string, len(secrets))
	for i, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretMark))
		if err != nil {
			return err
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + stamp + "."))
		mac.Write(body)
		signatures[i] = "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	h.Set("webhook-id", id)
	h.Set("webhook-timestamp", stamp)
	h.Set("webhook-signature", strings.Join(signatures, " "))
	return nil
}
