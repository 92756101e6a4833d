// Package fakegithub serves fakes of GitHub's REST and GraphQL APIs, its git, the official MCP
// registry, deps.dev, OSV, package and image registries and download counts, for about
// forty fictional repositories. "make demo" and tests crawl it.
//
// Every date of a fixture is an age relative to the time passed to New, so that fixtures
// do not grow old. Responses are deterministic. Unsupported requests fail with a message
// that begins with "fakegithub:".
package fakegithub

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"mcpcensus/crawler/git/gittest"
)

// A Server is the state of the fake services. It is an http.Handler with a
// path for each service:
//
//	/github/            GitHub's REST API; GraphQL at /github/graphql
//	/git/               git repositories
//	/mcp-registry/      the official MCP registry (v0.1)
//	/deps-dev/          deps.dev (v3)
//	/npm-downloads/     npm's download counts
//	/pypistats/         PyPI's download counts
//	/npm/, /pypi/       archives of packages
//	/osv/               OSV (v1)
//	/images/HOST/       a registry of container images (v2)
//	/lists/NAME.md      a list of links to all repositories, in Markdown
//
// It is safe for concurrent use.
type Server struct {
	now time.Time

	mu       sync.Mutex
	clock    func() time.Time // of rate limits
	repos    map[int64]*repo
	names    map[string]int64             // lowercase owner/name, old names included, to ID
	nodes    map[string]int64             // node ID to ID
	listings []*listing                   // by name and version
	packages map[string]*pkg              // "npm:name"
	archives map[string]map[string]string // "npm:name@version": texts by path
	vulns    map[string]*vuln
	owners   map[string]*account // by login in lower case
	faults   []*Fault
	limits   limits
	log      []Request
	revoked  map[string]bool
	git      *gittest.Server
}

// New returns a server with the fixtures at the given time.
func New(now time.Time) *Server {
	w := Empty(now)
	all, err := readFixtures()
	for _, f := range all {
		err = errors.Join(err, w.add(f))
	}
	if err != nil {
		panic(err)
	}
	w.publishSDKs()
	return w
}

// Empty returns a server without repositories.
func Empty(now time.Time) *Server {
	return &Server{
		now:      now.UTC().Truncate(time.Second),
		clock:    time.Now,
		repos:    map[int64]*repo{},
		names:    map[string]int64{},
		nodes:    map[string]int64{},
		packages: map[string]*pkg{}, archives: map[string]map[string]string{},
		vulns:   map[string]*vuln{},
		owners:  map[string]*account{},
		revoked: map[string]bool{},
		limits:  newLimits(),
		git:     gittest.New(),
	}
}

// Names returns the owner/name of every visible repository that some source lists, sorted.
func (w *Server) Names() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var names []string
	for _, r := range w.repos {
		if !r.gone && !r.unnamed {
			names = append(names, r.fullName())
		}
	}
	slices.Sort(names)
	return names
}

// Servers returns the number of MCP servers that a crawl should find in each repository, by
// owner/name.
func (w *Server) Servers() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	servers := map[string]int{}
	for _, r := range w.repos {
		if !r.unnamed {
			servers[r.fullName()] = r.servers
		}
	}
	return servers
}

// ID returns the numeric ID and the node ID of a repository. ok is false if it does not
// exist.
func (w *Server) ID(name string) (id int64, node string, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.find(name)
	if r == nil {
		return 0, "", false
	}
	return r.id, r.node, true
}

// Add adds a repository in the format of the fixtures: a txtar archive whose comment is
// YAML. It fails if the text is malformed or the name is in use.
func (w *Server) Add(archive string) error {
	f, err := parseFixture("Add", []byte(archive))
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.add(f)
}

// Archive makes a repository read-only.
func (w *Server) Archive(name string) error {
	return w.change(name, func(r *repo) { r.archivedAt = w.now; r.updatedAt = w.now })
}

// Delete makes a repository respond like one that never existed.
func (w *Server) Delete(name string) error {
	return w.change(name, func(r *repo) { r.gone = true })
}

// Restore undoes Delete and Block.
func (w *Server) Restore(name string) error {
	return w.change(name, func(r *repo) { r.gone, r.blocked = false, "" })
}

// Block makes GitHub block a repository for a reason, "dmca" or "tos".
func (w *Server) Block(name, reason string) error {
	return w.change(name, func(r *repo) { r.blocked = reason })
}

func (w *Server) SetStars(name string, stars int) error {
	return w.change(name, func(r *repo) { r.stars = stars })
}

// Push adds a commit to the default branch at the server's time. files maps paths to texts;
// an empty text removes the file.
func (w *Server) Push(name string, files map[string]string) error {
	return w.change(name, func(r *repo) {
		next := maps.Clone(r.files)
		if next == nil {
			next = map[string]string{}
		}
		for path, text := range files {
			if text == "" {
				delete(next, path)
			} else {
				next[path] = text
			}
		}
		r.files = next
		c := commit{
			at:    w.now,
			login: r.owner,
			paths: slices.Sorted(maps.Keys(files)),
		}
		r.commits = append([]commit{c}, r.commits...)
		r.pushedAt, r.updatedAt = w.now, w.now
		r.built = false
		r.setLanguages()
	})
}

// Clear removes all commits.
func (w *Server) Clear(name string) error {
	return w.change(name, func(r *repo) {
		r.files, r.commits, r.issues = nil, nil, nil
		r.pushedAt, r.updatedAt = w.now, w.now
		r.built = false
	})
}

// Rename changes the owner/name of a repository. The old name redirects until a repository
// with that name is added.
func (w *Server) Rename(name, to string) error {
	owner, base, ok := strings.Cut(to, "/")
	if !ok {
		return fmt.Errorf("fakegithub: %q is not owner/name", to)
	}
	w.mu.Lock()
	if r := w.find(to); r != nil && strings.EqualFold(r.fullName(), to) && !r.gone {
		w.mu.Unlock()
		return fmt.Errorf("fakegithub: %s exists", to)
	}
	w.mu.Unlock()
	return w.change(name, func(r *repo) {
		r.owner, r.name = owner, base
		r.updatedAt = w.now
		w.names[strings.ToLower(to)] = r.id
		w.account(owner, r.ownerType)
	})
}

// Advance moves the server's time forward for later changes.
func (w *Server) Advance(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

func (w *Server) change(name string, f func(*repo)) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.find(name)
	if r == nil {
		return fmt.Errorf("fakegithub: no repository %s", name)
	}
	f(r)
	return nil
}

// find returns the repository with a current or former name, or nil.
func (w *Server) find(name string) *repo {
	return w.repos[w.names[strings.ToLower(name)]]
}

// all returns the repositories in searches and lists, most stars first.
func (w *Server) all() []*repo {
	var rs []*repo
	for _, r := range w.repos {
		if !r.gone && r.blocked == "" && !r.unnamed {
			rs = append(rs, r)
		}
	}
	slices.SortFunc(rs, func(a, b *repo) int {
		return cmp.Or(cmp.Compare(b.stars, a.stars), cmp.Compare(a.id, b.id))
	})
	return rs
}
