package github

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"mcpcensus/crawler"
	"mcpcensus/crawler/source"
	"mcpcensus/internal/registry"
)

// Limits of files and bytes in one query.
const (
	batchBlobs = 500
	batchBytes = 6 << 20
)

// maxBinary is the number of READMEs of a repository that are read by REST.
const maxBinary = 3

// A reading is a file to read.
type reading struct {
	t    *target
	file registry.File
	link string // path of the symbolic link to the file, "" for none
}

// texts reads the files for detection, of several repositories per query. Errors end the visit.
func (v *visitor) texts(ctx context.Context, list []*target) error {
	var todo []reading
	for _, t := range list {
		if !t.listed {
			continue
		}
		t.snap.Texts = map[string]string{}
		licence := t.repo.License == "" || t.repo.License == "NOASSERTION"
		for _, f := range v.reuseTexts(ctx, t, crawler.SelectFiles(host, t.snap.Files, licence)) {
			todo = append(todo, reading{t: t, file: f})
		}
	}
	var later []reading
	if err := v.readAll(ctx, todo, &later); err != nil {
		return err
	}
	for range crawler.ImportRounds {
		for _, t := range list {
			if t.listed {
				files := crawler.SelectImports(t.snap.Files, t.snap.Texts, v.importer(ctx))
				for _, f := range v.reuseTexts(ctx, t, files) {
					later = append(later, reading{t: t, file: f})
				}
			}
		}
		if err := v.readAll(ctx, later, new([]reading)); err != nil {
			return err
		}
		later = nil
	}
	for _, t := range list {
		v.binaryReadmes(ctx, t)
	}
	return nil
}

// importer returns how imports are found. Files that cannot be read have none: detection then
// fails, too.
func (v *visitor) importer(ctx context.Context) crawler.Importer {
	if v.g.Imports == nil {
		return func(files map[string]string, paths []string) []string {
			return source.Imports(files, paths)
		}
	}
	return func(files map[string]string, paths []string) []string {
		found, err := v.g.Imports(ctx, files, paths)
		if err != nil {
			v.g.opt.Log.DebugContext(ctx, "imports not read", "err", err)
		}
		return found
	}
}

// binaryReadmes reads READMEs whose text GraphQL does not return because it considers them
// binary: they contain NUL bytes or are UTF-16.
func (v *visitor) binaryReadmes(ctx context.Context, t *target) {
	for _, f := range t.binary {
		raw, _, err := v.g.rest.Git.GetBlobRaw(ctx, t.repo.Owner, t.repo.Name, f.OID)
		if err != nil {
			t.failTexts("files could not be read: " + reasonOf(err))
			return
		}
		if text, ok := crawler.Prose(string(raw)); ok {
			t.snap.Texts[f.Path] = text
		}
	}
}

// reuseTexts copies the stored texts of unchanged files and returns the files that remain to be
// read.
func (v *visitor) reuseTexts(
	ctx context.Context, t *target, files []registry.File,
) []registry.File {
	s := t.work.Stored
	if v.g.Texts == nil || s == nil || t.work.Forced || t.work.ID == 0 ||
		len(s.Files) == 0 || s.Failures["texts"] != "" {
		return files
	}
	ids := make(map[string]string, len(s.Files))
	// The text stored for a link is the text of another file.
	isFile := func(f registry.File) bool { return f.OID != "" && f.Mode != crawler.ModeLink }
	for _, f := range s.Files {
		if isFile(f) {
			ids[f.Path] = f.OID
		}
	}
	same := func(f registry.File) bool { return isFile(f) && ids[f.Path] == f.OID }
	if !slices.ContainsFunc(files, same) {
		return files
	}
	if t.stored == nil {
		stored, err := v.g.Texts(ctx, t.work.ID)
		if err != nil {
			return files
		}
		t.stored = stored
	}
	var rest []registry.File
	for _, f := range files {
		if text, ok := t.stored[f.Path]; ok && same(f) {
			t.snap.Texts[f.Path] = text
		} else {
			rest = append(rest, f)
		}
	}
	return rest
}

// readAll reads files in queries of limited size. It adds the targets of symbolic links to
// linked.
func (v *visitor) readAll(ctx context.Context, todo []reading, linked *[]reading) error {
	for len(todo) > 0 {
		n, size := 0, int64(0)
		for n < len(todo) && (n == 0 || size+todo[n].file.Size <= batchBytes) {
			size += todo[n].file.Size
			n++
		}
		err := inBatches(ctx, v.g, v.g.blobs, todo[:n], func(batch []reading) ([]reading, error) {
			retry, err := v.readBatch(ctx, batch, linked)
			var refused *refusal
			if errors.As(err, &refused) && len(batch) > 1 { // one file may be the cause
				err = &overload{why: "the query was refused", cause: err}
			}
			return retry, err
		}, func(r reading, err error) { r.t.failTexts("files could not be read: " + reasonOf(err)) })
		if err != nil {
			return err
		}
		todo = todo[n:]
	}
	return nil
}

