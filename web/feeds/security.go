package feeds

import (
	"context"
	"net/mail"
	"net/url"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/registry"
)

// securityPath is the well-known address of the contact for security reports.
const securityPath = "/.well-known/security.txt"

// securityValid is how long a copy of security.txt may be used.
const securityValid = 180 * 24 * time.Hour

// security responds to GET /.well-known/security.txt, as RFC 9116 describes it. It
// does not exist if the contact of the operator is not a URL or a mail address.
func (f *Feeds) security(_ context.Context, c *gin.Context) error {
	contact := contactURI(f.contact)
	if contact == "" {
		return registry.Errorf(registry.ErrNotFound, "This registry has no contact for security reports.")
	}
	expires := f.Now().UTC().Add(securityValid).Truncate(24 * time.Hour)
	text := "Contact: " + contact + "\nExpires: " + expires.Format(time.RFC3339) +
		"\nPreferred-Languages: en\n"
	if f.BaseURL != "" {
		text += "Canonical: " + f.BaseURL + securityPath + "\n"
	}
	f.writeText(c, []byte(text), "public, max-age=86400")
	return nil
}

// contactURI returns a contact as an https or mailto URI, "" if it is neither a URL
// nor a mail address.
func contactURI(contact string) string {
	if u, err := url.Parse(contact); err == nil && (u.Scheme == "https" && u.Host != "" ||
		u.Scheme == "mailto") {
		return u.String()
	}
	address, err := mail.ParseAddress(contact)
	if err != nil || strings.ContainsAny(address.Address, "\r\n") {
		return ""
	}
	return (&url.URL{Scheme: "mailto", Opaque: url.PathEscape(address.Address)}).String()
}
