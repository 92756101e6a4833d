package settings

import (
	"regexp"
	"strings"
)

// An Access is what a switch does to a server's access when it is on.
type Access int

const (
	AnyAccess Access = iota // nothing that is known
	ReadOnly                // the server only reads
	Writes                  // the server may write; it only reads without
)

var (
	wordBreak = regexp.MustCompile(`([a-z0-9])([A-Z])|[^A-Za-z0-9]+`)

	access    = `(?:-(?:mode|access|tools?|operations?|ops|queries|actions|commands|enabled|allowed))*`
	negations = `(?:no|not|non|disable|disabled|deny|block|forbid|prevent|without)`
	writing   = `(?:writes?|writing|mutations?|modifications?)`

	onlyReads   = regexp.MustCompile(`(?:^|-)read-?(?:[a-z]+-)?only` + access + `$`)
	notOnly     = regexp.MustCompile(`(?:^|-)` + negations + `-(?:[a-z]+-)*read-?only`)
	neverWrites = regexp.MustCompile(`(?:^|-)` + negations + `-` + writing + access + `$`)
	mayWrite    = regexp.MustCompile(`(?:^|-)(?:allow|allows|enable|enables|permit|with)-(?:` + writing +
		`|read-?write)` + access + `$|(?:^|-)` + writing + `-(?:enabled|allowed)$|(?:^|-)read-?write` + access + `$`)
	preset   = regexp.MustCompile(`(?:^|-)default-`) // which calls may change
	negative = regexp.MustCompile(`(?:^|-)` + negations + `(?:-|$)`)
)

// AccessOf returns what the name of an option or of a variable says that it does when it is
// on: the whole of the name must be about the access of the server. READ_ONLY_TOKEN and
// ALLOW_WRITE_PATHS are about something else.
func AccessOf(name string) Access {
	words := strings.Trim(wordBreak.ReplaceAllString(name, "$1-$2"), "-")
	words = strings.ToLower(words)
	switch {
	case preset.MatchString(words):
	case notOnly.MatchString(words) && onlyReads.MatchString(words):
		return Writes
	case onlyReads.MatchString(words), neverWrites.MatchString(words):
		return ReadOnly
	case mayWrite.MatchString(words) && !negative.MatchString(words):
		return Writes
	}
	return AnyAccess
}
