// Census is the open registry of MCP servers: it finds them, scores their
// health and answers for them. `census help` lists its commands.
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

	"mcpcensus/internal/config"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
)

// version is set by the linker.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	tuneMemory(os.LookupEnv, containerMemory)
	err := run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr)
	stop()
	os.Exit(exitStatus(err, os.Stderr))
}

// exitStatus prints err for the user and returns the status to end with: 0,
// 1 for a failure, 2 for wrong usage, 130 if the user stopped it.
func exitStatus(err error, stderr io.Writer) int {
	var usage usageError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "census: stopped; the same command goes on where it was")
		return 130
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "census: %v\n", err)
		return 2
	}
	fmt.Fprintf(stderr, "census: %s\n", words(err))
	return 1
}

// words returns what to tell the user about err: the message of a
// registry.Error with its cause, if there is one.
func words(err error) string {
	if e, ok := errors.AsType[*registry.Error](err); ok && e.Cause == nil {
		return e.Msg
	}
	return err.Error()
}

// A usageError is a mistake in the words of a command.
type usageError struct{ error }

// An app is what the commands share.
type app struct {
	environ        []string
	stdout, stderr io.Writer
	config         config.Config
	log            *slog.Logger
	demo           bool // the internet is made up
	ofDemo         bool // the command is about the demo's registry
}

// run is the program: it reads args and environ and touches nothing else of
// the process.
func run(ctx context.Context, args, environ []string, stdout, stderr io.Writer) error {
	a := &app{environ: environ, stdout: stdout, stderr: stderr}
	root := &cobra.Command{
		Use:   "census",
		Short: "The open registry of MCP servers",
		Long: "Census finds MCP servers, says how healthy each one is and why, and answers " +
			"agents, integrators and people.",
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
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddCommand(
		a.serveCommand(), a.crawlCommand(), a.checkCommand(), a.addCommand(), a.statusCommand(),
		a.rescoreCommand(), a.reindexCommand(), a.migrateCommand(), a.priorsCommand(),
		a.validateCommand(),
		a.keyCommand(), a.planCommand(), a.hideCommand(), a.unhideCommand(), a.configCommand(),
		a.databaseURLCommand(), a.versionCommand(), a.healthcheckCommand(),
		a.accountCommand(), a.exportCommand(), a.reportsCommand(),
	)
	err := root.ExecuteContext(ctx)
	if err != nil && strings.HasPrefix(err.Error(), "unknown command ") {
		if !strings.Contains(err.Error(), "Did you mean") {
			err = fmt.Errorf("%w; `census help` lists the commands", err)
		}
		err = usageError{err}
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return context.Canceled
	}
	return err
}

// newLogger returns the program's log: text with the time of day on a terminal,
// JSON elsewhere. API keys are masked.
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

// exactly returns a check for n arguments that says what they are.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return usageError{fmt.Errorf("give %s", what)}
		}
		return nil
	}
}

func none(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError{fmt.Errorf("%s takes no arguments, not %q", cmd.CommandPath(), args[0])}
	}
	return nil
}

// versions are those of the program and of the score model.
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
		Use: "config", Short: "Print the environment variables, what they mean and their values, " +
			"secrets masked", Args: none,
		RunE: func(*cobra.Command, []string) error {
			a.config.Print(a.stdout)
			return nil
		},
	}
}