func (t *target) failTexts(reason string) {
	t.textsFailed = true
	t.fail("texts", reason)
}

// readBatch reads files by their object IDs, so that a concurrent push has no effect. It returns
// those without a reliable response.
func (v *visitor) readBatch(
	ctx context.Context, batch []reading, linked *[]reading,
) (retry []reading, err error) {
	q := newQuery("Blobs")
	repos := 0 // consecutive files of one repository are in one field
	isFirst := func(j int) bool { return j == 0 || batch[j].t != batch[j-1].t }
	for j, r := range batch {
		if isFirst(j) {
			q.param(fmt.Sprintf("i%d", repos), "ID!", r.t.repo.NodeID)
			q.field("  r%d: node(id: $i%d) { ... on Repository { id", repos, repos)
			repos++
		}
		q.field(" f%d: object(oid: %q) { ...B }", j, r.file.OID)
		if j == len(batch)-1 || isFirst(j+1) {
			q.field(" } }\n")
		}
	}
	resp, err := q.send(ctx, v.g,
		"fragment B on GitObject { ... on Blob { isBinary isTruncated text } }\n")
	if err != nil {
		return nil, err
	}
	items, err := resp.aliases(repos)
	if err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	i := -1
	for j, r := range batch {
		if isFirst(j) {
			i++
			fields = nil
			_ = json.Unmarshal(items[i].raw, &fields) // without fields, the repository is a different one
		}
		var id string
		switch _ = json.Unmarshal(fields["id"], &id); {
		case items[i].limited():
			retry = append(retry, r)
		case id != r.t.repo.NodeID:
			r.t.failTexts("the repository changed while it was read")
		default:
			if target, ok := r.store(fields[fmt.Sprintf("f%d", j)]); ok {
				*linked = append(*linked, target)
			}
		}
	}
	return retry, nil
}

// store stores the text of a response. It returns the target of a symbolic link, false for other
// files.
func (r reading) store(raw json.RawMessage) (target reading, isLink bool) {
	var b *blobNode
	if json.Unmarshal(raw, &b) != nil || b == nil {
		return target, false
	}
	f, texts := r.file, r.t.snap.Texts
	isReadme := crawler.IsReadme(f.Path)
	text, ok := b.text(isReadme)
	switch {
	case !ok && isReadme && f.Mode != crawler.ModeLink && r.link == "" && len(r.t.binary) < maxBinary:
		r.t.binary = append(r.t.binary, f)
	case !ok:
	case r.link != "":
		texts[r.link] = text
	case f.Mode != crawler.ModeLink:
		texts[f.Path] = text
	default:
		if to, ok := linkTarget(f.Path, text, r.t.snap.Files); ok {
			return reading{t: r.t, file: to, link: f.Path}, true
		}
		if strings.ContainsRune(text, '\n') { // some hosts return the target's text
			texts[f.Path] = text
		}
	}
	return target, false
}

// A blobNode is the content of a file.
type blobNode struct {
	IsBinary    *bool
	IsTruncated bool
	Text        *string
}

// text returns a blob's text. It reports false for binary files and, except for prose, truncated
// ones.
func (b *blobNode) text(prose bool) (string, bool) {
	if b.Text == nil || b.IsBinary != nil && *b.IsBinary {
		return "", false
	}
	if !prose && (b.IsTruncated || len(*b.Text) > crawler.MaxText) {
		return "", false
	}
	return crawler.Text(*b.Text)
}

// linkTarget returns the file that a symbolic link points to. It does not resolve links to links,
// to folders or out of the repository.
func linkTarget(from, text string, files []registry.File) (registry.File, bool) {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > 1024 || strings.HasPrefix(text, "/") ||
		strings.ContainsAny(text, "\n\x00") {
		return registry.File{}, false
	}
	p := path.Join(path.Dir(from), text)
	if p == ".." || strings.HasPrefix(p, "../") {
		return registry.File{}, false
	}
	for _, f := range files {
		plain := f.Mode != crawler.ModeLink && f.Mode != crawler.ModeSubmodule
		if f.Path == p && plain && f.OID != "" && f.Size <= crawler.MaxText {
			return f, true
		}
	}
	return registry.File{}, false
}
