// Package install says how to start a server and how to set clients up for
// it. It never guesses: without a published package whose name follows its
// registry's rules there is no command, and values that only the user knows
// are named placeholders, never secrets.
package install

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strconv"
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
// registry or arguments break the rules of its registry or of a command line:
// [Why] says which.
func Of(p registry.Package) (Launch, bool) {
	l, o := launchOf(p)
	if o != nil {
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
	l, o := launchOf(p)
	if o != nil {
		return ""
	}
	return shellLine(append([]string{l.command}, texts(l.args, placeholder)...))
}

// First returns the first of packages that [Of] can start and that clients
// talk to over its standard input; else the first that Of can start.
func First(packages []registry.Package) (p registry.Package, ok bool) {
	for _, candidate := range packages {
		if _, o := launchOf(candidate); o != nil {
			continue
		}
		if overStdio(candidate) {
			return candidate, true
		}
		if !ok {
			p, ok = candidate, true
		}
	}
	return p, ok
}

func overStdio(p registry.Package) bool {
	return p.Transport.Type == registry.TransportStdio || p.Transport.Type == ""
}

// For returns the command of the first of packages, as [First] chooses it.
func For(packages []registry.Package) (command string, ok bool) {
	p, ok := First(packages)
	if !ok {
		return "", false
	}
	return Command(p), true
}

// A value is a fixed text, or something that the user has to fill in.
type value struct {
	name        string // of the variable: [A-Za-z_][A-Za-z0-9_]*
	fixed       string
	open        bool   // to be filled in; fixed is then ""
	prefix      string // before what is filled in: "Bearer ", "--dir="
	description string
	example     string
	preset      string // the declared default
	secret      bool
	choices     []string
	option      string  // the option or header that takes it; "" if none
	inside      []value // what is to be filled in within fixed, where it stands as a placeholder
}

// text returns the value with what is open written by the style of a client.
func (v value) text(style func(value) string) string {
	if v.open {
		return v.prefix + style(v)
	}
	text := v.fixed
	for _, in := range v.inside {
		text = strings.ReplaceAll(text, placeholder(in), style(in))
	}
	return text
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

// open is what is to be filled in, each once.
func (l launch) open() []value { return opened(slices.Concat(l.env, l.args)) }

func opened(vs []value) (out []value) {
	for _, v := range vs {
		for _, o := range append(v.inside, v) {
			if o.open && !slices.ContainsFunc(out, func(x value) bool { return x.name == o.name }) {
				out = append(out, o)
			}
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
	npmName      = regexp.MustCompile(`^(?:@[a-z0-9~][a-z0-9._~-]*/)?[a-zA-Z0-9~][a-zA-Z0-9._~-]*$`)
	pypiName     = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$`)
	nugetID      = regexp.MustCompile(`^[A-Za-z0-9_]+(?:[.-][A-Za-z0-9_]+)*$`)
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
// clients use by default.
var publicHosts = map[string]string{"npm": "npmjs", "pypi": "pypi", "nuget": "nuget"}

// isPublicRegistry reports whether base is the registry that clients use by
// default. On any other, they would install a different package of that name.
func isPublicRegistry(registryType, base string) bool {
	if base == "" {
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

// launchOf returns how p is started, or why that is not known.
func launchOf(p registry.Package) (launch, *Obstacle) {
	if o := check(p); o != nil {
		return launch{}, o
	}
	runtime, o1 := arguments(p.RuntimeArguments, true)
	args, o2 := arguments(p.PackageArguments, false)
	env, o3 := environment(p.EnvironmentVariables)
	if p.RegistryType == "oci" && len(runtime) > 0 && runtime[0].fixed == "run" {
		runtime = runtime[1:] // as part of "docker run"
	}
	if o := cmp.Or(o1, o2, o3); o != nil {
		return launch{}, o
	}
	if at := unsoundRuntime(p.RegistryType, runtime); at >= 0 {
		return launch{}, obstacle("The registry entry passes “%s” to %s itself. Only options known to be safe are included, because others can change what is installed or what it can access.", excerpt(runtime[at].text(placeholder)), programs[p.RegistryType])
	}
	if at := slices.IndexFunc(env, func(v value) bool { return !v.open && steers(v.name) }); at >= 0 {
		return launch{}, obstacle("The registry entry sets %s, which controls where packages or code are loaded from.", excerpt(env[at].name))
	}
	version := p.Version
	if placeholderVersion.MatchString(version) {
		version = ""
	}
	l := launch{command: programs[p.RegistryType], env: env}
	switch p.RegistryType {
	case "npm":
		if !hasFixed(runtime, "-y", "--yes") {
			l.args = literal("-y")
		}
		l.args = slices.Concat(l.args, runtime, literal(join(p.Identifier, "@", version)), args)
	case "pypi":
		l.args = slices.Concat(runtime, literal(join(p.Identifier, "==", version)), args)
	case "nuget":
		l.args = slices.Concat(runtime, literal(join(p.Identifier, "@", version), "--yes"))
		if len(args) > 0 {
			l.args = slices.Concat(l.args, literal("--"), args)
		}
	case "oci":
		image, o := imageOf(p)
		if o != nil {
			return launch{}, o
		}
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
	}
	distinguish(l.args)
	return l, nil
}

// distinguish numbers what is to be filled in for different arguments and would
// have the same name.
func distinguish(args []value) {
	type of struct{ option, description string }
	seen := map[string]of{}
	for i := range args {
		v := &args[i]
		if !v.open {
			continue
		}
		name := v.name
		for n := 2; ; n++ {
			who, taken := seen[strings.ToUpper(v.name)]
			if !taken || who == (of{v.option, v.description}) && v.option != "" {
				break
			}
			v.name = name + "_" + strconv.Itoa(n)
		}
		seen[strings.ToUpper(v.name)] = of{v.option, v.description}
	}
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
// give are left out. It fails where one cannot stand on a command line.
func arguments(as []registry.Argument, ofRuntime bool) (out []value, o *Obstacle) {
	for _, a := range as {
		v := value{description: oneLine(a.Description), example: oneLine(a.Placeholder), secret: a.IsSecret, choices: choices(a.Choices)}
		if a.Type == "named" {
			v.option = oneLine(a.Name)
		}
		text := a.Value
		if text == "" {
			text = a.Default
		}
		if !a.IsSecret {
			text = resolved(text, a.Variables, ofRuntime)
		}
		if isTemplate(text) && !a.IsRequired {
			continue // an option that its user fills in
		}
		if isTemplate(text) && !a.IsSecret {
			text, v.inside = blanksIn(text, a)
		}
		switch {
		case a.IsSecret && (a.IsRequired || text != ""), text == "" && a.IsRequired && (a.Type == "positional" || a.ValueHint != ""):
			v.open = true
			v.name = nameOf(a)
		case text == "" && a.Type == "named" && a.IsRequired && a.Description != "": // a switch has no need of words
			v.open = true
			v.name = nameOf(a)
		case text == "" && a.Type == "named" && a.IsRequired:
		case text == "" && a.Type == "named" && !a.IsRequired && a.ValueHint == "" && a.Name != "" && isFlag(a):
		case text == "":
			continue
		}
		v.fixed = text
		if v.open {
			v.fixed, v.inside = "", nil
		}
		if a.Type == "named" {
			if !sound(a.Name) || a.Name == "" {
				return nil, obstacle("An option in the registry entry contains characters that cannot be shown safely.")
			}
			out = append(out, value{fixed: a.Name})
			if v.fixed == "" && !v.open {
				continue
			}
		}
		if !sound(v.fixed) {
			return nil, obstacle("An argument in the registry entry contains characters that cannot be shown safely, or is too long.")
		}
		out = append(out, v)
	}
	if len(out) > mostWords {
		return nil, obstacle("The registry entry declares too many arguments to review.")
	}
	return out, nil
}

const (
	mostWords     = 200 // of the arguments of a command
	mostVariables = 100 // of the environment that must be set
	mostChoices   = 50
)

// resolved puts the values that an entry declares for {names} in their places.
// For what runs the package only those that are no path.
func resolved(text string, variables map[string]registry.Variable, ofRuntime bool) string {
	return template.ReplaceAllStringFunc(text, func(m string) string {
		v, known := variables[m[1:len(m)-1]]
		if s := first(v.Value, v.Default); known && s != "" && !v.IsSecret && !isTemplate(s) && sound(s) && (!ofRuntime || safePart.MatchString(s)) {
			return s
		}
		return m
	})
}

// blanksIn writes placeholders for the {names} in an argument, and says what
// they stand for.
func blanksIn(text string, a registry.Argument) (string, []value) {
	var blanks []value
	text = template.ReplaceAllStringFunc(text, func(m string) string {
		declared := a.Variables[m[1:len(m)-1]]
		b := value{name: strings.TrimPrefix(strings.ToUpper(variable(m)), "YOUR_"), open: true, option: oneLine(a.Name), secret: declared.IsSecret,
			description: first(oneLine(declared.Description), oneLine(a.Description)), example: first(oneLine(declared.Placeholder), oneLine(a.Placeholder)),
			preset: oneLine(first(declared.Value, declared.Default)), choices: choices(declared.Choices)}
		if b.secret {
			b.preset = ""
		}
		blanks = append(blanks, b)
		return placeholder(b)
	})
	// Longer ones first, since they are put in by replacing them.
	slices.SortStableFunc(blanks, func(a, b value) int { return len(b.name) - len(a.name) })
	return text, blanks
}

// optionNames are what the short options of docker take.
var optionNames = map[string]string{"-v": "VOLUME", "-e": "VARIABLE", "-p": "PORTS", "-w": "FOLDER"}

// nameOf is what an argument that the user fills in is called.
func nameOf(a registry.Argument) string {
	hint := a.ValueHint
	if len(hint) > 40 || strings.Contains(hint, "://") {
		hint = ""
	}
	if len(strings.Trim(a.Name, "-")) > 1 {
		hint = first(hint, a.Name)
	}
	return variable(first(hint, optionNames[a.Name], "VALUE"))
}

// choices are the values that one may choose from, fit to show.
func choices(declared []string) (out []string) {
	for _, c := range declared[:min(len(declared), mostChoices)] {
		if c = oneLine(c); c != "" {
			out = append(out, c)
		}
	}
	return out
}

// isFlag reports whether an argument is a switch that is always given, as
// {"type":"named","name":"-y"} in a package's runtime arguments.
func isFlag(a registry.Argument) bool {
	return strings.HasPrefix(a.Name, "-") && a.Description == "" && !a.IsSecret
}

// environment returns the variables that have to be set. It fails where a
// required one has a name that no environment takes.
func environment(vs []registry.Variable) (out []value, o *Obstacle) {
	for _, v := range vs {
		text := first(v.Value, v.Default)
		if !v.IsSecret {
			text = resolved(text, v.Variables, false)
		}
		if !v.IsRequired && (text == "" || v.IsSecret) {
			continue
		}
		if !variableName.MatchString(v.Name) {
			if v.IsRequired {
				return nil, obstacle("It requires an environment variable “%s”, which is not a valid name.", excerpt(v.Name))
			}
			continue
		}
		e := value{name: v.Name, description: oneLine(v.Description), example: oneLine(v.Placeholder), secret: v.IsSecret, choices: choices(v.Choices)}
		if text == "" || v.IsSecret || isTemplate(text) || !sound(text) {
			e.open = true
		} else {
			e.fixed = text
		}
		if !slices.ContainsFunc(out, func(o value) bool { return o.name == e.name }) {
			out = append(out, e)
		}
	}
	if len(out) > mostVariables {
		return nil, obstacle("The registry entry requires too many environment variables to review.")
	}
	return out, nil
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
