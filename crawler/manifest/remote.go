package manifest

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/settings"
	"mcpcensus/crawler/vocabulary"
	"mcpcensus/internal/hosts"
	"mcpcensus/internal/registry"
)

var (
	notEndpoints   = vocabulary.Set(rules, "hosts/not_endpoints.txt")
	ownPlaceholder = vocabulary.Set(rules, "hosts/placeholders.txt")

	// notURL matches characters that are invalid in URLs, and placeholders.
	notURL = regexp.MustCompile("[ <>\\n\\t\"'`\\\\|^]|YOUR_|\\.\\.\\.|…")
)

const maxURL = 2000

// IsRemoteURL reports whether s is the URL of a publicly reachable endpoint: http or https with a
// public host name, without placeholders, IP addresses and example hosts. It may have template
// variables, but not for the domain.
func IsRemoteURL(s string) bool {
	if len(s) > maxURL || notURL.MatchString(s) {
		return false
	}
	u, err := hosts.ParseTemplate(s)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.User != nil {
		return false
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	_, isPublic := hosts.OfTemplate(s)
	return isPublic && !strings.Contains(host, "_") && !hosts.IsExample(host) &&
		!isBelow(host, notEndpoints) && !hasPlaceholder(host+u.Path)
}

// WithVariables returns the URL of an endpoint in an example with the parts that users fill in as in
// server.json: {name}. Generated parts are the address of one user.
func WithVariables(address string) string {
	address = withDefault.ReplaceAllString(address, "$1")
	address = hosts.Variables.ReplaceAllStringFunc(address, func(part string) string {
		part = inputs.ReplaceAllString(part, "$1")
		return "{" + strings.Trim(part, "$ {}<>") + "}"
	})
	address, _ = settings.OpenQuery(settings.OpenParts(address))
	return address
}

// Declare adds what the file of c declares of the inputs that an endpoint's URL and headers ask for.
func (c ClientServer) Declare(r *registry.Remote) {
	add := func(variables map[string]registry.Variable) {
		for id, in := range c.Inputs {
			for _, name := range []string{id, snake(id)} {
				v, asks := variables[name]
				if !asks {
					continue
				}
				v.IsSecret, v.Choices = v.IsSecret || in.IsSecret, in.Choices
				v.Description = cmp.Or(v.Description, in.Description)
				if !v.IsSecret && !settings.IsExample(in.Default) {
					v.Default = in.Default
				}
				variables[name] = v
			}
		}
	}
	add(r.Variables)
	for _, h := range r.Headers {
		add(h.Variables)
	}
}

// withDefault matches references to variables with a default, the group.
var withDefault = regexp.MustCompile(`\$\{(?:[a-z_]+[:.])?[A-Za-z_]\w*:-([^{}]*)\}`)

// isBelow reports whether a host is one of domains or below one of them.
func isBelow(host string, domains map[string]bool) bool {
	for found := true; found; _, host, found = strings.Cut(host, ".") {
		if domains[host] {
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
