package install

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/internal/registry"
)

const (
	maxWords     = 200 // arguments of a command
	maxVariables = 100 // environment variables to set
	maxChoices   = 50
)

// arguments returns the words of declared arguments, except optional ones without a value.
// ofRuntime reports that they are arguments of the program that runs the package. The
// obstacle is an argument that is not safe on a command line.
func arguments(as []registry.Argument, ofRuntime bool) (out []value, o *Obstacle) {
	for _, a := range as {
		if a.Type == "named" && isTemplate(a.Name) && a.Value+a.Default == "" { // --config={file}
			a.Type, a.Value = "positional", a.Name
		}
		v, ok := argument(a, ofRuntime)
		if !ok {
			continue
		}
		if a.Type == "named" {
			if a.Name == "" {
				return nil, obstacle("An option has no name.")
			}
			if o := unsound("option", a.Name); o != nil {
				return nil, o
			}
			out = append(out, value{fixed: a.Name})
			if v.fixed == "" && !v.open {
				continue
			}
		}
		if o := unsound("argument", v.fixed); o != nil {
			return nil, o
		}
		out = append(out, v)
	}
	if len(out) > maxWords {
		return nil, obstacle("The package declares more than %d arguments.", maxWords)
	}
	return out, nil
}

// argument returns the value of an argument; ok is false for an argument to omit. The value
// of a switch is neither open nor fixed.
func argument(a registry.Argument, ofRuntime bool) (v value, ok bool) {
	named := a.Type == "named"
	v = value{
		description: oneLine(a.Description), example: exampleOf(a.Placeholder),
		secret: a.IsSecret, choices: choices(a.Choices),
	}
	if named {
		v.option = oneLine(a.Name)
	}
	text := cmp.Or(a.Value, a.Default)
	if !a.IsSecret || hasDeclared(text, a.Variables) {
		text = resolve(text, a.Variables, ofRuntime)
	}
	declared := hasDeclared(text, a.Variables)
	// A value that is more than ${NAME} of the author's environment is not optional.
	ofAuthor := strings.Contains(text, "${") && !declared && template.ReplaceAllString(text, "") != ""
	if isTemplate(text) && !a.IsRequired && !hasRequired(text, a.Variables) && !ofAuthor {
		return v, false
	}
	secret := a.IsSecret && !declared
	switch {
	case secret && (a.IsRequired || text != ""), text == "" && needsValue(a):
		v.open, v.name = true, nameOf(a)
		return v, true
	case text == "":
		return v, named && (a.IsRequired || isSwitch(a))
	}
	v.fixed = text
	if isTemplate(text) {
		v.fixed, v.inside = v.blanksIn(text, a.Placeholder, a.Variables)
	}
	return v, true
}

// needsValue reports whether the user must fill in an argument without a value. A required
// option without any description is a switch.
func needsValue(a registry.Argument) bool {
	return a.IsRequired && (a.Type == "positional" || a.ValueHint != "" || a.Description != "")
}

// isSwitch reports whether an optional argument is a switch that is always passed, such as
// {"type":"named","name":"-y"} in a package's runtime arguments.
func isSwitch(a registry.Argument) bool {
	return strings.HasPrefix(a.Name, "-") && a.ValueHint == "" && a.Description == "" && !a.IsSecret
}

// resolve replaces {names} with their declared values. For the program that runs the package,
// it uses only values that are not paths.
func resolve(text string, variables map[string]registry.Variable, ofRuntime bool) string {
	return template.ReplaceAllStringFunc(text, func(m string) string {
		v := variables[templateName(m)]
		s := cmp.Or(v.Value, v.Default)
		if s == "" || v.IsSecret || isTemplate(s) || !sound(s) || ofRuntime &&
			!safePart.MatchString(s) {
			return m
		}
		return s
	})
}

// hasDeclared reports whether a text contains declared {names}.
func hasDeclared(text string, variables map[string]registry.Variable) bool {
	return slices.ContainsFunc(template.FindAllString(text, -1), func(m string) bool {
		_, ok := variables[templateName(m)]
		return ok
	})
}

// hasRequired reports whether a text contains required {names}.
func hasRequired(text string, variables map[string]registry.Variable) bool {
	return slices.ContainsFunc(template.FindAllString(text, -1),
		func(m string) bool { return variables[templateName(m)].IsRequired })
}

