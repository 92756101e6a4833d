package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcpcensus/internal/install"
)

const rootHelp = `Find MCP servers, add them to MCP clients, and audit the configured servers.

Environment:
  CENSUS_URL       address of the registry; default http://127.0.0.1:8080
  CENSUS_API_KEY   key of the registry, for more requests
  NO_COLOR         print no colors

Exit status:
  0  success               4  not found
  1  failure               5  no health score
  2  wrong usage           6  refused, or declined
  3  not an MCP server     7  outdated or audit found problems
                           8  a client's file cannot be read or edited`

func (p *Program) root() *cobra.Command {
	root := &cobra.Command{
		Use: p.Name, Long: rootHelp, Version: p.Version, SilenceErrors: true, SilenceUsage: true,
	}
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetFlagErrorFunc(FlagError)
	root.AddCommand(p.Commands()...)
	root.AddCommand(p.command(&cobra.Command{
		Use: "version", Short: "Print the version", Example: "version --json",
	}, printVersion, jsonFlag))
	return root
}

func printVersion(_ context.Context, c *call) error {
	if c.json {
		return c.printJSON(map[string]string{"name": c.Name, "version": c.Version})
	}
	_, err := fmt.Fprintf(c.Stdout, "%s %s\n", c.Name, c.Version)
	return err
}

// Commands returns the commands, also for programs that have others. The errors of their RunE
// are ExitErrors.
func (p *Program) Commands() []*cobra.Command {
	return []*cobra.Command{
		p.command(&cobra.Command{
			Use: "search [WORDS...]", Args: cobra.ArbitraryArgs, Short: "Find servers",
			SuggestFor: []string{"find", "query"},
			Long: `Finds listed servers by their names, descriptions and tags, the best match
first. Without words, lists them by score.`,
			Example: `search postgres --min-score 80
search --category data --sort stars --limit 5 --json`,
		}, search, commonFlags, searchFlags),
		p.command(&cobra.Command{
			Use: "show ID", Args: cobra.ExactArgs(1), Short: "Show a server",
			Long: `Shows the record of a server, its risks and how to raise its score. ID is its
slug or its name in the official registry.`,
			Example: `show octo-labs-weather-mcp
show io.github.octo-labs/weather-mcp --json`,
		}, show, commonFlags),
		p.command(&cobra.Command{
			Use: "check URL", Args: cobra.ExactArgs(1), Short: "Print the health report of a repository",
			Long: `Prints the health report of a GitHub repository. A repository that the registry
does not list is checked first.`,
			Example: `check https://github.com/octo-labs/weather-mcp
check octo-labs/weather-mcp --json`,
		}, check, commonFlags),
		p.command(&cobra.Command{
			Use: "install ID", Args: cobra.ExactArgs(1), Short: "Add a server to a client",
			Long: `Adds a server to the configuration of a client, and changes nothing else in
that file. Shows the change, asks for confirmation, and saves a copy of the
file next to it. Servers with known risks and with scores below --min-score are
refused unless --anyway is given. Secrets are read without echo, or stay
placeholders or references to the environment. ID is a slug, a name in the
official registry, a repository, a package or the URL of a remote server. The
URL of a server that the registry does not list, and npm:NAME or pypi:NAME of a
package, are installed with --anyway.
--read-only sets the switch that makes the server read-only, if it is known.
Without it and --full-access, install asks for the access, read-only first; with
--yes a note says which access it has.

An entry of the same server is updated, whatever its name and the program that
starts it: it gets the latest version and new required settings, and keeps its
values, arguments, options and comments. An entry of another program is never
replaced.`,
			Example: `install octo-labs-weather-mcp --client cursor
install octo-labs-weather-mcp --client vscode --project --dry-run
install octo-labs-weather-mcp --client claude-desktop --set WEATHER_API_KEY --yes`,
		}, installServer, commonFlags, fileFlags, installFlags),
		p.command(&cobra.Command{
			Use: "uninstall NAME", Args: cobra.ExactArgs(1), Short: "Remove a server from a client",
			Long: `Removes an entry from the configuration of a client, and changes nothing else
in that file. NAME is the name of the entry, or the ID of an installed server.`,
			Example: "uninstall octo-labs-weather-mcp --client cursor",
		}, uninstall, commonFlags, fileFlags),
		p.command(&cobra.Command{
			Use: "list", Short: "List the configured servers",
			Long: `Lists the entries in the configurations of all supported clients on this
machine and in the current folder.`,
			Example: "list\nlist --client codex --json",
		}, listServers, commonFlags, listFlags),
		p.command(&cobra.Command{
			Use: "clients", Short: "List the supported clients and their files",
			Long:    "Lists the clients that install supports, with the files that it edits.",
			Example: "clients",
		}, clientsCommand, commonFlags),
		p.command(&cobra.Command{
			Use: "outdated", Short: "List servers that have a newer version",
			Long: `Compares the versions in the configurations of all clients with the latest
ones. The exit status is 7 if one is outdated.`,
			Example: "outdated",
		}, outdated, commonFlags, listFlags),
		p.command(&cobra.Command{
			Use: "upgrade [NAME...]", Args: cobra.ArbitraryArgs, Short: "Update outdated servers",
			Long: `Updates the entries that outdated lists to the latest versions, and keeps all
else of them as install does. Shows each change and asks. NAME is the name of an
entry or the ID of a server. Servers with known risks are refused unless --anyway
is given.`,
			Example: "upgrade\nupgrade weather --client cursor --yes",
		}, upgrade, commonFlags, listFlags, changeFlags),
		p.command(&cobra.Command{
			Use: "audit", Short: "Check the configured servers",
			Long: `Looks the servers in the configurations of all clients up in the registry and
reports those that are dead, deprecated, outdated, vulnerable, changed since
they were installed, copies or look-alikes of others, have a low score or a
heavy list of tools. The exit status is 7 if there is a problem.`,
			Example: "audit\naudit --min-score 65 --max-tokens 10000 --json",
		}, audit, commonFlags, listFlags, auditFlags),
		p.command(&cobra.Command{
			Use: "lint FILE", Args: cobra.ExactArgs(1), Short: "Check a server.json",
			Long: `Checks a server.json against the JSON schema of its generation and the rules of
the official registry, and reports what clients would do wrong with it. FILE is
a path, or - for standard input. Needs no registry. The exit status is 1 if
there is an error; warnings and notes do not count. With --strict or --publish,
and in CI, where the variable CI is set, it is also 1 for warnings about what the
official registry refuses on publication.`,
			Example:           "lint server.json\nlint --json - < server.json\nlint --publish server.json",
			ValidArgsFunction: cobra.FixedCompletions([]string{"json"}, cobra.ShellCompDirectiveFilterFileExt),
		}, lintFile, jsonFlag, colorFlag, lintFlags),
		p.command(&cobra.Command{
			Use: "mcp", Short: "Serve the registry as an MCP server over standard input",
			Long: `Runs an MCP server that clients start: it finds, compares and explains servers,
using the registry over HTTP. It writes no files and runs nothing. Logs go to
standard error. With CENSUS_API_KEY, calls count against the limit of the key's
account.`,
			Example: "mcp --registry https://census.example",
		}, serveMCP, registryFlag),
	}
}

