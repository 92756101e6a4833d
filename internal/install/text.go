package install

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// maxWord is the length of the longest word of a command line, in bytes.
const maxWord = 2000

// sound reports whether a text is safe as a word of a command line: of limited length and
// without the characters of [text.Unsafe].
func sound(s string) bool { return faultOf(s) == "" }

// unsound returns the obstacle of a text that is not [sound], nil for a sound one. what is
// its noun: "argument".
func unsound(what, s string) *Obstacle {
	if fault := faultOf(s); fault != "" {
		return obstacle("The %s “%s” %s.", what, excerpt(s), fault)
	}
	return nil
}

// faultOf returns what is wrong with a text as the end of a sentence, "" for a [sound] one.
func faultOf(s string) string {
	switch at := text.Unsafe(s); {
	case at != "":
		return "contains the character " + at + ", which cannot be shown safely"
	case len(s) > maxWord:
		return "is too long"
	}
	return ""
}

// hidden returns the obstacle of a hidden character in what p, with its documented arguments,
// and the program script contribute to a command. Values may have line breaks: users fill
// those in themselves.
func hidden(p registry.Package, script string) *Obstacle {
	if o := unsound("program", script); o != nil {
		return o
	}
	for _, a := range slices.Concat(p.RuntimeArguments, p.PackageArguments) {
		v := registry.Variable{Value: a.Value, Default: a.Default, IsSecret: a.IsSecret,
			Choices: a.Choices, Variables: a.Variables}
		if o := cmp.Or(unsound("option", a.Name), hiddenIn("argument", v)); o != nil {
			return o
		}
	}
	for _, v := range p.EnvironmentVariables {
		if o := cmp.Or(unsound("variable", v.Name), hiddenIn("value of "+v.Name, v)); o != nil {
			return o
		}
	}
	return nil
}

var lineBreaks = strings.NewReplacer("\r", "", "\n", "", "\t", "")

// hiddenIn returns the obstacle of a hidden character in the values of v.
func hiddenIn(what string, v registry.Variable) *Obstacle {
	values := v.Choices
	if !v.IsSecret {
		values = append([]string{v.Value, v.Default}, values...)
	}
	for _, s := range values {
		if text.Unsafe(lineBreaks.Replace(s)) != "" {
			return unsound(what, lineBreaks.Replace(s))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v.Variables)) {
		if o := hiddenIn(what, v.Variables[name]); o != nil {
			return o
		}
	}
	return nil
}

// variable converts a text to the name of a variable.
func variable(s string) string {
	s = strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			return r
		}
		return '_'
	}, s), "_")
	if len(s) > 60 {
		s = s[:60]
	}
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		s = "VALUE_" + s
	}
	return strings.TrimRight(s, "_")
}

// oneLine returns a text on one line, of at most 200 bytes.
func oneLine(s string) string { return text.Shorten(text.OneLine(s), 200) }

// hollowExample matches generic placeholders, which are not examples.
var hollowExample = regexp.MustCompile(
	`(?i)^(?:<[^<>]*>|\[[^\[\]]*\]|\$?\{[^{}]*\}|\.{3}|…|x{3,}|your[-_ ][a-z _-]*(?:here)?)$`)

// exampleOf returns a placeholder as an example on one line, "" for generic placeholders.
func exampleOf(placeholder string) string {
	if e := oneLine(placeholder); !hollowExample.MatchString(e) {
		return e
	}
	return ""
}

// excerpt shortens a text for use in a sentence to one line of at most 61 characters. No quotation
// mark in it ends the quotation.
func excerpt(s string) string { return text.Fit(oneLine(singleQuotes.Replace(s)), 61) }

var singleQuotes = strings.NewReplacer("“", "'", "”", "'", "„", "'", `"`, "'")
