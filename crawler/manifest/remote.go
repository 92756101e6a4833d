package manifest

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/vocabulary"
	"mcpcensus/internal/hosts"
)

var (
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
	return hosts.IsPublicName(host) && !strings.Contains(host, "_") && !isExampleHost(host) &&
		!hasPlaceholder(host+u.Path)
}

func isExampleHost(host string) bool {
	for found := true; found; _, host, found = strings.Cut(host, ".") {
		if exampleHosts[host] {
			return true
		}
	}
	return false
}

// hasPlaceholder reports whether a part of a URL is a placeholder.
func hasPlaceholder(s string) bool {
	parts := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune(".-/_", r) })
	return slices.ContainsFunc(parts, func(part string) bool { return ownPlaceholder[part] })
}
