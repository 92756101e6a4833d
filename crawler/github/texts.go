package github

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"mcpcensus/crawler"
	"mcpcensus/internal/registry"
)

const (
	// batchBlobs and batchBytes bound what one query asks for, whatever the
	// number of repositories.
	batchBlobs = 500
	batchBytes = 6 << 20
)

// A reading is the files of one repository that one query is to read. A
// repository with many files has several.
type reading struct {
	t     *target
	files []registry.File
	links bool // the files are the targets of symbolic links: at names what they stand for
	at    map[string]string
}

// texts reads the files that detection looks at, ten repositories at a time.
// It fails only with an error that ends the visit.
func (v *visiting) texts(ctx context.Context, list []*target) error {
	var todo []reading
	for _, t := range list {
		if !t.listed {
			continue
		}
		t.snap.Texts = map[string]string{}
		unknown := t.repo.License == "" || t.repo.License == "NOASSERTION"
		files := v.keptTexts(ctx, t, crawler.SelectFiles(t.snap.Files, unknown))
		todo = append(todo, split(reading{t: t, files: files})...)
	}
	var linked []reading
	if err := v.readAll(ctx, todo, &linked); err != nil {
		return err
	}
	var none []reading
	return v.readAll(ctx, linked, &none)
}

// keptTexts takes the stored texts of files that have the object id that they
// had in the stored snapshot, and returns the files that are to be read. What
// cannot be had from the store is read.
func (v *visiting) keptTexts(ctx context.Context, t *target, files []registry.File) []registry.File {
	s := t.work.Stored
	if v.g.Texts == nil || s == nil || t.work.Forced || t.work.ID == 0 || len(s.Files) == 0 || s.Failures["texts"] != "" {
		return files
	}
	ids := make(map[string]string, len(s.Files))
	for _, f := range s.Files {
		if f.Mode != crawler.ModeLink { // the text stored for a link is that of another file
			ids[f.Path] = f.OID
		}
	}
	same := func(f registry.File) bool { return f.OID != "" && f.Mode != crawler.ModeLink && ids[f.Path] == f.OID }
	if !slices.ContainsFunc(files, same) {
		return files
	}
	stored, err := v.g.Texts(ctx, t.work.ID)
	if err != nil {
		return files
	}
	var rest []registry.File
	for _, f := range files {
		if text, ok := stored[f.Path]; ok && same(f) {
			t.snap.Texts[f.Path] = text
		} else {
			rest = append(rest, f)
		}
	}
	return rest
}

func (v *visiting) readAll(ctx context.Context, todo []reading, linked *[]reading) error {
	for len(todo) > 0 {
		n, blobs, size := 0, 0, int64(0)
		for n < len(todo) && n < v.g.blobs.top {
			b, s := len(todo[n].files), int64(0)
			for _, f := range todo[n].files {
				s += f.Size
			}
			if n > 0 && (blobs+b > batchBlobs || size+s > batchBytes) {
				break
			}
			n, blobs, size = n+1, blobs+b, size+s
		}
		err := inBatches(ctx, v.g, v.g.blobs, todo[:n], func(batch []reading) ([]reading, error) {
			return v.readBatch(ctx, batch, linked)
		}, func(r reading, err error) {
			if len(r.files) > 1 {
				// One of them may be to blame: half of them at a time.
				for _, half := range halves(r) {
					if e := v.readHalf(ctx, half, linked); e != nil {
						err = e
					}
				}
				return
			}
			r.t.failTexts("files could not be read: " + reasonOf(err))
		})
		if err != nil {
			return err
		}
		todo = todo[n:]
	}
	return nil
}

func (t *target) failTexts(reason string) {
	t.broke = true
	t.fail("texts", reason)
}

