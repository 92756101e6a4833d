package settings

import (
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/vocabulary"
	"mcpcensus/internal/hosts"
)

var (
	ownValue = vocabulary.Expressions(rules, "own.txt")
	guards   = vocabulary.Set(rules, "guards.txt")
	openings = vocabulary.Set(rules, "openings.txt")
	whose    = vocabulary.Set(rules, "whose.txt")
	anyones  = vocabulary.Set(rules, "accounts.txt")

	number   = regexp.MustCompile(`^[+-]?[0-9][0-9_]*(?:\.[0-9]+)?$`)
	switches = regexp.MustCompile(`^(?i:true|false|yes|no|on|off|enabled?|disabled?)$`)
	webURL   = regexp.MustCompile(`^[a-z][a-z0-9+.-]*://\S+$`)
	aPath    = regexp.MustCompile(`^(?:\.{0,2}/|[A-Za-z]:\\)`)
	aList    = regexp.MustCompile(`^[^\s,]+(?:\s*,\s*[^\s,]+)+$`)
	cronLine = regexp.MustCompile(`^[0-9*/,-]+(?:\s+[0-9*/,-]+){4,5}$`)
	// valueHost matches the host of a value: a name with a dot, or an address of four numbers.
	valueHost = regexp.MustCompile(`(?i)(?:^|//|@)((?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*|` +
		`[0-9]+(?:\.[0-9]+){3})(?:[:/]|$)`)
	anyHost = regexp.MustCompile(`^(?:\*|0\.0\.0\.0|::|\[::\])(?::[0-9]+)?$`)
)

// IsValue reports whether the text of a default is a value, such as a word, a number, a URL, a
// path or a list, rather than words about a default: "the profile's region".
func IsValue(text string) bool {
	switch {
	case text == "", strings.HasSuffix(text, ";"), strings.Count(text, `"`)%2 != 0:
		return false
	case !strings.ContainsAny(text, " \t\n"):
		return true
	}
	return aPath.MatchString(text) || aList.MatchString(text) || cronLine.MatchString(text) ||
		strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")
}

// IsOwn reports whether a value of a variable is one that only its writer can use: an address in
// a private network, an e-mail address, a path in the home of a user, or the name of an account.
func IsOwn(name, value string) bool {
	value = strings.TrimSpace(value)
	if isWriters(value) {
		return true
	}
	last := name[strings.LastIndexByte(name, '_')+1:]
	if !whose[strings.ToLower(last)] || value == "" || strings.ContainsAny(value, " /:") {
		return false
	}
	return !anyones[strings.ToLower(value)] && !switches.MatchString(value) &&
		!number.MatchString(value)
}

// isWriters reports whether a value is one that only its writer can use, whatever its variable.
func isWriters(value string) bool {
	host := valueHost.FindStringSubmatch(value)
	return ownValue.MatchString(value) || host != nil && hosts.KindOf(host[1]) == hosts.Private &&
		!hosts.IsExample(host[1]) && !anyHost.MatchString(host[1])
}

// Unprotects reports whether a value of a variable switches protection off: a check is off, an
// exception from one is on, or any host is admitted.
func Unprotects(name, value string) bool {
	if anyHost.MatchString(value) {
		return true
	}
	parts := strings.Split(strings.ToLower(name), "_")
	has := func(set map[string]bool) bool {
		return slices.ContainsFunc(parts, func(p string) bool { return set[p] })
	}
	readOnly := slices.Contains(parts, "only") && slices.ContainsFunc(parts, func(p string) bool {
		return strings.HasPrefix(p, "read")
	})
	switch strings.ToLower(value) {
	case "1", "true", "yes", "on", "enabled", "enable":
		return has(openings)
	case "0", "false", "no", "off", "disabled", "disable", "none":
		return (has(guards) || readOnly) && !has(openings)
	}
	return false
}

// fixed reports whether an example sets a value that is hardly anyone's own: a number, a URL, a
// path or a list.
func fixed(value string) bool {
	return number.MatchString(value) || webURL.MatchString(value) || aPath.MatchString(value) ||
		aList.MatchString(value)
}

// hasDefault reports whether the default of a claim is a value that others can use. An example is
// one only if server.json declares it.
func (c *Claim) hasDefault() bool {
	switch {
	case isWriters(c.Default), IsExample(c.Default) && c.Source != ServerJSON:
		return false
	}
	return IsValue(c.Default) || c.Source == Code && c.Default != ""
}

// fallback reports whether the source falls back to a value, or only to another one.
func (s *Setting) fallback(value string) (same, other bool) {
	for _, c := range s.Claims {
		if c.Source == Code && c.Default != "" {
			same, other = same || c.Default == value, other || c.Default != value
		}
	}
	return same, other && !same
}

// preset returns the default of a setting: the first of its claims that is a value. A default
// that switches protection off, and a switch or a word in an example file, need the same
// fallback in the source.
func (s *Setting) preset(others map[string]bool) string {
	for _, c := range s.Claims {
		value := c.Default
		if others[value] || !c.hasDefault() {
			continue
		}
		same, other := s.fallback(value)
		switch {
		case Unprotects(s.Name, value) && !same:
		case c.Source != EnvFile, same:
			return value
		case !other && fixed(value) && !IsOwn(s.Name, value):
			return value
		}
	}
	return ""
}
