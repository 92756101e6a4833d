package crawler

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"mcpcensus/crawler/git"
	"mcpcensus/crawler/settings"
	"mcpcensus/crawler/source"
	"mcpcensus/internal/registry"
)

// Contents reads files and commits of public repositories of one code host with git. It is safe
// for concurrent use.
type Contents struct {
	Git *git.Client
	// Texts returns the stored texts of a repository by path, so that unchanged files are not
	// read again. It may be nil.
	Texts func(ctx context.Context, repoID int64) (map[string]string, error)
	// Imports returns the listed paths that files import, without reading them in this process.
	// If it is nil, they are read in this process. It is given the sources that were added
	// since the last call, and all other texts.
	Imports func(ctx context.Context, files map[string]string, paths []string) ([]string, error)
	// Guard calls f, which reads sources with Imports as a part of a reading, or returns why they
	// are not read. It is given the names of [Reading]. A nil Guard always calls f.
	Guard func(ctx context.Context, what, of string, f func() error) error
	Now   func() time.Time
}

const (
	// partTries is the number of consecutive tries, about three days of them, after which a
	// listing, or texts, that lack files of the stored ones are accepted.
	partTries = 10
	// maxSteps is the number of times that more files of a repository are selected and read.
	maxSteps = 12
	// fullAge is the maximum age of counts over the last year before all commits are read.
	fullAge = 30 * 24 * time.Hour
	// maxReading is how long the reading of one repository may take, so that a host that sends
	// slowly costs no more: some 40 requests at the lowest pace of git.
	maxReading = 15 * time.Minute
)

var errSlow = &git.Error{Kind: git.Unavailable,
	Reason: "the code host sent the repository too slowly"}

// cleanMetadata removes from the texts of a repository's metadata what is private.
func cleanMetadata(r *registry.Repository) {
	settings.Clean(&r.Description)
	settings.Clean(&r.Homepage)
	settings.Clean(&r.Topics)
	settings.Clean(&r.LatestReleases)
	settings.Clean(&r.LatestTag)
}

// Read adds to a snapshot what its repository contains: default branch, tags, listing, texts and
// commits. The metadata in snap.Repo must come from the host. Without the host's id they are only
// a name: if it redirects, the repository gets the name to which it leads. public is whether the
// metadata show that anyone may read the repository; only then a token is used. onListed is
// called once the files are listed. Parts that cannot be read stay unknown, with a reason in
// snap.Failures; an error means that nothing is known.
func (c *Contents) Read(
	ctx context.Context, w *registry.Work, snap *registry.Snapshot, public bool, onListed func(),
) error {
	ctx, cancel := context.WithTimeoutCause(ctx, maxReading, errSlow)
	defer cancel()
	r := &reading{Contents: c, work: w, snap: snap, repo: &snap.Repo, now: c.Now().UTC()}
	defer cleanMetadata(r.repo)
	if s := w.Stored; s != nil && s.Repo.Same(r.repo) {
		r.stored = s
	}
	if !r.repo.Empty {
		if err := r.open(ctx, public); err != nil {
			return err
		}
	}
	if r.repo.Empty {
		snap.Files, r.repo.Contributors = []registry.File{}, new(0)
		return nil
	}
	if err := r.list(ctx); err != nil {
		return err
	}
	onListed()
	if !snap.TextsStored {
		if err := r.readTexts(ctx); err != nil {
			return err
		}
	}
	return r.readCommits(ctx)
}

// A reading is a call of [Contents.Read].
type reading struct {
	*Contents
	work   *registry.Work
	stored *registry.Snapshot // of the same repository, or nil
	snap   *registry.Snapshot
	repo   *registry.Repository // of snap
	now    time.Time

	git  *git.Repository
	head git.Commit // zero if the stored listing is reused

	listing []registry.File // as snap.Files, but files that cannot be read have no ID
	index   map[string]int  // of paths in it
	texts   map[string]string
	tried   map[string]bool // by path
	old     map[string]string
}

// fail records why a part could not be read.
func (r *reading) fail(part, reason string) {
	if r.snap.Failures == nil {
		r.snap.Failures = map[string]string{}
	}
	r.snap.Failures[part] = reason
}

// open reads the refs.
func (r *reading) open(ctx context.Context, public bool) error {
	var err error
	if r.git, err = r.Git.Open(ctx, r.repo.Ref(), public); err != nil {
		return err
	}
	if r.git.Ref.Key() != r.repo.Ref().Key() {
		if r.repo.Identified() {
			return &git.Error{Kind: git.Unavailable, Reason: "it was renamed while it was read"}
		}
		r.repo.Owner, r.repo.Name = r.git.Ref.Owner, r.git.Ref.Name
	}
	if r.git.Head == "" && len(r.git.Tags) > 0 {
		return &git.Error{Kind: git.Unavailable, Reason: "its default branch is missing"}
	}
	if r.git.Branch != "" {
		r.repo.DefaultBranch = r.git.Branch
	}
	if r.repo.Commit != r.git.Head { // pushed since the metadata were read
		r.repo.CheckState, r.repo.CheckStateKnown = "", false
	}
	r.repo.Commit, r.repo.Empty = r.git.Head, r.git.Head == ""
	if r.git.Cut == "" {
		r.repo.Tags = new(len(r.git.Tags))
	}
	return nil
}