// readHalf asks for part of one repository's files, and gives up on what does
// not come.
func (v *visiting) readHalf(ctx context.Context, r reading, linked *[]reading) error {
	left, err := v.readBatch(ctx, []reading{r}, linked)
	if err == nil && len(left) == 0 {
		return nil
	}
	if ctx.Err() != nil || stops(err) || len(r.files) < 4 {
		r.t.failTexts("some files could not be read: " + reasonOf(err))
		return err
	}
	for _, half := range halves(r) {
		if e := v.readHalf(ctx, half, linked); e != nil {
			err = e
		}
	}
	return err
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

type blobNode struct {
	ByteSize    int64
	IsBinary    *bool
	IsTruncated bool
	Text        *string
}

// readBatch reads the files of up to ten repositories by their object ids, so
// that a push in the meantime changes nothing.
func (v *visiting) readBatch(ctx context.Context, batch []reading, linked *[]reading) ([]reading, error) {
	var head, body strings.Builder
	head.WriteString("query Blobs(")
	vars := map[string]any{}
	for i, r := range batch {
		if i > 0 {
			head.WriteString(", ")
		}
		fmt.Fprintf(&head, "$i%d: ID!", i)
		fmt.Fprintf(&body, "  r%d: node(id: $i%d) { ... on Repository { id", i, i)
		for j, f := range r.files {
			fmt.Fprintf(&body, " f%d: object(oid: \"%s\") { ...B }", j, f.OID)
		}
		body.WriteString(" } }\n")
		vars[fmt.Sprintf("i%d", i)] = r.t.repo.NodeID
	}
	query := head.String() + ") {\n  rateLimit { cost remaining resetAt }\n" + body.String() +
		"}\nfragment B on GitObject { ... on Blob { byteSize isBinary isTruncated text } }\n"
	answer, err := v.g.ask(ctx, query, vars)
	if err != nil {
		return nil, err
	}
	var data map[string]json.RawMessage
	if err := decodeData(answer, &data); err != nil {
		return nil, err
	}
	errs := errorsByNode(answer.Errors, aliasIndex("r", len(batch)))
	var again []reading
	for i, r := range batch {
		if errs[i].limited() {
			again = append(again, r)
			continue
		}
		var fields map[string]json.RawMessage
		var id string
		raw := data[fmt.Sprintf("r%d", i)]
		if json.Unmarshal(raw, &fields) != nil || json.Unmarshal(fields["id"], &id) != nil || id != r.t.repo.NodeID {
			r.t.failTexts("the repository changed while it was read")
			continue
		}
		var targets []registry.File
		at := map[string]string{}
		for j, f := range r.files {
			var b *blobNode
			name := fmt.Sprintf("f%d", j)
			if json.Unmarshal(fields[name], &b) != nil || b == nil {
				continue
			}
			text, ok := b.text(crawler.IsReadme(f.Path))
			if !ok {
				continue
			}
			if f.Mode == crawler.ModeLink && !r.links {
				if target, ok := linkTarget(f.Path, text, r.t.snap.Files); ok {
					targets = append(targets, target)
					at[target.Path] = f.Path
					continue
				}
				if strings.ContainsRune(text, '\n') { // some hosts answer with the target's text
					r.t.snap.Texts[f.Path] = text
				}
				continue
			}
			p := f.Path
			if r.links {
				p = r.at[f.Path]
			}
			r.t.snap.Texts[p] = text
		}
		if len(targets) > 0 {
			*linked = append(*linked, reading{t: r.t, files: targets, links: true, at: at})
		}
	}
	return again, nil
}

// text returns a blob's text if it is text and all there. Prose may be cut.
func (b *blobNode) text(prose bool) (string, bool) {
	if b.Text == nil || b.IsBinary != nil && *b.IsBinary || !prose && (b.IsTruncated || len(*b.Text) > crawler.MaxText) {
		return "", false
	}
	return crawler.Text(*b.Text)
}

// linkTarget finds the file of the listing that a symbolic link leads to. A
// link to a link, out of the repository or to a folder leads nowhere.
func linkTarget(from, text string, files []registry.File) (registry.File, bool) {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > 1024 || strings.HasPrefix(text, "/") || strings.ContainsAny(text, "\n\x00") {
		return registry.File{}, false
	}
	p := path.Join(path.Dir(from), text)
	if p == ".." || strings.HasPrefix(p, "../") {
		return registry.File{}, false
	}
	for _, f := range files {
		if f.Path == p && f.Mode != crawler.ModeLink && f.Mode != crawler.ModeSubmodule && f.OID != "" && f.Size <= crawler.MaxText {
			return f, true
		}
	}
	return registry.File{}, false
}

// history reads older commits of those with more than 100 in the window.
func (v *visiting) history(ctx context.Context, list []*target) error {
	for range maxHistoryPages {
		var wanted []*target
		for _, t := range list {
			if t.activity == nil {
				continue
			}
			if t.activity.wantsMore(t.storedActivity()) {
				wanted = append(wanted, t)
			}
		}
		if len(wanted) == 0 {
			return nil
		}
		err := inBatches(ctx, v.g, v.g.others, wanted, func(batch []*target) ([]*target, error) {
			return v.historyPage(ctx, batch)
		}, func(t *target, err error) {
			t.noOlderCommits(reasonOf(err))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// noOlderCommits ends the reading of a history before its end.
func (t *target) noOlderCommits(why string) {
	t.activity.pages, t.activity.broke = maxHistoryPages, true
	t.fail("activity", "older commits could not be read: "+why)
}

func (v *visiting) historyPage(ctx context.Context, batch []*target) ([]*target, error) {
	since := v.g.opt.Now().UTC().Add(-humanWindow).Truncate(time.Second).Format(time.RFC3339)
	var head, body strings.Builder
	head.WriteString("query History($since: GitTimestamp!")
	vars := map[string]any{"since": since}
	for i, t := range batch {
		fmt.Fprintf(&head, ", $i%d: ID!, $c%d: String!", i, i)
		fmt.Fprintf(&body, "  r%d: node(id: $i%d) { ... on Repository { id object(oid: \"%s\") { ... on Commit { history(first: 100, since: $since, after: $c%d) { ...History } } } } }\n", i, i, t.repo.Commit, i)
		vars[fmt.Sprintf("i%d", i)], vars[fmt.Sprintf("c%d", i)] = t.repo.NodeID, t.activity.cursor
	}
	r, err := v.g.ask(ctx, head.String()+") {\n  rateLimit { cost remaining resetAt }\n"+body.String()+"}\n"+historyFields, vars)
	if err != nil {
		return nil, err
	}
	var data map[string]*struct {
		Object *struct{ History *historyPage }
	}
	if err := decodeData(r, &data); err != nil {
		return nil, err
	}
	errs := errorsByNode(r.Errors, aliasIndex("r", len(batch)))
	var again []*target
	for i, t := range batch {
		if errs[i].limited() {
			again = append(again, t)
			continue
		}
		n := data[fmt.Sprintf("r%d", i)]
		if n == nil || n.Object == nil || n.Object.History == nil {
			t.noOlderCommits("no answer")
			continue
		}
		t.activity.add(n.Object.History)
	}
	return again, nil
}
