package lint

// A Rule describes a problem that clients have with valid files.
type Rule struct {
	ID       string // [Issue.Reference]
	Client   string
	Severity string
	Title    string
	Text     string // effect and remedy
}

// Rules returns the rules about clients in the order of the documentation.
func Rules() []Rule { return rules }

var rules = []Rule{
	{"nothing-to-install", "All clients", Warning, "No packages and no remotes",
		"The file is valid, but no client can start the server or connect to it. Add a package or a remote."},
	{"vscode-first-package", "VS Code", Warning, "The first package cannot be started",
		"VS Code starts packages[0] unless the user selects another type. It supports npm (npx), pypi (uvx), " +
			"oci (docker) and nuget (dnx). For any other type it runs the name of the type as a command. " +
			"List the package that most users should start first."},
	{"vscode-second-package", "VS Code", Info, "Two packages of one type",
		"VS Code uses the first package of each type and never starts the others."},
	{"vscode-transport", "VS Code", Warning, "The package is an HTTP server",
		"VS Code always uses the stdio transport for packages and ignores transport. Packages that serve " +
			"HTTP do not respond. Add a package with stdio transport, or a remote."},
	{"vscode-oci-version", "VS Code", Warning, "The image has two tags",
		"VS Code runs identifier:version. If identifier already has a tag or digest, that is not a valid " +
			"image reference. Put the tag in identifier and remove version."},
	{"vscode-npx-prompt", "VS Code", Warning, "npx asks for confirmation",
		"VS Code runs npx with the file's runtime arguments only. Without -y, npx asks for confirmation " +
			"before it installs the package, and VS Code never responds."},
	{"vscode-empty-variable", "VS Code", Warning, "A variable is set to an empty string",
		"VS Code prompts for variables and headers that have a description, choices or a default. " +
			"It sets others without a value to an empty string. Add a description."},
	{"vscode-undeclared-variable", "VS Code", Warning, "A {name} is not declared",
		"VS Code replaces {name} in a value only if it is declared in variables. Otherwise the server " +
			"receives the braces."},
	{"vscode-literal-hint", "VS Code", Warning, "The hint is passed as the argument",
		"VS Code prompts for a positional argument without a value only if it has a valueHint and a " +
			"description or default. Otherwise it passes the hint itself or an empty string."},
	{"vscode-option-without-value", "VS Code", Warning, "An option is passed without its value",
		"VS Code prompts for a named argument without a value only if it has a description or default. " +
			"Otherwise it passes only the name."},
	{"vscode-optional-argument", "VS Code", Info, "An optional argument is always passed",
		"VS Code ignores isRequired: it passes every argument and prompts for missing values. A switch with " +
			"a description receives a value that the server does not expect. Remove optional arguments, or " +
			"use environment variables."},
	{"vscode-remote-variables", "VS Code", Warning, "The URL of the remote contains {variables}",
		"VS Code does not replace variables in URLs: users must edit the URL. Use headers, or a URL without " +
			"variables."},
	{"vscode-second-remote", "VS Code", Info, "More than one remote",
		"VS Code uses only remotes[0]. List the remote that most users should use first."},
	{"sse-first", "VS Code", Warning, "sse is listed before streamable-http",
		"VS Code uses only remotes[0], and sse is deprecated. List streamable-http first."},
	{"copilot-identity", "Copilot", Info, "The package has no version",
		"Organizations allow servers by exact command, and Copilot compares a user's command with the " +
			"package. Without a version, neither determines the code that runs."},
	{"toolhive-no-image", "ToolHive", Info, "No container image",
		"ToolHive runs servers in containers or connects to their remotes. Add a package of type oci or a " +
			"remote."},
	{"unknown-member", "Clients with the official Go types", Warning, "Unknown member",
		"The schema has no member with this name. The official registry rejects it; mcp-publisher, " +
			"ToolHive and others drop it silently. Check its spelling, or move it to _meta."},
	{"unknown-meta", "Clients with the official Go types", Warning, "Unknown member of _meta",
		"All members of _meta except io.modelcontextprotocol.registry/publisher-provided are dropped. Put " +
			"your data in that member."},
	{"census-ignored-package", "Census", Warning, "Census ignores the package",
		"Its registry type or transport is unknown, or its identifier is not a valid package name."},
	{"census-no-command", "Census", Warning, "Census shows no install command",
		"Census shows a command only if it is certain to run the published package and nothing else. " +
			"The message describes the obstacle."},
	{"registry-response", "All clients", Info, "The file is the response of a registry",
		"Registries return server.json in the member server. Only that member was checked."},
	{"more-issues", "All clients", Info, "Too many issues", "Fix the first ones and check again."},
}

var severities = func() map[string]string {
	m := map[string]string{}
	for _, r := range rules {
		m[r.ID] = r.Severity
	}
	return m
}()

// URLs of the documentation of issues.
const (
	page       = "/lint#"
	documents  = "https://github.com/modelcontextprotocol/registry/blob/main/docs/reference/server-json/"
	format     = documents + "generic-server-json.md"
	publishing = documents + "official-registry-requirements.md"
)

// Docs returns the URL of an issue's documentation: a path on this registry's pages for
// rules about clients, and a URL of the official registry for others.
func Docs(i Issue) string {
	switch i.Type {
	case TypeLinter:
		return page + i.Reference
	case TypeSemantic:
		return publishing
	}
	return format
}
