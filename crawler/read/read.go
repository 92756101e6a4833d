// Package read reads what strangers wrote: the files of repositories and the archives of
// packages. It finds MCP servers in them with their evidence, and the tools that they register.
//
// Everything is read in child processes of the same program, which get the files over a pipe and
// have limits of memory and processor time, no network and no files. Input that exceeds them
// costs one child, and the result is a [Failure]. Programs that read call [Init] first.
package read

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"mcpcensus/crawler/detect"
	"mcpcensus/crawler/source"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/tools"
)

// Reasons of a [Failure].
const (
	Memory    = "memory"            // more than a child may use
	Processor = "processor time"    // more than a child may use
	Crash     = "crash"             // a bug in Census, or the child was killed
	Time      = "time"              // the deadline, for example of a machine without processor time
	Answer    = "answer"            // the child's response is invalid
	Steps     = "steps"             // more than the readers take: the result is incomplete
	Unfetched = "files not fetched" // because of a limit: the result is incomplete
)

// A Failure is the result of reading files that could not be read. It is about these files, not
// about the machine.
type Failure struct {
	Reason string // one of the reasons above
	Detail string // for the log: the first line of a panic
	// Strikes is, for incomplete results, the number of such readings until now; 0 if they are not
	// counted.
	Strikes int
}

func (f *Failure) Error() string { return "could not be read: " + f.Reason }

// ErrLate is the failure of a reading that the deadline of its caller ended.
var ErrLate = &Failure{Reason: Time, Detail: "its caller did not wait longer"}

// Unwrap makes ErrLate a [context.DeadlineExceeded].
func (f *Failure) Unwrap() error {
	if f == ErrLate {
		return context.DeadlineExceeded
	}
	return nil
}

// Incomplete reports whether the files were read in part.
func (f *Failure) Incomplete() bool { return f.Reason == Steps || f.Reason == Unfetched }

// Servers returns the servers of a repository, see [detect.Servers], with weighed tools. It makes
// the READMEs in s.Texts [settings.Public], and takes the secrets of services out of the others.
func (p *Pool) Servers(
	ctx context.Context, s *registry.Snapshot, listings []registry.Listing,
) (detect.Result, error) {
	q := repository{Snapshot: *s, Listings: listings, Listed: s.Files != nil}
	q.Snapshot.Texts, q.Snapshot.Activity, q.Snapshot.Issues = nil, nil, nil
	a, texts, err := p.ask(ctx, request{Servers: &q}, s.Texts)
	if err != nil {
		return detect.Result{}, err
	}
	for path, text := range texts {
		if _, ok := s.Texts[path]; !ok || !utf8.ValidString(text) {
			return detect.Result{}, p.invalid(errors.New("a text is invalid"))
		}
	}
	if a.Servers == nil {
		return detect.Result{}, p.invalid(errors.New("no result"))
	}
	if err := check(a.Servers); err != nil {
		return detect.Result{}, p.invalid(err)
	}
	maps.Copy(s.Texts, texts)
	if a.Servers.Ended() {
		_ = p.failed(&Failure{Reason: Steps, Detail: s.Repo.Ref().String()})
	}
	return *a.Servers, nil
}

// Imports returns the listed paths that files import, see [source.Imports].
func (p *Pool) Imports(
	ctx context.Context, files map[string]string, paths []string,
) ([]string, error) {
	a, _, err := p.ask(ctx, request{Imports: &imports{paths}}, files)
	if err != nil {
		return nil, err
	}
	if len(a.Imports) > len(paths)*len(files)+1 {
		return nil, p.invalid(errors.New("too many imports"))
	}
	return a.Imports, nil
}

// archiveFile is the name of an archive as a file of a message.
const archiveFile = "archive"

// A Problem is a permanent reason why an archive cannot be read.
type Problem string

func (p Problem) Error() string { return string(p) }

