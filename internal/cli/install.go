package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"mcpcensus/crawler/shell"
	"mcpcensus/internal/client"
	"mcpcensus/internal/clientfile"
	"mcpcensus/internal/hosts"
	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
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

	target target
	after  []byte
	hidden []string // secrets that are not shown
	drops  []string // words of the user that the change removes
}

// A target is a file of a client, or a folder in it, in which entries are changed.
type target struct {
	place
	folder string // of the local scope, else ""
	file   *clientfile.File
}

func installServer(ctx context.Context, c *call) error {
	targets, err := c.targets(ctx)
	if err != nil {
		return err
	}
	r, err := c.record(ctx, c.args[0])
	if x, ok := errors.AsType[*ExitError](err); ok && x.Status == ExitNotFound ||
		hasStatus(err, http.StatusNotFound) || hasStatus(err, http.StatusBadRequest) {
		if own := unlisted(c.args[0]); own != nil {
			r, err = own, nil
		}
	}
	if err != nil {
		return err
	}
	if err := c.acceptable(r, true); err != nil {
		return err
	}
	if p := packageOf(c.args[0]); p.version != "" && p.version != r.version {
		fmt.Fprintf(c.Stderr, "Note: the version is that of the registry's command, not %s.\n", oneLine(p.version))
	}
	return each(c, targets, len(targets) > 1, nil, func(t target) error { return c.installIn(ctx, t, r) })
}

// each makes a change for each of a list, and returns the result. The reason why one is not made is
// printed, and the others are still made. refused is the error if all are made.
func each[T any](c *call, list []T, isList bool, refused error, change func(T) error) error {
	said := ""
	for _, x := range list {
		err := change(x)
		if e, ok := errors.AsType[*ExitError](err); ok && e.Status != exitInterrupted && e.Status != exitUsage {
			if text := plain(err.Error()); text != said {
				fmt.Fprintf(c.Stderr, "%s: %s\n", c.Name, text)
				said = text
			}
			refused = &ExitError{Status: e.Status}
		} else if err != nil {
			return c.result(err, isList)
		}
	}
	return c.result(refused, isList)
}

func (c *call) installIn(ctx context.Context, t target, r *record) error {
	setup, err := c.setup(r, c.name)
	if err != nil {
		return err
	}
	if c.name == "" {
		setup.NameFor(t.Client, r.entryName())
	}
	s, err := c.state()
	if err != nil {
		return err
	}
	name, err := c.entryOf(t, r, setup.Key(), s)
	if err != nil {
		return err
	}
	if name == "" && c.hasChoice(r) {
		defer func() { c.readOnly, c.fullAccess = false, false }()
		c.readOnly = true
		if c.asks() {
			if err := c.askForAccess(ctx, r); err != nil {
				return err
			}
		}
		return c.installIn(ctx, t, r)
	}
	return c.configure(ctx, t, r, setup, name)
}

// hasChoice reports whether the registry knows a server with and without full access, and no option
// chooses.
func (c *call) hasChoice(r *record) bool {
	return !c.readOnly && !c.fullAccess && r.Install.Access != "" &&
		r.Install.Alternative.Clients["mcpServers"] != nil
}

// asks reports whether the user can answer questions.
func (c *call) asks() bool { return c.Ask != nil && !c.yes && !c.dryRun }

// askForAccess changes the option of a new entry's access, read-only, if the user wants that.
func (c *call) askForAccess(ctx context.Context, r *record) error {
	answer, err := c.answer(ctx, "Access of "+oneLine(r.ID)+": 1 read-only, 2 full access [1] ", false)
	if err != nil {
		return err
	}
	switch strings.TrimSpace(answer) {
	case "", "1":
	case "2":
		c.readOnly, c.fullAccess = false, true
	default:
		return &ExitError{exitRefused, errors.New("no change was made: the answer is 1 or 2")}
	}
	return nil
}

