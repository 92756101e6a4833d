package github

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"mcpcensus/crawler"
	"mcpcensus/internal/registry"
)

// One query asks for at most this many files and bytes, whatever the number of
// repositories.
const (
	batchBlobs = 500
	batchBytes = 6 << 20
)

// maxBinary is how many READMEs of a repository are read by REST.
const maxBinary = 3

// A reading is files of one repository that one query is to read. A repository
// with many files has several.
type reading struct {
	t     *target
	files []registry.File
	// linkOf is the path of the symbolic link that leads to each of the files,
	// by their path; nil if the files are not the targets of links.
	linkOf map[string]string
}

// texts reads the files that detection looks at, ten repositories at a time.
// It fails only with an error that ends the visit.
func (v *visitor) texts(ctx context.Context, list []*target) error {
	var todo []reading
	for _, t := range list {
		if !t.listed {
			continue
		}
		t.snap.Texts = map[string]string{}
		licence := t.repo.License == "" || t.repo.License == "NOASSERTION"
		files := v.reuseTexts(ctx, t, crawler.SelectFiles(host, t.snap.Files, licence))
		todo = append(todo, split(reading{t: t, files: files})...)
	}
	var later []reading
	if err := v.readAll(ctx, todo, &later); err != nil {
		return err
	}
	for range crawler.ImportRounds {
		for _, t := range list {
			if t.listed {
				files := v.reuseTexts(ctx, t, crawler.SelectImports(t.snap.Files, t.snap.Texts))
				later = append(later, split(reading{t: t, files: files})...)
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

// binaryReadmes reads the READMEs whose text GraphQL does not return because
// they have bytes of binary files: a NUL, or UTF-16.
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

// reuseTexts takes the stored texts of files that have the object ID that they
// had in the stored snapshot, and returns the files that remain to be read.
func (v *visitor) reuseTexts(
	ctx context.Context, t *target, files []registry.File,
) []registry.File {
	s := t.work.Stored
	if v.g.Texts == nil || s == nil || t.work.Forced || t.work.ID == 0 ||
		len(s.Files) == 0 || s.Failures["texts"] != "" {
		return files
	}
	ids := make(map[string]string, len(s.Files))
	// The text stored for a link is that of another file.
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

// readAll reads files in queries of limited size. It adds the files that
// symbolic links lead to, to linked.
func (v *visitor) readAll(ctx context.Context, todo []reading, linked *[]reading) error {
	for len(todo) > 0 {
		n := fitting(todo, v.g.blobs.top)
		err := inBatches(ctx, v.g, v.g.blobs, todo[:n], func(batch []reading) ([]reading, error) {
			return v.readBatch(ctx, batch, linked)
		}, func(r reading, err error) {
			if len(r.files) == 1 {
				r.t.failTexts("files could not be read: " + reasonOf(err))
				return
			}
			for _, half := range halves(r) { // one file may be the cause
				v.readHalf(ctx, half, linked)
			}
		})
		if err != nil {
			return err
		}
		todo = todo[n:]
	}
	return nil
}

// fitting returns how many of the first readings fit into one query, at least
// one and at most the given number.
func fitting(todo []reading, most int) int {
	n, blobs, size := 0, 0, int64(0)
	for n < len(todo) && n < most {
		blobs += len(todo[n].files)
		for _, f := range todo[n].files {
			size += f.Size
		}
		if n > 0 && (blobs > batchBlobs || size > batchBytes) {
			break
		}
		n++
	}
	return n
}

func (t *target) failTexts(reason string) {
	t.broke = true
	t.fail("texts", reason)
}

// readHalf reads part of one repository's files, and skips those that fail.
func (v *visitor) readHalf(ctx context.Context, r reading, linked *[]reading) {
	left, err := v.readBatch(ctx, []reading{r}, linked)
	if err == nil && len(left) == 0 {
		return
	}
	if ctx.Err() != nil || stops(err) || len(r.files) < 4 {
		r.t.failTexts("some files could not be read: " + reasonOf(err))
		return
	}
	for _, half := range halves(r) {
		v.readHalf(ctx, half, linked)
	}
}

func halves(r reading) []reading {
	a, b := r, r
	n := len(r.files) / 2
	a.files, b.files = r.files[:n:n], r.files[n:]
	return []reading{a, b}
}

// split cuts a reading into ones that fit into a query.
func split(r reading) []reading {
	var out []reading
	for len(r.files) > 0 {
		n, size := 0, int64(0)
		for n < len(r.files) && n < batchBlobs && (n == 0 || size+r.files[n].Size <= batchBytes) {
			size += r.files[n].Size
			n++
		}
		part := r
		part.files = r.files[:n:n]
		out, r.files = append(out, part), r.files[n:]
	}
	return out
}

// readBatch reads the files of up to ten repositories by their object IDs, so
// that a push in the meantime changes nothing. It returns the readings without a
// reliable answer.
func (v *visitor) readBatch(
	ctx context.Context, batch []reading, linked *[]reading,
) (retry []reading, err error) {
	q := newQuery("Blobs")
	for i, r := range batch {
		q.param(fmt.Sprintf("i%d", i), "ID!", r.t.repo.NodeID)
		q.field("  r%d: node(id: $i%d) { ... on Repository { id", i, i)
		for j, f := range r.files {
			q.field(" f%d: object(oid: %q) { ...B }", j, f.OID)
		}
		q.field(" } }\n")
	}
	answer, err := q.send(ctx, v.g,
		"fragment B on GitObject { ... on Blob { isBinary isTruncated text } }\n")
	if err != nil {
		return nil, err
	}
	items, err := answer.aliases(len(batch))
	if err != nil {
		return nil, err
	}
	for i, r := range batch {
		if items[i].limited() {
			retry = append(retry, r)
			continue
		}
		var fields map[string]json.RawMessage
		var id string
		if json.Unmarshal(items[i].raw, &fields) != nil || json.Unmarshal(fields["id"], &id) != nil ||
			id != r.t.repo.NodeID {
			r.t.failTexts("the repository changed while it was read")
			continue
		}
		if targets := r.take(fields); targets != nil {
			*linked = append(*linked, *targets)
		}
	}
	return retry, nil
}

// take stores the texts of a response, by alias. It returns the files that
// symbolic links lead to, nil without links.
func (r reading) take(fields map[string]json.RawMessage) *reading {
	targets := reading{t: r.t, linkOf: map[string]string{}}
	for j, f := range r.files {
		var b *blobNode
		if json.Unmarshal(fields[fmt.Sprintf("f%d", j)], &b) != nil || b == nil {
			continue
		}
		isReadme := crawler.IsReadme(f.Path)
		text, ok := b.text(isReadme)
		switch {
		case !ok && isReadme && f.Mode != crawler.ModeLink && r.linkOf == nil && len(r.t.binary) < maxBinary:
			r.t.binary = append(r.t.binary, f)
		case !ok:
		case r.linkOf != nil:
			r.t.snap.Texts[r.linkOf[f.Path]] = text
		case f.Mode != crawler.ModeLink:
			r.t.snap.Texts[f.Path] = text
		default:
			if target, ok := linkTarget(f.Path, text, r.t.snap.Files); ok {
				targets.files = append(targets.files, target)
				targets.linkOf[target.Path] = f.Path
			} else if strings.ContainsRune(text, '\n') { // some hosts answer with the target's text
				r.t.snap.Texts[f.Path] = text
			}
		}
	}
	if len(targets.files) == 0 {
		return nil
	}
	return &targets
}

// A blobNode is the content of a file.
type blobNode struct {
	IsBinary    *bool
	IsTruncated bool
	Text        *string
}

// text returns a blob's text if it is text and complete. Prose may be cut.
func (b *blobNode) text(prose bool) (string, bool) {
	if b.Text == nil || b.IsBinary != nil && *b.IsBinary {
		return "", false
	}
	if !prose && (b.IsTruncated || len(*b.Text) > crawler.MaxText) {
		return "", false
	}
	return crawler.Text(*b.Text)
}

// linkTarget finds the file of the listing that a symbolic link leads to. Links
// to links, out of the repository, or to folders lead nowhere.
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
