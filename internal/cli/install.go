package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"mcpcensus/internal/clientfile"
	"mcpcensus/internal/install"
)

// A change is a change of a client's file.
type change struct {
	Client string   `json:"client"`
	File   string   `json:"file"`
	Name   string   `json:"name"`
	Server string   `json:"server,omitempty"`
	Diff   string   `json:"diff"`
	Backup string   `json:"backup,omitempty"`
	Done   bool     `json:"done"`
	Notes  []string `json:"notes,omitempty"`

	file   *clientfile.File
	after  []byte
	hidden []string // secrets that are not shown
}

func installServer(ctx context.Context, c *call) error {
	p, err := c.onePlace()
	if err != nil {
		return err
	}
	r, err := c.record(ctx, c.args[0])
	if err != nil {
		return err
	}
	if err := c.acceptable(r); err != nil {
		return err
	}
	setup, err := r.setup(c.name)
	if err != nil {
		return err
	}
	f, err := c.file(p)
	if err != nil {
		return err
	}
	if c.name == "" {
		c.reuseName(setup, p, f, r.ID)
	}
	hidden, err := c.fill(ctx, setup, p)
	if err != nil {
		return err
	}
	wanted, err := setup.ForFile(p.Client)
	if err != nil {
		return &ExitError{exitRefused, err}
	}
	after, err := p.put(c.folder(), f.Text, wanted.Text)
	if err != nil {
		return fmt.Errorf("%s: %w\nAdd this yourself:\n\n%s", f.Path, err, mask(wanted.Text, hidden))
	}
	ch := &change{
		Client: p.Client, File: f.Path, Name: setup.Key(), Server: r.ID, file: f, after: after,
		hidden: append(hidden, secretsOf(p, f.Text)...),
		Notes:  c.notesOf(p, wanted, r, len(hidden) > 0),
	}
	i := installed{
		Client: p.Client, File: f.Path, Folder: c.folder(), Name: setup.Key(), Server: r.ID,
		Version: r.version, Tools: r.tools, At: c.Now().UTC(),
	}
	return c.perform(ctx, ch, fmt.Sprintf("Add %s to %s?", setup.Key(), p.Name), func() error {
		err := c.updateState(ctx, func(s *state) { s.put(i) })
		if err != nil { // the client is configured
			fmt.Fprintf(c.Stderr, "%s: audit will not know when this was installed: %v\n", c.Name, err)
		}
		return nil
	})
}

// reuseName names the setup as the latest entry of the file that this program added for
// the server: the name in the registry depends on whether there is a key.
func (c *call) reuseName(setup *install.Setup, p place, f *clientfile.File, server string) {
	s, err := c.state()
	if err != nil {
		return // reported when the change is remembered
	}
	entries, err := p.entries(c.folder(), f.Text)
	if err != nil {
		return // reported when the file is edited
	}
	for _, i := range slices.Backward(s.Installed) {
		if i.File != f.Path || i.Folder != c.folder() || i.Server != server {
			continue
		}
		if _, ok := entries[i.Name]; ok && setup.Rename(i.Name) {
			return
		}
	}
}

// onePlace returns the place of the client of --client.
func (c *call) onePlace() (place, error) {
	if c.clients == "" {
		return place{}, usagef("--client is required: `%s clients` lists them", c.Name)
	}
	if err := c.setScope(); err != nil {
		return place{}, err
	}
	p, err := placeOf(c.clients)
	switch {
	case err != nil:
	case c.scope == projectScope && len(p.Project) == 0:
		err = usagef("%s has no file in projects", p.Name)
	case c.scope == localScope && p.Folders == "":
		err = usagef("%s has no local scope", p.Name)
	}
	return p, err
}

