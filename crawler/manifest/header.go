package manifest

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"mcpcensus/crawler/settings"
	"mcpcensus/internal/registry"
)

var (
	// headerBlank matches the part of a header's value that the user fills in: a reference to a
	// variable or an input, or a placeholder.
	headerBlank = regexp.MustCompile(`\$\{(?:(?:env|input)[:.])?([A-Za-z0-9_.-]+)(?::-[^{}]*)?\}|\$([A-Z][A-Z0-9_]*)|` +
		`<\$?([^<>]+)>|\$?\{\{? ?(?:secrets\.|inputs\.)?([A-Za-z0-9_. -]+) ?\}?\}|%([A-Z][A-Z0-9_]*)%|\b(YOUR[A-Z0-9_]+|your[-_][a-z0-9_-]+)`)
	headerScheme = regexp.MustCompile(`^([A-Za-z][A-Za-z-]{1,30}) +(\S.*)$`)
)

// Header returns a header that a configuration of a client sends, whose variables have the values
// of env. What the user fills in is a {variable} of the value, with the name of the header if that is
// all that tells placeholders of several headers apart; a value without one that is hardly the same
// for all users is left out.
func Header(name, value string, env map[string]string) registry.Variable {
	v := registry.Variable{Name: name, IsRequired: true, IsSecret: registry.IsSecretName(name)}
	if !v.IsSecret {
		value = withDefault.ReplaceAllString(value, "$1")
	}
	value = headerBlank.ReplaceAllStringFunc(value, func(blank string) string {
		// The scheme may stand in the variable, which keeps a space out of arguments.
		set := env[blankName(blank)]
		if m := headerScheme.FindStringSubmatch(set); m != nil && value == blank {
			return m[1] + " " + blank
		}
		return blank
	})
	isAlone := len(headerBlank.FindAllString(value, 2)) == 1 && !strings.EqualFold(name, "Authorization")
	v.Value = headerBlank.ReplaceAllStringFunc(value, func(blank string) string {
		in := cmp.Or(snake(blankName(blank)), "VALUE")
		if !strings.ContainsAny(blank[:1], "${%") { // no reference
			in = headerVariable(name, in, v.Variables, isAlone)
		}
		if v.Variables == nil {
			v.Variables = map[string]registry.Variable{}
		}
		v.Variables[in] = registry.Variable{IsRequired: true, IsSecret: v.IsSecret || registry.IsSecretName(in)}
		return "{" + in + "}"
	})
	m := headerScheme.FindStringSubmatch(value)
	switch {
	case v.Variables != nil:
	case v.IsSecret && m != nil && !strings.EqualFold(m[1], "bearer"):
		in := snake(name)
		v.Value = m[1] + " {" + in + "}"
		v.Variables = map[string]registry.Variable{in: {IsRequired: true, IsSecret: true}}
	case v.IsSecret, settings.IsExample(value):
		v.Value = ""
	}
	return v
}

// headerVariable returns the name of the variable for a placeholder of a header that has variables.
func headerVariable(header, name string, others map[string]registry.Variable, isAlone bool) string {
	if _, isTaken := others[name]; isTaken {
		return snake(header + " " + strconv.Itoa(len(others)+1))
	} else if isAlone {
		return snake(header)
	}
	return name
}

// blankName returns the name in a match of headerBlank, without "YOUR".
func blankName(blank string) string {
	m := headerBlank.FindStringSubmatch(blank)
	name := cmp.Or(m[1], m[2], m[3], m[4], m[5], m[6])
	if len(name) > 5 && strings.EqualFold(name[:4], "your") {
		name = strings.TrimLeft(name[4:], "-_ ")
	}
	return name
}
