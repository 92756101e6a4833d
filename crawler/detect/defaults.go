package detect

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/internal/registry"
)

// defaultsOf returns the options of a package's arguments, "--name=value", whose value is what the
// source code uses without them.
func (c *candidate) defaultsOf(p *registry.Package) (out []string) {
	given := slices.Clone(p.PackageArguments)
	for _, conf := range p.Configurations {
		given = append(given, conf.Args...)
	}
	for i, a := range given {
		option, value, joined := strings.Cut(a.Value, "=")
		switch {
		case a.Type == "named":
			option, value = a.Name, cmp.Or(a.Value, a.Default)
		case !joined && i+1 < len(given) && !strings.HasPrefix(given[i+1].Value, "-"):
			value = given[i+1].Value
		}
		isSet := strings.HasPrefix(option, "--") && value != "" && !a.IsRequired
		if set := option + "=" + value; isSet && !slices.Contains(out, set) && c.isDefault(option, value) {
			out = append(out, set)
		}
	}
	return out
}

const defaultLiteral = "[\"'`]?([^\"'`\\s,;(){}\\[\\]]+)[\"'`]?\\s*[,)}]"

var (
	// optionStart matches what is before the name of an option where code declares it: its dashes, or
	// a call of Go, commander or yargs, whose third word may be the default.
	optionStart = regexp.MustCompile("(?:[\"'`](?:-\\w,? ?)?--|" +
		"((?:lags?(?:\\(\\))?\\.\\w+|\\.option)\\(\\s*(?:&[\\w.]+,\\s*)?[\"'`](?:(?:-\\w,? ?)?--)?))$")
	// namedDefault and secondDefault match what follows, in the same call or object, with the default.
	namedDefault = regexp.MustCompile("^(?:[ =][^\"'`\n]*)?[\"'`](?:[^()}]|\\([^()]*\\)|\\{[^{}]*\\})*?" +
		"\\bdefault(?:_value)?[\"'`]?\\s*[:=]\\s*" + defaultLiteral)
	secondDefault = regexp.MustCompile("^(?:[ =][^\"'`\n]*)?[\"'`]\\s*,\\s*(?:[\"'`][^\"'`]*[\"'`]\\s*,\\s*)??" +
		defaultLiteral)
	nextOption = regexp.MustCompile("[\"'`](?:-\\w,? ?)?--\\w")
)

// isDefault reports whether source code declares an option with a value as its default, and nowhere
// with another.
func (c *candidate) isDefault(option, value string) bool {
	of, isSame := c.codeDefault(option)
	return isSame && of == value
}

// codeDefault returns the default that source code declares for an option, "" for none, and whether
// all declarations have the same.
func (c *candidate) codeDefault(option string) (value string, isSame bool) {
	const near = 600 // bytes of a declaration
	name := regexp.MustCompile(regexp.QuoteMeta(strings.TrimLeft(option, "-")))
	for _, p := range c.repo.sources(c.unit, c.alone) {
		text := c.repo.snap.Texts[p]
		for _, at := range name.FindAllStringIndex(text, -1) {
			start := optionStart.FindStringSubmatch(text[max(0, at[0]-60):at[0]])
			if start == nil {
				continue
			}
			after := text[at[1]:min(len(text), at[1]+near)]
			if next := nextOption.FindStringIndex(after); next != nil {
				after = after[:next[0]]
			}
			m := namedDefault.FindStringSubmatch(after)
			if m == nil && start[1] != "" {
				m = secondDefault.FindStringSubmatch(after)
			}
			if m != nil && value != "" && m[1] != value {
				return "", false
			}
			if m != nil {
				value = m[1]
			}
		}
	}
	return value, value != ""
}
