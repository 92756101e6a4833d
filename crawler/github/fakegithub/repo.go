package fakegithub

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"mcpcensus/crawler/paths"
)

type repo struct {
	id          int64
	node        string
	owner, name string
	ownerType   string
	verified    bool // the domain of the owner
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
	commits   []commit // newest first
	built     bool     // git has the files and commits
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
	oid   string // once git has it
	at    time.Time
	login string // "dependabot[bot]" for a bot
	paths []string
}

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

// setLanguages sets the languages by the sizes of the files, unless the fixture names them.
func (r *repo) setLanguages() {
	sizes := map[string]int{}
	for p, text := range r.files {
		if l := paths.Language(p); l != "" {
			sizes[l] += len(text)
		}
	}
	if len(r.languages) == 0 {
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
