// Package cli is the commands for users of a registry: they find servers, add
// them to MCP clients and audit the configured servers. They reach the registry over HTTP.
package cli

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"mcpcensus/internal/clientfile"
	"mcpcensus/internal/text"
	census "mcpcensus/sdk/go"
)

// Exit statuses.
const (
	exitFailure  = 1
	exitUsage    = 2
	exitNoServer = 3 // the repository contains no MCP server
	exitNotFound = 4 // the registry has no such server or repository
	exitNoScore  = 5 // too little is known for a score
	exitRefused  = 6 // a flagged server, a low score, or the user said no
	exitFindings = 7 // outdated or audit found something
	exitFile     = 8 // a client's file cannot be read or edited
)

// A Program is where commands run. All fields but Ask and Stdin are required.
type Program struct {
	Name, Version  string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Home, Dir, OS  string // the user's home, the working folder, and as runtime.GOOS
	Now            func() time.Time
	// Ask returns a line that the user enters, which is not shown if it is secret. It is
	// nil if nobody can be asked.
	Ask func(ctx context.Context, question string, secret bool) (string, error)
}

// System returns the program of this process, which no longer ends when it writes to a
// closed pipe: an installation must not stop halfway.
func System(name, version string) (*Program, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	signal.Ignore(syscall.SIGPIPE)
	p := &Program{
		Name: name, Version: version, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Home: home, Dir: dir, OS: runtime.GOOS, Now: time.Now,
	}
	fd, in := terminal(os.Stdin)
	if _, out := terminal(os.Stderr); in && out {
		p.Ask = func(ctx context.Context, question string, secret bool) (string, error) {
			return ask(ctx, fd, question, secret)
		}
	}
	return p, nil
}

// A command is a subcommand.
type command struct {
	name, args, short, long string
	examples                []string // without the name of the program
	min, max                int      // number of arguments; max -1 is any
	flags                   func(*flag.FlagSet, *options)
	run                     func(context.Context, *call) error
}

// Names returns the names and summaries of the commands that other programs may offer
// too.
func Names() (all [][2]string) {
	for _, c := range commands() {
		if c.name != "completion" && c.name != "man" && c.name != "version" {
			all = append(all, [2]string{c.name, c.short})
		}
	}
	return all
}

// A call is a command with its options and arguments.
type call struct {
	*Program
	options
	args   []string
	client *census.Client
	style  style
	unread []finding // see configured
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
	user, project, anyway bool
	scope                 string // user, project or local; "" for all, or the user
	dryRun, yes           bool
	name                  string
	set                   []string
	maxTokens             int
}

// An exitError ends the program with a status. Its error may be nil: then everything
// was printed.
type exitError struct {
	status int
	err    error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.status)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

func usagef(format string, a ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, a...)}
}

// Run runs the command in args and returns the exit status.
func (p *Program) Run(ctx context.Context, args []string) int {
	out := &output{Writer: p.Stdout}
	running := *p
	running.Stdout = out
	err := running.run(ctx, args)
	if err == nil {
		err = out.err
	}
	if err == nil || errors.Is(err, syscall.EPIPE) {
		return 0
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		fmt.Fprintf(p.Stderr, "%s: interrupted\n", p.Name)
		return 130
	}
	status, text := p.explain(err)
	if text != "" {
		fmt.Fprintf(p.Stderr, "%s: %s\n", p.Name, plain(text))
	}
	return status
}

func (p *Program) run(ctx context.Context, args []string) error {
	if len(args) == 0 || args[0] == "help" && len(args) == 1 || isHelp(args[0]) {
		p.usage(p.Stdout)
		return nil
	}
	if args[0] == "--version" {
		args = []string{"version"}
	}
	if args[0] == "help" {
		args = []string{args[1], "--help"}
	}
	all := commands()
	i := slices.IndexFunc(all, func(c command) bool { return c.name == args[0] })
	if i < 0 {
		return usagef("unknown command %q; `%s help` lists the commands", args[0], p.Name)
	}
	cmd := all[i]
	c := &call{Program: p}
	set := cmd.flagSet(&c.options)
	rest, err := parseMixed(set, args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
		p.help(p.Stdout, cmd)
		return nil
	case err != nil:
		return usagef("%s: %s", cmd.name, cmd.explainFlag(err))
	case len(rest) < cmd.min || cmd.max >= 0 && len(rest) > cmd.max:
		return usagef("%s: %s, got %d; usage: %s %s", cmd.name, cmd.accepted(), len(rest), p.Name, cmd.line())
	}
	c.args, c.style = rest, c.styleOf()
	c.client, err = census.New(census.Config{
		BaseURL: cmp.Or(c.url, p.Getenv("CENSUS_URL")), APIKey: p.Getenv("CENSUS_API_KEY"),
		UserAgent: p.Name + "/" + p.Version,
	})
	if err != nil {
		return usagef("%s", strings.TrimPrefix(err.Error(), "census: "))
	}
	return cmd.run(ctx, c)
}