// configure adds the server of a record to a client's file, or updates the entry of a name.
func (c *call) configure(
	ctx context.Context, t target, r *record, setup *install.Setup, name string,
) error {
	ch := &change{
		Client: t.Client, File: t.file.Path, Name: cmp.Or(name, setup.Key()), Server: r.ID,
		target: t, hidden: secretsOf(t.place, t.file.Text),
	}
	old, _ := t.entries()[name].(map[string]any)
	if name != "" && (c.readOnly || c.fullAccess) {
		return usagef("%s has the entry %s, and only new entries have another access: remove it first, "+
			"or use --name", ch.File, name)
	}
	if name != "" {
		setup = r.setupLike(setup, identityOfEntry(old))
	}
	if c.OS == "windows" {
		setup.ForWindows()
	}
	question, err := "Add %s to %s?", error(nil)
	if name == "" {
		err = c.added(ctx, ch, setup)
	} else {
		question = "Update %s in %s?"
		err = c.revised(ctx, ch, setup, old, r.needs(identityOfEntry(old)))
	}
	if err != nil {
		return err
	}
	if r.tools != "" {
		ch.Notes = append(ch.Notes, "Hash of its tools: "+r.tools)
	}
	after, err := t.place.entries(t.folder, ch.after)
	if err != nil {
		return err
	}
	i := installed{
		Client: t.Client, File: ch.File, Folder: t.folder, Name: ch.Name, Server: r.ID,
		Version: r.version, Tools: r.tools, At: c.Now().UTC(), Runs: identityOfEntry(after[ch.Name]).full(),
	}
	return c.perform(ctx, ch, fmt.Sprintf(question, ch.Name, t.Name), func() error {
		err := c.updateState(ctx, func(s *state) { s.put(i) })
		if err != nil { // the client is configured
			fmt.Fprintf(c.Stderr, "%s: audit will not know when this was installed: %v\n", c.Name, err)
		}
		return nil
	})
}

// entriesOfServer returns the names of the entries of a server in a file.
func (c *call) entriesOfServer(t target, r *record, s *state) (names []string) {
	entries := t.entries()
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		is := c.identityOf(entries[name])
		known := s.find(t.file.Path, t.folder, name, is)
		if known != nil && known.Server == r.ID || !is.isOwn && slices.ContainsFunc(r.identities(), is.of) {
			names = append(names, name)
		}
	}
	return names
}

// entryOf returns the name of the entry of a server, "" if there is none. It fails if several
// entries are of the server, or if the name of a new entry is that of another one.
func (c *call) entryOf(t target, r *record, key string, s *state) (string, error) {
	entries, names := t.entries(), c.entriesOfServer(t, r, s)
	_, taken := entries[key]
	isOf := slices.Contains(names, key)
	switch {
	case isOf:
		return key, nil
	case taken && (c.name != "" || len(names) == 0):
		return "", &ExitError{exitRefused, fmt.Errorf("%s has an entry %s, which starts another "+
			"program (%s): use --name to add %s under another name", t.file.Path, key,
			cmp.Or(identityOfEntry(entries[key]).String(), "unknown"), r.ID)}
	case c.name != "" || len(names) == 0:
		return "", nil
	case len(names) == 1:
		return names[0], nil
	}
	for _, i := range slices.Backward(s.Installed) {
		if i.File == t.file.Path && i.Folder == t.folder && slices.Contains(names, i.Name) {
			return i.Name, nil
		}
	}
	return "", &ExitError{exitRefused, fmt.Errorf("%s has several entries of %s: %s; name one with --name",
		t.file.Path, r.ID, strings.Join(names, ", "))}
}

// added sets the change that adds an entry.
func (c *call) added(ctx context.Context, ch *change, setup *install.Setup) error {
	isAsked := func(q install.Question) bool { return setup.InFile(ch.Client, q) }
	secrets, err := c.fill(ctx, setup, isAsked)
	if err != nil {
		return err
	}
	ch.hidden = append(ch.hidden, secrets...)
	wanted, err := setup.ForFile(ch.Client)
	if err != nil {
		return &ExitError{exitRefused, err}
	}
	ch.after, err = ch.target.put(ch.target.folder, ch.target.file.Text, wanted.Text)
	if err != nil {
		return fmt.Errorf("%s: %w\nAdd this yourself:\n\n%s", ch.File, err, mask(wanted.Text, ch.hidden))
	}
	ch.Notes = c.notesOf(ch.target, wanted, len(secrets) > 0, func(string) bool { return true })
	return nil
}

