// Package install says how to start a server and how to set clients up for
// it. It never guesses: without a published package whose name follows its
// registry's rules there is no command, and values that only the user knows
// are named placeholders, never secrets.
package install

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"mcpcensus/internal/registry"
)

// A Launch starts a server without a shell in between. What only the user
// knows stands in it as YOUR_NAME.
type Launch struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"` // never nil
}

// Of returns how p is started. It is false for a package that no known
// program starts (a bundle, a crate), and for one whose identifier, version,
// registry or arguments break the rules of its registry or of a command line.
func Of(p registry.Package) (Launch, bool) {
	l, ok := launchOf(p)
	if !ok {
		return Launch{}, false
	}
	out := Launch{Command: l.command, Args: texts(l.args, placeholder), Env: map[string]string{}}
	for _, e := range l.env {
		out.Env[e.name] = e.text(placeholder)
	}
	return out, true
}

// Command returns the line for a POSIX shell that starts p, or "" where Of
// knows none.
func Command(p registry.Package) string {
	l, ok := launchOf(p)
	if !ok {
		return ""
	}
	return shellLine(append([]string{l.command}, texts(l.args, placeholder)...))
}

// For returns the command of the first of packages that has one.
func For(packages []registry.Package) (command string, ok bool) {
	for _, p := range packages {
		if c := Command(p); c != "" {
			return c, true
		}
	}
	return "", false
}

// A value is a fixed text, or something that the user has to fill in.
type value struct {
	name        string // of the variable: [A-Za-z_][A-Za-z0-9_]*
	fixed       string
	open        bool   // to be filled in; fixed is then ""
	prefix      string // before what is filled in: "Bearer ", "--dir="
	description string
	secret      bool
	choices     []string
}

// text returns the value with what is open written by the style of a client.
func (v value) text(style func(value) string) string {
	if !v.open {
		return v.fixed
	}
	return v.prefix + style(v)
}

// placeholder is the style for clients that fill nothing in by themselves.
func placeholder(v value) string { return "YOUR_" + strings.ToUpper(v.name) }

func texts(vs []value, style func(value) string) []string {
	out := make([]string, len(vs))
	for i, v := range vs {
		out[i] = v.text(style)
	}
	return out
}

// A launch is a command line with open values.
type launch struct {
	command string
	args    []value
	env     []value
}

func (l launch) open() []value {
	var out []value
	for _, v := range slices.Concat(l.env, l.args) {
		if v.open && !slices.ContainsFunc(out, func(o value) bool { return o.name == v.name }) {
			out = append(out, v)
		}
	}
	return out
}

func literal(ss ...string) []value {
	out := make([]value, len(ss))
	for i, s := range ss {
		out[i] = value{fixed: s}
	}
	return out
}

// The grammars of the registries' names. None of them lets an option, a path,
// an address or white space through.
var (
	npmName  = regexp.MustCompile(`^(?:@[a-z0-9~][a-z0-9._~-]*/)?[a-zA-Z0-9~][a-zA-Z0-9._~-]*$`)
	pypiName = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$`)
	nugetID  = regexp.MustCompile(`^[A-Za-z0-9_]+(?:[.-][A-Za-z0-9_]+)*$`)
	imageRef = regexp.MustCompile(`^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::[0-9]{1,5})?/)?` + // host
		`[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*` +
		`(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@sha256:[a-f0-9]{64})?$`)
	imageTag     = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$`)
	semverForm   = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$`)
	pypiVersion  = regexp.MustCompile(`^(?:[0-9]+!)?[0-9]+(?:\.[0-9]+)*(?:[._-]?[a-zA-Z]+[._-]?[0-9]*)*(?:\+[A-Za-z0-9.]+)?$`)
	nugetVersion = regexp.MustCompile(`^[0-9]+(?:\.[0-9]+){1,3}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$`)
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,99}$`)
	// placeholderVersion is what release tools leave in a manifest for the
	// version that they set later.
	placeholderVersion = regexp.MustCompile(`^0\.0\.0(?:-|$)`)
)

// publicHosts are the second-level names, under .org, of the registries that
// clients use when they are told nothing else.
var publicHosts = map[string]string{"npm": "npmjs", "pypi": "pypi", "nuget": "nuget"}

