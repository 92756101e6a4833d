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

// maxPackages is the number of packages that are checked for clients.
const maxPackages = 100

// clients checks for problems that clients have with a file. Parts that violate the schema
// may have no client issues.
func (c *checker) clients(root place) {
	packages, remotes := root.member("packages"), root.member("remotes")
	if len(packages.all())+len(remotes.all()) == 0 {
		c.rule(root, "nothing-to-install", "Clients cannot use this server: it has no packages and no remotes.")
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
		c.rule(packages, "toolhive-no-image", "ToolHive runs servers in containers. Add a package of type oci "+
			"or a remote.")
	}
}

func typeOf(p place) string { return p.member("registryType", "registry_type").string() }

// firstPackage checks the package that VS Code starts: the first, or the first of the type
// that the user selects. For types without a program, VS Code runs the type itself as the command.
func (c *checker) firstPackage(packages, remotes place) {
	seen := map[string]bool{}
	for i, p := range packages.all() {
		kind := p.member("registryType", "registry_type")
		switch k := kind.string(); {
		case k == "":
			continue
		case i == 0 && k == "mcpb":
			c.rule(kind, "vscode-first-package", "VS Code starts the first package. It supports bundles only on "+
				"the desktop; elsewhere it runs the command mcpb. List a package of another type first.")
		case i == 0 && registry.Programs[k] == "":
			c.rule(kind, "vscode-first-package", "VS Code starts the first package, and for this type it runs "+
				"the command %s. List a package of type npm, pypi, oci or nuget first.", quote(k))
		case seen[k]:
			c.rule(p, "vscode-second-package", "VS Code never starts this package: it uses only the first "+
				"package of type %s.", quote(k))
		}
		seen[kind.string()] = true
	}
	if all := packages.all(); len(all) > 1 && !overStdio(all[0]) && slices.ContainsFunc(all[1:], overStdio) {
		c.rule(all[0], "vscode-transport", "VS Code starts the first package and always uses the stdio transport, "+
			"which this package does not support. List a package with stdio transport first.")
	} else if len(all) > 0 && !overStdio(all[0]) && len(remotes.all()) == 0 {
		c.rule(all[0], "vscode-transport", "VS Code always uses the stdio transport for packages and ignores "+
			"transport.url.")
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
			c.rule(r, "sse-first", "VS Code uses only the first remote. List streamable-http before sse, "+
				"which is deprecated.")
		}
		if i == 0 && braces.MatchString(address.string()) {
			c.rule(address, "vscode-remote-variables", "VS Code does not prompt for %s: it uses the URL verbatim.",
				quote(braces.FindString(address.text)))
		}
		if i == 1 && !isType(r, registry.TransportSSE) {
			c.rule(r, "vscode-second-remote", "VS Code uses only the first remote.")
		}
		c.reachable(r)
		for _, h := range r.member("headers").all() {
			c.vscodeVariable(h, "header")
		}
	}
}

