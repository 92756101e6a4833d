package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"mcpcensus/internal/client"
	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// A finding is an entry with the registry's facts about its server.
type finding struct {
	configured
	Score         *int64     `json:"score"`
	Grade         *string    `json:"grade"`
	ScoredAt      *time.Time `json:"scoredAt"`
	Tokens        *int64     `json:"toolTokens"`
	ToolsReadAt   *time.Time `json:"toolsReadAt"`
	LastCrawledAt *time.Time `json:"lastCrawledAt"`
	Latest        string     `json:"latestVersion,omitempty"`
	Outdated      bool       `json:"outdated"`
	Problems      []risk     `json:"problems"`
	Notes         []risk     `json:"notes"` // worth knowing, no reason to fail
	record        *record
	// Why the file, or the registry's answer about the entry, could not be read: then it has no problems
	// and no notes, and a file has no name.
	Error string `json:"error,omitempty"`
}

// lookup finds the server of an entry in the registry; nil if there is none that it
// runs for certain.
func (c *call) lookup(ctx context.Context, e configured) (*record, error) {
	if e.known != nil {
		r, err := c.record(ctx, e.known.Server)
		if !hasStatus(err, http.StatusNotFound) {
			return r, err // also that it is deleted
		}
	}
	switch {
	case e.identity.unasked() != "":
		return nil, nil
	case e.identity.kind == "url":
		return c.lookupAddress(ctx, e.identity)
	}
	for slug, err := range c.withPackage(ctx, e.identity.name, e.identity.of) {
		var r *record
		if err == nil {
			r, err = c.record(ctx, slug)
		}
		if err != nil {
			return nil, err
		}
		for _, is := range r.identities() {
			if r.version == "" && e.identity.of(is) {
				r.version = is.version
			}
		}
		return r, nil
	}
	return nil, nil
}

// packagesOf returns the package that a server's command starts. The API has no command of a harmful
// server: its packages are in its record.
func (c *call) packagesOf(ctx context.Context, l client.Launch) (all []identity, err error) {
	switch {
	case l.Install != nil:
		return []identity{identityOf(l.Install.Command, l.Install.Args)}, nil
	case len(l.Risks) == 0 || l.Risks[0].Severity != registry.SeverityHarmful:
		return nil, nil
	}
	s, err := c.client.Server(ctx, l.ID)
	if err != nil {
		return nil, err
	}
	for _, p := range s.Packages {
		all = append(all, packageIdentity(p.RegistryType, p.Identifier, p.Version))
	}
	return all, nil
}

// searchable returns the words of a name.
func searchable(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("@/.-_", r) })
	text := strings.Join(words, " ")
	return text[:min(len(text), 250)]
}

// lookupAddress finds the server with a remote.
func (c *call) lookupAddress(ctx context.Context, id identity) (*record, error) {
	servers, err := c.client.List(ctx, client.Query{Words: searchable(hostOf(id.name)), Limit: 50})
	if err != nil {
		return nil, err
	}
	for _, s := range servers {
		runs := func(r client.Remote) bool { return address(r.URL).of(id) }
		if slices.ContainsFunc(s.Remotes, runs) {
			return c.record(ctx, s.ID)
		}
	}
	return nil, nil
}

// findings looks all entries up. Files that cannot be read come first, with Error.
func (c *call) findings(ctx context.Context) ([]finding, error) {
	entries, err := c.configured()
	if err != nil {
		return nil, err
	}
	var all []finding
	type found struct {
		record *record
		err    error
	}
	cache := map[string]found{} // several clients often have the same server
	for _, e := range entries {
		f := finding{configured: e, Problems: []risk{}, Notes: []risk{}}
		key := fmt.Sprint(e.Server, " ", e.identity.kind, " ", e.identity.name, e.identity.isOwn)
		once, ok := cache[key]
		if !ok && c.limited != nil {
			once.err = c.limited
		} else if !ok {
			once.record, once.err = c.lookup(ctx, e)
			cache[key] = once
		}
		r, err := once.record, once.err
		switch {
		case hasStatus(err, http.StatusGone):
			f.Problems = append(f.Problems, risk{Kind: "dead", Text: oneLine(err.Error())})
		case hasStatus(err, http.StatusTooManyRequests), isOfOne(err):
			if !isOfOne(err) {
				c.limited = err // the others are not asked about
			}
			c.leaveOut(e, fmt.Sprintf("%s in %s", oneLine(e.Name), e.File), err)
			continue
		case err != nil:
			return nil, err
		case r == nil && e.identity.unasked() != "":
			f.Notes = append(f.Notes, risk{Kind: "not asked", Text: e.identity.unasked()})
		case r == nil:
			f.Notes = append(f.Notes, risk{Kind: "unknown", Text: "Not found in the registry."})
		default:
			if err := c.judge(ctx, &f, r); hasStatus(err, http.StatusTooManyRequests) {
				c.limited = err // only whether its tools have changed is not known
				f.Notes = append(f.Notes, risk{Kind: "not asked", Text: oneLine(err.Error())})
			} else if err != nil {
				return nil, err
			}
		}
		all = append(all, f)
	}
	return append(append([]finding{}, c.unread...), all...), nil
}

