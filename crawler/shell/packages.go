package shell

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/dockerrun"
	"mcpcensus/crawler/untyped"
	"mcpcensus/crawler/vocabulary"
	"mcpcensus/internal/oci"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/version"
)

var (
	dummyName = vocabulary.Expressions(rules, "dummy_names.txt")

	npmOptions    = vocabulary.Set(rules, "options/npm.txt")
	pythonOptions = vocabulary.Set(rules, "options/python.txt")
	nugetOptions  = vocabulary.Set(rules, "options/nuget.txt")
	cargoOptions  = vocabulary.Set(rules, "options/cargo.txt")

	bridges = vocabulary.Set(rules, "bridges.txt")
)

// IsBridge reports whether a package connects to servers, manages or builds
// them, and so is not a server itself.
func IsBridge(identifier string) bool { return bridges[strings.ToLower(identifier)] }

// IsPlaceholder reports whether the name of a package stands for the reader's own.
func IsPlaceholder(identifier string) bool { return dummyName.MatchString(identifier) }

// options are the options of a command with their values.
type options map[string]string

func (o options) has(names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { _, ok := o[n]; return ok })
}

// first returns the first value of several alternative options.
func (o options) first(names ...string) string {
	for _, n := range names {
		if o[n] != "" {
			return o[n]
		}
	}
	return ""
}