// isDefaultRegistry reports whether a client asks the registry at base by
// itself. From any other it would install a stranger's package of that name.
func isDefaultRegistry(registryType, base string) bool {
	if base == "" || registryType == "oci" { // an image's host stands in its name
		return true
	}
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "https" || u.User != nil || u.Port() != "" {
		return false
	}
	labels := strings.Split(strings.ToLower(u.Hostname()), ".")
	n := len(labels)
	return n >= 2 && labels[n-1] == "org" && labels[n-2] == publicHosts[registryType]
}

func launchOf(p registry.Package) (launch, bool) {
	if len(p.Identifier) > 300 || len(p.Version) > 128 || !isDefaultRegistry(p.RegistryType, p.RegistryBaseURL) {
		return launch{}, false
	}
	runtime, ok1 := arguments(p.RuntimeArguments)
	args, ok2 := arguments(p.PackageArguments)
	env, ok3 := environment(p.EnvironmentVariables)
	if p.RegistryType == "oci" && len(runtime) > 0 && runtime[0].fixed == "run" {
		runtime = runtime[1:] // as part of "docker run"
	}
	if !ok1 || !ok2 || !ok3 || !soundRuntime(p.RegistryType, runtime) {
		return launch{}, false
	}
	if slices.ContainsFunc(env, func(v value) bool { return !v.open && steers(v.name) }) {
		return launch{}, false
	}
	version := p.Version
	if placeholderVersion.MatchString(version) && p.RegistryType != "oci" {
		version = ""
	}
	l := launch{env: env}
	switch p.RegistryType {
	case "npm":
		if len(p.Identifier) > 214 || !npmName.MatchString(p.Identifier) || version != "" && version != "latest" && !semverForm.MatchString(version) {
			return launch{}, false
		}
		l.command = "npx"
		if !hasFixed(runtime, "-y", "--yes") {
			l.args = literal("-y")
		}
		l.args = slices.Concat(l.args, runtime, literal(join(p.Identifier, "@", version)), args)
	case "pypi":
		if !pypiName.MatchString(p.Identifier) || version != "" && !pypiVersion.MatchString(version) {
			return launch{}, false
		}
		l.command = "uvx"
		l.args = slices.Concat(runtime, literal(join(p.Identifier, "==", version)), args)
	case "nuget":
		if len(p.Identifier) > 100 || !nugetID.MatchString(p.Identifier) || version != "" && !nugetVersion.MatchString(version) {
			return launch{}, false
		}
		l.command = "dnx"
		l.args = slices.Concat(runtime, literal(join(p.Identifier, "@", version), "--yes"))
		if len(args) > 0 {
			l.args = slices.Concat(l.args, literal("--"), args)
		}
	case "oci":
		m := imageRef.FindStringSubmatch(p.Identifier)
		if m == nil {
			return launch{}, false
		}
		image := p.Identifier
		if m[1] == "" && m[2] == "" && version != "" {
			if !imageTag.MatchString(version) {
				return launch{}, false
			}
			image += ":" + version
		}
		l.command = "docker"
		l.args = literal("run")
		if !hasFixed(runtime, "-i", "--interactive") {
			l.args = append(l.args, literal("-i")...)
		}
		if !hasFixed(runtime, "--rm") {
			l.args = append(l.args, literal("--rm")...)
		}
		l.args = append(l.args, runtime...)
		for _, e := range env {
			if !namesVariable(runtime, e.name) {
				l.args = append(l.args, literal("-e", e.name)...)
			}
		}
		l.args = slices.Concat(l.args, literal(image), args)
	default:
		return launch{}, false
	}
	return l, true
}

func join(name, by, version string) string {
	if version == "" {
		return name
	}
	return name + by + version
}

func hasFixed(vs []value, words ...string) bool {
	return slices.ContainsFunc(vs, func(v value) bool { return !v.open && slices.Contains(words, v.fixed) })
}

// namesVariable reports whether runtime arguments already pass a variable on.
func namesVariable(vs []value, name string) bool {
	return slices.ContainsFunc(vs, func(v value) bool {
		return !v.open && (v.fixed == name || strings.HasPrefix(v.fixed, name+"=") || strings.HasSuffix(v.fixed, "="+name))
	})
}

