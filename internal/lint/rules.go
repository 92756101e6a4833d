package lint

// A Rule is about what clients do with a file that is valid.
type Rule struct {
	ID       string // [Issue.Reference]
	Client   string
	Severity string
	Title    string
	Text     string // what happens, and what to do
}

// Rules returns the rules about clients, in the order in which they are documented.
func Rules() []Rule { return rules }

var rules = []Rule{
	{"nothing-to-install", "All clients", Warning, "No packages and no remotes",
		"The file is valid, but no client can start the server or connect to it. Add a package or a remote."},
	{"vscode-first-package", "VS Code", Warning, "The first package cannot be started",
		"VS Code starts packages[0] unless its user chooses another type. It knows npm (npx), pypi (uvx), " +
			"oci (docker) and nuget (dnx). For any other type it runs the name of the type as a command. " +
			"Put the package that most users should start first."},
	{"vscode-second-package", "VS Code", Info, "Two packages of one type",
		"VS Code takes the first package of each type and never starts the others."},
	{"vscode-transport", "VS Code", Warning, "The package is an HTTP server",
		"VS Code talks to the packages that it starts over standard input and ignores transport. A package " +
			"that serves HTTP does not answer. Add a package with the transport stdio, or a remote."},
	{"vscode-oci-version", "VS Code", Warning, "The image has two tags",
		"VS Code runs identifier:version. With a tag or digest in identifier and a version, that is not the " +
			"name of an image. Put the tag into identifier and remove version."},
	{"vscode-npx-prompt", "VS Code", Warning, "npx asks before it installs",
		"VS Code runs npx with the file's runtime arguments only. Without -y, npx asks whether it may " +
			"install the package and waits for an answer that never comes."},
	{"vscode-empty-variable", "VS Code", Warning, "A variable is set to an empty text",
		"VS Code asks its user for variables and headers that have a description, choices or a default. " +
			"Others without a value are set to an empty text. Add a description."},
	{"vscode-undeclared-variable", "VS Code", Warning, "A {name} is not declared",
		"VS Code replaces {name} in a value only if variables declares it. Otherwise the server gets the " +
			"braces."},
	{"vscode-literal-hint", "VS Code", Warning, "The hint is passed as the argument",
		"A positional argument without a value becomes a question if it has a valueHint and a description or " +
			"default. Otherwise the hint itself is passed, or an empty text."},
	{"vscode-option-without-value", "VS Code", Warning, "An option is passed without its value",
		"A named argument without a value becomes a question if it has a description or default. Otherwise " +
			"only its name is passed."},
	{"vscode-optional-argument", "VS Code", Info, "An optional argument is always passed",
		"VS Code does not read isRequired: it passes every argument and asks for values that are missing. " +
			"A switch with a description gets a value that the server does not expect. Leave optional " +
			"arguments out, or use environment variables."},
	{"vscode-remote-variables", "VS Code", Warning, "The URL of the remote has {variables}",
		"VS Code does not replace them: users have to edit the URL by hand. Prefer headers, or a URL " +
			"without variables."},
	{"vscode-second-remote", "VS Code", Info, "More than one remote",
		"VS Code uses remotes[0] only. Put the remote that most users should use first."},
	{"sse-first", "VS Code", Warning, "sse comes before streamable-http",
		"VS Code uses remotes[0] only, and sse is deprecated. Put streamable-http first."},
	{"copilot-identity", "Copilot", Info, "The package has no version",
		"Companies allow servers by exact command, and Copilot compares a user's command with the package. " +
			"Without a version neither says which code runs."},
	{"toolhive-no-image", "ToolHive", Info, "No container image",
		"ToolHive runs servers of a registry in containers, or connects to their remotes. It needs a " +
			"package of type oci or a remote."},
	{"unknown-member", "Clients with the official Go types", Warning, "Unknown member",
		"The schema has no member of this name. The official registry refuses it, and mcp-publisher, " +
			"ToolHive and others drop it without a message. Check its spelling, or move it to _meta."},
	{"unknown-meta", "Clients with the official Go types", Warning, "Unknown member of _meta",
		"Only io.modelcontextprotocol.registry/publisher-provided is kept in _meta. Put your data below it."},
	{"census-ignored-package", "Census", Warning, "Census ignores the package",
		"Its registry type or transport is unknown, or no package can have its identifier."},
	{"census-no-command", "Census", Warning, "Census shows no install command",
		"Census prints a command only if it is certain to run the published package and nothing else. " +
			"The message says what is in doubt."},
	{"registry-response", "All clients", Info, "This is a registry's response",
		"The file has the server.json in a member, as registries return it. Only that member was checked."},
	{"more-issues", "All clients", Info, "Too many issues", "Fix the first ones and check again."},
}

var severities = func() map[string]string {
	m := map[string]string{}
	for _, r := range rules {
		m[r.ID] = r.Severity
	}
	return m
}()

// Addresses of the documentation of issues.
const (
	page       = "/lint#"
	documents  = "https://github.com/modelcontextprotocol/registry/blob/main/docs/reference/server-json/"
	format     = documents + "generic-server-json.md"
	publishing = documents + "official-registry-requirements.md"
)

// Docs returns where an issue is explained: a path of a registry's pages for rules
// about clients, else a URL of the official registry.
func Docs(i Issue) string {
	switch i.Type {
	case TypeLinter:
		return page + i.Reference
	case TypeSemantic:
		return publishing
	}
	return format
}
