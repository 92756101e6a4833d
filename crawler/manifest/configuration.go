package manifest

import (
	"cmp"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mcpcensus/crawler/dockerrun"
	"mcpcensus/crawler/settings"
	"mcpcensus/crawler/shell"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// Limits of a configuration. They are above those of commands, so that one that is too long gets
// that as the reason why there is no command.
const (
	maxConfigured     = 201  // words, and variables
	maxConfiguredWord = 2010 // bytes
	maxVersion        = 200  // bytes, with the digest of an image
)

// Configure returns how c starts a package, and its command. It reports false if c does not run a
// package, or if its command is too long to show.
func Configure(c ClientServer) (conf registry.Configuration, l shell.Launch, ok bool) {
	l, err := c.Launch()
	if err != nil || isTooLong(c.Name) {
		return conf, l, false
	}
	conf, ok = ConfigurationOf(l)
	conf.Key, conf.Beside = c.Name, c.Beside
	conf.Runtime, conf.Args = c.declaredIn(conf.Runtime), c.declaredIn(conf.Args)
	env := conf.Env[:0]
	for _, v := range conf.Env {
		if v, optional := c.declared(v); !optional || v.Value != "" {
			env = append(env, v)
		}
	}
	conf.Env = env
	return conf, l, ok
}

// declared returns v with what the file of c declares of the input that it refers to: the default
// is the value of optional ones, and the example of those that are required or an editor asks for.
func (c ClientServer) declared(v registry.Variable) (out registry.Variable, optional bool) {
	in, known := c.Inputs[inputName(v.Placeholder)]
	optional = known && strings.HasPrefix(v.Placeholder, "${user_config") && !in.IsRequired
	if in.IsSecret || settings.IsExample(in.Default) {
		in.Default = ""
	}
	if v.Placeholder = cmp.Or(in.Default, v.Placeholder); optional {
		v.Value, v.Placeholder = in.Default, ""
	}
	v.Description, v.IsSecret = cmp.Or(in.Description, v.Description), in.IsSecret || v.IsSecret
	v.Choices = in.Choices
	return v, optional
}

// declaredIn returns arguments with what the file of c declares of their values, without optional
// ones that have no default and the options before them.
func (c ClientServer) declaredIn(args []registry.Argument) (out []registry.Argument) {
	for _, a := range args {
		kept := true
		for name, v := range a.Variables {
			v, optional := c.declared(v)
			switch a.Variables[name] = v; {
			case !optional:
			case v.Value == "":
				kept = false
			default:
				a.Value = strings.ReplaceAll(a.Value, "{"+name+"}", v.Value)
				delete(a.Variables, name)
				a.IsRequired = len(a.Variables) > 0
			}
		}
		last := len(out) - 1
		switch {
		case kept:
			out = append(out, a)
		case last >= 0 && strings.HasPrefix(out[last].Value, "-") && strings.HasPrefix(a.Value, "{"):
			out = out[:last]
		}
	}
	return out
}

// Separators replaces references of extensions to the separator of paths.
var Separators = strings.NewReplacer("${/}", "/", "${pathSeparator}", "/")

// inputName returns the name of the input that a value refers to, "" for other values.
func inputName(value string) string {
	if m := inputs.FindStringSubmatch(value); m != nil && m[0] == value {
		return m[1]
	}
	return ""
}

// ConfigurationOf returns how a command starts a package. It reports false if the command does
// not run a package, or is too long to show.
func ConfigurationOf(l shell.Launch) (conf registry.Configuration, ok bool) {
	if !l.Runs || l.Source || l.Identifier == "" || shell.IsBridge(l.Identifier) {
		return conf, false
	}
	conf = registry.Configuration{Command: l.Program(), Script: strings.TrimSuffix(l.Script, ".exe")}
	if conf.Script == l.Identifier {
		conf.Script = ""
	}
	if written, ok := strings.CutPrefix(l.Spec, l.Identifier); ok && len(written) <= maxVersion {
		conf.Version = written
	}
	if conf.Command == "" || isTooLong(l.Script) {
		return conf, false
	}
	l.Runtime, l.Args = shortened(l.Runtime), shortened(l.Args)
	names, env := blankNames{}, maps.Clone(l.Env)
	if env == nil {
		env = map[string]string{}
	}
	if l.RegistryType == "oci" {
		conf.Runtime = names.docker(l.Runtime, env)
	} else {
		conf.Runtime = names.words(l.Runtime)
	}
	conf.Env = SetVariables(env)
	conf.Args = names.words(l.Args)
	return conf, true
}

// SetVariables returns the variables that a configuration sets, by name, without those whose name
// is invalid. Values that are too long to show are to be filled in.
func SetVariables(env map[string]string) (out []registry.Variable) {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if registry.IsVariableName(name) && len(out) < maxConfigured {
			v := registry.Variable{Name: name, IsSecret: isSecret(name, env[name])}
			value := defaulted(env[name])
			switch {
			case isTooLong(value):
				v.IsRequired = true
			case v.IsSecret:
				v.Placeholder = env[name]
			case settings.IsExample(value) || settings.IsOwn(name, value):
				v.Placeholder = value
			default:
				v.Value = value
			}
			out = append(out, v)
		}
	}
	return out
}

