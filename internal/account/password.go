package account

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"mcpcensus/internal/registry"
)

// Limits of the length of passwords, in characters. As NIST SP 800-63B says,
// passwords must be long and not common; there are no other rules.
const (
	MinPassword = 10
	MaxPassword = 256
)

// CheckPassword rejects passwords that are too short, too long, common, or
// derived from the account's address. The error names the field.
func CheckPassword(field, password string, of Address) error {
	if password == "" {
		return missing(field)
	}
	if !utf8.ValidString(password) {
		return registry.Invalid(field, "must be valid UTF-8")
	}
	if n := utf8.RuneCountInString(norm.NFC.String(password)); n < MinPassword || n > MaxPassword {
		return registry.Invalid(field, "must have %d to %d characters", MinPassword, MaxPassword)
	}
	word := normalWord(password)
	if word == "" {
		return registry.Invalid(field, "must contain letters or digits; try four unrelated words")
	}
	if commonPasswords()[word] || commonPasswords()[trimDigits(word)] ||
		ownWords(of)[trimDigits(word)] {
		return registry.Invalid(field, "is too common; try four unrelated words")
	}
	return nil
}

//go:embed common.txt
var commonText string

// commonPasswords is the set of the lines of common.txt: common passwords and
// words, as normalWord returns them.
var commonPasswords = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for line := range strings.Lines(commonText) {
		set[strings.TrimSpace(line)] = true
	}
	return set
})

// normalWord returns the letters and digits of a password in lower case.
func normalWord(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || unicode.IsSymbol(r) {
			return r
		}
		return -1
	}, strings.ToLower(norm.NFKC.String(s)))
}

// trimDigits removes digits from both ends.
func trimDigits(s string) string { return strings.TrimFunc(s, unicode.IsDigit) }

// ownWords returns the words that an address consists of.
func ownWords(a Address) map[string]bool {
	local, domain, _ := strings.Cut(a.Key, "@")
	name, _, _ := strings.Cut(domain, ".")
	own := map[string]bool{}
	for _, word := range []string{a.Key, a.Shown, local, domain, name} {
		if word = trimDigits(normalWord(word)); word != "" {
			own[word] = true
		}
	}
	return own
}