func isHelp(s string) bool { return s == "-h" || s == "-help" || s == "--help" }

// flagSet returns the flags of a command.
func (c command) flagSet(o *options) *flag.FlagSet {
	set := flag.NewFlagSet(c.name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	if c.flags != nil {
		c.flags(set, o)
	}
	return set
}

func (c command) line() string { return strings.TrimSpace(c.name + " [options] " + c.args) }

// accepted describes how many arguments a command accepts.
func (c command) accepted() string {
	switch {
	case c.max == 0:
		return "it has no arguments"
	case c.max < 0:
		return "needs at least " + text.Count(c.min, "argument")
	case c.min == c.max:
		return "needs " + text.Count(c.min, "argument")
	}
	return fmt.Sprintf("needs %d to %d arguments", c.min, c.max)
}

// parseMixed parses flags before, between and behind the arguments. What follows --
// are arguments.
func parseMixed(set *flag.FlagSet, args []string) (rest []string, err error) {
	for len(args) > 0 {
		if err := set.Parse(args); err != nil {
			return nil, err
		}
		parsed := len(args) - set.NArg()
		if parsed > 0 && args[parsed-1] == "--" {
			return append(rest, set.Args()...), nil
		}
		if set.NArg() == 0 {
			break
		}
		rest, args = append(rest, set.Arg(0)), set.Args()[1:]
	}
	return rest, nil
}

// explain returns the exit status and the text of an error for users.
func (p *Program) explain(err error) (int, string) {
	if e, ok := errors.AsType[*exitError](err); ok {
		if e.err == nil {
			return e.status, ""
		}
		return e.status, err.Error()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return exitFailure, "the registry has not finished in time; try again later"
	}
	if e, ok := errors.AsType[*census.ConnectionError](err); ok {
		return exitFailure, fmt.Sprintf(
			"the registry does not respond: %v\nSet CENSUS_URL or --registry to its address.", e.Err)
	}
	if errors.Is(err, clientfile.ErrBroken) || errors.Is(err, clientfile.ErrForm) ||
		errors.Is(err, clientfile.ErrChanged) {
		return exitFile, err.Error()
	}
	if e, ok := errors.AsType[*census.DecodeError](err); ok {
		return exitFailure, fmt.Sprintf(
			"cannot read the response: it is not that of a registry (status %d, content type %q)\n"+
				"Check the address in CENSUS_URL or --registry.", e.StatusCode, e.ContentType)
	}
	e, ok := errors.AsType[*census.APIError](err)
	if !ok {
		return exitFailure, err.Error()
	}
	text := cmp.Or(e.Detail, e.Title, e.Error())
	switch e.StatusCode {
	case 400, 422:
		return exitUsage, text
	case 401:
		return exitFailure, text + "\nSet CENSUS_API_KEY to a key of the registry."
	case 404, 410:
		return exitNotFound, text
	case 429:
		if p.Getenv("CENSUS_API_KEY") == "" {
			text += "\nSet CENSUS_API_KEY to a key of the registry for a higher limit."
		}
	}
	return exitFailure, text
}

// flagErrors are the errors of package flag, which has no types for them, and their
// texts for users.
var flagErrors = []struct {
	pattern *regexp.Regexp
	text    string
}{
	{regexp.MustCompile(`^flag provided but not defined: -(.*)$`), unknownOption + "--$1"},
	{regexp.MustCompile(`^flag needs an argument: -(.*)$`), "--$1 needs a value"},
	{regexp.MustCompile(`^bad flag syntax: (.*)$`), `"$1" is not an option`},
	{regexp.MustCompile(`^invalid boolean value (".*") for -(\S+): .*$`),
		"--$2 must be true or false, got $1"},
	{regexp.MustCompile(`^invalid value ".*" for flag -(\S+): value out of range$`),
		"--$1 is out of range"},
	{regexp.MustCompile(`^invalid value (".*") for flag -(\S+): parse error$`),
		"--$2 must be a whole number, got $1"},
}

// unknownOption is the beginning of the error of an option that a command does not have.
const unknownOption = "unknown option "

// explainFlag returns the text of an error of parsing options. Other texts stay.
func (c command) explainFlag(err error) string {
	for _, f := range flagErrors {
		if !f.pattern.MatchString(err.Error()) {
			continue
		}
		text := f.pattern.ReplaceAllString(err.Error(), f.text)
		if strings.HasPrefix(text, unknownOption) {
			text += "; " + c.options()
		}
		return text
	}
	return err.Error()
}

// options returns the options of a command as the end of an error.
func (c command) options() string {
	var all []string
	for _, f := range flagsOf(c) {
		all = append(all, "--"+f.name)
	}
	if all == nil {
		return "it has no options"
	}
	return "accepted: " + strings.Join(all, ", ")
}
