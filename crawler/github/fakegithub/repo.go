package fakegithub

import (
	"bytes"
	"cmp"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
)

type repo struct {
	id          int64
	node        string
	owner, name string
	ownerType   string
	description string
	homepage    string
	topics      []string
	license     string // SPDX, "" for none
	branch      string
	createdAt   time.Time
	pushedAt    time.Time
	updatedAt   time.Time
	archivedAt  time.Time
	gone        bool
	blocked     string
	isTemplate  bool
	parent      string

	stars, forks, watchers int
	checks                 string // state of the head's checks, "" for none
	servers                int
	unnamed                bool // missing from searches and lists

	files     map[string]string
	languages []language
	root      *tree
	blobs     map[string]string // text by object id
	commits   []commit          // newest first
	releases  []release
	tags      []release
	issues    []issue // newest first, pull requests too
	scorecard float64
}

func (r *repo) fullName() string { return r.owner + "/" + r.name }
func (r *repo) url() string      { return "https://github.com/" + r.fullName() }
func (r *repo) empty() bool      { return len(r.commits) == 0 }

// head returns the newest commit. The repository must not be empty.
func (r *repo) head() commit { return r.commits[0] }

type language struct {
	name string
	size int
}

type commit struct {
	oid   string
	at    time.Time
	login string // "dependabot[bot]" for a bot
	paths []string
}

func (c commit) bot() bool { return strings.HasSuffix(c.login, "[bot]") }

type release struct {
	tag        string
	at         time.Time
	prerelease bool
	notes      string
}

type issue struct {
	number      int
	pull        bool
	login       string
	member      bool // by a member of the project
	createdAt   time.Time
	closedAt    time.Time // zero while open
	merged      bool
	respondedAt time.Time // first response of a member, zero if none
}

func (i issue) state() string {
	switch {
	case i.merged:
		return "MERGED"
	case i.closedAt.IsZero():
		return "OPEN"
	}
	return "CLOSED"
}

type account struct {
	id        int64
	login     string
	kind      string // "User" or "Organization"
	createdAt time.Time
}

// account returns the account with a login, and creates it if necessary.
func (w *Server) account(login, kind string) *account {
	key := strings.ToLower(login)
	if a := w.owners[key]; a != nil {
		return a
	}
	id := int64(number("account", key)%90_000_000) + 10_000_000
	a := &account{id: id, login: login, kind: kind, createdAt: w.now.AddDate(-3, 0, -int(id%700))}
	w.owners[key] = a
	return a
}

func (a *account) avatar() string {
	return fmt.Sprintf("https://avatars.githubusercontent.com/u/%d?v=4", a.id)
}

// A tree is a git tree.
type tree struct {
	oid     string
	entries []entry
}

type entry struct {
	name, mode, kind, oid string // kind is "blob" or "tree"
	size                  int
	tree                  *tree // of a folder
}

// build computes the git objects of the files, with real ids.
func (r *repo) build() {
	r.blobs = map[string]string{}
	r.root = r.folder("")
	sizes := map[string]int{}
	for p, text := range r.files {
		if l := languageOf[path.Ext(p)]; l != "" {
			sizes[l] += len(text)
		}
	}
	if len(r.languages) == 0 { // otherwise the fixture names them
		r.languages = languagesBySize(sizes)
	}
}

// languagesBySize returns languages, the largest first.
func languagesBySize(sizes map[string]int) (all []language) {
	for name, size := range sizes {
		all = append(all, language{name, size})
	}
	slices.SortFunc(all, func(a, b language) int {
		return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.name, b.name))
	})
	return all
}

func (r *repo) folder(dir string) *tree {
	t := &tree{}
	seen := map[string]bool{}
	for _, p := range slices.Sorted(maps.Keys(r.files)) {
		if dir != "" && !strings.HasPrefix(p, dir+"/") {
			continue
		}
		rest := strings.TrimPrefix(strings.TrimPrefix(p, dir), "/")
		name, below, isDir := strings.Cut(rest, "/")
		if name == "" || seen[name] {
			continue
		}
		seen[name] = true
		if isDir && below != "" {
			sub := r.folder(path.Join(dir, name))
			t.entries = append(t.entries, entry{name: name, mode: "040000", kind: "tree", oid: sub.oid, tree: sub})
			continue
		}
		text := r.files[p]
		id := oid("blob", text)
		r.blobs[id] = text
		t.entries = append(t.entries, entry{name: name, mode: "100644", kind: "blob", oid: id, size: len(text)})
	}
	// git sorts a folder as if its name ended in a slash
	key := func(e entry) string {
		if e.kind == "tree" {
			return e.name + "/"
		}
		return e.name
	}
	slices.SortFunc(t.entries, func(a, b entry) int { return strings.Compare(key(a), key(b)) })
	var raw bytes.Buffer
	for _, e := range t.entries {
		id, _ := hex.DecodeString(e.oid)
		fmt.Fprintf(&raw, "%s %s\x00%s", strings.TrimPrefix(e.mode, "0"), e.name, id)
	}
	t.oid = oid("tree", raw.String())
	return t
}

// isHead reports whether a revision is the head of the default branch.
func (r *repo) isHead(rev string) bool {
	if r.empty() {
		return false
	}
	return rev == "HEAD" || rev == r.branch || rev == "refs/heads/"+r.branch || rev == r.head().oid
}

// history returns the commits within a period and below a path, newest first. A zero time
// means no limit.
func (r *repo) history(since, until time.Time, p string) []commit {
	p = strings.Trim(p, "/")
	var found []commit
	for _, c := range r.commits {
		if !since.IsZero() && c.at.Before(since) || !until.IsZero() && c.at.After(until) {
			continue
		}
		if p != "" && !slices.ContainsFunc(c.paths, func(have string) bool {
			return have == p || strings.HasPrefix(have, p+"/")
		}) {
			continue
		}
		found = append(found, c)
	}
	return found
}

// readme returns the path of the README that GitHub shows, or "".
func (r *repo) readme() string { return r.has("README.md", "readme.md", "README.rst", "README") }

// has returns the path of the first of the named files in the folders where GitHub looks
// for them, or "".
func (r *repo) has(names ...string) string {
	for _, dir := range []string{"", ".github/", "docs/"} {
		for _, name := range names {
			if _, ok := r.files[dir+name]; ok {
				return dir + name
			}
		}
	}
	return ""
}

var languageOf = map[string]string{
	".ts": "TypeScript", ".js": "JavaScript", ".mjs": "JavaScript", ".py": "Python", ".go": "Go", ".rs": "Rust",
	".java": "Java", ".kt": "Kotlin", ".cs": "C#", ".swift": "Swift", ".rb": "Ruby", ".php": "PHP", ".sh": "Shell",
}

// oid returns git's ID of an object.
func oid(kind, content string) string {
	h := sha1.New()
	fmt.Fprintf(h, "%s %d\x00%s", kind, len(content), content)
	return hex.EncodeToString(h.Sum(nil))
}

// number returns a hash of words.
func number(words ...string) uint64 {
	h := fnv.New64a()
	for _, s := range words {
		h.Write([]byte(s))
		h.Write([]byte{0})
	}
	x := h.Sum64() // FNV's low bits are poor on short words
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	return x ^ x>>33
}

// nodeID is a node id in GitHub's newer form: a prefix and MessagePack of
// [0, id].
func nodeID(prefix string, id int64) string {
	raw := binary.BigEndian.AppendUint32([]byte{0x92, 0x00, 0xce}, uint32(id))
	return prefix + "_" + base64.RawURLEncoding.EncodeToString(raw)
}