// Unpack returns the source files and JSON files of a gzip-compressed tar archive or a ZIP
// archive, and whether some were skipped. The error of an archive that is damaged is a [Problem].
func (p *Pool) Unpack(
	ctx context.Context, name string, content []byte,
) (files source.Files, partial bool, err error) {
	a, files, err := p.ask(ctx, request{Unpack: &packed{name}},
		map[string]string{archiveFile: string(content)})
	switch {
	case err != nil:
		return nil, false, err
	case a.Problem != "":
		return nil, false, Problem(a.Problem)
	}
	for path, text := range files {
		if !isArchived(path) || !utf8.ValidString(text) {
			return nil, false, p.invalid(errors.New("a file of an archive is invalid"))
		}
	}
	return files, a.Partial, nil
}

// Tools returns the tools that the files of a package register, see [source.Tools], as
// [tools.Examine] does.
func (p *Pool) Tools(
	ctx context.Context, files source.Files, required []string,
) (r source.Result, suspicious []registry.SuspiciousText, err error) {
	a, _, err := p.ask(ctx, request{Tools: &packageSource{required}}, files)
	if err != nil {
		return r, nil, err
	}
	if a.Tools == nil {
		return r, nil, p.invalid(errors.New("no result"))
	}
	if err := checkTools(a.Tools.Tools); err != nil {
		return r, nil, p.invalid(err)
	}
	if a.Tools.Ended {
		_ = p.failed(&Failure{Reason: Steps})
	}
	return *a.Tools, a.Suspicious, nil
}

func (p *Pool) invalid(err error) error {
	return p.failed(&Failure{Reason: Answer, Detail: err.Error()})
}

// Limits of a response, beyond those of the rules that made it.
const (
	maxTools = 5000
	maxText  = 1 << 20 // bytes of a name, a description or a schema
)

// check returns an error for a result that detection does not return: it is of a process that
// read hostile files.
func check(r *detect.Result) error {
	switch r.State {
	case detect.StateServer, detect.StateNotServer, detect.StateEmpty, detect.StateUnknown:
	default:
		return errors.New("the state is unknown")
	}
	isServer := r.State == detect.StateServer
	if len(r.Servers) > detect.MaxServers || isServer != (len(r.Servers) > 0) {
		return fmt.Errorf("%d servers of a repository that is %s", len(r.Servers), r.State)
	}
	for i := range r.Servers {
		d := &r.Servers[i].Detection
		if d.Subfolder != "" && !fs.ValidPath(d.Subfolder) {
			return errors.New("a subfolder is not a path")
		}
		if len(d.Tools) > tools.MaxTools {
			return errors.New("a server has too many tools")
		}
		if err := checkTools(d.Tools); err != nil {
			return err
		}
		if err := checkTouches(d.Touches); err != nil {
			return err
		}
		texts := []string{d.Name, d.Title, d.Description, d.Reason, r.Servers[i].ReadmeText}
		for _, s := range texts {
			if len(s) > maxText || strings.ContainsRune(s, 0) {
				return errors.New("a text of a server is invalid")
			}
		}
	}
	return nil
}

func checkTouches(t *registry.Touches) error {
	if t == nil {
		return nil
	}
	uses := slices.Concat(t.Files, t.Processes, t.Listens, t.Telemetry)
	for _, h := range t.Hosts {
		uses = append(uses, registry.SourceUse{Name: h.Host, Evidence: h.Evidence})
	}
	if len(uses) > 5*registry.MaxTouches {
		return errors.New("a server touches too much")
	}
	for _, u := range uses {
		if len(u.Name) > maxText || len(u.Evidence) > maxText {
			return errors.New("a text on what a server touches is too long")
		}
	}
	return nil
}

func checkTools(list []registry.Tool) error {
	if len(list) > maxTools {
		return errors.New("there are too many tools")
	}
	for _, t := range list {
		if len(t.Name) > maxText || len(t.Description) > maxText || len(t.InputSchema) > maxText {
			return errors.New("a text of a tool is too long")
		}
	}
	return nil
}