func listed(s *registry.Snapshot) bool { return s != nil && s.Files != nil }

// list sets the listing: the stored one if the files are unchanged.
func (r *reading) list(ctx context.Context) error {
	s, repo := r.stored, r.repo
	current := listed(s) && !r.work.Forced && s.Selection == Selection
	if current && s.Repo.Commit == repo.Commit && s.Repo.TreeID != "" {
		repo.TreeID, repo.CommittedAt = s.Repo.TreeID, s.Repo.CommittedAt
		r.reuseListing()
		return nil
	}
	tree, err := r.git.Tree(ctx, repo.Commit)
	if err != nil {
		return err
	}
	r.head = tree.Commit
	repo.TreeID, repo.CommittedAt = tree.Commit.Tree, timeOf(tree.Commit.Committer.At)
	if current && s.Repo.TreeID == repo.TreeID {
		r.reuseListing()
		return nil
	}
	if tree.Cut != "" && listed(s) && !s.FilesTruncated && r.work.Attempt < partTries {
		return &git.Error{Kind: git.Unavailable, Reason: "files are missing: " + tree.Cut}
	}
	r.snap.Files, r.snap.FilesTruncated = tree.Files, tree.Cut != ""
	r.knownSizes()
	return nil
}

func (r *reading) reuseListing() {
	r.snap.Files, r.snap.FilesTruncated = r.stored.Files, r.stored.FilesTruncated
	r.snap.TextsStored = true
}

// emptyFile is the ID of a file without content.
const emptyFile = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"

// knownSizes sets the sizes of files that are unchanged or empty.
func (r *reading) knownSizes() {
	sizes := map[string]int64{emptyFile: 0}
	if r.stored != nil {
		for _, f := range r.stored.Files {
			if f.OID != "" && f.Size >= 0 {
				sizes[f.OID] = f.Size
			}
		}
	}
	for i, f := range r.snap.Files {
		if size, ok := sizes[f.OID]; ok {
			r.snap.Files[i].Size = size
		}
	}
}

// readTexts reads the files for detection. Sizes are known only after reading, so the selection
// is repeated until all selected files have been read; then the imports of the sources.
func (r *reading) readTexts(ctx context.Context) error {
	r.listing = slices.Clone(r.snap.Files)
	r.index = map[string]int{}
	for i, f := range r.listing {
		r.index[f.Path] = i
	}
	r.texts, r.tried = map[string]string{}, map[string]bool{}
	r.oldTexts(ctx)
	chosen := map[string]string{}
	licence := r.repo.License == "" || r.repo.License == "NOASSERTION"
	host := registry.HostOf(r.repo.Host)
	steps := maxSteps
	for read := -1; read != 0; steps-- {
		selected := SelectFiles(host, r.listing, licence)
		var err error
		if read, err = r.readFiles(ctx, selected, steps); err != nil {
			return err
		}
		if read == 0 {
			r.choose(chosen, selected)
		}
	}
	r.snap.Texts = chosen
	if r.Guard == nil || !hasSource(chosen) {
		return r.readImports(ctx, chosen, steps)
	}
	what, of := Reading(r.repo)
	return r.Guard(ctx, what, of, func() error { return r.readImports(ctx, chosen, steps) })
}

// Reading returns the name of a repository for strikes, and that of its commit and the rules by
// which it is read.
func Reading(r *registry.Repository) (what, of string) {
	what = fmt.Sprintf("repository %s %d", r.Host, r.ID)
	if r.ID == 0 {
		what = "repository " + r.Ref().Key()
	}
	return what, fmt.Sprintf("%s %d", r.Commit, Selection)
}

func hasSource(texts map[string]string) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(texts)), source.IsSource)
}

// readImports adds the files to texts that the sources in it import.
func (r *reading) readImports(ctx context.Context, chosen map[string]string, steps int) error {
	for fresh := chosen; ; steps-- {
		var failed error
		selected := SelectImports(r.listing, fresh, r.importer(ctx, &failed))
		if failed != nil {
			return failed
		}
		if steps <= 0 && len(selected) > 0 {
			r.fail(FilesPart, "its source files import others in too many steps")
		}
		if _, err := r.readFiles(ctx, selected, steps); err != nil {
			return err
		}
		if fresh = r.choose(chosen, selected); len(fresh) == 0 {
			return nil
		}
		for p, text := range chosen { // the names of modules
			if !source.IsSource(p) {
				fresh[p] = text
			}
		}
	}
}

// importer returns how imports are found. It sets failed if the files cannot be read.
func (r *reading) importer(ctx context.Context, failed *error) Importer {
	return func(files map[string]string, paths []string) []string {
		if r.Imports == nil {
			return source.Imports(files, paths)
		}
		found, err := r.Imports(ctx, files, paths)
		*failed = err
		return found
	}
}

