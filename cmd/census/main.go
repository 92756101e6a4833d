// Census is an open registry of MCP servers: it finds them, scores their health
// and serves the results. `census help` lists its commands. They are one package because a
// program is one, and each joins the parts that it needs.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mcpcensus/crawler/inspect"
	"mcpcensus/crawler/read"
	"mcpcensus/internal/cli"
	"mcpcensus/internal/config"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
)

// version is set by the linker.
var version = "dev"

func main() {
	inspect.Init() // the same program is the first process in sandboxes
	read.Init()    // and reads what strangers wrote
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	tuneMemory(os.LookupEnv, memoryLimit("/"))
	err := run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr)
	stop()
	os.Exit(exitStatus(err, os.Stderr))
}

// exitStatus prints err and returns the exit status: 0 for success, 1 for a failure, 2 for
// wrong usage, the status of a cli.ExitError, 130 if the user interrupted the command.
func exitStatus(err error, stderr io.Writer) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "census: interrupted; run the same command again to continue")
		return 130
	}
	if _, ok := errors.AsType[usageError](err); ok {
		fmt.Fprintf(stderr, "census: %v\n", err)
		return 2
	}
	if exit, ok := errors.AsType[*cli.ExitError](err); ok {
		if exit.Err != nil {
			fmt.Fprintf(stderr, "census: %s\n", words(exit.Err))
		}
		return exit.Status
	}
	fmt.Fprintf(stderr, "census: %s\n", words(err))
	return 1
}

// words returns the text of err for users: the message of a registry.Error,
// with its cause.
func words(err error) string {
	if e, ok := errors.AsType[*registry.Error](err); ok && e.Cause == nil {
		return e.Msg
	}
	return err.Error()
}

// A usageError reports wrong arguments or flags of a command.
type usageError struct{ error }

// app holds the shared state of the commands.
type app struct {
	environ        []string
	stdout, stderr io.Writer
	config         config.Config
	log            *slog.Logger
	demo           bool // the upstreams are fakes
	ofDemo         bool // the command uses the demo's registry
	reader         *read.Pool
	// unread is called with the reason when files could not be read; nil if it is not counted.
	unread func(reason string)
}

// run executes the command in args. It does not use other state of the process.
func run(ctx context.Context, args, environ []string, stdout, stderr io.Writer) error {
	a := &app{environ: environ, stdout: stdout, stderr: stderr}
	root := &cobra.Command{
		Use:   "census",
		Short: "The open registry of MCP servers",
		Long: "Census finds MCP servers, scores how healthy each one is, explains why, and " +
			"serves the results as pages and APIs.",
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Annotations["config"] == "none" {
				return nil
			}
			var err error
			if a.config, err = config.Load(environ); err != nil {
				return err
			}
			a.log = newLogger(stderr, a.config)
			if cmd.Annotations["log"] == "none" { // its output says what users need
				a.log = slog.New(slog.DiscardHandler)
			}
			a.reader = read.NewPool(read.Options{Log: a.log, Failed: func(reason string) {
				if a.unread != nil {
					a.unread(reason)
				}
			}})
			if a.ofDemo {
				return a.turnToDemo()
			}
			return nil
		},
	}
	root.SetVersionTemplate(versions())
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(
		a.serveCommand(), a.crawlCommand(), a.checkCommand(), a.addCommand(), a.statusCommand(),
		a.rescoreCommand(), a.reindexCommand(), a.migrateCommand(),
		a.validateCommand(),
		a.keyCommand(), a.planCommand(), a.hideCommand(), a.unhideCommand(), a.copyCommand(),
		a.configCommand(), a.databaseURLCommand(), a.versionCommand(), a.healthcheckCommand(),
		a.accountCommand(), a.exportCommand(), a.reportsCommand(), a.inspectCommand(),
		a.dumpCommand(), a.importCommand(),
	)
	root.AddCommand(a.userCommands()...)
	err := root.ExecuteContext(ctx)
	if a.reader != nil {
		a.reader.Close()
	}
	if err != nil && strings.HasPrefix(err.Error(), "unknown command ") {
		err = usageError{cli.UnknownCommand("census", err)}
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return context.Canceled
	}
	return err
}

func flagError(cmd *cobra.Command, err error) error {
	return usageError{cli.FlagError(cmd, err)}
}

// getenv returns an environment variable, "" if it is not set.
func (a *app) getenv(name string) string {
	for _, kv := range a.environ {
		if value, ok := strings.CutPrefix(kv, name+"="); ok {
			return value
		}
	}
	return ""
}

// newLogger returns the logger: text with the time of day on a terminal, JSON
// otherwise. API keys are masked.
func newLogger(w io.Writer, c config.Config) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.LogLevel)) // checked by config.Load
	terminal := isTerminal(w)
	opts := &slog.HandlerOptions{Level: level,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Value.Kind() == slog.KindDuration {
				return slog.String(a.Key, a.Value.Duration().Round(time.Microsecond).String())
			}
			if terminal && a.Key == slog.TimeKey && a.Value.Kind() == slog.KindTime {
				return slog.String(a.Key, a.Value.Time().Format(time.TimeOnly))
			}
			return a
		}}
	w = httpd.KeyMasker(w)
	if c.LogFormat == "text" || c.LogFormat == "auto" && terminal {
		return slog.New(slog.NewTextHandler(w, opts))
	}
	return slog.New(slog.NewJSONHandler(w, opts))
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// exactly requires n arguments, described by what in its error.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usageError{fmt.Errorf("%s expects %s", pathOf(cmd), what)}
		}
		return nil
	}
}

// group returns a command with subcommands only, which names lists.
func group(use, short, names string) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, // options are those of subcommands
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{fmt.Errorf("%s has no subcommand %q, only %s", use, args[0], names)}
			}
			return usageError{errors.New("missing subcommand: " + names)}
		}}
}

// pathOf returns the names of a command below the program's, such as "key revoke".
func pathOf(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

func none(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError{fmt.Errorf("%s takes no arguments, not %q", pathOf(cmd), args[0])}
	}
	return nil
}

func versions() string { return fmt.Sprintf("census %s\nscore model %s\n", version, scoreVersion) }

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version of census and of its score model", Args: none,
		Annotations: map[string]string{"config": "none"},
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(a.stdout, versions())
			return err
		},
	}
}

func (a *app) configCommand() *cobra.Command {
	return &cobra.Command{
		Use: "config", Short: "Print all environment variables with their meanings and values; " +
			"secrets are masked", Args: none,
		RunE: func(*cobra.Command, []string) error {
			a.config.Print(a.stdout)
			return nil
		},
	}
}

// userCommands returns the commands of mcpcensus, which access a registry over HTTP. check is
// left out: census check does the same without a registry.
func (a *app) userCommands() (all []*cobra.Command) {
	p := &cli.Program{
		Name: "census", Version: version, Stdin: os.Stdin, Stdout: a.stdout, Stderr: a.stderr,
		Getenv: a.getenv,
	}
	for _, c := range p.Commands() {
		if c.Name() == "check" {
			continue
		}
		if c.Name() != "lint" {
			c.Short += " (over HTTP; CENSUS_URL)"
		}
		c.Annotations = map[string]string{"config": "none"}
		all = append(all, c)
	}
	return all
}
