package account

import (
	"net/mail"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// An Address is an email address.
type Address struct {
	Shown string // as typed
	Key   string // for comparisons: in lower case, with the domain in ASCII
	ASCII string // for sending mail
}

// Lengths in bytes, by RFC 5321 with erratum 1690.
const (
	maxAddress = 254
	maxLocal   = 64
)

// ParseAddress parses an email address without a name or comments. Only the
// domain may be international: few mail servers accept international local
// parts. The error names the field email.
func ParseAddress(s string) (Address, error) {
	s = norm.NFC.String(strings.TrimSpace(s))
	bad := func(why string) (Address, error) { return Address{}, registry.Invalid("email", "%s", why) }
	at := strings.LastIndexByte(s, '@')
	switch {
	case s == "":
		return Address{}, Missing("email")
	case len(s) > 4*maxAddress:
		return bad("is too long")
	case strings.ContainsFunc(s, unicode.IsSpace) || text.Unsafe(s) != "":
		return bad("must not contain spaces or invisible characters")
	case at < 1 || at == len(s)-1:
		return bad("must look like name@example.com")
	}
	local, domain := s[:at], s[at+1:]
	if strings.ContainsFunc(local, func(r rune) bool { return r > unicode.MaxASCII }) {
		return bad("must be ASCII before the @")
	}
	ascii, err := idna.Lookup.ToASCII(domain)
	if err != nil || !strings.Contains(ascii, ".") || strings.HasSuffix(ascii, ".") {
		return bad("must end in a domain such as example.com")
	}
	ascii = strings.ToLower(ascii)
	plain := local + "@" + ascii
	if len(local) > maxLocal || len(plain) > maxAddress {
		return bad("is too long")
	}
	if !isPlain(plain) {
		return bad("must look like name@example.com")
	}
	return Address{Shown: s, Key: strings.ToLower(plain), ASCII: plain}, nil
}

// SameAddress reports whether two valid addresses are the same.
func SameAddress(a, b string) bool {
	x, errX := ParseAddress(a)
	y, errY := ParseAddress(b)
	return errX == nil && errY == nil && x.Key == y.Key
}

// isPlain reports whether an address has no quotes, comments, names or groups.
func isPlain(s string) bool {
	parsed, err := mail.ParseAddress(s)
	return err == nil && parsed.Name == "" && parsed.Address == s && !strings.ContainsAny(s, `"()<>[]:;\,`)
}

func asciiOf(shown string) string {
	if a, err := ParseAddress(shown); err == nil {
		return a.ASCII
	}
	return shown
}
