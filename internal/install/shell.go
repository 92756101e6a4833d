package install

import (
	"regexp"
	"strings"
)

var bareWord = regexp.MustCompile(`^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+=:,./-]*$`)

// quote returns a text as one word for a POSIX shell, also an interactive one, which
// replaces a "!" outside single quotes by an earlier command. Therefore it is not
// syntax.Quote of mvdan.cc/sh, which quotes for scripts: that leaves a!b as it is, and writes
// it's! in double quotes.
func quote(s string) string {
	if bareWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func shellLine(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	return strings.Join(quoted, " ")
}

var inDoubleQuotes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`", "!", `\!`)

// expanded returns a word that ends in a value, which the user's shell takes
// from the environment if it is open.
func expanded(before string, v value) string {
	if !v.open && len(v.inside) == 0 {
		return quote(before + v.fixed)
	}
	if !v.open {
		text := inDoubleQuotes.Replace(before + v.fixed)
		for _, in := range v.inside {
			text = strings.ReplaceAll(text, asPlaceholder.of(in), fromEnvironment.of(in))
		}
		return `"` + text + `"`
	}
	return `"` + inDoubleQuotes.Replace(before+v.prefix) + fromEnvironment.of(v) + `"`
}