// arguments turns declared arguments into words. Those that nobody has to
// give are left out. It is false where one cannot stand on a command line.
func arguments(as []registry.Argument) (out []value, ok bool) {
	for _, a := range as {
		v := value{description: oneLine(a.Description), secret: a.IsSecret}
		text := a.Value
		if text == "" {
			text = a.Default
		}
		if isTemplate(text) && !a.IsRequired {
			continue // an option that its user fills in
		}
		if isTemplate(text) && !a.IsSecret {
			text = template.ReplaceAllStringFunc(text, func(m string) string { return "YOUR_" + strings.TrimPrefix(strings.ToUpper(variable(m)), "YOUR_") })
		}
		switch {
		case a.IsSecret && (a.IsRequired || text != ""), isTemplate(text), text == "" && a.IsRequired && (a.Type == "positional" || a.ValueHint != ""):
			v.open = true
			v.name = variable(first(a.ValueHint, a.Name, "value"))
		case text == "" && a.Type == "named" && a.IsRequired && a.Description != "": // a switch has no need of words
			v.open = true
			v.name = "VALUE"
		case text == "" && a.Type == "named" && a.IsRequired:
		case text == "" && a.Type == "named" && !a.IsRequired && a.ValueHint == "" && a.Name != "" && isFlag(a):
		case text == "":
			continue
		}
		v.fixed = text
		if v.open {
			v.fixed = ""
		}
		if a.Type == "named" {
			if !sound(a.Name) || a.Name == "" {
				return nil, false
			}
			out = append(out, value{fixed: a.Name})
			if v.fixed == "" && !v.open {
				continue
			}
		}
		if !sound(v.fixed) {
			return nil, false
		}
		out = append(out, v)
	}
	return out, len(out) <= 200
}

// isFlag reports whether an argument is a switch that is always given, as
// {"type":"named","name":"-y"} in a package's runtime arguments.
func isFlag(a registry.Argument) bool {
	return strings.HasPrefix(a.Name, "-") && a.Description == "" && !a.IsSecret
}

// environment returns the variables that have to be set. It is false where a
// required one has a name that no environment takes.
func environment(vs []registry.Variable) (out []value, ok bool) {
	for _, v := range vs {
		text := first(v.Value, v.Default)
		if !v.IsRequired && (text == "" || v.IsSecret) {
			continue
		}
		if !variableName.MatchString(v.Name) {
			if v.IsRequired {
				return nil, false
			}
			continue
		}
		e := value{name: v.Name, description: oneLine(v.Description), secret: v.IsSecret, choices: v.Choices}
		if text == "" || v.IsSecret || isTemplate(text) || !sound(text) {
			e.open = true
		} else {
			e.fixed = text
		}
		if !slices.ContainsFunc(out, func(o value) bool { return o.name == e.name }) {
			out = append(out, e)
		}
	}
	return out, len(out) <= 100
}

var template = regexp.MustCompile(`[{<][A-Za-z0-9_. -]{1,100}[}>]`)

// isTemplate reports whether a text has a {variable} for the user in it.
func isTemplate(s string) bool { return template.MatchString(s) }

// sound reports whether a text can be a word of a command line: no control
// characters, no invalid UTF-8, of bounded length.
func sound(s string) bool {
	if len(s) > 2000 || !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if r < 0x20 || r == 0x7f || r >= 0x80 && r <= 0x9f || r == 0x2028 || r == 0x2029 || isDirectional(r) {
			return false
		}
	}
	return true
}

// isDirectional reports whether a character changes the order in which text is
// shown, so that a command would not be what it looks like.
func isDirectional(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200e || r == 0x200f || r == 0x061c
}

// variable makes a variable's name of any text.
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

// oneLine makes a description fit for a line of a configuration.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f || isDirectional(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 200 {
		s = strings.ToValidUTF8(s[:200], "") + "…"
	}
	return s
}

func first(ss ...string) string {
	for _, s := range ss {
		if s != "" {
			return s
		}
	}
	return ""
}

var bareWord = regexp.MustCompile(`^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+=:,./-]*$`)

// quote makes one word for a POSIX shell of any text.
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