// blanksIn replaces the {names} in the text of v with placeholders and returns their values.
// Those without a description have the description of v.
func (v value) blanksIn(text, placeholder string, variables map[string]registry.Variable) (string, []value) {
	var blanks []value
	text = template.ReplaceAllStringFunc(text, func(m string) string {
		declared := variables[templateName(m)]
		b := value{
			name: strings.TrimPrefix(strings.ToUpper(variable(templateName(m))), "YOUR_"), open: true,
			option: v.option, secret: declared.IsSecret, choices: choices(declared.Choices),
			description: cmp.Or(oneLine(declared.Description), v.description),
			example:     cmp.Or(exampleOf(declared.Placeholder), exampleOf(placeholder)),
			preset:      oneLine(cmp.Or(declared.Value, declared.Default)),
		}
		if v.name != "" { // a variable: parts of other variables may have the same names
			b.name = v.name + "_" + b.name
		}
		if b.secret {
			b.preset = ""
		}
		blanks = append(blanks, b)
		return asPlaceholder.of(b)
	})
	// Longer names first, because placeholders are replaced by text.
	slices.SortStableFunc(blanks, func(a, b value) int { return len(b.name) - len(a.name) })
	return text, blanks
}

// optionNames are names for the values of docker's short options.
var optionNames = map[string]string{"-v": "VOLUME", "-e": "VARIABLE", "-p": "PORTS", "-w": "FOLDER"}

// nameOf returns the name of an argument that the user fills in.
func nameOf(a registry.Argument) string {
	hint := a.ValueHint
	if len(hint) > 40 || strings.Contains(hint, "://") {
		hint = ""
	}
	if len(strings.Trim(a.Name, "-")) > 1 {
		hint = cmp.Or(hint, a.Name)
	}
	return variable(cmp.Or(hint, optionNames[a.Name], "VALUE"))
}

// choices returns the declared choices on one line each.
func choices(declared []string) (out []string) {
	for _, c := range declared[:min(len(declared), maxChoices)] {
		if c = oneLine(c); c != "" {
			out = append(out, c)
		}
	}
	return out
}

// environment returns the variables to set, without those of the runtime that are left to the
// user. The obstacle is a required variable with an invalid name.
func environment(vs []registry.Variable) (out []value, o *Obstacle) {
	for _, v := range vs {
		e, required, ok := setting(v)
		switch {
		case !ok, e.open && controllingNames[strings.ToUpper(v.Name)] && !(required && indexName.MatchString(v.Name)):
		case registry.IsVariableName(v.Name):
			if !slices.ContainsFunc(out, func(o value) bool { return o.name == e.name }) {
				out = append(out, e)
			}
		case required:
			return nil, obstacle("The package requires the environment variable “%s”, which is not a "+
				"valid name.", excerpt(v.Name))
		}
	}
	if len(out) > maxVariables {
		return nil, obstacle("The package requires more than %d environment variables.", maxVariables)
	}
	return out, nil
}

// setting returns the value of a variable and whether it is required; ok is false for a
// variable to omit.
func setting(v registry.Variable) (e value, required, ok bool) {
	text := cmp.Or(v.Value, v.Default)
	declared := hasDeclared(text, v.Variables)
	if !v.IsSecret || declared {
		text = resolve(text, v.Variables, false)
	}
	required = v.IsRequired || hasRequired(text, v.Variables)
	open := text == "" || v.IsSecret && !declared || isTemplate(text)
	e = value{
		name: v.Name, description: oneLine(v.Description), example: exampleOf(v.Placeholder),
		secret: v.IsSecret, choices: choices(v.Choices),
	}
	switch {
	case declared && isTemplate(text) && sound(text):
		e.fixed, e.inside = e.blanksIn(text, v.Placeholder, v.Variables)
	case open || !sound(text):
		e.open = true
	default:
		e.fixed = text
	}
	return e, required, required || !open
}

// template matches {name}, ${name}, {{name}} and <name>.
var template = regexp.MustCompile(`\$?\{\{?[A-Za-z0-9_. -]{1,100}\}\}?|<[A-Za-z0-9_. -]{1,100}>`)

// templateName returns the name in a match of [template].
func templateName(match string) string { return strings.Trim(match, "${}<> ") }

// isTemplate reports whether a text contains a {variable} for the user.
func isTemplate(s string) bool { return template.MatchString(s) }
