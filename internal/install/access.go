package install

import (
	"cmp"
	"slices"
	"strings"

	"mcpcensus/crawler/dockerrun"
	"mcpcensus/internal/registry"
)

// Values of [Access].
const (
	AccessReadOnly = "read-only"
	AccessFull     = "full" // not restricted to reading
)

// Access returns the access that s gives as clients use it first, "" if no switch of what it offers
// is known.
func Access(s *registry.Server) string {
	p, ok := First(s.Packages)
	r := hosted(Key(s), s.Remotes)
	starts := ok && (overStdio(p) || r == nil)
	started, _ := recipeOf(p)
	switch reads := s.ReadOnlyEndpoint; {
	case starts && s.ReadOnly != nil && started.isReadOnly(s.ReadOnly),
		!starts && r != nil && reads != nil && r.isReadOnly(reads):
		return AccessReadOnly
	case starts && s.ReadOnly != nil, r != nil && reads != nil:
		return AccessFull
	}
	return ""
}

// With returns s with the command and endpoints that give an access; read-only without one that has
// no switch. It reports false if there are none.
func With(s *registry.Server, access string) (*registry.Server, bool) {
	current := Access(s)
	if current == "" {
		return nil, false
	}
	other, reads := *s, access == AccessReadOnly
	p, ok := First(s.Packages)
	switch by := s.ReadOnly; {
	case by != nil && ok && (overStdio(p) || hosted(Key(s), s.Remotes) == nil):
		if current != access || by.IsUnknown() && !sets(s.Packages, by) {
			other.Packages = set(s.Packages, by, access)
			other.InstallCommand = lineOf(other.Packages, by)
		}
	case reads:
		other.Packages, other.InstallCommand = nil, ""
	}
	switch by := s.ReadOnlyEndpoint; {
	case by != nil:
		other.Remotes = switchRemotes(s.Remotes, by, access)
	case reads:
		other.Remotes = nil
	}
	return &other, Access(&other) == access
}

// sets reports whether the command of packages sets a switch.
func sets(packages []registry.Package, by *registry.ReadOnlySwitch) bool {
	p, _ := First(packages)
	r, _ := recipeOf(p)
	_, found := r.valueOf(by)
	return found
}

// SetCommand sets the command of s. Documented configurations that let the server write are
// changed to its read-only switch.
func SetCommand(s *registry.Server) {
	if s.ReadOnly != nil && s.ReadOnly.Lifted != "" {
		s.Packages = set(s.Packages, s.ReadOnly, AccessReadOnly)
	}
	s.InstallCommand = lineOf(s.Packages, s.ReadOnly)
}

// lineOf returns the command of packages as a line for a POSIX shell, which sets the variable of a
// switch; "" if there is none.
func lineOf(packages []registry.Package, by *registry.ReadOnlySwitch) string {
	line, ok := For(packages)
	p, _ := First(packages)
	if !ok || by == nil || by.Kind != registry.SwitchVariable || p.RegistryType == "oci" {
		return line
	}
	l, _ := launchOf(p)
	for _, v := range l.env {
		if v.name == by.Name && v.fixed != "" {
			return v.name + "=" + quote(v.fixed) + " " + line
		}
	}
	return line
}

// IsReadOnly reports whether a client's entry makes the server read-only. settings are the headers of
// its URL, or the variables of a start without one.
func IsReadOnly(url string, args []string, settings map[string]string, by *registry.ReadOnlySwitch) bool {
	started, at := recipe{}, remote{url: url}
	for name, text := range settings {
		v := value{name: name, fixed: text}
		started.env, at.headers = append(started.env, v), append(at.headers, header{name, v})
	}
	for _, word := range args {
		started.args = append(started.args, value{fixed: word})
	}
	started.runtime = started.args // with the variables of a container
	return url != "" && at.isReadOnly(by) || url == "" && started.isReadOnly(by)
}

// isReadOnly reports whether a command makes the server read-only.
func (r *recipe) isReadOnly(by *registry.ReadOnlySwitch) bool {
	value, found := r.valueOf(by)
	switch {
	case by.Kind == registry.SwitchFlag:
		return (found && (value == "" || registry.IsOn(value))) != by.Default
	case !found:
		return by.Default
	}
	return by.Restricts(value)
}

func (r *remote) isReadOnly(by *registry.ReadOnlySwitch) bool {
	switch by.Kind {
	case registry.SwitchPath:
		path, _, _ := strings.Cut(r.url, "?")
		return strings.HasSuffix(path, by.Name)
	case registry.SwitchQuery:
		_, query, _ := strings.Cut(r.url, "?")
		for part := range strings.SplitSeq(query, "&") {
			if name, value, _ := strings.Cut(part, "="); name == by.Name {
				return by.Restricts(value)
			}
		}
		return by.Default
	}
	for _, h := range r.headers {
		if strings.EqualFold(h.name, by.Name) {
			return by.Restricts(h.fixed)
		}
	}
	return by.Default
}

