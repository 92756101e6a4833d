package lint

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/serverjson"
	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
)

// maxPackages is how many packages are checked for clients.
const maxPackages = 100

// clients checks what clients do with a file. A part that the schema does not allow
// may have no client issues.
func (c *checker) clients(root place) {
	packages, remotes := root.member("packages"), root.member("remotes")
	if len(packages.all())+len(remotes.all()) == 0 {
		c.rule(root, "nothing-to-install", "No packages and no remotes: no client can use this server.")
		return
	}
	c.firstPackage(packages, remotes)
	c.remotes(remotes)
	for _, p := range packages.all()[:min(maxPackages, len(packages.all()))] {
		if p.is(object) {
			c.vscodePackage(p)
			c.identity(p)
			c.installable(p)
		}
	}
	if !slices.ContainsFunc(packages.all(), func(p place) bool { return typeOf(p) == "oci" }) &&
		len(remotes.all()) == 0 {
		c.rule(packages, "toolhive-no-image", "ToolHive runs servers of a registry as containers: it needs "+
			"a package of type oci, or a remote.")
	}
}

func typeOf(p place) string { return p.member("registryType", "registry_type").string() }

// programs are the commands of VS Code by type of package. Others become the command
// themselves.
var programs = map[string]string{"npm": "npx", "pypi": "uvx", "oci": "docker", "nuget": "dnx"}

// firstPackage checks which package VS Code starts: the first, or the first of the
// type that its user chose.
func (c *checker) firstPackage(packages, remotes place) {
	seen := map[string]bool{}
	for i, p := range packages.all() {
		kind := p.member("registryType", "registry_type")
		switch k := kind.string(); {
		case k == "":
			continue
		case i == 0 && k == "mcpb":
			c.rule(kind, "vscode-first-package", "VS Code starts the first package. It unpacks bundles on "+
				"the desktop only; elsewhere it runs the command mcpb. Put a package of another type first.")
		case i == 0 && programs[k] == "":
			c.rule(kind, "vscode-first-package", "VS Code starts the first package, and for this type it runs "+
				"the literal command %s. Put a package of type npm, pypi, oci or nuget first.", quote(k))
		case seen[k]:
			c.rule(p, "vscode-second-package", "VS Code never starts this package: it takes the first of "+
				"each type, and this is another one of type %s.", quote(k))
		}
		seen[kind.string()] = true
	}
	if all := packages.all(); len(all) > 1 && !overStdio(all[0]) && slices.ContainsFunc(all[1:], overStdio) {
		c.rule(all[0], "vscode-transport", "VS Code starts the first package and talks to it over standard "+
			"input, which this one does not use. Put a package with the transport stdio first.")
	} else if len(all) > 0 && !overStdio(all[0]) && len(remotes.all()) == 0 {
		c.rule(all[0], "vscode-transport", "VS Code starts packages and talks to them over standard input. "+
			"It does not use transport.url.")
	}
}

func overStdio(p place) bool {
	t := p.member("transport")
	return cmp.Or(t.member("type").string(), t.string(), "stdio") == "stdio"
}

var braces = regexp.MustCompile(`\{[A-Za-z0-9_.-]+\}`)

func (c *checker) remotes(remotes place) {
	all := remotes.all()
	isType := func(r place, want string) bool {
		return serverjson.Transport(r.member("type", "transport_type").string()) == want
	}
	for i, r := range all {
		address := r.member("url")
		if i == 0 && isType(r, registry.TransportSSE) && slices.ContainsFunc(all,
			func(r place) bool { return isType(r, registry.TransportHTTP) }) {
			c.rule(r, "sse-first", "VS Code uses the first remote only. Put streamable-http before sse, "+
				"which is deprecated.")
		}
		if i == 0 && braces.MatchString(address.string()) {
			c.rule(address, "vscode-remote-variables", "VS Code uses the URL as it is written: nobody is "+
				"asked for %s.", quote(braces.FindString(address.text)))
		}
		if i == 1 && !isType(r, registry.TransportSSE) {
			c.rule(r, "vscode-second-remote", "VS Code uses the first remote only.")
		}
		for _, h := range r.member("headers").all() {
			c.vscodeVariable(h, "header")
		}
	}
}

