package manifest

import (
	"cmp"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mcpcensus/crawler/settings"
	"mcpcensus/crawler/shell"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/words"
)

const (
	maxConfigured     = 60   // words or variables of a configuration
	maxConfiguredWord = 1000 // bytes
)

// Configure returns how c starts a package, and its command. It reports false if c does not run a
// package, or if its command is too long to show.
func Configure(c ClientServer) (conf registry.Configuration, l shell.Launch, ok bool) {
	l, err := shell.ParseCommand(c.Command, c.Args)
	if err != nil || isTooLong(c.Name) {
		return conf, l, false
	}
	conf, ok = ConfigurationOf(l, c.Env)
	conf.Key = c.Name
	for _, a := range slices.Concat(conf.Runtime, conf.Args) {
		for name, v := range a.Variables {
			v.Description = cmp.Or(c.input(v.Placeholder), v.Description)
			a.Variables[name] = v
		}
	}
	for i := range conf.Env {
		v := &conf.Env[i]
		v.Description = cmp.Or(v.Description, c.input(v.Placeholder))
	}
	return conf, l, ok
}

// input returns the description of the input that a value refers to.
func (c ClientServer) input(value string) string {
	if m := inputs.FindStringSubmatch(value); m != nil && m[0] == value {
		return c.Inputs[m[1]]
	}
	return ""
}

// ConfigurationOf returns how a command starts a package with the variables in set and those
// that it sets itself. It reports false if the command does not run a package, or is too long to
// show.
func ConfigurationOf(l shell.Launch, set map[string]string) (conf registry.Configuration, ok bool) {
	if !l.Runs || l.Source || l.Identifier == "" || shell.IsBridge(l.Identifier) {
		return conf, false
	}
	conf = registry.Configuration{Command: l.Program(), Script: strings.TrimSuffix(l.Script, ".exe")}
	if conf.Script == l.Identifier {
		conf.Script = ""
	}
	env, runtime := map[string]string{}, l.Runtime
	maps.Copy(env, set)
	maps.Copy(env, l.Env)
	if l.RegistryType == "oci" {
		runtime = passed(runtime, env)
	}
	if conf.Command == "" || tooLong(runtime) || tooLong(l.Args) || isTooLong(l.Script) {
		return conf, false
	}
	names := blankNames{}
	conf.Runtime = names.words(runtime, l.RegistryType == "oci")
	conf.Args = names.words(l.Args, false)
	conf.Env = SetVariables(env)
	return conf, true
}

// SetVariables returns the variables that a configuration sets, by name, without
// those whose name is invalid or whose value is too long to show.
func SetVariables(env map[string]string) (out []registry.Variable) {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if variableName.MatchString(name) && !isTooLong(env[name]) && len(out) < maxConfigured {
			v := registry.Variable{Name: name, IsSecret: settings.LooksSecret(name) || settings.HoldsSecret(env[name])}
			if v.IsSecret || settings.IsExample(env[name]) {
				v.Placeholder = env[name]
			} else {
				v.Value = env[name]
			}
			out = append(out, v)
		}
	}
	return out
}

