// Package cli is the commands for users of a registry: they find servers, add
// them to MCP clients and audit the configured servers. They reach the registry over HTTP.
// They are one package because all of them match the entries of clients with records and show both.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"mcpcensus/internal/client"
	"mcpcensus/internal/clientfile"
)

// Exit statuses.
const (
	exitFailure     = 1
	exitUsage       = 2
	ExitNoServer    = 3 // the repository contains no MCP server
	ExitNotFound    = 4 // the registry has no such server or repository
	ExitNoScore     = 5 // too little is known for a score
	exitRefused     = 6 // a flagged server, a low score, or the user said no
	exitFindings    = 7 // outdated or audit found something
	exitFile        = 8 // a client's file cannot be read or edited
	exitInterrupted = 130
)

// A Program is where commands run. Name, Version, Stdin, Stdout, Stderr and Getenv are
// required. The others default to those of this process.
type Program struct {
	Name, Version  string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Environ        func() []string
	Home, Dir, OS  string // the user's home, the working folder, and as runtime.GOOS
	Now            func() time.Time
	// Ask returns a line that the user enters, which is not shown if it is secret. It is
	// nil if nobody can be asked.
	Ask func(ctx context.Context, question string, secret bool) (string, error)
}

// setDefaults sets the fields that are not set.
func (p *Program) setDefaults() (err error) {
	if p.Home == "" {
		if p.Home, err = os.UserHomeDir(); err != nil {
			return err
		}
	}
	if p.Dir == "" {
		if p.Dir, err = os.Getwd(); err != nil {
			return err
		}
	}
	p.OS = cmp.Or(p.OS, runtime.GOOS)
	if p.Environ == nil {
		p.Environ = os.Environ
	}
	if p.Now == nil {
		p.Now = time.Now
	}
	fd, in := terminal(p.Stdin)
	if _, out := terminal(p.Stderr); in && out && p.Ask == nil {
		p.Ask = func(ctx context.Context, question string, secret bool) (string, error) {
			return ask(ctx, fd, question, secret)
		}
	}
	return nil
}

// A call is a command with its options and arguments.
type call struct {
	*Program
	*options
	args    []string
	client  *client.Client
	style   style
	unread  []finding // see configured
	limited error     // the registry answers no more questions now
	// changes are those that were made, or shown with --dry-run.
	changes []*change
}

// An ExitError ends the program with a status. Its error may be nil: then everything
// was printed.
type ExitError struct {
	Status int
	Err    error
}

func (e *ExitError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit status %d", e.Status)
	}
	return e.Err.Error()
}

func (e *ExitError) Unwrap() error { return e.Err }

func usagef(format string, a ...any) error {
	return &ExitError{exitUsage, fmt.Errorf(format, a...)}
}

// Run runs the command in args, prints its error and returns the exit status.
func (p *Program) Run(ctx context.Context, args []string) int {
	out := &output{Writer: p.Stdout}
	root := p.root()
	root.SetArgs(append([]string{}, args...)) // nil would mean os.Args
	root.SetIn(p.Stdin)
	root.SetOut(out)
	root.SetErr(p.Stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = p.explain(ctx, out.err)
	}
	if err == nil {
		return 0
	}
	exit, ok := errors.AsType[*ExitError](err)
	if !ok { // an unknown command
		exit = &ExitError{exitUsage, UnknownCommand(p.Name, err)}
	}
	if exit.Err != nil {
		fmt.Fprintf(p.Stderr, "%s: %s\n", p.Name, plain(exit.Error()))
	}
	return exit.Status
}

// run runs a command. It returns an *ExitError or nil.
func (p *Program) run(
	ctx context.Context, o *options, args []string, command func(context.Context, *call) error,
) error {
	out := &output{Writer: p.Stdout}
	running := *p
	running.Stdout = out
	err := running.setDefaults()
	if err == nil {
		err = running.call(ctx, o, args, command)
	}
	if err == nil {
		err = out.err
	}
	return p.explain(ctx, err)
}

// user matches the user in an address.
var user = regexp.MustCompile(`://[^/?#\s]*@`)

func (p *Program) call(
	ctx context.Context, o *options, args []string, command func(context.Context, *call) error,
) (err error) {
	c := &call{Program: p, options: o}
	for _, a := range args {
		c.args = append(c.args, user.ReplaceAllString(a, "://"))
		if c.args[len(c.args)-1] != a {
			fmt.Fprintln(p.Stderr, "Note: the user and the password in the address are left out.")
		}
	}
	c.style = c.styleOf()
	c.client, err = client.New(cmp.Or(c.url, p.Getenv("CENSUS_URL")), p.Getenv("CENSUS_API_KEY"),
		p.Name+"/"+p.Version)
	if err != nil {
		return usagef("%w", err)
	}
	return command(ctx, c)
}

// explain returns the exit status for an error, with a text for users. It returns nil for
// success, and for output that nobody reads.
func (p *Program) explain(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, syscall.EPIPE) {
		return nil
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return &ExitError{exitInterrupted, errors.New("interrupted")}
	}
	if e, ok := errors.AsType[*ExitError](err); ok && e.Err == nil {
		return e
	}
	status, text := p.words(err)
	return &ExitError{status, errors.New(plain(text))}
}