// defaulted returns the default of a reference that has one, other values unchanged.
func defaulted(value string) string {
	if m := reference.FindStringSubmatch(value); m != nil && m[2] != "" {
		return m[2]
	}
	return value
}

// shortened returns words within the limits of a configuration.
func shortened(words []string) (out []string) {
	for _, w := range words[:min(len(words), maxConfigured)] {
		out = append(out, strings.ToValidUTF8(w[:min(len(w), maxConfiguredWord)], ""))
	}
	return out
}

func isTooLong(word string) bool { return len(word) >= maxConfiguredWord }

// blankNames are the names of the values that the user fills in.
type blankNames map[string]bool

// docker returns the options of "docker run" as arguments, without those that set variables of
// the container, and adds these to env.
func (n blankNames) docker(words []string, env map[string]string) (out []registry.Argument) {
	options := dockerrun.Parse(words).Options
	for i, o := range options {
		name, value, set := o.Variable()
		switch _, known := env[name]; {
		case i+1 < len(options) && options[i+1].At == o.At: // in one word, such as -it
		case o.Name == "env" && name != "" && (set || !known):
			env[name] = value
		case o.Name == "env":
		default:
			out = append(out, n.option(o, words)...)
		}
	}
	return out
}

// option returns an option of "docker run", with the folder of the host to fill in.
func (n blankNames) option(o dockerrun.Option, words []string) (out []registry.Argument) {
	for _, w := range words[o.At : o.At+max(o.N, 1)] {
		out = append(out, registry.Argument{Type: "positional", Value: w})
	}
	value := &out[len(out)-1]
	before := value.Value[:len(value.Value)-len(o.Value)]
	m, ok := o.Mount()
	switch {
	case ok && m.At >= 0 && m.Source != "" && (m.Type == "bind" || !dockerrun.IsVolume(m.Source)):
		*value = n.blank(before+o.Value[:m.At], m.Source, o.Value[m.At+len(m.Source):], "")
	case o.Takes && o.Value != "" && (registry.IsSecretName(o.Name) || settings.IsExample(o.Value)):
		*value = n.blank(before, o.Value, "", "--"+o.Name)
	}
	return out
}

// words returns the words of a command as arguments.
func (n blankNames) words(list []string) (out []registry.Argument) {
	fixed := func(text string) { out = append(out, registry.Argument{Type: "positional", Value: text}) }
	for i := 0; i < len(list); i++ {
		w, next := list[i], ""
		if i+1 < len(list) && !strings.HasPrefix(list[i+1], "-") {
			next = list[i+1]
		}
		option, value, joined := strings.Cut(w, "=")
		switch {
		case !strings.HasPrefix(w, "-") || w == "-":
			out = append(out, n.value(w, ""))
		case joined:
			a := n.value(value, option)
			a.Value = option + "=" + a.Value
			out = append(out, a)
		case next == "":
			fixed(w)
		case w == "--transport" && settings.IsExample(next):
			i++ // clients start commands over standard input
			fixed(w)
			fixed(registry.TransportStdio)
		case registry.IsSecretName(w) || settings.IsExample(next):
			i++
			fixed(w)
			out = append(out, n.value(next, w))
		default:
			fixed(w)
		}
	}
	return out
}

