package install

import (
	"regexp"
	"strings"
)

var bareWord = regexp.MustCompile(`^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+=:,./-]*$`)

// quote quotes a text for an interactive POSIX shell, which replaces "!" outside single
// quotes. syntax.Quote of mvdan.cc/sh quotes for scripts only: it does not quote a!b, and it
// puts it's! in double quotes.
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

// expanded returns a word that ends in a value. The user's shell expands open values from the
// environment. On Windows they are placeholders: cmd and PowerShell have no reference in common.
func (t target) expanded(before string, v value) string {
	if word := before + v.text(asPlaceholder); t.windows && !strings.ContainsAny(word, "\"$%`") {
		if bareWord.MatchString(word) {
			return word
		}
		return `"` + word + `"`
	}
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
