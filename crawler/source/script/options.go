package script

import (
	"regexp"
	"slices"
	"strings"
)

// parser is a parser of the command line, or an option of one. The libraries
// differ in where the name and the default of an option stand.
type parser struct {
	library string
	values  *object // by name of option
	last    []string
}

// parserLibraries are the packages whose parsers have methods for options.
var parserLibraries = map[string]bool{
	"commander": true, "yargs": true, "yargs/yargs": true, "cac": true, "@commander-js/extra-typings": true,
}

// parserOf returns the parser that a package exports or constructs, or nil.
func (in *interpreter) parserOf(x *external) *parser {
	if !parserLibraries[x.module] {
		return nil
	}
	if in.parsers[x.module] == nil {
		in.parsers[x.module] = &parser{library: x.module, values: newObject()}
	}
	return in.parsers[x.module]
}

// newParser returns what a function or class of such a package constructs.
func (in *interpreter) newParser(x *external, args []value) *parser {
	if !parserLibraries[x.module] {
		return nil
	}
	p := &parser{library: x.module, values: newObject()}
	if strings.HasSuffix(x.path, "Option") {
		p.option(arg(args, 0), nil)
	}
	return p
}

// parsed returns what a function that parses the command line at once returns,
// or nil. Its options are an object of objects with defaults.
func (in *interpreter) parsed(x *external, args []value) value {
	p := &parser{values: newObject()}
	out := newObject()
	switch {
	case x.path == "parseArgs" || strings.HasSuffix(x.path, ".parseArgs"):
		p.options(in, in.member(asObject(arg(args, 0)), "options"))
		out.put("values", in.optionValues(p))
		out.put("positionals", &array{})
	case x.module == "meow":
		p.options(in, in.member(asObject(last(args)), "flags"))
		out.put("flags", in.optionValues(p))
		out.put("input", &array{})
	case slices.Contains([]string{"minimist", "yargs-parser", "mri"}, x.module):
		in.spread(p.values, in.member(asObject(arg(args, 1)), "default"))
		p.values.put("_", &array{})
		return in.optionValues(p)
	default:
		return nil
	}
	return out
}

// optionValues returns the values of all options.
func (in *interpreter) optionValues(p *parser) value {
	if !in.defaults {
		in.settings = true
		return environment
	}
	return p.values
}

var longOption = regexp.MustCompile(`--([\w-]+)`)

// option adds an option without a default. The name may be that of an option
// with dashes and a parameter.
func (p *parser) option(name value, v value) {
	s, ok := name.(string)
	if !ok {
		return
	}
	if m := longOption.FindStringSubmatch(s); m != nil {
		s = m[1]
		if t, ok := strings.CutPrefix(s, "no-"); ok && isUnset(v) {
			s, v = t, true
		}
	}
	p.last = []string{s, camelCase(s)}
	if isUnset(v) && isConnection(p.last[1]) {
		v = given
	}
	p.set(v)
}

func isUnset(v value) bool { return v == nil || isNullish(v) }

// set sets the value of the last option.
func (p *parser) set(v value) {
	if v == nil {
		v = undefined
	}
	for _, name := range p.last {
		p.values.put(name, v)
	}
}

func camelCase(s string) string {
	parts := strings.Split(s, "-")
	for i, p := range parts[1:] {
		if p != "" {
			parts[i+1] = strings.ToUpper(p[:1]) + p[1:]
		}
	}
	return strings.Join(parts, "")
}

// options adds the options of an object.
func (p *parser) options(in *interpreter, v value) {
	o, ok := v.(*object)
	if !ok {
		return
	}
	for _, k := range o.keys {
		p.option(k, in.defaultOf(o.own(k)))
	}
}

// defaultOf returns the default that the description of an option states.
func (in *interpreter) defaultOf(v value) value {
	o, ok := v.(*object)
	if !ok {
		return nil
	}
	for _, k := range []string{"demandOption", "required", "isRequired"} {
		if in.member(o, k) == true {
			return given
		}
	}
	return in.member(o, "default")
}

func (in *interpreter) parserMethod(p *parser, name string, args []value) value {
	switch name {
	case "option", "requiredOption":
		in.addOption(p, name, args)
	case "options":
		p.options(in, arg(args, 0))
	case "addOption":
		if o, ok := arg(args, 0).(*parser); ok {
			in.spread(p.values, o.values)
		}
	case "default":
		if len(args) > 1 && strings.HasPrefix(p.library, "yargs") {
			p.option(arg(args, 0), arg(args, 1))
		} else {
			p.set(arg(args, 0))
		}
	case "opts", "optsWithGlobals", "parseSync":
		return in.optionValues(p)
	case "parse", "parseAsync":
		if p.library != "commander" {
			return in.parsedBy(p)
		}
	case "command":
		c := &parser{library: p.library, values: &object{}}
		in.spread(c.values, p.values)
		for i, a := range args { // of yargs, the builder and the handler
			if i == len(args)-1 {
				in.optionCallback(a, in.optionValues(c))
			} else {
				in.optionCallback(a, c)
			}
		}
		if !strings.HasPrefix(p.library, "yargs") {
			return c
		}
	case "action":
		in.optionCallback(arg(args, 0), in.optionValues(p))
	}
	return p
}

func (in *interpreter) parsedBy(p *parser) value {
	if p.library == "cac" {
		o := newObject()
		o.put("options", in.optionValues(p))
		return o
	}
	return in.optionValues(p)
}

func (in *interpreter) addOption(p *parser, name string, args []value) {
	v := arg(args, 2) // after the name and the description
	switch d := v.(type) {
	case *function: // that parses the value
		v = arg(args, 3)
	case *object:
		v = in.defaultOf(d)
	}
	if o, ok := arg(args, 1).(*object); ok {
		v = in.defaultOf(o)
	}
	if name == "requiredOption" && isUnset(v) {
		v = given
	}
	p.option(arg(args, 0), v)
}

// optionCallback calls a function that gets a parser or the values of options.
func (in *interpreter) optionCallback(f, v value) {
	if fn, ok := f.(*function); ok && fn.params != nil {
		args := make([]value, len(fn.params.List))
		for i := range args {
			args[i] = v
		}
		in.invoke(fn, undefined, args)
	}
}