// variableName matches the names of variables that a configuration may set.
var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,99}$`)

// tooLong reports whether words are too long to show.
func tooLong(words []string) bool {
	return len(words) > maxConfigured || slices.ContainsFunc(words, isTooLong)
}

func isTooLong(word string) bool { return len(word) > maxConfiguredWord }

// passed returns the options of docker without those that set variables of the container, and
// adds these to env.
func passed(options []string, env map[string]string) (rest []string) {
	for i := 0; i < len(options); i++ {
		name, set, joined := strings.Cut(options[i], "=")
		switch {
		case name != "-e" && name != "--env":
			rest = append(rest, options[i])
			if shell.TakesDockerWord(options[i]) && i+1 < len(options) {
				i++
				rest = append(rest, options[i])
			}
			continue
		case !joined && i+1 < len(options):
			i++
			set = options[i]
		}
		variable, value, given := strings.Cut(set, "=")
		if _, known := env[variable]; variable != "" && (given || !known) {
			env[variable] = value
		}
	}
	return rest
}

// blankNames are the names of the values that the user fills in, by their text in the README.
type blankNames map[string]string

// words returns the words of a command as arguments. mounts reports that they are options of
// docker.
func (n blankNames) words(list []string, mounts bool) (out []registry.Argument) {
	fixed := func(text string) { out = append(out, registry.Argument{Type: "positional", Value: text}) }
	for i := 0; i < len(list); i++ {
		w, next := list[i], ""
		if i+1 < len(list) && !strings.HasPrefix(list[i+1], "-") {
			next = list[i+1]
		}
		option, value, joined := strings.Cut(w, "=")
		switch {
		case !strings.HasPrefix(w, "-") || w == "-":
			out = append(out, n.value(w, "", mounts))
		case joined:
			a := n.value(value, option, mounts)
			a.Value = option + "=" + a.Value
			out = append(out, a)
		case next == "":
			fixed(w)
		case w == "--transport" && settings.IsExample(next):
			i++ // clients start commands over standard input
			fixed(w)
			fixed(registry.TransportStdio)
		case settings.LooksSecret(strings.TrimLeft(w, "-")) || settings.IsExample(next) || mounts && isMount(w):
			i++
			fixed(w)
			out = append(out, n.value(next, w, mounts))
		default:
			fixed(w)
		}
	}
	return out
}

func isMount(option string) bool {
	return option == "-v" || option == "--volume" || option == "--mount"
}

// value returns the argument for a value, which may be that of an option.
func (n blankNames) value(text, option string, mounts bool) registry.Argument {
	a := registry.Argument{Type: "positional", Value: text}
	before, open, after := "", text, ""
	switch {
	case mounts && (option == "--mount" || strings.HasPrefix(text, "type=bind")):
		before, open, after = mountSource(text)
	case mounts && isMount(option):
		at := strings.Index(text, ":/")
		if at < 0 {
			return a
		}
		open, after = text[:at], text[at:]
		if volume.MatchString(open) {
			return a
		}
	case settings.LooksSecret(strings.TrimLeft(option, "-")) || settings.IsExample(text):
	default:
		return a
	}
	if open == "" {
		return a
	}
	name, description := n.name(open, option, mounts), ""
	if option != "" && !isMount(option) {
		description = "value of " + option
	}
	a.Value, a.IsRequired = before+"{"+name+"}"+after, true
	a.Variables = map[string]registry.Variable{name: {
		IsRequired: true, Placeholder: open, Description: description,
		IsSecret: settings.LooksSecret(name) || settings.LooksSecret(strings.TrimLeft(option, "-")) || settings.HoldsSecret(open),
	}}
	return a
}

// volume matches the names of volumes of the container engine.
var volume = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)

// mountSource splits the value of --mount around the host folder.
func mountSource(text string) (before, source, after string) {
	m := sourceKey.FindStringSubmatch(text)
	if m == nil {
		return text, "", ""
	}
	return m[1], m[2], m[3]
}

var sourceKey = regexp.MustCompile(`^(.*?(?:src|source)=)([^,]*)(.*)$`)

// name returns a name for a value that the user fills in, from the option or the placeholder.
func (n blankNames) name(text, option string, mounts bool) string {
	if name, ok := n[text]; ok {
		return name
	}
	name := ""
	switch {
	case len(strings.Trim(option, "-")) > 1 && !mounts:
		name = snake(strings.Trim(option, "-"))
	case settings.HasPassword(text):
		name = "CONNECTION_STRING"
	case strings.ContainsAny(text, `/\`) && !strings.Contains(text, "://"):
		name = "FOLDER"
		if ext := path.Ext(text); len(ext) > 1 && len(ext) < 6 {
			name = "FILE"
		}
	default:
		name = snake(fillers.ReplaceAllString(inputs.ReplaceAllString(text, "$1"), " "))
	}
	name = cmp.Or(name, "VALUE")
	used := slices.Collect(maps.Values(n))
	for i, first := 2, name; slices.Contains(used, name); i++ {
		name = first + "_" + strconv.Itoa(i)
	}
	n[text] = name
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
	s = noLetters.ReplaceAllString(words.Apart(s), "_")
	s = strings.ToUpper(strings.Trim(s, "_"))
	return strings.TrimRight(s[:min(len(s), 40)], "_")
}
