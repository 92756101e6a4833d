package settings

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/vocabulary"
	"mcpcensus/internal/hosts"
	"mcpcensus/internal/registry"
)

var (
	ownValue = vocabulary.Expressions(rules, "own.txt")
	whose    = vocabulary.Set(rules, "whose.txt")
	anyones  = vocabulary.Set(rules, "accounts.txt")
	// hostWords are the last words of variables whose values are hosts.
	hostWords = map[string]bool{"host": true, "hostname": true, "gateway": true}
	// logins are the last words of variables whose values may be a name with a password.
	logins     = map[string]bool{"u": true, "user": true, "login": true, "basic": true, "auth": true, "credentials": true}
	fullName   = regexp.MustCompile(`^\p{Lu}[\p{L}'.-]+(?: \p{Lu}[\p{L}'.-]+){1,2}$`)
	tunnelHost = vocabulary.Expressions(rules, "tunnels.txt")

	number   = regexp.MustCompile(`^[+-]?[0-9][0-9_]*(?:\.[0-9]+)?$`)
	switches = regexp.MustCompile(`^(?i:true|false|yes|no|on|off|enabled?|disabled?|none|[01])$`)
	webURL   = regexp.MustCompile(`^[a-z][a-z0-9+.-]*://\S+$`)
	aPath    = regexp.MustCompile(`^(?:\.{0,2}/|[A-Za-z]:\\)`)
	nearPath = regexp.MustCompile(`^(?:\.{1,2}(?:/|$)|/\w*$)`)
	aList    = regexp.MustCompile(`^[^\s,]+(?:\s*,\s*[^\s,]+)+$`)
	cronLine = regexp.MustCompile(`^[0-9*/,-]+(?:\s+[0-9*/,-]+){4,5}$`)
	// valueHost matches the host of a value: that of a URL, a name with a dot, or an address of four
	// numbers.
	valueHost = regexp.MustCompile(`(?i)^[a-z][a-z0-9+]*://(?:[^/@\s]*@)?([a-z0-9][a-z0-9.-]*)(?:[:/?]|$)|` +
		`(?:^|//|@)((?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*|[0-9]+(?:\.[0-9]+){3})(?:[:/]|$)`)
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
	return isPersonal(name, value)
}

// isPersonal reports whether the value of a variable names a person, an account, or a host without
// a domain.
func isPersonal(name, value string) bool {
	name = strings.TrimSuffix(strings.ReplaceAll(strings.ToLower(name), "-", "_"), "_name")
	last := name[strings.LastIndexByte(name, '_')+1:]
	one, isList := strings.CutSuffix(last, "s")
	switch {
	case isList && whose[one]:
		all := strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(" ,;", r) })
		return slices.ContainsFunc(all, func(v string) bool { return isPersonal(one, v) })
	case whose[last] && fullName.MatchString(value), logins[last] && isLogin(value),
		last == "p" && isPassword(value, false) && !strings.ContainsAny(value, " ./:@-_"):
		return !certain.MatchString(value)
	case value == "", strings.ContainsAny(value, " /:@"), certain.MatchString(value):
		return false
	case hostWords[last]:
		return !number.MatchString(value) && hosts.KindOf(value) == hosts.Private &&
			!strings.Contains(value, ".")
	}
	return whose[last] && !anyones[strings.ToLower(value)] && !switches.MatchString(value) &&
		!number.MatchString(value)
}

// isLogin reports whether a value is a name with a password, as in "ann:hunter2".
func isLogin(value string) bool {
	_, password, isPair := strings.Cut(value, ":")
	return isPair && isPassword(password, false) && !strings.ContainsAny(password, "/:")
}

// isWriters reports whether a value is one that only its writer can use, whatever its variable.
func isWriters(value string) bool {
	host := hostOf(value)
	return ownValue.MatchString(value) || tunnelHost.MatchString(host) ||
		hosts.KindOf(host) == hosts.Private && !hosts.IsExample(host) &&
			!machineHosts.MatchString(host) && !anyHost.MatchString(host)
}

// hostOf returns the host of a value that is one or a URL, "" for others.
func hostOf(value string) string {
	m := valueHost.FindStringSubmatch(value)
	if m == nil {
		return ""
	}
	return m[1] + m[2]
}

// namesPrivateHost reports whether a value is a name in a private network, or a URL there.
func namesPrivateHost(value string) bool {
	host := hostOf(value)
	return !strings.Contains(value, "YOUR_") && isInternal(host) && strings.Trim(host, "0123456789.") != ""
}

var (
	digest    = regexp.MustCompile(`@(?:sha256:)?[0-9a-f]{40,64}\b`)
	valuePart = regexp.MustCompile(`[^\s/:?&=,;#@"]+`)
	valueWord = regexp.MustCompile(`[^\s,;:/=.\-_|+()\[\]{}<>"'@~\\?]+`)
	classRun  = regexp.MustCompile(`[A-Za-z]+|[0-9]+`)
	oddMark   = regexp.MustCompile("[A-Za-z0-9][!#$%&*^]+[A-Za-z0-9]|[!#$%&*^]$")
	letters   = regexp.MustCompile(`[A-Za-z]`)
	valuePair = regexp.MustCompile(`([A-Za-z][\w .-]*)=([^;&\s]+)`)
)

// isUnknown reports whether a value has a part without a form that values for everybody have: one
// that changes between letters and digits as generated words and passwords do, or the value of a
// secret.
func isUnknown(value string) bool {
	if maySecret(value) {
		return true
	}
	return slices.ContainsFunc(valuePair.FindAllStringSubmatch(value, -1), func(m []string) bool {
		return registry.IsSecretName(m[1]) && isLiteral(m[2])
	})
}

// maySecret reports whether a value has a part that looks generated or like a password. Digests of
// versions have none.
func maySecret(value string) bool {
	value = digest.ReplaceAllString(value, "")
	if slices.ContainsFunc(valuePart.FindAllString(value, -1), registry.IsRandom) {
		return true
	}
	if webURL.MatchString(value) {
		value = strings.NewReplacer("&", " ", "#", " ", "%", " ").Replace(value)
	}
	return slices.ContainsFunc(valueWord.FindAllString(value, -1), isMixedWord)
}

// isMixedWord reports whether a word changes between letters and digits more often than names and
// versions do, is a long one in capitals with digits, or has a sign between letters of both cases and
// digits.
func isMixedWord(w string) bool {
	kinds := len(classRun.FindAllString(w, -1))
	upper, lower := strings.ToUpper(w) == w, strings.ToLower(w) == w
	switch {
	case certain.MatchString(w), len(letters.FindAllString(w, 4)) < 4, kinds < 2:
		return false
	case kinds >= 5 && len(w) >= 8, kinds >= 4 && len(w) >= 12, upper && len(w) >= 16:
		return true
	}
	return !upper && !lower && oddMark.MatchString(w)
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