// revised sets the change that updates an entry.
func (c *call) revised(
	ctx context.Context, ch *change, setup *install.Setup, old map[string]any, needs needs,
) error {
	t := ch.target
	plain, _, err := t.wanted(setup)
	if err != nil {
		return err
	}
	rev, err := revise(old, plain, plain, needs)
	if err != nil {
		return c.refused(ch, old, err)
	}
	secrets, err := c.fill(ctx, setup, func(q install.Question) bool {
		return rev.has(q.Placeholder) || rev.has(q.Name)
	})
	if err != nil {
		return err
	}
	ch.hidden = append(ch.hidden, secrets...)
	wanted, file, err := t.wanted(setup)
	if err == nil {
		rev, err = revise(old, wanted, plain, needs)
	}
	if err != nil {
		return c.refused(ch, old, err)
	}
	for _, text := range c.set {
		name, _, _ := strings.Cut(text, "=")
		if !rev.used(wanted, plain) {
			return usagef("--set %s: the command of %s cannot get it; change it in %s", name, ch.Name, ch.File)
		}
	}
	ch.after, err = t.edit(t.folder, t.file.Text, ch.Name, rev.changes, rev.inputs(file.Text))
	if err != nil {
		return c.refused(ch, old, err)
	}
	ch.drops = rev.drops
	ch.Notes = append(c.notesOf(ch.target, file, len(secrets) > 0, rev.has), rev.notes...)
	return nil
}

// wanted returns the entry that a client's file would have without an entry of the server.
func (t target) wanted(setup *install.Setup) (map[string]any, *install.ClientFile, error) {
	file, err := setup.ForFile(t.Client)
	if err != nil {
		return nil, nil, &ExitError{exitRefused, err}
	}
	entries, err := clientfile.Entries(t.format(), []byte(file.Text), t.Section)
	if err != nil {
		return nil, nil, err
	}
	entry, _ := entries[setup.Key()].(map[string]any)
	return entry, file, nil
}

// refused returns the error of an entry that is not changed.
func (c *call) refused(ch *change, old map[string]any, err error) error {
	if e, ok := errors.AsType[*ExitError](err); ok {
		return e
	}
	return &ExitError{exitRefused, fmt.Errorf("%s: the entry %s (%s) is of %s, and is not changed: %w\n"+
		"Remove it first, or add another entry with --name", ch.File, ch.Name,
		identityOfEntry(old), ch.Server, err)}
}