// words returns the exit status and the text of an error for users.
func (p *Program) words(err error) (int, string) {
	if e, ok := errors.AsType[*ExitError](err); ok {
		return e.Status, err.Error()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return exitFailure, "the registry has not finished in time; try again later"
	}
	if e, ok := errors.AsType[*client.ConnectionError](err); ok {
		return exitFailure, fmt.Sprintf(
			"the registry does not respond: %v\nSet CENSUS_URL or --registry to its address.", e.Err)
	}
	if errors.Is(err, clientfile.ErrBroken) || errors.Is(err, clientfile.ErrForm) ||
		errors.Is(err, clientfile.ErrChanged) {
		return exitFile, err.Error()
	}
	if e, ok := errors.AsType[*client.DecodeError](err); ok {
		return exitFailure, e.Error() + "\nCheck the address in CENSUS_URL or --registry."
	}
	e, ok := errors.AsType[*client.Error](err)
	if !ok {
		return exitFailure, err.Error()
	}
	text := e.Text
	switch e.Status {
	case 400, 422:
		return exitUsage, text
	case 401:
		return exitFailure, text + "\nSet CENSUS_API_KEY to a key of the registry."
	case 404, 410:
		return ExitNotFound, text
	case 429:
		if p.Getenv("CENSUS_API_KEY") == "" {
			text += "\nSet CENSUS_API_KEY to a key of the registry for a higher limit."
		}
	}
	return exitFailure, text
}

// UnknownCommand returns the error of a program without the command that err is about, with
// what Cobra suggests.
func UnknownCommand(program string, err error) error {
	text, suggested, _ := strings.Cut(err.Error(), "\n\nDid you mean this?\n")
	if names := strings.Fields(suggested); len(names) > 0 {
		text += "; did you mean " + strings.Join(names, " or ") + "?"
	}
	return fmt.Errorf("%s\n`%s help` lists the commands", text, program)
}

// values are the values that options accept, by type.
var values = map[string]string{
	"int": "a whole number", "bool": "true or false", "duration": "a duration such as 90s or 24h",
}

// FlagError returns the error of parsing the options of a command. One about an unknown option
// lists the accepted ones.
func FlagError(cmd *cobra.Command, err error) error {
	of := ""
	if cmd.HasParent() {
		of = strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ") + ": "
	}
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		if accepted := values[bad.GetFlag().Value.Type()]; accepted != "" {
			return usagef("%s--%s must be %s, got %q", of, bad.GetFlag().Name, accepted, bad.GetValue())
		}
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return usagef("%s%w", of, err)
	}
	option := "--" + unknown.GetSpecifiedName()
	if unknown.GetSpecifiedShortnames() != "" {
		option = "-" + unknown.GetSpecifiedName()
	}
	accepted := "it has no options"
	var all []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" {
			all = append(all, "--"+f.Name)
		}
	})
	if all != nil {
		accepted = "accepted: " + strings.Join(all, ", ")
	}
	return usagef("%sunknown option %s; %s", of, option, accepted)
}

// terminal returns the descriptor of a stream that is a terminal.
func terminal(stream any) (fd int, ok bool) {
	if o, ok := stream.(*output); ok {
		stream = o.Writer
	}
	f, isFile := stream.(*os.File)
	if !isFile || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	return int(f.Fd()), true
}

// width returns the number of columns of the output; 0 if it is not a terminal.
func (p *Program) width() int {
	fd, ok := terminal(p.Stdout)
	if !ok {
		return 0
	}
	columns, _, err := term.GetSize(fd)
	if err != nil {
		return 80
	}
	return columns
}

// ask prompts on the terminal of this process. When ctx ends, it returns at once and
// leaves the terminal as it was; the program is expected to end then.
func ask(ctx context.Context, fd int, question string, secret bool) (string, error) {
	fmt.Fprint(os.Stderr, question)
	before, err := term.GetState(fd)
	if err != nil {
		return "", err
	}
	type answer struct {
		text string
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		if !secret {
			text, err := readLine(os.Stdin)
			answers <- answer{text, err}
			return
		}
		text, err := term.ReadPassword(fd)
		answers <- answer{string(text), err}
	}()
	select {
	case a := <-answers:
		if secret {
			fmt.Fprintln(os.Stderr)
		}
		return a.text, a.err
	case <-ctx.Done():
		fmt.Fprintln(os.Stderr)
		return "", errors.Join(ctx.Err(), term.Restore(fd, before))
	}
}

// readLine reads a line byte by byte: the rest is left for the next question.
func readLine(r io.Reader) (string, error) {
	var line strings.Builder
	b := make([]byte, 1)
	for {
		_, err := r.Read(b)
		if err != nil && line.Len() == 0 {
			return "", err
		}
		if err != nil || b[0] == '\n' {
			return strings.TrimRight(line.String(), "\r"), nil
		}
		line.WriteByte(b[0])
	}
}