// options are the flags of all commands.
type options struct {
	url           string
	json, noColor bool

	category, sort string
	official       bool
	minScore       int
	limit          int

	clients               string
	several               []string
	user, project, anyway bool
	readOnly, fullAccess  bool
	scope                 string // user, project or local; "" for all, or the user
	dryRun, yes           bool
	name                  string
	set                   []string
	replace               bool
	strict, publish       bool
	maxTokens             int
}

// command completes a command: with its flags, the program's name before its examples, and
// errors that show its usage. Commands without Args have none.
func (p *Program) command(
	c *cobra.Command, run func(context.Context, *call) error, flags ...func(*pflag.FlagSet, *options),
) *cobra.Command {
	o := &options{}
	for _, f := range flags {
		f(c.Flags(), o)
	}
	accepts := c.Args
	if accepts == nil {
		accepts = cobra.ExactArgs(0)
	}
	c.Args = func(cmd *cobra.Command, args []string) error {
		if err := accepts(cmd, args); err != nil {
			return usagef("%s: %w; usage: %s", cmd.Name(), err, cmd.UseLine())
		}
		return nil
	}
	before := "  " + p.Name + " "
	c.Example = before + strings.ReplaceAll(c.Example, "\n", "\n"+before)
	c.RunE = func(cmd *cobra.Command, args []string) error { return p.run(cmd.Context(), o, args, run) }
	if c.ValidArgsFunction == nil {
		c.ValidArgsFunction = cobra.NoFileCompletions
	}
	completeFlags(c)
	return c
}

