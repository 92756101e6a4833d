package account

import (
	"net/mail"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"

	"mcpcensus/internal/registry"
)

// An Address is an e-mail address.
type Address struct {
	Shown string // as it was typed
	Key   string // as it is compared: in lower case, the domain in ASCII
	ASCII string // as mail is sent to it
}

const (
	maxAddress = 254 // RFC 5321 with erratum 1690
	maxLocal   = 64
)

// ParseAddress reads an e-mail address without a name or comments. The domain
// may be international, what stands before it not: too few mail servers take
// that. The error names the field email.
func ParseAddress(s string) (Address, error) {
	s = norm.NFC.String(strings.TrimSpace(s))
	bad := func(why string) (Address, error) { return Address{}, registry.Invalid("email", "%s", why) }
	if s == "" {
		return Address{}, &registry.Error{Kind: registry.ErrMissing, Msg: "email is missing", Fields: []registry.FieldError{{Field: "email", Message: "is missing"}}}
	}
	if len(s) > 4*maxAddress {
		return bad("is too long")
	}
	if strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == unicode.ReplacementChar || unicode.Is(unicode.Cf, r)
	}) {
		return bad("has a space or a character that no address has")
	}
	at := strings.LastIndexByte(s, '@')
	if at < 1 || at == len(s)-1 {
		return bad("must look like name@example.com")
	}
	local, domain := s[:at], s[at+1:]
	if strings.ContainsFunc(local, func(r rune) bool { return r > unicode.MaxASCII }) {
		return bad("must have only ASCII characters before the @")
	}
	ascii, err := idna.Lookup.ToASCII(domain)
	if err != nil || !strings.Contains(ascii, ".") || strings.HasSuffix(ascii, ".") {
		return bad("must end in the name of a domain, such as example.com")
	}
	ascii = strings.ToLower(ascii)
	plain := local + "@" + ascii
	if len(local) > maxLocal || len(plain) > maxAddress {
		return bad("is too long")
	}
	// No quotes, comments, names or groups: the address is what was typed.
	if parsed, err := mail.ParseAddress(plain); err != nil || parsed.Name != "" || parsed.Address != plain || strings.ContainsAny(local, `"()<>[]:;\,`) {
		return bad("must look like name@example.com")
	}
	return Address{Shown: s, Key: strings.ToLower(plain), ASCII: plain}, nil
}

// asciiOf returns a stored address as mail is sent to it.
func asciiOf(shown string) string {
	if a, err := ParseAddress(shown); err == nil {
		return a.ASCII
	}
	return shown
}
