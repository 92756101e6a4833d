package account

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"mcpcensus/internal/registry"
)

// Limits of the length of passwords, in characters. Following NIST SP 800-63B,
// passwords must be long and not common; there are no other rules.
const (
	MinPassword = 12
	MaxPassword = 128
)

// CheckPassword rejects passwords that are too short, too long, common, or
// consist mostly of words of the account's address. The error names the field.
func CheckPassword(field, password string, of Address) error {
	if password == "" {
		return Missing(field)
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
	bare := trimDigits(word)
	if isCommon(word) || isCommon(bare) || repeatsCommon(word) || ownWords(of).cover(word) {
		return registry.Invalid(field, "is too common; try four unrelated words")
	}
	return nil
}

// commonZip has common passwords and words, as normalWord returns them, in lines
// sorted by bytes. See NOTICE for their source.
//
//go:embed common.txt.gz
var commonZip []byte

// commonText returns the lines of commonZip in one string. A map would take ten times
// the memory.
var commonText = sync.OnceValue(func() string {
	r, err := gzip.NewReader(bytes.NewReader(commonZip))
	if err != nil {
		panic(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		panic(err)
	}
	return string(text)
})

// isCommon reports whether a word is a line of commonText.
func isCommon(word string) bool {
	rest := commonText()
	for rest != "" {
		middle := strings.LastIndexByte(rest[:len(rest)/2], '\n') + 1
		line, after, _ := strings.Cut(rest[middle:], "\n")
		switch strings.Compare(word, line) {
		case 0:
			return true
		case -1:
			rest = rest[:middle]
		default:
			rest = after
		}
	}
	return false
}

// repeatsCommon reports whether a password repeats a common word, or at most four
// characters.
func repeatsCommon(word string) bool {
	for n := 1; n <= len(word)/2; n++ {
		if unit := word[:n]; len(word)%n == 0 && strings.Repeat(unit, len(word)/n) == word {
			return n <= 4 || isCommon(unit)
		}
	}
	return false
}

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

// words are the words of an account's address as normalWord returns them, longest
// first.
type words []string

const (
	minOwnWord = 4 // minimum length of a word, in characters
	minUnknown = 6 // minimum length of a password without such words and digits
)

// ownWords returns the words of an address.
func ownWords(a Address) words {
	local, domain, _ := strings.Cut(a.Key, "@")
	parts := strings.FieldsFunc(local+"."+domain, func(r rune) bool { return strings.ContainsRune(".-_+", r) })
	var own words
	for _, word := range append(parts, a.Key, a.Shown, local, domain) {
		word = trimDigits(normalWord(word))
		if utf8.RuneCountInString(word) >= minOwnWord {
			own = append(own, word)
		}
	}
	slices.SortFunc(own, func(a, b string) int { return len(b) - len(a) })
	return own
}

// cover reports whether a password is little more than the words and digits.
func (own words) cover(password string) bool {
	rest := password
	for _, word := range own {
		rest = strings.ReplaceAll(rest, word, " ")
	}
	if rest == password {
		return false
	}
	unknown := strings.Map(func(r rune) rune {
		if r == ' ' || unicode.IsDigit(r) {
			return -1
		}
		return r
	}, rest)
	return utf8.RuneCountInString(unknown) < minUnknown
}