// isOfOne reports whether an error of the registry is about one server: its answer is invalid, or it
// refuses the question, for a reason other than who asks and how often.
func isOfOne(err error) bool {
	if _, ok := errors.AsType[*client.DecodeError](err); ok {
		return true
	}
	return hasStatus(err, http.StatusBadRequest) || hasStatus(err, http.StatusRequestURITooLong) ||
		hasStatus(err, http.StatusUnprocessableEntity)
}

// leaveOut reports that an entry or a file is left out, and adds it to c.unread.
func (c *call) leaveOut(e configured, what string, err error) {
	_, text := c.words(err)
	text, _, _ = strings.Cut(text, "\n") // without what would help with all
	text = plain(text)
	fmt.Fprintf(c.Stderr, "%s: %s is left out: %s\n", c.Name, what, text)
	c.unread = append(c.unread, finding{Problems: []risk{}, Notes: []risk{}, Error: text, configured: e})
}

// judge fills in the facts and problems of the server of an entry.
func (c *call) judge(ctx context.Context, f *finding, r *record) error {
	f.record, f.Server, f.LastCrawledAt = r, r.ID, r.LastCrawledAt
	f.Score, f.Grade, f.ScoredAt = r.QualityScore, r.Grade, r.ScoredAt
	f.Tokens, f.ToolsReadAt = r.ToolTokens, r.ToolList.ReadAt
	for _, x := range r.Risks {
		if noted(x, f.identity.kind == "url") {
			f.Notes = append(f.Notes, x)
		} else {
			f.Problems = append(f.Problems, x)
		}
	}
	problem := func(kind, format string, a ...any) {
		f.Problems = append(f.Problems, risk{Kind: kind, Text: fmt.Sprintf(format, a...)})
	}
	if f.Score != nil && *f.Score < int64(c.minScore) {
		problem("low-score", "Its health score is %d, below %d.", *f.Score, c.minScore)
	}
	if c.maxTokens > 0 && r.ToolTokens != nil && *r.ToolTokens > int64(c.maxTokens) {
		problem("token-weight", "Its tools take about %s tokens of the context (read %s).",
			number(r.ToolTokens), date(r.ToolList.ReadAt))
	}
	f.compareVersions(r.version)
	if f.Outdated {
		problem("outdated", "Version %s is configured, %s is the latest (read %s).",
			f.identity.version, f.Latest, date(r.LastCrawledAt))
	}
	if f.known == nil {
		return nil
	}
	changes, err := c.client.ToolChanges(ctx, r.ID)
	if isMissing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, change := range changes {
		if change.At.After(f.known.At) && change.FormerSource == nil {
			problem("tools-changed", "Its tools have changed since it was installed on %s: %s.",
				text.Day(f.known.At), namesOfTools(change.Tools))
			break
		}
	}
	return nil
}

func namesOfTools(all []client.ToolChange) string {
	var texts []string
	for _, t := range all {
		texts = append(texts, oneLine(t.Name)+" "+oneLine(t.Kind))
		if len(texts) == 5 && len(all) > 5 {
			texts = append(texts, fmt.Sprintf("%d more", len(all)-5))
			break
		}
	}
	return cmp.Or(strings.Join(texts, ", "), "the list differs")
}

// compareVersions compares the version of the entry with the latest one.
func (f *finding) compareVersions(latest string) {
	f.Latest = latest
	kind := f.identity.kind
	switch {
	case kind == "url" || kind == "":
	case f.identity.version == "":
		f.Notes = append(f.Notes,
			risk{Kind: "not-pinned", Text: "No version is set: each start may run another one."})
	case latest != "" && f.known != nil && f.known.Version == latest && f.known.Runs == f.identity.full():
	case latest != "":
		f.Outdated = isOlder(kind, f.identity.version, latest)
	}
}

func outdated(ctx context.Context, c *call) error {
	all, err := c.findings(ctx)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(f finding) bool { return !f.Outdated && f.Error == "" })
	if c.json {
		return c.finish(all, c.printJSON(all))
	}
	all = slices.DeleteFunc(all, func(f finding) bool { return f.Error != "" })
	switch {
	case len(all) > 0:
		t := table{head: []string{"CLIENT", "SCOPE", "NAME", "VERSION", "LATEST", "READ", "SERVER"}}
		for _, f := range all {
			t.add(cell{f.Client, ""}, cell{c.scopeOf(f.configured), dim}, cell{f.Name, bold},
				cell{f.identity.version, red},
				cell{f.Latest, green}, cell{date(f.LastCrawledAt), dim}, cell{f.Server, ""})
		}
		t.write(c.Stdout, c.style, 0)
		fmt.Fprintf(c.Stderr, "`%s upgrade` updates them, `%s upgrade NAME` one of them.\n", c.Name, c.Name)
	case len(c.unread) == 0:
		fmt.Fprintln(c.Stderr, "All servers whose versions are known are up to date.")
	}
	return c.finish(all, nil)
}

