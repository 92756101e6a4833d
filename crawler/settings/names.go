// Package settings decides what the settings of a server are, which are its environment
// variables: from the claims of all files about them.
package settings

import (
	"embed"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mcpcensus/crawler/vocabulary"
	"mcpcensus/internal/hosts"
)

//go:embed rules
var embedded embed.FS

var rules = vocabulary.Rules(embedded)

var (
	envName     = regexp.MustCompile(`^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$`)
	systemNames = vocabulary.Set(rules, "system.txt")
	notSetting  = vocabulary.Expressions(rules, "not_settings.txt")
	placeholder = vocabulary.Expressions(rules, "placeholders.txt")
)

// IsEnvName reports whether s is an environment variable that may be a setting of a server,
// rather than one of the system or of tests, or the name of an error.
func IsEnvName(s string) bool {
	if len(s) < 3 || len(s) > 100 || strings.HasPrefix(s, "YOUR_") || notSetting.MatchString(s) {
		return false
	}
	return envName.MatchString(s) && !systemNames[s]
}

// IsPlaceholder reports whether a value in an example is a placeholder that the user must
// replace.
func IsPlaceholder(value string) bool {
	return placeholder.MatchString(strings.TrimSpace(value))
}

var exampleValue = vocabulary.Expressions(rules, "examples.txt")

// IsExample reports whether the value in an example must be replaced by the reader: a
// placeholder, the path of a folder, an address at a host for examples, a list of one name with the
// numbers from 1, and what is private.
func IsExample(value string) bool {
	trimmed := strings.TrimSpace(value)
	isExample := func(m []string) bool { return hosts.IsExample(m[1]) }
	return IsPlaceholder(value) || exampleValue.MatchString(trimmed) || isNumbered(trimmed) ||
		IsPrivate(trimmed) || slices.ContainsFunc(namedHost.FindAllStringSubmatch(value, -1), isExample)
}

// isNumbered reports whether a value is a list of one name with the numbers from 1: "repo1,repo2".
func isNumbered(value string) bool {
	items := strings.Split(value, ",")
	first := strings.TrimSpace(items[0])
	at := strings.IndexByte(first, '1')
	if len(items) < 2 || at < 3 || strings.Trim(first[:at], asciiLetters+"/") != "" {
		return false
	}
	for i, item := range items {
		if strings.TrimSpace(item) != first[:at]+strconv.Itoa(i+1)+first[at+1:] {
			return false
		}
	}
	return true
}

const asciiLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// namedHost matches a host in a URL or an address of mail, or at the start of a text.
var namedHost = regexp.MustCompile(`(?i)(?:^\s*|/|@)([a-z0-9-]+(?:\.[a-z0-9-]+)+)`)

var userinfo = regexp.MustCompile(`://[^/@\s:]+:[^/@\s]*@`)

// credentials matches the values of headers that authorize requests, and lists of
// headers with one.
var credentials = regexp.MustCompile(`(?i)\bbearer\s+\S|` +
	`\b(?:authorization|x-api-key)\\?["']?\s*[:=]`)

// HoldsSecret reports whether a value is a URL with a password, a bearer token, a header that
// authorizes requests, or a token by its form.
func HoldsSecret(s string) bool {
	return HasPassword(s) || credentials.MatchString(s) || Public(s) != publicPlaces(s)
}

func HasPassword(s string) bool { return userinfo.MatchString(s) }