// vscodePackage checks how VS Code starts a package.
func (c *checker) vscodePackage(p place) {
	version, id := p.member("version"), p.member("identifier")
	runtime := runtimeArguments(p)
	switch typeOf(p) {
	case "oci":
		if version.string() != "" && (strings.Contains(id.string(), "@") ||
			strings.Contains(id.string()[strings.LastIndexByte(id.string(), '/')+1:], ":")) {
			c.rule(version, "vscode-oci-version", "VS Code appends the version to the identifier and runs "+
				"%s, which is not an image. Remove version.", quote(id.string()+":"+version.text))
		}
	case "npm":
		if !slices.ContainsFunc(runtime.all(), func(a place) bool {
			return slices.ContainsFunc([]string{"name", "value"}, func(m string) bool {
				return a.member(m).string() == "-y" || a.member(m).string() == "--yes"
			})
		}) {
			at := runtime
			if at.node == nil {
				at = place{node: p.node, path: at.path}
			}
			c.rule(at, "vscode-npx-prompt", `VS Code runs npx without -y, which asks before it installs a `+
				`package and gets no answer. Add the runtime argument {"type": "named", "name": "-y"}.`)
		}
	}
	for _, v := range p.member("environmentVariables", "environment_variables").all() {
		c.vscodeVariable(v, "environment variable")
	}
	for _, list := range []place{runtime, packageArguments(p)} {
		for _, a := range list.all() {
			c.vscodeArgument(a)
		}
	}
}

// has reports whether a member is there that VS Code does not take for missing.
func has(p place, name string) bool {
	m := p.member(name)
	if name == "default" {
		return m.node != nil
	}
	return m.is(array) || m.string() != ""
}

// variablesOf returns the number of variables that are declared for the {names} in the
// value of an input.
func variablesOf(p place) int { return len(p.member("variables").all()) }

func (c *checker) vscodeVariable(v place, what string) {
	if !v.is(object) {
		return
	}
	value := v.member("value")
	switch {
	case value.string() == "" && variablesOf(v) == 0 &&
		!has(v, "description") && !has(v, "choices") && !has(v, "default"):
		c.rule(v, "vscode-empty-variable", "VS Code sets this %s to an empty text and asks nobody for it. "+
			"Add a description.", what)
	case variablesOf(v) == 0:
		c.vscodeLiteral(value)
	}
}

// vscodeLiteral checks a value for {names} that are not declared.
func (c *checker) vscodeLiteral(value place) {
	if name := braces.FindString(value.string()); name != "" {
		c.rule(value, "vscode-undeclared-variable", "VS Code passes %s as it is written. Declare it in "+
			"variables, so that users are asked for it.", quote(name))
	}
}

func (c *checker) vscodeArgument(a place) {
	if !a.is(object) {
		return
	}
	value, hint := a.member("value"), a.member("valueHint", "value_hint")
	asked := has(a, "description") || has(a, "default")
	switch {
	case value.string() != "":
		if variablesOf(a) == 0 {
			c.vscodeLiteral(value)
		}
	case a.member("type").string() == "positional" && (hint.string() == "" || !asked):
		c.rule(a, "vscode-literal-hint", "VS Code passes %s as the argument and asks nobody for it. Add "+
			"valueHint and description.", quote(hint.string()))
	case a.member("type").string() == "named" && !asked && (hint.string() != "" ||
		a.member("isRequired", "is_required").flag()):
		c.rule(a, "vscode-option-without-value", "VS Code passes the option without a value and asks nobody "+
			"for it. Add a description.")
	}
	if value.string() == "" && asked && !a.member("isRequired", "is_required").flag() {
		c.rule(a, "vscode-optional-argument", "VS Code passes this argument although it is optional, and "+
			"asks everybody for its value.")
	}
}

// identity checks what lists of allowed servers compare.
func (c *checker) identity(p place) {
	version := p.member("version")
	if version.string() == "" && slices.Contains([]string{"npm", "pypi", "nuget"}, typeOf(p)) {
		c.rule(version, "copilot-identity", "Without a version, clients start the newest one every time. "+
			"Copilot compares the command of a user with the package, and companies allow exact commands.")
	}
}

// installable checks whether Census has an install command for a package.
func (c *checker) installable(p place) {
	doc := slices.Concat([]byte(`{"name":"a.b/c","packages":[`), c.data[p.start:p.end], []byte(`]}`))
	listing, err := serverjson.Parse(doc)
	if err != nil || len(listing.Packages) == 0 {
		c.rule(p, "census-ignored-package", "Census ignores this package: its type or transport is unknown, "+
			"or its identifier cannot be that of a package.")
		return
	}
	parsed := listing.Packages[0]
	parsed.Declared = registry.DeclaredInRepo
	if o := install.Why(parsed); o != nil {
		c.rule(p, "census-no-command", "Census shows no install command for this package. %s", o.Why)
	}
}
