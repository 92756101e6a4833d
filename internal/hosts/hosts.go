// Package hosts tells hosts on this machine, on private networks and on the public internet
// apart, by their names or addresses. It does not resolve names.
package hosts

import (
	"encoding/binary"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// A Kind is the kind of place where a host is.
type Kind int

// The kinds of hosts.
const (
	Invalid  Kind = iota // neither a name nor an address
	Loopback             // this machine
	Private              // on a private network only, or nowhere: reserved and unspecified addresses
	Public               // possibly on the public internet
)

var (
	// privateDomains are top-level domains of private and other networks.
	privateDomains = []string{
		".arpa", ".box", ".corp", ".docker", ".home", ".internal", ".intranet", ".lan", ".local",
		".localdomain", ".onion", ".private", ".svc",
	}
	// privatePart matches the name of a host below the part of a company's domain for its network.
	privatePart = regexp.MustCompile(`\.(?:corp|internal|intranet|lan)\.[^.]+\.`)
	// reservedDomains are the top-level domains of RFC 2606.
	reservedDomains = []string{".example", ".invalid", ".test"}
)

// KindOf returns the kind of a host: a name or an address, with or without a port. Addresses
// may have all forms that resolvers parse, such as 0x7f.1.
func KindOf(host string) Kind {
	name, ok := nameOf(host)
	if !ok {
		return Invalid
	}
	if a, isAddress := address(name); isAddress {
		return KindOfAddr(a)
	}
	switch {
	case !isDomain(name):
		return Invalid
	case name == "localhost", strings.HasSuffix(name, ".localhost"), name == "localhost.localdomain":
		return Loopback
	case !strings.Contains(name, "."):
		return Private // resolvers complete it with the domain of the network
	}
	if isBelow(name, privateDomains) || isBelow(name, reservedDomains) || privatePart.MatchString(name) {
		return Private
	}
	return Public
}

func isBelow(name string, domains []string) bool {
	return slices.ContainsFunc(domains, func(d string) bool { return strings.HasSuffix(name, d) })
}

// IsReserved reports whether the name of a host is one for documentation and tests, which exists
// nowhere.
func IsReserved(host string) bool {
	name, ok := nameOf(host)
	return ok && isBelow(name, reservedDomains)
}

// exampleDomain matches domains that stand for the reader's own in documentation.
var exampleDomain = regexp.MustCompile(
	`(?:^|\.)(?:my|your-?)?(?:example|company|domain|acme)\.(?:com|net|org|io)$|` +
		`(?:^|\.)(?:contoso|fabrikam)\.`)

// IsExample reports whether a host stands for the reader's own in documentation: a reserved one,
// or one at a domain such as example.com and your-domain.com, or of an invented company.
func IsExample(host string) bool {
	name, ok := nameOf(host)
	return ok && (isBelow(name, reservedDomains) || exampleDomain.MatchString(name))
}

// IsPublicName reports whether a host is [Public] and not an address.
func IsPublicName(host string) bool {
	name, _ := nameOf(host)
	_, isAddress := address(name)
	return !isAddress && KindOf(host) == Public
}

// Variables matches the parts of a URL that stand for values: {name}, ${name}, {{name}}, <name>.
var Variables = regexp.MustCompile(`\$?\{\{?[^{}/]{1,100}\}\}?|<[^<>/]{1,100}>`)

// ParseTemplate parses a URL with [Variables], which are "1" in the result.
func ParseTemplate(address string) (*url.URL, error) {
	return url.Parse(Variables.ReplaceAllString(address, "1"))
}

// secondLevel are labels below which a country's domains are.
var secondLevel = regexp.MustCompile(`^(?:ac|co|com|edu|gov|ne|net|or|org)\.[a-z]{2}$`)

// OfTemplate returns the host of a URL with [Variables], without its port. ok reports that it is a
// public name at a domain without variables.
func OfTemplate(address string) (host string, ok bool) {
	_, host, _ = strings.Cut(address, "://")
	if at := strings.IndexAny(host, "/?#"); at >= 0 {
		host = host[:at]
	}
	host = host[strings.LastIndexByte(host, '@')+1:] // without a user
	host, _, _ = strings.Cut(host, ":")
	u, err := ParseTemplate(address)
	if err != nil || !IsPublicName(u.Hostname()) {
		return host, false
	}
	all := Variables.FindAllStringIndex(host, -1)
	if all == nil {
		return host, true
	}
	_, domain, _ := strings.Cut(host[all[len(all)-1][1]:], ".")
	return host, strings.Contains(domain, ".") && !secondLevel.MatchString(strings.ToLower(domain))
}

// nameOf returns a host in lower case and ASCII, without its port and the dot of the root.
func nameOf(host string) (string, bool) {
	if inner, ok := strings.CutPrefix(host, "["); ok {
		at := strings.LastIndexByte(inner, ']')
		if at < 0 || !strings.Contains(inner[:at], ":") || !isPort(inner[at+1:]) {
			return "", false
		}
		return inner[:at], true
	}
	if at := strings.IndexByte(host, ':'); at >= 0 {
		if strings.LastIndexByte(host, ':') != at {
			return strings.ToLower(host), true // an IPv6 address
		}
		if !isPort(host[at:]) {
			return "", false
		}
		host = host[:at]
	}
	ascii, err := idna.Lookup.ToASCII(strings.TrimSuffix(host, "."))
	if err != nil { // such as for names with "_"
		ascii = strings.ToLower(strings.TrimSuffix(host, "."))
	}
	return strings.TrimSuffix(ascii, "."), true
}

// isPort reports whether s is empty, or a colon with a port or without one.
func isPort(s string) bool {
	digits, ok := strings.CutPrefix(s, ":")
	_, err := strconv.ParseUint(digits, 10, 16)
	return s == "" || ok && (digits == "" || err == nil)
}

// isDomain reports whether a name in lower case has the form of a domain.
func isDomain(name string) bool {
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return false
		}
	}
	return len(name) <= 253
}

