package manifest

import (
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/vocabulary"
)

var (
	reservedHosts  = vocabulary.Set(rules, "hosts/reserved.txt")
	exampleHosts   = vocabulary.Set(rules, "hosts/examples.txt")
	ownPlaceholder = vocabulary.Set(rules, "hosts/placeholders.txt")

	// notURL matches characters that are invalid in URLs, and placeholders.
	notURL = regexp.MustCompile("[ <>\\n\\t\"'`\\\\|^]|YOUR_|\\.\\.\\.|…")
)

const maxURL = 2000

// IsRemoteURL reports whether s is the URL of a publicly reachable endpoint: http or https with a
// public host name, without placeholders, IP addresses and example hosts. Template variables may
// follow the host.
func IsRemoteURL(s string) bool {
	if len(s) > maxURL || notURL.MatchString(s) {
		return false
	}
	plain, _, _ := strings.Cut(s, "{")
	u, err := url.Parse(plain)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.Path == "" && plain != s {
		return false
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if _, err := netip.ParseAddr(host); err == nil || strings.ContainsAny(host, "_*$%[]") {
		return false
	}
	return isPublicHost(host) && !hasPlaceholder(host+u.Path)
}

// isPublicHost reports whether a host name may be public.
func isPublicHost(host string) bool {
	last := strings.LastIndexByte(host, '.')
	if last < 0 || reservedHosts[host[last:]] {
		return false
	}
	for found := true; found; _, host, found = strings.Cut(host, ".") {
		if exampleHosts[host] {
			return false
		}
	}
	return true
}

// hasPlaceholder reports whether a part of a URL is a placeholder.
func hasPlaceholder(s string) bool {
	parts := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune(".-/_", r) })
	return slices.ContainsFunc(parts, func(part string) bool { return ownPlaceholder[part] })
}
