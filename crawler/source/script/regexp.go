package script

import (
	"regexp"
	"strings"
)

// expression is a regular expression that Go can compile.
type expression struct {
	*regexp.Regexp
	global bool
}

// compile returns a regular expression, or unknown if Go cannot compile it.
func compile(text, flags string) value {
	inGo := ""
	for _, f := range "ims" {
		if strings.ContainsRune(flags, f) {
			inGo += string(f)
		}
	}
	if inGo != "" {
		text = "(?" + inGo + ")" + text
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return unknownValue
	}
	return &expression{re, strings.Contains(flags, "g")}
}

// method calls a method of the expression.
func (x *expression) method(name string, args []value) value {
	s, ok := arg(args, 0).(string)
	switch {
	case ok && name == "test":
		return x.MatchString(s)
	case ok && name == "exec":
		return groups(s, x.FindStringSubmatchIndex(s))
	}
	return unknownValue
}

// groups returns a match and its groups, or null.
func groups(s string, at []int) value {
	if at == nil {
		return null
	}
	out := &array{}
	for i := 0; i < len(at); i += 2 {
		if at[i] < 0 {
			out.items = append(out.items, undefined)
			continue
		}
		out.items = append(out.items, s[at[i]:at[i+1]])
	}
	return out
}

// searching are the methods of strings that accept an expression or a text.
var searching = []string{"match", "matchAll", "replace", "replaceAll", "split"}

// matching calls one of the methods in searching.
func (in *interpreter) matching(s, name string, args []value) value {
	x, ok := arg(args, 0).(*expression)
	if text, isText := arg(args, 0).(string); isText {
		x, ok = &expression{regexp.MustCompile(regexp.QuoteMeta(text)), name == "replaceAll"}, true
	}
	if !ok {
		return unknownValue
	}
	most := 1
	if x.global || name == "split" {
		most = maxItems
	}
	out := &array{}
	switch name {
	case "replace", "replaceAll":
		return in.replaced(s, x.FindAllStringSubmatchIndex(s, most), arg(args, 1))
	case "split":
		for _, part := range x.Split(s, maxItems) {
			out.items = append(out.items, part)
		}
	case "matchAll":
		for _, at := range x.FindAllStringSubmatchIndex(s, most) {
			out.items = append(out.items, groups(s, at))
		}
	default:
		if !x.global {
			return groups(s, x.FindStringSubmatchIndex(s))
		}
		for _, match := range x.FindAllString(s, most) {
			out.items = append(out.items, match)
		}
		if len(out.items) == 0 {
			return null
		}
	}
	return out
}

// reference matches a reference to a group in a replacement: $1, $& for the whole match,
// and $$ for a dollar sign.
var reference = regexp.MustCompile(`\$[$&\d]`)

// replaced returns a text with its matches replaced by a text or by the results of a function.
func (in *interpreter) replaced(s string, matches [][]int, with value) value {
	var b strings.Builder
	end := 0
	for _, at := range matches {
		found := groups(s, at).(*array).items
		b.WriteString(s[end:at[0]])
		end = at[1]
		t, ok := with.(string)
		if ok {
			t = reference.ReplaceAllStringFunc(t, func(r string) string {
				switch r {
				case "$$":
					return "$"
				case "$&":
					return s[at[0]:at[1]]
				}
				group, _ := text(arg(found, int(r[1]-'0')))
				return group
			})
		} else {
			t, ok = text(in.apply(with, found...))
		}
		if !ok || b.Len()+len(t) > maxText {
			return unknownValue
		}
		b.WriteString(t)
	}
	return b.String() + s[end:]
}