// cutOptions returns the options before the first operand, and the operands with everything after
// them. Options in valued take the next word.
func cutOptions(args []string, valued map[string]bool) (operands []string, given options) {
	given = options{}
	for i := 0; i < len(args); i++ {
		name, value, _ := strings.Cut(args[i], "=")
		switch {
		case name == "" || name == `\`:
			continue
		case name[0] != '-':
			return args[i:], given
		case valued[args[i]] && i+1 < len(args):
			i++
			value = args[i]
		}
		given[name] = value
	}
	return nil, given
}

// setURL sets the endpoint in the arguments of a bridge, and what else they say of it.
func (l *Launch) setURL(args []string) { l.Endpoint, _ = endpointIn(args) }

// endpointIn returns the endpoint that words name, with the transport, the headers and other
// options.
func endpointIn(words []string) (e Entry, ok bool) {
	at := slices.IndexFunc(words, webURL.MatchString)
	if at < 0 {
		return e, false
	}
	e = Entry{URL: untyped.Short(words[at]), Headers: headersIn(words)}
	for i, w := range words {
		name, value, _ := strings.Cut(w, "=")
		switch {
		case i+1 == at: // its value is the URL
		case slices.Contains([]string{"--transport", "-t", "--type"}, name):
			if value == "" && i+1 < len(words) {
				value = words[i+1]
			}
			e.Type, _, _ = strings.Cut(value, "-only")
		case strings.HasPrefix(name, "--") && len(name) > 2 && !mcpAddOptions[name] && name != "--name" &&
			!headerOption.MatchString(w) && !bearerOption.MatchString(w):
			e.Beside = append(e.Beside, untyped.Short(name))
		}
	}
	return e, true
}

var (
	headerOption = regexp.MustCompile(`^(?:-H|--(?i:(?:[a-z]+-)?headers?))(?:[= ](.*))?$`)
	bearerOption = regexp.MustCompile(`^--(?i:[a-z0-9-]*bearer(?:-?token)?(-env-var)?|(?:access|auth)-?token)(?:=(.*))?$`)
	headerPair   = regexp.MustCompile(`^["']?([A-Za-z][A-Za-z0-9-]*)\s*[:=]\s*(.*?)["']?$`)
)

// headersIn returns the headers that options of a bridge set, nil for none: "-H NAME:VALUE",
// "--header=NAME: VALUE", "--headers NAME VALUE", a JSON object of them, or a bearer token.
func headersIn(args []string) map[string]string {
	out := map[string]string{}
	for i := 0; i < len(args); i++ {
		value, next := "", args[i+1:]
		take := func() {
			if value == "" && len(next) > 0 {
				value, next = next[0], next[1:]
				i++
			}
		}
		if m := bearerOption.FindStringSubmatch(args[i]); m != nil {
			if value = m[2]; value == "" {
				take()
			}
			if m[1] != "" {
				value = reference(value)
			}
			out["Authorization"] = "Bearer " + value
			continue
		}
		m := headerOption.FindStringSubmatch(args[i])
		if m == nil {
			continue
		}
		value = m[1]
		take()
		i += addHeaders(out, value, next)
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// addHeaders adds those of the value of an option, and returns how many of the next words are also
// of the option.
func addHeaders(out map[string]string, value string, next []string) (taken int) {
	if o, err := untyped.JSON([]byte(value)); err == nil {
		for _, name := range o.Keys() {
			out[name] = o.Text(name)
		}
		return 0
	}
	pair := headerPair.FindStringSubmatch(value)
	if pair == nil {
		if len(next) > 0 && headerName.MatchString(value) && !strings.HasPrefix(next[0], "-") {
			out[value] = next[0]
			return 1
		}
		return 0
	}
	for pair != nil {
		out[pair[1]] = pair[2]
		if taken == len(next) || webURL.MatchString(next[taken]) {
			break
		}
		if pair = headerPair.FindStringSubmatch(next[taken]); pair != nil {
			taken++
		}
	}
	return taken
}

var headerName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]*$`)

// split sets the options of the runner, the executable and the arguments. If apart is set, an
// option in naming names the package and the first operand is the executable; otherwise the first
// operand is the package.
func (l *Launch) split(args, operands []string, apart bool, naming ...string) {
	options := args[:len(args)-len(operands)]
	for i := 0; i < len(options); i++ {
		name, value, joined := strings.Cut(options[i], "=")
		switch {
		case options[i] == "" || options[i] == `\` || options[i] == "--":
		case !slices.Contains(naming, name):
			l.Runtime = append(l.Runtime, options[i])
		case joined && value != l.Spec: // another package
			l.Runtime = append(l.Runtime, options[i])
		case !joined && i+1 < len(options):
			if i++; options[i] != l.Spec {
				l.Runtime = append(l.Runtime, options[i-1], options[i])
			}
		}
	}
	if len(operands) > 0 {
		l.Args = operands[1:]
		if apart {
			l.Script = operands[0]
		}
	}
}

// splitTool sets the options of dnx, which may follow the package, and the
// arguments, which may follow "--".
func (l *Launch) splitTool(args []string) {
	options, rest := args, []string(nil)
	if i := slices.Index(args, "--"); i >= 0 {
		options, rest = args[:i], args[i+1:]
	}
	seen := false
	for i := 0; i < len(options); i++ {
		switch name := options[i]; {
		case strings.HasPrefix(name, "-") && (!seen || nugetOptions[name] || plainNugetOption[name]):
			l.Runtime = append(l.Runtime, name)
			if i+1 < len(options) && nugetOptions[name] {
				i++
				l.Runtime = append(l.Runtime, options[i])
			}
		case !seen:
			seen = true
		default:
			l.Args = append(slices.Clone(options[i:]), rest...)
			return
		}
	}
	l.Args = rest
}

// plainNugetOption are the options of dnx without a value.
var plainNugetOption = map[string]bool{"-y": true, "--yes": true, "--prerelease": true, "--interactive": true}

// firstOf returns the first of a list, "" if it is empty.
func firstOf(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// isPath reports whether a package is specified by the path or URL of its source.
func isPath(spec string) bool {
	return strings.Contains(spec, "://") || strings.Contains(spec, "git+") ||
		strings.HasPrefix(spec, ".") || strings.HasPrefix(spec, "/")
}

var archive = regexp.MustCompile(`(?i)\.(?:whl|zip|tgz|tar(?:\.[a-z0-9]+)?)$`)

// isPlace reports whether a name is of the package at a place: a URL, a file, a folder or another
// specification follows the "@", instead of an exact version, a range or a tag.
func isPlace(name string) bool {
	_, v, _ := strings.Cut(name, "@")
	return strings.ContainsAny(v, `@:/\ `) || strings.HasPrefix(v, ".") || archive.MatchString(v)
}

// fixedVersion returns an exact version of an ecosystem, "" for tags, ranges and placeholders.
func fixedVersion(ecosystem, v string) string {
	if !version.IsExact(ecosystem, strings.TrimPrefix(v, "v")) {
		return ""
	}
	return v
}

// spread returns args with the words of the first operand separated: package names have no
// spaces, but configurations have "args": ["weather-mcp --port 8080"].
func spread(args []string, valued map[string]bool) []string {
	operands, _ := cutOptions(args, valued)
	first := strings.Fields(firstOf(operands))
	if len(first) < 2 {
		return args
	}
	return slices.Concat(args[:len(args)-len(operands)], first, operands[1:])
}

// call reads the script that npx runs instead of a package. called is false if there is none, or
// if it may be the program of a package.
func (c command) call(depth int) (l Launch, called bool, err error) {
	_, given := cutOptions(c.args, npmOptions)
	script := given.first("-c", "--call")
	if c.runner != "npx" || script == "" {
		return Launch{}, false, nil
	}
	l, err = parseScript(script, depth+1)
	return l, err == nil || !given.has("-p", "--package"), err
}

// ownerName matches the short form of a repository of GitHub.
var ownerName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9_][\w.-]*$`)

func (c command) npmPackage() (Launch, bool) {
	l, args := c.launch(), spread(c.args, npmOptions)
	operands, given := cutOptions(args, npmOptions)
	l.setURL(operands)
	spec := given.first("-p", "--package")
	l.Spec = spec
	l.split(args, operands, spec != "", "-p", "--package")
	spec = cmp.Or(spec, firstOf(operands))
	l.Spec = spec
	target := aliased(strings.Trim(spec, `"'`))
	name, scoped := strings.CutPrefix(target, "@")
	if scoped { // owner/name without it is a repository of GitHub, not a package
		_, name, _ = strings.Cut(name, "/")
	}
	if isPath(spec) || strings.ContainsAny(name, ":/") || isPlace(name) {
		l.Source = true
		return l, strings.Contains(spec, "git") || ownerName.MatchString(spec)
	}
	l.RegistryType = "npm"
	l.Identifier, l.Version = SplitNPM(target)
	l.Version = fixedVersion("npm", l.Version)
	ok := registry.IsPackageName("npm", l.Identifier) && !strings.HasSuffix(l.Identifier, ".js")
	return l, ok
}

func (c command) pythonPackage() (Launch, bool) {
	l, args := c.launch(), spread(c.args, pythonOptions)
	operands, given := cutOptions(args, pythonOptions)
	if given.has("-e", "--editable", "-r", "--requirement") {
		l.Source = true
		return l, true
	}
	l.setURL(operands)
	spec := given.first("--from", "--spec")
	l.Spec = spec
	l.split(args, operands, spec != "", "--from", "--spec")
	spec = strings.Trim(cmp.Or(spec, firstOf(operands)), `"'`)
	l.Spec = spec
	if isPath(spec) || strings.Contains(spec, "/") || archive.MatchString(spec) || isPlace(spec) {
		l.Source = true
		return l, true
	}
	name, version := splitPython(spec)
	if !registry.IsPackageName("pypi", name) || strings.HasSuffix(name, ".py") {
		return l, false
	}
	l.RegistryType, l.Identifier, l.Version = "pypi", name, version
	return l, true
}

// splitPython splits "name[extra]==version" and "name@version".
func splitPython(spec string) (name, version string) {
	at := strings.IndexAny(spec, "=<>~!@[")
	if at < 0 {
		return spec, ""
	}
	name, version = spec[:at], spec[at:]
	if _, after, found := strings.Cut(version, "]"); found {
		version = after
	}
	for _, sign := range []string{"==", "@"} {
		if v, found := strings.CutPrefix(version, sign); found {
			return name, fixedVersion("pypi", v)
		}
	}
	return name, ""
}

func (c command) image() (Launch, bool) {
	l := c.launch()
	words := slices.DeleteFunc(slices.Clone(c.args), func(w string) bool { return w == "" || w == `\` })
	run := dockerrun.Parse(words)
	ref := run.Image
	if ref == "" {
		return l, false
	}
	l.Spec, l.Runtime, l.Args = ref, words[:run.At], run.Args
	l.setURL(words[run.At:])
	name, version := SplitImage(ref)
	if img, err := oci.Parse(ref, ""); err != nil || img.Unscoped {
		// A name without a slash is an image built on the machine.
		l.Source = true
		return l, !strings.ContainsAny(ref, "<${")
	}
	l.RegistryType, l.Identifier, l.Version = "oci", name, version
	return l, true
}

// SplitImage splits an image's reference into its name and tag, without a digest and the tag
// "latest". An invalid reference is returned as the name.
func SplitImage(ref string) (name, tag string) {
	img, err := oci.Parse(ref, "")
	if err != nil {
		return ref, ""
	}
	if img.Tag == "latest" {
		img.Tag = ""
	}
	return img.Name, img.Tag
}

func (c command) nugetPackage() (Launch, bool) {
	l, given, ok := c.tool("nuget", nugetOptions)
	l.splitTool(c.args)
	l.Source = given.has("--add-source")
	return l, ok
}

func (c command) crate() (Launch, bool) {
	l, given, ok := c.tool("cargo", cargoOptions)
	if given.has("--git", "--path") {
		return c.source()
	}
	return l, ok
}

// tool returns the launch of a package, the first operand. The version follows an "@" or is the
// value of an option.
func (c command) tool(registryType string, valued map[string]bool) (Launch, options, bool) {
	l := c.launch()
	operands, given := cutOptions(c.args, valued)
	spec := firstOf(operands)
	for len(operands) > 0 {
		var more options
		operands, more = cutOptions(operands[1:], valued)
		maps.Copy(given, more)
	}
	l.RegistryType, l.Spec = registryType, spec
	l.Identifier, l.Version, _ = strings.Cut(spec, "@")
	l.Version = fixedVersion(registryType, cmp.Or(l.Version, given["--version"]))
	return l, given, registry.IsPackageName(registryType, l.Identifier)
}

// aliased returns the spec that an alias of npm stands for, other specs unchanged.
func aliased(spec string) string {
	if i := strings.LastIndex(spec, "npm:"); i == 0 || i > 0 && spec[i-1] == '@' {
		return spec[i+len("npm:"):]
	}
	return spec
}

// SplitNPM splits name@version, where the name may begin with "@", and drops a path inside the
// package. Of an alias, "name@npm:other", it splits the other package, which is the one that npm
// installs. The name is "" if the spec has the place of a source: "name@file:../other".
func SplitNPM(spec string) (name, version string) {
	spec = aliased(spec)
	if strings.Contains(spec, ":") {
		return "", ""
	}
	scope, rest := "", spec
	if strings.HasPrefix(spec, "@") {
		before, after, found := strings.Cut(spec, "/")
		if !found {
			return untyped.Short(spec), ""
		}
		scope, rest = before+"/", after
	}
	name, version, _ = strings.Cut(rest, "@")
	name, _, _ = strings.Cut(name, "/")
	version, _, _ = strings.Cut(version, "/")
	return untyped.Short(scope + name), untyped.Short(version)
}