// file reads the file of a place.
func (c *call) file(p place) (*clientfile.File, error) {
	paths := c.userFiles(p.Place)
	if c.scope == projectScope {
		paths = p.Project
	}
	for _, name := range paths {
		if path := c.path(name); exists(path) {
			return readFile(path)
		}
	}
	return readFile(c.path(paths[0]))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func readFile(path string) (*clientfile.File, error) {
	f, err := clientfile.Read(path)
	if err != nil {
		return nil, &ExitError{exitFile, err}
	}
	if absolute, err := filepath.Abs(f.Path); err == nil {
		f.Path = absolute
	}
	return f, nil
}

// acceptable refuses servers with risks or a low score, unless told otherwise.
func (c *call) acceptable(r *record) error {
	var reasons []string
	for _, x := range r.health.Risks {
		if noted(x, r.command == "") {
			fmt.Fprintf(c.Stderr, "Note: %s\n", oneLine(x.Text))
		} else {
			reasons = append(reasons, oneLine(x.Text))
		}
	}
	switch s := r.health.Score; {
	case s == nil:
		reasons = append(reasons, "It has no health score.")
	case *s < int64(c.minScore):
		reasons = append(reasons, fmt.Sprintf("Its health score is %d, below %d (scored %s).",
			*s, c.minScore, date(r.health.ComputedAt)))
	}
	if len(reasons) == 0 {
		return nil
	}
	text := strings.Join(reasons, "\n  ")
	if c.anyway {
		fmt.Fprintf(c.Stderr, "Allowed by --anyway:\n  %s\n", text)
		return nil
	}
	return &ExitError{
		exitRefused,
		fmt.Errorf("%s is not installed:\n  %s\nUse --anyway to install it", r.ID, text),
	}
}

// setup returns how clients use the server.
func (r *record) setup(name string) (*install.Setup, error) {
	if r.clients == nil {
		reason := cmp.Or(r.reason,
			"the registry knows no command for it; remote servers need CENSUS_API_KEY")
		return nil, &ExitError{exitRefused, fmt.Errorf("%s cannot be installed: %s", r.ID, reason)}
	}
	setup, err := install.ParseSetup(r.clients, r.Name, r.Description, r.variables)
	if err != nil {
		return nil, err
	}
	if name != "" && !setup.Rename(name) {
		return nil, usagef("name %q must be at most 32 letters, digits and single hyphens", name)
	}
	return setup, nil
}

// fill fills in the values of --set, and prompts for others that the client's file must
// contain. It returns the secrets.
func (c *call) fill(
	ctx context.Context, setup *install.Setup, p place,
) (hidden []string, err error) {
	given := map[string]string{}
	for _, s := range c.set {
		name, text, ok := strings.Cut(s, "=")
		if !ok {
			text = c.Getenv(name)
		}
		if text == "" {
			return nil, usagef("--set %s: the value is empty", name)
		}
		given[name] = text
	}
	for _, q := range setup.Questions() {
		text, ok := given[q.Name]
		delete(given, q.Name)
		if !ok && !c.yes && !c.dryRun && c.Ask != nil && setup.InFile(p.Client, q) {
			if text, err = c.askFor(ctx, q); err != nil {
				return nil, err
			}
		}
		if text == "" {
			continue
		}
		if at := unsafe(text); at != "" {
			return nil, usagef("the value of %s contains the character %s, which cannot be shown "+
				"safely", q.Name, at)
		}
		setup.Fill(q.Name, text)
		if q.IsSecret {
			hidden = append(hidden, text)
		}
	}
	for name := range given {
		return nil, usagef("--set %s: the server has no such value", name)
	}
	return hidden, nil
}

// askFor prompts for a value. An empty one leaves the placeholder.
func (c *call) askFor(ctx context.Context, q install.Question) (string, error) {
	text := oneLine(cmp.Or(q.Option, q.Name))
	if q.Description != "" {
		text += " (" + oneLine(q.Description) + ")"
	}
	if len(q.Choices) > 0 {
		text += " [" + oneLine(strings.Join(q.Choices, ", ")) + "]"
	}
	return c.answer(ctx, text+", empty for a placeholder: ", q.IsSecret)
}

// answer asks a question. The end of the input is an empty answer.
func (c *call) answer(ctx context.Context, question string, secret bool) (string, error) {
	text, err := c.Ask(ctx, question, secret)
	if errors.Is(err, io.EOF) {
		fmt.Fprintln(c.Stderr)
		return "", nil
	}
	return text, err
}

func (c *call) notesOf(
	p place, f *install.ClientFile, r *record, secrets bool,
) (all []string) {
	if len(f.Replace) > 0 {
		all = append(all, "Replace "+strings.Join(f.Replace, ", ")+" in the file.")
	}
	if len(f.Set) > 0 {
		all = append(all, "Set "+strings.Join(f.Set, ", ")+" in the environment of "+p.Name+".")
	}
	if len(f.Asks) > 0 {
		all = append(all, p.Name+" asks for "+strings.Join(f.Asks, ", ")+".")
	}
	if c.scope == projectScope && secrets {
		all = append(all, "The file has secrets now: do not commit it.")
	}
	if r.tools != "" {
		all = append(all, "Hash of its tools: "+r.tools)
	}
	return all
}

// perform shows a change, asks, makes it, and records that before it prints anything else.
func (c *call) perform(
	ctx context.Context, ch *change, question string, record func() error,
) error {
	ch.Diff = mask(clientfile.Diff(string(ch.file.Text), string(ch.after)), ch.hidden)
	if ch.Diff == "" {
		ch.Done = true
		err := record()
		c.say("Nothing to change: %s has this entry already.\n", ch.File)
		return errors.Join(err, c.result(ch))
	}
	if !c.json {
		fmt.Fprintf(c.Stdout, "%s\n", c.style.paint(bold, ch.File))
		c.printDiff(ch.Diff)
	}
	if c.dryRun {
		return c.result(ch)
	}
	if err := c.confirm(ctx, question); err != nil {
		return err
	}
	signal.Ignore(syscall.SIGPIPE) // a closed output must not stop the program halfway
	backup, err := ch.file.Write(ch.after, c.Now())
	if err != nil {
		return &ExitError{exitFile, fmt.Errorf("%s is unchanged: %w", ch.File, err)}
	}
	ch.Backup, ch.Done = backup, true
	err = record()
	c.say("%s changed.\n", ch.File)
	if backup != "" {
		c.say("Backup: %s\n", backup)
	}
	for _, n := range ch.Notes {
		c.say("%s\n", plain(n))
	}
	return errors.Join(err, c.result(ch))
}

// say prints a text for people.
func (c *call) say(format string, a ...any) {
	if !c.json {
		fmt.Fprintf(c.Stdout, format, a...)
	}
}

func (c *call) result(ch *change) error {
	if c.json {
		return c.printJSON(ch)
	}
	return nil
}

func (c *call) printDiff(diff string) {
	colors := map[byte]string{'+': green, '-': red, '@': dim}
	for line := range strings.Lines(diff) {
		line = strings.TrimSuffix(line, "\n")
		fmt.Fprintln(c.Stdout, c.style.paint(colors[line[0]], plain(line)))
	}
}

// confirm asks whether to continue.
func (c *call) confirm(ctx context.Context, question string) error {
	if c.yes {
		return nil
	}
	if c.Ask == nil {
		return &ExitError{exitRefused, fmt.Errorf("no change was made: use --yes without a terminal")}
	}
	answer, err := c.answer(ctx, question+" [y/N] ", false)
	if err != nil {
		return err
	}
	if a := strings.ToLower(strings.TrimSpace(answer)); a != "y" && a != "yes" {
		return &ExitError{exitRefused, fmt.Errorf("no change was made")}
	}
	return nil
}