// value returns the argument for a value, which may be that of an option.
func (n blankNames) value(text, option string) registry.Argument {
	if fixed := defaulted(text); !registry.IsSecretName(option) && !settings.IsExample(fixed) {
		return registry.Argument{Type: "positional", Value: fixed}
	}
	if m := headerText.FindStringSubmatch(text); m != nil && registry.IsSecretName(m[1]+m[3]) {
		open := m[2] + m[4]
		return n.blank(text[:len(text)-len(open)], open, "", m[1]+m[3])
	}
	if registry.IsSecretName(option) || settings.HasPassword(text) || !hasFixed(text) {
		return n.blank("", text, "", option)
	}
	a := registry.Argument{Type: "positional", IsRequired: true, Variables: map[string]registry.Variable{}}
	values := map[string]string{}
	a.Value = namedBlank.ReplaceAllStringFunc(text, func(word string) string {
		if values[word] == "" {
			in := n.blank("", word, "", "")
			maps.Copy(a.Variables, in.Variables)
			values[word] = in.Value
		}
		return values[word]
	})
	return a
}

// hasFixed reports whether a value has several parts to fill in, or one within a text for all users.
func hasFixed(text string) bool {
	around := namedBlank.ReplaceAllString(text, "a.com")
	return len(namedBlank.FindAllString(text, 2)) > 1 ||
		around != text && around != "a.com" && !settings.IsExample(around)
}

// headerText matches the name of a header and its last word, perhaps after a scheme, or the name of a
// variable and its value.
var headerText = regexp.MustCompile(`^(?:([A-Za-z][A-Za-z0-9-]*): *(?:[A-Za-z][A-Za-z-]+ +)?(\S+)|(\w+)=([^\s&;,]+))$`)

// namedBlank matches a placeholder that says what to fill in.
var namedBlank = regexp.MustCompile(`\bYOUR_[A-Z0-9_]*[A-Z0-9]|<[A-Za-z][^<>]*>`)

// isSecret reports whether the value of a variable or option is secret, by the name, its form, or
// what a placeholder asks for.
func isSecret(name, value string) bool {
	return registry.IsSecretName(name) || settings.HoldsSecret(value) ||
		settings.IsPlaceholder(value) && registry.IsSecretName(value)
}

// blank returns an argument with a part to fill in, which is the value of an option unless that
// is "".
func (n blankNames) blank(before, open, after, option string) registry.Argument {
	name, description := n.name(open, option), ""
	if option != "" {
		description = "value of " + option
	}
	return registry.Argument{
		Type: "positional", Value: before + "{" + name + "}" + after, IsRequired: true,
		Variables: map[string]registry.Variable{name: {
			IsRequired: true, Placeholder: open, Description: description,
			IsSecret: registry.IsSecretName(option) || isSecret(name, open),
		}},
	}
}

// name returns a name for a value that the user fills in, from the option or the placeholder, but not
// from a private value.
func (n blankNames) name(text, option string) string {
	name := ""
	switch {
	case len(strings.Trim(option, "-")) > 1:
		name = snake(strings.Trim(option, "-"))
	case settings.HasPassword(text):
		name = "CONNECTION_STRING"
	case strings.ContainsAny(Separators.Replace(text), `/\`) && !strings.Contains(text, "://"):
		name = "FOLDER"
		if ext := path.Ext(text); len(ext) > 1 && len(ext) < 6 {
			name = "FILE"
		}
	case settings.IsPlaceholder(text) || !settings.IsPrivate(text) && !settings.HoldsSecret(text):
		name = snake(fillers.ReplaceAllString(inputs.ReplaceAllString(text, "$1"), " "))
	}
	name = cmp.Or(name, "VALUE")
	for i, first := 2, name; n[name]; i++ {
		name = first + "_" + strconv.Itoa(i)
	}
	n[name] = true
	return name
}

var (
	// fillers are generic words of placeholders.
	fillers = regexp.MustCompile(`(?i)https?://|^abcd?-?\d+$|\byours?\b|your[-_]|[-_]here\b|` +
		`\b(?:here|the|my|insert|enter|replace|with)\b`)
	// inputs matches references to values that clients prompt for.
	inputs    = regexp.MustCompile(`\$\{(?:input|env|user_config)[:.]([^{}]+)\}`)
	noLetters = regexp.MustCompile(`[^A-Za-z0-9]+`)
)

// snake returns a text as the name of a variable, at most 40 bytes.
func snake(s string) string {
	s = noLetters.ReplaceAllString(text.Apart(s), "_")
	s = strings.ToUpper(strings.Trim(s, "_"))
	return strings.TrimRight(s[:min(len(s), 40)], "_")
}