// finish returns the error that a command ends with after it has printed findings:
// problems come before files that could not be read.
func (c *call) finish(all []finding, err error) error {
	// An outdated server has a problem.
	failed := slices.ContainsFunc(all, func(f finding) bool { return len(f.Problems) > 0 })
	switch {
	case err != nil:
		return err
	case failed:
		return &ExitError{Status: exitFindings}
	case c.limited != nil:
		return c.limited
	case len(c.unread) > 0:
		return &ExitError{Status: exitFile}
	}
	return nil
}

func audit(ctx context.Context, c *call) error {
	all, err := c.findings(ctx)
	if err != nil {
		return err
	}
	if c.json {
		return c.finish(all, c.printJSON(all))
	}
	c.printFindings(slices.DeleteFunc(slices.Clone(all), func(f finding) bool { return f.Error != "" }))
	return c.finish(all, nil)
}

// can says what the server of an entry can do with the settings of the entry; "" if that is unknown.
func (f *finding) can() string {
	if f.record == nil {
		return ""
	}
	can, e := f.record.Capabilities, f.entry
	by, settings := can.ReadOnly, e.Env
	if e.URL != "" {
		by, settings = can.ReadOnlyEndpoint, e.Headers
	}
	if by != nil && install.IsReadOnly(e.URL, e.Args, settings, by) {
		return accessOf(by)
	}
	return can.String()
}

func (c *call) printFindings(all []finding) {
	if len(all) == 0 {
		if len(c.unread) == 0 {
			fmt.Fprintln(c.Stderr, "No client has a configured server.")
		}
		return
	}
	problems, sum := 0, int64(0)
	for _, f := range all {
		fmt.Fprintf(c.Stdout, "%s %s  %s  %s\n", c.style.paint(dim, f.Client+"/"+c.scopeOf(f.configured)),
			c.style.paint(bold, oneLine(f.Name)), oneLine(cmp.Or(f.Server, f.Runs, "–")),
			dated(c.style.paint(gradeColor(f.Score), score(f.Score, f.Grade)), "scored", f.ScoredAt))
		if can := f.can(); can != "" {
			fmt.Fprintf(c.Stdout, "  %s %s\n", c.style.paint(dim, "·"), can)
		}
		for _, p := range f.Problems {
			fmt.Fprintf(c.Stdout, "  %s %s: %s\n", c.style.paint(red, "!"), p.Kind, oneLine(p.String()))
		}
		for _, n := range f.Notes {
			fmt.Fprintf(c.Stdout, "  %s %s: %s\n", c.style.paint(dim, "·"), n.Kind, oneLine(n.String()))
		}
		if problems += len(f.Problems); f.Tokens != nil {
			sum += *f.Tokens
		}
	}
	entries := map[bool]string{true: "1 entry", false: fmt.Sprint(len(all), " entries")}[len(all) == 1]
	fmt.Fprintf(c.Stdout, "\n%s, %s", entries, text.Count(problems, "problem"))
	if sum > 0 {
		fmt.Fprintf(c.Stdout, ", about %s tokens of tools", number(&sum))
	}
	if n := len(c.unread); n > 0 {
		fmt.Fprintf(c.Stdout, ", %s", fmt.Sprint(n, " left out"))
	}
	fmt.Fprintln(c.Stdout)
}

// upgrade updates the outdated entries of all clients, or those with the names of entries or the
// IDs of servers.
func upgrade(ctx context.Context, c *call) error {
	all, err := c.findings(ctx)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(f finding) bool { return f.record == nil })
	for _, name := range c.args {
		isMeant := func(f finding) bool { return f.Name == name || f.Server == name }
		if !slices.ContainsFunc(all, isMeant) {
			return &ExitError{ExitNotFound, fmt.Errorf("no entry of a listed server is named %s", name)}
		}
	}
	all = slices.DeleteFunc(all, func(f finding) bool {
		isMeant := slices.Contains(c.args, f.Name) || slices.Contains(c.args, f.Server)
		return !f.Outdated || len(c.args) > 0 && !isMeant
	})
	var refused error
	switch {
	case len(c.unread) > 0:
		refused = &ExitError{Status: exitFile}
	case len(all) == 0:
		fmt.Fprintln(c.Stderr, "All servers whose versions are known are up to date.")
	}
	return each(c, all, true, refused, func(f finding) error { return c.upgradeEntry(ctx, f) })
}

func (c *call) upgradeEntry(ctx context.Context, f finding) error {
	if err := c.acceptable(f.record, false); err != nil {
		return err
	}
	p, err := placeOf(f.Client)
	if err != nil {
		return err
	}
	file, err := readFile(f.File)
	if err != nil {
		return err
	}
	setup, err := c.setup(f.record, "")
	if err != nil {
		return err
	}
	return c.configure(ctx, target{p, f.Folder, file}, f.record, setup, f.Name)
}