// choose adds the texts of selected files, within the limit of source files, and returns them.
func (r *reading) choose(
	chosen map[string]string, selected []registry.File,
) (added map[string]string) {
	left := int(maxSourceBytes)
	for p, text := range chosen {
		if source.IsSource(p) {
			left -= len(text)
		}
	}
	added = map[string]string{}
	for _, f := range selected {
		text, read := r.texts[f.Path]
		if _, ok := chosen[f.Path]; !read || ok {
			continue
		}
		if source.IsSource(f.Path) {
			if len(text) > min(left, maxSourceText) {
				if len(text) <= maxSourceText {
					r.fail("sources", fmt.Sprintf("its source files have more than %d MB", maxSourceBytes>>20))
				}
				continue
			}
			left -= len(text)
		}
		chosen[f.Path], added[f.Path] = text, text
	}
	return added
}

// oldTexts loads the stored texts of the repository, if they may be used.
func (r *reading) oldTexts(ctx context.Context) {
	s := r.stored
	if r.Texts == nil || r.work.Forced || r.work.ID == 0 || !listed(s) || len(s.Files) == 0 {
		return
	}
	old, err := r.Texts(ctx, r.work.ID)
	if err != nil {
		return // they are read again
	}
	r.old = map[string]string{}
	for _, f := range s.Files {
		text, ok := old[f.Path]
		i, exists := r.index[f.Path]
		// The text stored for a link is the text of another file.
		if ok && exists && f.OID != "" && f.Mode != ModeLink && r.listing[i].OID == f.OID &&
			r.listing[i].Mode != ModeLink && f.Size >= 0 {
			r.old[f.Path] = text
		}
	}
}

// readFiles reads those of the files that have not been read, and returns their number. It reads
// none if no steps are left.
func (r *reading) readFiles(
	ctx context.Context, files []registry.File, steps int,
) (read int, err error) {
	var wanted []registry.File
	for _, f := range files {
		if r.tried[f.Path] || steps <= 0 {
			continue
		}
		r.tried[f.Path] = true
		read++
		if text, ok := r.old[f.Path]; ok {
			r.texts[f.Path] = text
		} else {
			wanted = append(wanted, f)
		}
	}
	contents, err := r.blobs(ctx, wanted)
	if err != nil {
		return read, err
	}
	var targets []registry.File
	links := map[string]string{} // from the target's path
	for _, f := range wanted {
		content, ok := contents[f.OID]
		if f.Mode == ModeLink && ok {
			if to, ok := linkTarget(f.Path, content, r.listing); ok {
				targets = append(targets, to)
				links[f.Path] = to.Path
			}
			continue
		}
		r.take(f.Path, f.Path, content, ok)
	}
	if len(targets) == 0 {
		return read, nil
	}
	if contents, err = r.blobs(ctx, targets); err != nil {
		return read, err
	}
	for link, to := range links {
		content, ok := contents[r.listing[r.index[to]].OID]
		r.take(link, to, content, ok && len(content) <= MaxText)
	}
	return read, nil
}

// FilesPart is the name in [registry.Snapshot.Failures] of files that were not fetched because of a
// limit.
const FilesPart = "files"

// blobs returns the contents of files by ID.
func (r *reading) blobs(ctx context.Context, files []registry.File) (map[string]string, error) {
	ids := make([]string, len(files))
	for i, f := range files {
		ids[i] = f.OID
	}
	contents := map[string]string{}
	if len(ids) == 0 {
		return contents, nil
	}
	found, err := r.git.Blobs(ctx, ids)
	if found.Cut != "" {
		if s := r.stored; err == nil && listed(s) && s.Failures[FilesPart] == "" &&
			r.work.Attempt < partTries {
			err = &git.Error{Kind: git.Unavailable, Reason: "files are missing: " + found.Cut}
		}
		r.fail(FilesPart, found.Cut)
	}
	for id, content := range found.Content {
		contents[id] = string(content)
	}
	return contents, err
}

// take stores the text and the size of a file, at the path of the file itself or of a link to it.
// Files without text are not selected again.
func (r *reading) take(at, p, content string, ok bool) {
	if at == p && ok {
		i := r.index[p]
		r.listing[i].Size, r.snap.Files[i].Size = int64(len(content)), int64(len(content))
	}
	text, isText := "", false
	if ok {
		text, isText = Text(content)
		if IsReadme(p) && (!isText || len(text) > MaxText) {
			text, isText = Prose(content)
		}
	}
	if isText {
		r.texts[at] = text
	} else {
		r.listing[r.index[at]].OID = ""
	}
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
	i, found := slices.BinarySearchFunc(files, p, func(f registry.File, p string) int {
		return strings.Compare(f.Path, p)
	})
	if !found {
		return registry.File{}, false
	}
	f := files[i]
	plain := f.Mode != ModeLink && f.Mode != ModeSubmodule
	return f, plain && f.OID != "" && f.Size <= MaxText
}

// timeOf returns a time, nil if it is zero.
func timeOf(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