// address returns the address that resolvers parse a name as. ok reports that it has the form
// of an address; then an invalid one is returned as the zero Addr.
func address(name string) (a netip.Addr, ok bool) {
	if a, err := netip.ParseAddr(name); err == nil {
		return a.WithZone(""), true
	}
	if strings.Contains(name, ":") {
		return netip.Addr{}, true
	}
	parts := strings.Split(name, ".")
	if last := parts[len(parts)-1]; strings.Trim(last, "0123456789") != "" && !strings.HasPrefix(last, "0x") {
		return netip.Addr{}, false
	}
	return numbers(parts), true
}

// numbers returns the IPv4 address of one to four decimal, octal or hexadecimal numbers, of
// which the last one fills the rest of the address. It returns the zero Addr for other texts.
func numbers(parts []string) netip.Addr {
	if len(parts) > 4 {
		return netip.Addr{}
	}
	var all uint32
	for i, part := range parts {
		bits := 8
		if i == len(parts)-1 {
			bits = 8 * (5 - len(parts))
		}
		n, err := strconv.ParseUint(part, 0, bits)
		if err != nil || strings.Trim(part, "0123456789abcdefx") != "" {
			return netip.Addr{}
		}
		if i < len(parts)-1 {
			n <<= 8 * (3 - i)
		}
		all |= uint32(n)
	}
	return netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, all)))
}

// notPublic are networks that [netip.Addr] does not know as special: shared and reserved ones,
// and IPv6 forms of IPv4 addresses.
var notPublic = func() (list []netip.Prefix) {
	for _, s := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24",
		"198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
		"2001:db8::/32", "2002::/16", "2001::/32", "3fff::/20",
	} {
		list = append(list, netip.MustParsePrefix(s))
	}
	return list
}()

// unicast6 are the IPv6 addresses assigned to networks on the internet.
var unicast6 = netip.MustParsePrefix("2000::/3")

func KindOfAddr(a netip.Addr) Kind {
	a = a.Unmap()
	switch {
	case !a.IsValid():
		return Invalid
	case a.IsLoopback():
		return Loopback
	case !a.IsGlobalUnicast(), a.IsPrivate(), a.Is6() && !unicast6.Contains(a):
		return Private
	}
	for _, p := range notPublic {
		if p.Contains(a) {
			return Private
		}
	}
	return Public
}
