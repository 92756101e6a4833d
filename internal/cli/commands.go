package cli

import (
	"context"
	"fmt"

	"mcpcensus/internal/registry"
)

// commands returns all commands, in the order in which they are shown.
func commands() []command {
	return []command{
		{
			name: "search", args: "[WORDS...]", max: -1, flags: searchFlags, run: search,
			short: "Find servers",
			long: "Finds listed servers by their names, descriptions and tags, the best match " +
				"first. Without words, lists them by score.",
			examples: []string{
				"search postgres --min-score 80",
				"search --category data --sort stars --limit 5 --json",
			},
		},
		{
			name: "show", args: "ID", min: 1, max: 1, flags: commonFlags, run: show,
			short: "Show a server",
			long: "Shows the record of a server, its risks and how to raise its " +
				"score. ID is its slug or its name in the official registry. With CENSUS_API_KEY, " +
				"the record is complete.",
			examples: []string{"show octo-labs-weather-mcp",
				"show io.github.octo-labs/weather-mcp --json"},
		},
		{
			name: "check", args: "URL", min: 1, max: 1, flags: commonFlags, run: check,
			short: "Print the health report of a repository",
			long: "Prints the health report of a GitHub repository. A repository that the " +
				"registry does not list is checked first.",
			examples: []string{"check https://github.com/octo-labs/weather-mcp",
				"check octo-labs/weather-mcp --json"},
		},
		{
			name: "compare", args: "ID ID...", min: 2, max: registry.MaxCompared, flags: commonFlags, run: compare,
			short:    "Compare servers",
			long:     "Shows two to five servers side by side.",
			examples: []string{"compare octo-labs-weather-mcp harbor-data-postgres-navigator"},
		},
		{
			name: "install", args: "ID", min: 1, max: 1, flags: installFlags, run: installServer,
			short: "Add a server to a client",
			long: "Adds a server to the configuration of a client, and changes nothing else in that " +
				"file. Shows the change, asks for confirmation, and saves a copy of the file next to it. " +
				"Servers with known risks and with scores below --min-score are refused unless " +
				"--anyway is given. " +
				"Secrets are read without echo, or stay placeholders or references to the environment.",
			examples: []string{
				"install octo-labs-weather-mcp --client cursor",
				"install octo-labs-weather-mcp --client vscode --project --dry-run",
				"install octo-labs-weather-mcp --client claude-desktop --set WEATHER_API_KEY --yes",
			},
		},
		{
			name: "uninstall", args: "NAME", min: 1, max: 1, flags: fileFlags, run: uninstall,
			short: "Remove a server from a client",
			long: "Removes an entry from the configuration of a client, and changes nothing " +
				"else in that file. NAME is the name of the entry, or the ID of an installed server.",
			examples: []string{"uninstall octo-labs-weather-mcp --client cursor"},
		},
		{
			name: "list", flags: listFlags, run: listServers,
			short: "List the configured servers",
			long: "Lists the entries in the configurations of all supported clients on this " +
				"machine and in the current folder.",
			examples: []string{"list", "list --client codex --json"},
		},
		{
			name: "clients", flags: commonFlags, run: clientsCommand,
			short:    "List the supported clients and their files",
			long:     "Lists the clients that install supports, with the files that it edits.",
			examples: []string{"clients"},
		},
		{
			name: "outdated", flags: listFlags, run: outdated,
			short: "List servers that have a newer version",
			long: "Compares the versions in the configurations of all clients with the latest " +
				"ones. The exit status is 7 if one is outdated.",
			examples: []string{"outdated"},
		},
		{
			name: "audit", flags: auditFlags, run: audit,
			short: "Check the configured servers",
			long: "Looks the servers in the configurations of all clients up in the registry and " +
				"reports those that are dead, deprecated, outdated, vulnerable, changed since they " +
				"were installed, copies or look-alikes of others, " +
				"have a low score or a heavy list of tools. The exit status is 7 if there is a " +
				"problem. Remote servers are looked up with CENSUS_API_KEY only.",
			examples: []string{"audit", "audit --min-score 65 --max-tokens 10000 --json"},
		},
		{
			name: "lint", args: "FILE", min: 1, max: 1, flags: lintFlags, run: lintFile,
			short: "Check a server.json",
			long: "Checks a server.json against the JSON schema of its generation and the rules of the " +
				"official registry, and reports what clients would do wrong with it. FILE is a path, or - " +
				"for standard input. Needs no registry. The exit status is 1 if there is an error; " +
				"warnings and notes do not count.",
			examples: []string{"lint server.json", "lint --json - < server.json"},
		},
		{
			name: "mcp", flags: registryFlag, run: serveMCP,
			short: "Serve the registry as an MCP server over standard input",
			long: "Runs an MCP server that clients start: it finds, compares and explains servers, using " +
				"the registry over HTTP. It writes no files and runs nothing. Logs go to standard error. " +
				"With CENSUS_API_KEY, calls count against the limit of the key's account.",
			examples: []string{"mcp --registry https://census.example"},
		},
		{
			name: "completion", args: "bash|zsh|fish", min: 1, max: 1, run: completion,
			short: "Print the completion of a shell", long: "Prints a script that completes " +
				"commands and options in a shell.",
			examples: []string{"completion bash > ~/.local/share/bash-completion/completions/mcpcensus"},
		},
		{
			name: "man", run: man, short: "Print the manual page", long: "Prints the manual page.",
			examples: []string{"man > mcpcensus.1"},
		},
		{
			name: "version", flags: jsonFlag, run: printVersion, short: "Print the version",
			long: "Prints the version.", examples: []string{"version --json"},
		},
	}
}

func printVersion(_ context.Context, c *call) error {
	if c.json {
		return c.printJSON(map[string]string{"name": c.Name, "version": c.Version})
	}
	fmt.Fprintf(c.Stdout, "%s %s\n", c.Name, c.Version)
	return nil
}