// targets returns the files of --client, or of the clients that the user names, and of the options
// of the scope.
func (c *call) targets(ctx context.Context) (all []target, err error) {
	if err := c.setScope(); err != nil {
		return nil, err
	}
	names := c.several
	if len(names) == 0 {
		if names, err = c.askForClients(ctx); err != nil {
			return nil, err
		}
	}
	for _, name := range names {
		t, err := c.target(name)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

// askForClients lets the user name clients that this machine has.
func (c *call) askForClients(ctx context.Context) ([]string, error) {
	var found []string
	for _, p := range install.Places() {
		if len(c.existing(c.userFiles(p))) > 0 {
			found = append(found, p.Client)
		}
	}
	if c.Ask == nil || len(found) == 0 {
		return nil, usagef("--client is required: `%s clients` lists them; this machine has %s", c.Name,
			cmp.Or(strings.Join(found, ", "), "none"))
	}
	answer, err := c.answer(ctx, "This machine has "+strings.Join(found, ", ")+". Which clients? ", false)
	if err != nil {
		return nil, err
	}
	if names := strings.FieldsFunc(answer, func(r rune) bool { return r == ',' || r == ' ' }); len(names) > 0 {
		return names, nil
	}
	return nil, &ExitError{exitRefused, errors.New("no change was made")}
}

// target returns the file of a client and the options of the scope.
func (c *call) target(client string) (target, error) {
	p, err := placeOf(client)
	switch {
	case err != nil:
	case c.scope == projectScope && len(p.Project) == 0:
		err = usagef("%s has no file in projects", p.Name)
	case c.scope == localScope && p.Folders == "":
		err = usagef("%s has no local scope", p.Name)
	}
	if err != nil {
		return target{}, err
	}
	f, err := c.file(p)
	return target{p, c.folder(), f}, err
}

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

// acceptable refuses servers with risks, and new ones with a low score, unless told otherwise. It
// writes what there is to note about the others.
func (c *call) acceptable(r *record, isNew bool) error {
	var reasons []string
	if can := r.Capabilities.String(); can != "" {
		fmt.Fprintf(c.Stderr, "%s: %s.\n", r.ID, can)
	}
	for _, x := range r.Risks {
		if text := oneLine(x.String()); noted(x, r.command == "") {
			fmt.Fprintf(c.Stderr, "Note: %s\n", text)
		} else {
			reasons = append(reasons, text)
		}
	}
	switch s := r.QualityScore; {
	case !isNew:
	case s == nil:
		reasons = append(reasons, "It has no health score.")
	case *s < int64(c.minScore):
		reasons = append(reasons, fmt.Sprintf("Its health score is %d, below %d (scored %s).",
			*s, c.minScore, date(r.ScoredAt)))
	}
	if isNew && !c.asks() && c.hasChoice(r) {
		fmt.Fprintln(c.Stderr, "Note: a new entry is read-only; --full-access gives it full access.")
	}
	for _, note := range r.Install.Notes {
		fmt.Fprintf(c.Stderr, "Note: %s\n", oneLine(note))
	}
	if len(reasons) == 0 {
		return nil
	}
	text := strings.Join(reasons, "\n  ")
	if r.clients == nil { // there is nothing that --anyway could install
		text = strings.TrimSpace(oneLine(r.reason) + "\n  " + text)
		return &ExitError{exitRefused, fmt.Errorf("%s cannot be installed:\n  %s", r.ID, text)}
	}
	if c.anyway {
		fmt.Fprintf(c.Stderr, "Allowed by --anyway:\n  %s\n", text)
		return nil
	}
	return &ExitError{
		exitRefused,
		fmt.Errorf("%s is not installed:\n  %s\nUse --anyway to install it", r.ID, text),
	}
}

// declared returns the variables and headers of the server and of its packages.
func (r *record) declared() (all []registry.Variable) {
	for _, p := range r.Packages {
		all = append(all, p.EnvironmentVariables...)
	}
	return append(all, r.variables...)
}

// setup returns how clients use the server of a record, under a name unless that is "".
func (c *call) setup(r *record, name string) (*install.Setup, error) {
	if r.clients == nil {
		reason := cmp.Or(r.reason, "the registry knows no command for it")
		return nil, &ExitError{exitRefused, fmt.Errorf("%s cannot be installed: %s", r.ID, reason)}
	}
	clients, err := c.withAccess(r)
	if err != nil {
		return nil, err
	}
	setup, err := install.ParseSetup(clients, r.Name, r.Description, r.declared())
	if err != nil {
		return nil, err
	}
	if name != "" && !setup.Rename(name) {
		return nil, usagef("name %q must be at most 32 letters, digits and single hyphens", name)
	}
	if doubt := c.doubt(r, setup); doubt != "" {
		text := fmt.Sprintf("%s %s", doubt, plain(setup.CommandLine()))
		if !c.anyway {
			return nil, &ExitError{exitRefused, fmt.Errorf("%s is not installed: the registry returned "+
				"a command that is not known to be safe.\n  %s\nUse --anyway to install it", r.ID, text)}
		}
		fmt.Fprintf(c.Stderr, "%s\n", c.style.paint(red, "Allowed by --anyway: "+text))
	}
	return setup, nil
}

// withAccess returns the configurations with the access of --read-only or --full-access.
func (c *call) withAccess(r *record) (json.RawMessage, error) {
	i, wanted := r.Install, ""
	switch {
	case c.readOnly && c.fullAccess:
		return nil, usagef("--read-only and --full-access exclude each other")
	case c.readOnly:
		wanted = install.AccessReadOnly
	case c.fullAccess:
		wanted = install.AccessFull
	}
	switch {
	case wanted == "" || wanted == i.Access:
		return r.clients, nil
	case i.Access != "" && i.Alternative.Clients["mcpServers"] != nil:
		return i.Alternative.Clients["mcpServers"], nil
	case wanted == install.AccessReadOnly && r.Effect == registry.EffectRead:
		return r.clients, nil // all that it does
	}
	return nil, &ExitError{exitRefused, fmt.Errorf("%s is not installed: the registry knows no switch "+
		"that gives it %s access", r.ID, wanted)}
}

func (r *record) entryName() string {
	ref, err := registry.ParseRepoRef(r.Repository.URL)
	if err != nil {
		return r.RegistryName
	}
	s := registry.Server{RegistryName: r.RegistryName, Subfolder: r.Repository.Subfolder,
		Repo: registry.Repository{Host: ref.Host, Owner: r.Repository.Owner, Name: r.Repository.Name}}
	return s.EntryName()
}

// runners are the programs that a command may start.
var runners = []string{
	"npx", "npm", "pnpm", "yarn", "bunx", "bun", "uvx", "uv", "pipx", "dnx", "dotnet", "docker", "podman",
}

// doubt returns why a command or an address is not that of a package or remote of the server, or
// can do more than start it; "" if it is and cannot. What a registry says is not trusted here.
func (r *record) doubt(setup *install.Setup) string {
	words := setup.Words()
	if words == nil {
		at := setup.CommandLine()
		isOf := func(x client.Remote) bool { return x.URL == at || address(x.URL).of(address(at)) }
		if hosts.KindOf(hostOf(at)) == hosts.Loopback || slices.ContainsFunc(r.Remotes, isOf) {
			return setup.Refers()
		}
		return "Its address is not an endpoint of the server."
	}
	if !slices.Contains(runners, words[0]) {
		return "Its command starts “" + words[0] + "”, which runs no packages."
	}
	l, err := shell.ParseCommand(words[0], words[1:])
	is := identityOf(words[0], words[1:])
	isOf := func(p registry.Package) bool {
		return packageIdentity(p.RegistryType, p.Identifier, "").of(is)
	}
	isSpec := func(w string) bool { return w == l.Spec || strings.HasSuffix(w, "="+l.Spec) }
	// Not a launch that a script calls, or a specification of several words.
	isWhole := l.Line == strings.Join(words, " ") && slices.ContainsFunc(words, isSpec)
	if err != nil || !l.Runs || !isWhole || !slices.ContainsFunc(r.Packages, isOf) {
		return "Its command starts something else than a package of the server."
	}
	return cmp.Or(doubtProgram(l), doubtMore(l, words), setup.Refers(), setup.Doubt(l.RegistryType, l.Runtime))
}

// doubt is [record.doubt], also for what the shell of Windows makes of a command.
func (c *call) doubt(r *record, setup *install.Setup) string {
	if c.OS == "windows" && setup.IsMisread() {
		return "Its command has a character that the shell of Windows interprets."
	}
	return r.doubt(setup)
}

// doubtProgram returns why a launch may start a program that is not of its package: one that runs
// others, or that the system has. A runner starts these if the package has none of the name.
func doubtProgram(l shell.Launch) string {
	name := cmp.Or(l.Script, l.Identifier)
	isOthers := l.Script != "" && (strings.ContainsAny(name, `/\`) ||
		slices.ContainsFunc(systemFolders, func(f string) bool { return exists(filepath.Join(f, name)) }))
	if l.RegistryType == "oci" || !isOthers && !shell.IsProgram(name) {
		return ""
	}
	return "Its command starts “" + name + "”, which may not be a program of the package."
}

// doubtMore returns why a launch with all words of a command installs more than its package.
func doubtMore(l shell.Launch, words []string) string {
	before := slices.DeleteFunc(slices.Clone(words[:len(words)-len(l.Args)]), func(w string) bool {
		return w != "-p" && !strings.HasPrefix(w, "--package")
	})
	if l.RegistryType == "npm" && len(before) > 1 {
		return "Its command installs several packages."
	}
	return ""
}

// systemFolders are those of the programs of operating systems.
var systemFolders = []string{"/bin", "/sbin", "/usr/bin", "/usr/sbin", `C:\Windows\System32`}

// setupLike returns the setup for the package of an entry: setup unless that is for another
// package of the server.
func (r *record) setupLike(setup *install.Setup, is identity) *install.Setup {
	if is.of(r.identities()[0]) {
		return setup
	}
	for _, p := range r.Packages {
		launch, ok := install.Of(p)
		if !ok || !packageIdentity(p.RegistryType, p.Identifier, "").of(is) {
			continue
		}
		clients, err := json.Marshal(map[string]any{"server": launch}) // the entry keeps its name
		if err != nil {
			return setup
		}
		other, err := install.ParseSetup(clients, r.Name, r.Description, r.declared())
		if err == nil && r.doubt(other) == "" {
			return other
		}
	}
	return setup
}

// fill fills in the values of --set, and prompts for others that isAsked selects. It returns the
// secrets.
func (c *call) fill(
	ctx context.Context, setup *install.Setup, isAsked func(install.Question) bool,
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
		if !ok && c.asks() && isAsked(q) {
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

// notesOf returns what to do after a change of a file, about names that isUsed selects.
func (c *call) notesOf(
	t target, f *install.ClientFile, secrets bool, isUsed func(string) bool,
) (all []string) {
	for _, n := range []struct {
		format string
		names  []string
	}{
		{"Replace %s in the file.", f.Replace},
		{"Set %s in the environment of " + t.Name + ".", f.Set},
		{t.Name + " asks for %s.", f.Asks},
	} {
		names := slices.DeleteFunc(slices.Clone(n.names), func(s string) bool { return !isUsed(s) })
		if len(names) > 0 {
			all = append(all, fmt.Sprintf(n.format, strings.Join(names, ", ")))
		}
	}
	if c.scope == projectScope && secrets {
		all = append(all, "The file has secrets now: do not commit it.")
	}
	return all
}

// perform shows a change, asks, makes it, and records that before it prints anything else. It
// adds the change to those of the call.
func (c *call) perform(
	ctx context.Context, ch *change, question string, record func() error,
) error {
	for i, n := range ch.Notes {
		ch.Notes[i] = mask(n, ch.hidden)
	}
	ch.Diff = mask(clientfile.Diff(string(ch.target.file.Text), string(ch.after)), ch.hidden)
	if ch.Diff == "" {
		return c.made(ch, record, "Nothing to change: %s has this entry already.\n")
	}
	if !c.json {
		fmt.Fprintf(c.Stdout, "%s\n", c.style.paint(bold, ch.File))
		c.printDiff(ch.Diff)
	}
	if c.dryRun {
		c.changes = append(c.changes, ch)
		return nil
	}
	if err := c.mayDrop(ch); err != nil {
		return err
	}
	if err := c.confirm(ctx, question); err != nil {
		return err
	}
	signal.Ignore(syscall.SIGPIPE) // a closed output must not stop the program halfway
	var err error
	if ch.Backup, err = ch.target.file.Write(ch.after, c.Now()); err != nil {
		return &ExitError{exitFile, fmt.Errorf("%s is unchanged: %w", ch.File, err)}
	}
	return c.made(ch, record, "%s changed.\n")
}

// made records a change, and says that it is made and what is left to do.
func (c *call) made(ch *change, record func() error, format string) error {
	ch.Done = true
	c.changes = append(c.changes, ch)
	err := record()
	c.say(format, ch.File)
	if ch.Backup != "" {
		c.say("Backup: %s\n", ch.Backup)
	}
	for _, n := range ch.Notes {
		c.say("%s\n", plain(n))
	}
	return err
}

// say prints a text for people.
func (c *call) say(format string, a ...any) {
	if !c.json {
		fmt.Fprintf(c.Stdout, format, a...)
	}
}

// result prints the changes as JSON: a list, or one as it is. It returns err, or the error of
// printing.
func (c *call) result(err error, isList bool) error {
	switch {
	case !c.json || err != nil && len(c.changes) == 0:
		return err
	case isList || len(c.changes) > 1:
		return errors.Join(err, c.printJSON(append([]*change{}, c.changes...)))
	}
	return errors.Join(err, c.printJSON(c.changes[0]))
}

func (c *call) printDiff(diff string) {
	colors := map[byte]string{'+': green, '-': red, '@': dim}
	for line := range strings.Lines(diff) {
		line = strings.TrimSuffix(line, "\n")
		fmt.Fprintln(c.Stdout, c.style.paint(colors[line[0]], plain(line)))
	}
}

// mayDrop says what a change removes of the user's. It refuses that if nobody is asked and
// --replace is not given.
func (c *call) mayDrop(ch *change) error {
	if len(ch.drops) == 0 || c.replace {
		return nil
	}
	drops := mask(oneLine(strings.Join(ch.drops, " ")), ch.hidden)
	if c.yes {
		return &ExitError{exitRefused, fmt.Errorf("%s is unchanged: %s would lose %s\n"+
			"Use --replace to allow that", ch.File, ch.Name, drops)}
	}
	fmt.Fprintf(c.Stderr, "%s loses %s.\n", ch.Name, drops)
	return nil
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