// completeFlags lets shells complete the values of flags.
func completeFlags(c *cobra.Command) {
	var clients []string
	for _, client := range install.ClientNames() {
		clients = append(clients, cobra.CompletionWithDesc(client[0], client[1]))
	}
	known := map[string][]string{
		"client": clients,
		"scope":  {userScope, projectScope, localScope},
		"sort":   {"qualityScore", "stars", "downloads"},
	}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		// The only error is that of a flag that does not exist.
		_ = c.RegisterFlagCompletionFunc(f.Name,
			cobra.FixedCompletions(known[f.Name], cobra.ShellCompDirectiveNoFileComp))
	})
}

func commonFlags(set *pflag.FlagSet, o *options) {
	registryFlag(set, o)
	jsonFlag(set, o)
	colorFlag(set, o)
}

func registryFlag(set *pflag.FlagSet, o *options) {
	set.StringVar(&o.url, "registry", "",
		"`URL` of the registry; default CENSUS_URL or http://127.0.0.1:8080")
	set.StringVar(&o.url, "url", "", "former name of --registry")
	set.Lookup("url").Hidden = true
}

func jsonFlag(set *pflag.FlagSet, o *options) { set.BoolVar(&o.json, "json", false, "print JSON") }

func colorFlag(set *pflag.FlagSet, o *options) {
	set.BoolVar(&o.noColor, "no-color", false, "print no colors")
}

func searchFlags(set *pflag.FlagSet, o *options) {
	set.StringVar(&o.category, "category", "", "only servers of this `category`")
	set.BoolVar(&o.official, "official", false, "only servers that the vendor of the product publishes")
	set.IntVar(&o.minScore, "min-score", 0, "minimum health `score`; excludes servers without one")
	set.StringVar(&o.sort, "sort", "",
		"`order`: qualityScore, stars, downloads; default: best match first")
	set.IntVar(&o.limit, "limit", 20, "at most this `number` of servers")
}

func fileFlags(set *pflag.FlagSet, o *options) {
	set.StringSliceVar(&o.several, "client", nil,
		"`client` to change; repeatable; the command clients lists them; default: asks")
	set.BoolVar(&o.user, "user", false, "the client's file of the user (default)")
	set.BoolVar(&o.project, "project", false, "the client's file in the current folder")
	set.StringVar(&o.scope, "scope", "",
		"`scope`: user, project, or local, which is the current folder in the client's file of the user")
	set.BoolVar(&o.dryRun, "dry-run", false, "show the change and stop")
	set.BoolVar(&o.yes, "yes", false, "do not ask")
}

func changeFlags(set *pflag.FlagSet, o *options) {
	set.BoolVar(&o.dryRun, "dry-run", false, "show the changes and stop")
	set.BoolVar(&o.yes, "yes", false, "do not ask")
	set.BoolVar(&o.replace, "replace", false,
		"with --yes, also remove arguments of yours that the new command does not have")
	set.BoolVar(&o.anyway, "anyway", false, "change despite risks")
}

func installFlags(set *pflag.FlagSet, o *options) {
	set.StringVar(&o.name, "name", "", "`name` of the entry; default that of the registry")
	set.StringArrayVar(&o.set, "set", nil,
		"`NAME=value` to fill in, or NAME for the value of the environment variable; repeatable")
	set.BoolVar(&o.replace, "replace", false,
		"with --yes, also remove arguments of yours that the new command does not have")
	set.IntVar(&o.minScore, "min-score", 50, "refuse servers with a lower health `score`")
	set.BoolVar(&o.anyway, "anyway", false, "install despite a low score or risks")
	set.BoolVar(&o.readOnly, "read-only", false, "set the server's read-only switch in a new entry")
	set.BoolVar(&o.fullAccess, "full-access", false, "give a new entry full access")
}

func listFlags(set *pflag.FlagSet, o *options) {
	set.StringVar(&o.clients, "client", "", "only this `client`")
	set.BoolVar(&o.user, "user", false, "only files of the user")
	set.BoolVar(&o.project, "project", false, "only files in the current folder")
	set.StringVar(&o.scope, "scope", "",
		"only one `scope`: user, project, or local, which are folders in a file of the user")
}

func lintFlags(set *pflag.FlagSet, o *options) {
	set.BoolVar(&o.strict, "strict", false, "fail on what the official registry refuses on publication")
	set.BoolVar(&o.publish, "publish", false, "the file is about to be published: as --strict")
}

func auditFlags(set *pflag.FlagSet, o *options) {
	set.IntVar(&o.minScore, "min-score", 50, "report servers with a lower health `score`")
	set.IntVar(&o.maxTokens, "max-tokens", 0,
		"report servers whose tools take more `tokens` of the context; 0 is no limit")
}
