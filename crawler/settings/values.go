package settings

import (
	"cmp"
	"regexp"
	"strings"

	"mcpcensus/crawler/vocabulary"
	"mcpcensus/internal/hosts"
)

var (
	ownValue = vocabulary.Expressions(rules, "own.txt")
	whose    = vocabulary.Set(rules, "whose.txt")
	anyones  = vocabulary.Set(rules, "accounts.txt")

	number   = regexp.MustCompile(`^[+-]?[0-9][0-9_]*(?:\.[0-9]+)?$`)
	switches = regexp.MustCompile(`^(?i:true|false|yes|no|on|off|enabled?|disabled?|none|[01])$`)
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

// fixed reports whether a value is hardly anyone's own: a number, a URL, a path or a list.
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

// preset returns the default of a setting: one that is declared, or the value that the source
// falls back to, or one that the README states. Values of example files are examples, and a word
// that the source does not fall back to may be one about the default: "auto-detected". A switch or
// an address for any host may switch protection off: it needs the source's fallback.
func (s *Setting) preset(others map[string]bool) string {
	var declared, fallback, stated string
	isRead := s.has(Code)
	for _, c := range s.Claims {
		value := c.Default
		opens := switches.MatchString(value) || anyHost.MatchString(value)
		switch {
		case others[value], !c.hasDefault(), opens && c.Source != Code:
		case c.Source == Code:
			fallback = cmp.Or(fallback, value)
		case c.Source <= Extension:
			declared = cmp.Or(declared, value)
		case c.Source == Text && (fixed(value) || !isRead):
			stated = cmp.Or(stated, value)
		}
	}
	return cmp.Or(declared, fallback, stated)
}