// vscodePackage checks the command that VS Code builds for a package.
func (c *checker) vscodePackage(p place) {
	version, id := p.member("version"), p.member("identifier")
	runtime := runtimeArguments(p)
	switch typeOf(p) {
	case "oci":
		if version.string() != "" && (strings.Contains(id.string(), "@") ||
			strings.Contains(id.string()[strings.LastIndexByte(id.string(), '/')+1:], ":")) {
			c.rule(version, "vscode-oci-version", "VS Code appends the version to the identifier and runs "+
				"%s, which is not a valid image reference. Remove version.", quote(id.string()+":"+version.text))
		}
	case "pypi":
		if base := p.member("registryBaseUrl", "registry_base_url"); base.string() != "" {
			c.rule(base, "vscode-index", "VS Code runs uvx --index-url %s, which is not an index of packages. "+
				"Remove registryBaseUrl: uvx uses PyPI.", quote(base.text))
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
			c.rule(at, "vscode-npx-prompt", `VS Code runs npx without -y, so npx waits for confirmation before it `+
				`installs the package. Add the runtime argument {"type": "named", "name": "-y"}.`)
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

// has reports whether VS Code considers a member present.
func has(p place, name string) bool {
	m := p.member(name)
	if name == "default" {
		return m.node != nil
	}
	return m.is(array) || m.string() != ""
}

// hasVariables reports whether an input declares variables for the {names} in its value.
func hasVariables(p place) bool { return len(p.member("variables").all()) > 0 }

func (c *checker) vscodeVariable(v place, what string) {
	if !v.is(object) {
		return
	}
	value := v.member("value")
	literal := cmp.Or(value.string(), v.member("default").string())
	isSecret := v.member("isSecret", "is_secret").flag() ||
		slices.ContainsFunc(registry.MarkedSecrets(literal), registry.IsRandom) ||
		registry.IsSecretName(v.member("name").string()) && registry.IsRandom(literal)
	if literal != "" && isSecret && !braces.MatchString(literal) {
		c.rule(v, "published-secret", "This %s is secret, but its value is in the file, which is public. Remove "+
			"the value: clients prompt for it.", what)
	}
	switch {
	case hasVariables(v):
	case value.string() == "" && !has(v, "description") && !has(v, "choices") && !has(v, "default"):
		c.rule(v, "vscode-empty-variable", "VS Code sets this %s to an empty string without prompting for it. "+
			"Add a description.", what)
	default:
		c.vscodeLiteral(value)
	}
}

// vscodeLiteral checks a value for {names} that are not declared.
func (c *checker) vscodeLiteral(value place) {
	if name := braces.FindString(value.string()); name != "" {
		c.rule(value, "vscode-undeclared-variable", "VS Code passes %s verbatim. Declare it in variables, so "+
			"that users are prompted for it.", quote(name))
	}
}

func (c *checker) vscodeArgument(a place) {
	if !a.is(object) {
		return
	}
	value, hint := a.member("value"), a.member("valueHint", "value_hint")
	prompts := has(a, "description") || has(a, "default")
	required := a.member("isRequired", "is_required").flag()
	switch {
	case value.string() != "":
		if !hasVariables(a) {
			c.vscodeLiteral(value)
		}
	case a.member("type").string() == "positional" && (hint.string() == "" || !prompts):
		c.rule(a, "vscode-literal-hint", "VS Code passes %s as the argument without prompting for a value. Add "+
			"valueHint and description.", quote(hint.string()))
	case a.member("type").string() == "named" && !prompts && (hint.string() != "" || required):
		c.rule(a, "vscode-option-without-value", "VS Code passes the option without a value and does not prompt "+
			"for one. Add a description.")
	}
	if value.string() == "" && prompts && !required {
		c.rule(a, "vscode-optional-argument", "VS Code prompts every user for this optional argument and always "+
			"passes it.")
	}
}

// identity checks the members that allowlists compare.
func (c *checker) identity(p place) {
	version := p.member("version")
	if version.string() == "" && slices.Contains([]string{"npm", "pypi", "nuget"}, typeOf(p)) {
		c.rule(version, "copilot-identity", "Without a version, clients always start the latest one, and "+
			"Copilot's allowlists, which compare commands, cannot pin a version.")
	}
}

// reachable checks whether Census has a configuration for a remote.
func (c *checker) reachable(r place) {
	if !r.is(object) || c.hasError(r.member("url").path) {
		return
	}
	doc := slices.Concat([]byte(`{"name":"a.b/c","remotes":[`), c.data[r.start:r.end], []byte(`]}`))
	listing, err := serverjson.Parse(doc)
	if err != nil || len(listing.Remotes) == 0 {
		return // the schema has the rules for remotes
	}
	if o := install.WhyRemote(listing.Remotes[0]); o != nil {
		c.rule(r, "census-no-endpoint", "Census shows no configuration for this endpoint. %s", o.Why)
	}
}

// installable checks whether Census has an install command for a package.
func (c *checker) installable(p place) {
	doc := slices.Concat([]byte(`{"name":"a.b/c","packages":[`), c.data[p.start:p.end], []byte(`]}`))
	listing, err := serverjson.Parse(doc)
	if err != nil || len(listing.Packages) == 0 {
		c.rule(p, "census-ignored-package", "Census ignores this package: its registry type or transport is "+
			"unknown, or its identifier is not a valid package name.")
		return
	}
	parsed := listing.Packages[0]
	parsed.Declared = registry.DeclaredInRepo
	if o := install.Why(parsed); o != nil {
		c.rule(p, "census-no-command", "Census shows no install command for this package. %s", o.Why)
	}
}