// switchRemotes returns remotes that give an access.
func switchRemotes(
	remotes []registry.Remote, by *registry.ReadOnlySwitch, access string,
) []registry.Remote {
	remotes = slices.Clone(remotes)
	value := valueFor(by, access)
	for i := range remotes {
		r := &remotes[i]
		address, query, _ := strings.Cut(r.URL, "?")
		isNamed := func(part string) bool { return optionIn(part) == by.Name }
		parts := strings.FieldsFunc(query, func(c rune) bool { return c == '&' })
		switch by.Kind {
		case registry.SwitchHeader:
			r.Headers = slices.DeleteFunc(slices.Clone(r.Headers),
				func(h registry.Variable) bool { return strings.EqualFold(h.Name, by.Name) })
			if value != "" {
				r.Headers = append(r.Headers, registry.Variable{Name: by.Name, Value: value})
			}
		case registry.SwitchPath:
			address = strings.TrimSuffix(address, by.Name)
			if access == AccessReadOnly {
				address = strings.TrimSuffix(address, "/") + by.Name
			}
		default:
			if parts = slices.DeleteFunc(parts, isNamed); value != "" {
				parts = append(parts, by.Name+"="+value)
			}
		}
		r.URL = strings.TrimSuffix(address+"?"+strings.Join(parts, "&"), "?")
	}
	return remotes
}

// valueOf returns the value of a setting in a command.
func (r *recipe) valueOf(by *registry.ReadOnlySwitch) (value string, found bool) {
	if by.Kind != registry.SwitchVariable {
		args := texts(r.args, asPlaceholder)
		at := slices.IndexFunc(args, func(w string) bool { return optionIn(w) == by.Name })
		if at < 0 {
			return "", false
		}
		if _, value, ok := strings.Cut(args[at], "="); ok || at+1 == len(args) || by.Kind == registry.SwitchFlag {
			return value, true
		}
		return args[at+1], true
	}
	for _, w := range texts(r.runtime, asPlaceholder) {
		if name, value, ok := strings.Cut(strings.TrimPrefix(w, "--env="), "="); ok && name == by.Name {
			return value, true
		}
	}
	for _, v := range r.env {
		if v.name == by.Name {
			return v.text(asPlaceholder), true
		}
	}
	return "", false
}

func optionIn(word string) string {
	name, _, _ := strings.Cut(word, "=")
	return name
}

// valueFor returns the value of a switch that gives an access, "" for none.
func valueFor(by *registry.ReadOnlySwitch, access string) string {
	switch {
	case access == AccessReadOnly:
		return by.Value
	case !by.Default && by.Lifted == "" && registry.IsOn(by.Value):
		return "" // as the server is without the setting
	}
	return by.Full()
}

// set returns packages whose arguments and variables, and those of their configurations, give an
// access.
func set(packages []registry.Package, by *registry.ReadOnlySwitch, access string) []registry.Package {
	packages = slices.Clone(packages)
	value := valueFor(by, access)
	for i := range packages {
		p := &packages[i]
		p.Configurations = slices.Clone(p.Configurations)
		for k := range p.Configurations {
			c := &p.Configurations[k]
			if by.Kind != registry.SwitchVariable {
				c.Args = setArgument(c.Args, by, value, access)
				continue
			}
			c.Runtime, c.Env = setVariable(p.RegistryType, c.Runtime, c.Env, by.Name, value)
		}
		if by.Kind != registry.SwitchVariable {
			if len(p.Configurations) == 0 || len(p.PackageArguments) > 0 { // else configurations have them
				p.PackageArguments = setArgument(p.PackageArguments, by, value, access)
			}
			continue
		}
		p.RuntimeArguments, p.EnvironmentVariables = setVariable(p.RegistryType, p.RuntimeArguments,
			p.EnvironmentVariables, by.Name, value)
	}
	return packages
}

// setArgument returns arguments with a switch in the place that it had, or else the last one.
func setArgument(
	args []registry.Argument, by *registry.ReadOnlySwitch, value, access string,
) []registry.Argument {
	at := slices.IndexFunc(args, func(a registry.Argument) bool {
		return optionIn(cmp.Or(a.Name, a.Value)) == by.Name
	})
	var words []registry.Argument
	isFlag := by.Kind == registry.SwitchFlag
	switch {
	case isFlag && (access == AccessReadOnly) != by.Default:
		words = []registry.Argument{{Type: "positional", Value: by.Name}}
	case !isFlag && value != "":
		words = []registry.Argument{{Type: "positional", Value: by.Name + "=" + value}}
	}
	if at < 0 {
		return slices.Concat(args, words)
	}
	end := at + 1
	isPair := args[at].Type != "named" && !strings.Contains(args[at].Value, "=")
	if !isFlag && isPair && end < len(args) && !strings.HasPrefix(args[end].Value, "-") {
		end++
	}
	return slices.Concat(args[:at], words, args[end:])
}

// setVariable returns runtime arguments and variables of which one has a value, or none if that is
// "". That of a container is in the arguments, so that the command line shows it.
func setVariable(
	registryType string, runtime []registry.Argument, env []registry.Variable, name, value string,
) ([]registry.Argument, []registry.Variable) {
	var options []registry.Argument
	for _, a := range runtime {
		if optionIn(strings.TrimPrefix(a.Value, "--env=")) != name {
			options = append(options, a)
			continue
		}
		if n := len(options); n > 0 && a.Name == "" && dockerrun.Name(options[n-1].Value) == "env" {
			options = options[:n-1]
		}
	}
	isNamed := func(v registry.Variable) bool { return v.Name == name }
	env = slices.DeleteFunc(slices.Clone(env), isNamed)
	switch {
	case value == "":
	case registryType == "oci":
		options = append(options, registry.Argument{Type: "positional", Value: "-e"},
			registry.Argument{Type: "positional", Value: name + "=" + value})
	default:
		env = append(env, registry.Variable{Name: name, Value: value})
	}
	return options, env
}
