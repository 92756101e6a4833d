package detect

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"mcpcensus/crawler/ci"
	"mcpcensus/crawler/manifest"
	"mcpcensus/crawler/paths"
	"mcpcensus/crawler/source"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// A repo is a snapshot with its files parsed.
type repo struct {
	ecosystems map[string]bool // registry types of its manifests, empty if the listing is incomplete
	snap       *registry.Snapshot
	files      map[string]bool     // paths of the listing
	dirs       map[string][]string // folder to the names of the files in it
	units      []*unit             // by folder
	byDir      map[string]*unit
	byName     map[string]*unit  // by name as in unit.names
	about      string            // the repository's descriptions of itself, in lower case
	sample     string            // the beginning of the root's README
	catalog    map[string]string // accessors of Gradle's version catalog to packages
	versions   map[string]string // central versions of .NET packages
	marks      []string          // of all units; see allMarks
	sides      sides             // of all code that the repository publishes
	sidesOf    map[string]sides  // by path; see sidesAt
	serving    []string          // paths of the code that serves, without examples and tests
	reaching   map[string]bool   // by path; see reachesServer
	// rootAbout is the only member without a README of its own, which the root's README
	// describes.
	rootAbout *unit
	// sourceSteps are the remaining steps for reading tools from source.
	sourceSteps int
	ci          func() *ci.Repo
	copies      func() map[string]bool // folders of the root; see foldersOfCopies
	// unreadSources returns the files that probably register tools and were not read, of those that
	// are not empty.
	unreadSources func() []string
	own           func() []registry.File // the listing without third-party code
	loadable      func() map[string]bool // paths of files that are neither empty nor generated
	graph         func() *source.Graph   // of the files that are loadable
	words         map[string]*textWords  // by path; nil: not the program's
}

// host returns the code host of the repository.
func (r *repo) host() *registry.Host { return registry.HostOf(r.snap.Repo.Host) }

// maxSourceSteps limits reading the tools of all servers of a repository. It is not a time, so that
// the same files always give the same tools. A processor takes about three million a second.
const maxSourceSteps = 30_000_000

// maxUnits is the maximum number of folders.
const maxUnits = 2000

// read parses every text of a snapshot.
func read(s *registry.Snapshot) *repo {
	r := &repo{
		snap: s, files: map[string]bool{}, dirs: map[string][]string{},
		byDir: map[string]*unit{}, byName: map[string]*unit{},
		catalog: map[string]string{}, versions: map[string]string{}, sourceSteps: maxSourceSteps,
		ecosystems: manifests(s), words: map[string]*textWords{},
		sidesOf: map[string]sides{}, reaching: map[string]bool{},
	}
	r.unreadSources = sync.OnceValue(func() []string {
		var paths []string
		for _, f := range s.Files {
			if f.Size != 0 {
				paths = append(paths, f.Path)
			}
		}
		return source.Unread(r.sourceFiles(), slices.Sorted(slices.Values(paths)))
	})
	r.own = sync.OnceValue(func() []registry.File {
		return slices.DeleteFunc(slices.Clone(s.Files), func(f registry.File) bool {
			return paths.File(f.Path) == paths.Foreign
		})
	})
	r.loadable = sync.OnceValue(func() map[string]bool {
		listed := map[string]bool{}
		for _, f := range s.Files {
			if f.Size != 0 && paths.File(f.Path) != paths.Generated {
				listed[f.Path] = true
			}
		}
		return listed
	})
	r.graph = sync.OnceValue(func() *source.Graph { return source.NewGraph(s.Texts, r.loadable()) })
	r.copies = sync.OnceValue(r.foldersOfCopies)
	r.ci = sync.OnceValue(func() *ci.Repo { return configurations(r) })
	for _, f := range s.Files {
		if dir := dirOf(f.Path); !r.files[f.Path] {
			r.files[f.Path] = true
			r.dirs[dir] = append(r.dirs[dir], path.Base(f.Path))
		}
	}
	paths := slices.SortedFunc(maps.Keys(s.Texts), func(a, b string) int {
		// Shallow first: a folder's manifest takes precedence over one in its "src".
		return cmp.Or(cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), cmp.Compare(a, b))
	})
	for _, p := range paths {
		if len(r.byDir) < maxUnits {
			r.readText(p, s.Texts[p])
		}
	}
	r.rootReadme(paths)
	r.toolsDocuments(paths)
	r.readScripts()
	r.index()
	r.readAbout()
	return r
}

// index fills units and byName from byDir.
func (r *repo) index() {
	r.units = slices.SortedFunc(maps.Values(r.byDir),
		func(a, b *unit) int { return cmp.Compare(a.dir, b.dir) })
	for _, u := range r.units {
		for kind, p := range u.packages() {
			for _, d := range p.Managed {
				r.versions[kind+":"+d.Name] = d.Version
			}
		}
	}
	for _, u := range r.units {
		r.resolveNames(u)
		for _, n := range u.names() {
			if _, ok := r.byName[n]; !ok {
				r.byName[n] = u
			}
		}
	}
}

// readAbout sets the repository's descriptions of itself.
func (r *repo) readAbout() {
	root := r.unit("")
	about := []string{r.snap.Repo.Description}
	for _, p := range []*manifest.Package{root.npm, root.py, root.cargo, root.other} {
		if p != nil {
			about = append(about, p.Description)
		}
	}
	if root.readme != nil {
		about = append(about, root.readme.Title, root.readme.Summary)
		r.sample = text.Cut(root.readme.Text, 1500)
	}
	r.about = strings.ToLower(strings.Join(about, "\n"))
}

// unit returns the unit of a folder, creating it if necessary.
func (r *repo) unit(dir string) *unit {
	u := r.byDir[dir]
	if u == nil {
		u = &unit{dir: dir}
		r.byDir[dir] = u
	}
	return u
}

// nearest returns the unit with manifests in a folder or the nearest above it, nil if there is
// none.
func (r *repo) nearest(dir string) *unit {
	for d := range above(dir) {
		if v := r.byDir[d]; v != nil && !v.empty() {
			return v
		}
	}
	return nil
}

// unread reports that neither the listing nor a text was read.
func (r *repo) unread() bool { return r.snap.Files == nil && len(r.snap.Texts) == 0 }

// here reports whether a repository URL in a manifest may be this repository's. A renamed or
// moved repository keeps its owner or its name.
func (r *repo) here(address string) bool {
	owner, name := repoParts(address)
	return owner == "" || r.snap.Repo.Name == "" ||
		strings.EqualFold(owner, r.snap.Repo.Owner) || strings.EqualFold(name, r.snap.Repo.Name)
}

// repoParts returns owner and name of a URL on a code host, "" for others.
func repoParts(address string) (owner, name string) {
	onHost := func(h *registry.Host) bool { return strings.Contains(address, h.Domain) } // owner/name may be a file
	if !slices.ContainsFunc(registry.Hosts, onHost) {
		return "", ""
	}
	ref, _ := registry.FindRepoRef(address)
	return ref.Owner, ref.Name
}

func isCodeHost(domain string) bool {
	return slices.ContainsFunc(registry.Hosts, func(h *registry.Host) bool { return h.Domain == domain })
}

// silent reports that the listing and all manifests and READMEs of the root were read, and that
// nothing in the repository mentions the Model Context Protocol.
func (r *repo) silent() bool {
	if r.snap.Files == nil || r.snap.FilesTruncated {
		return false
	}
	for p := range r.files {
		_, isRead := r.snap.Texts[p]
		if !isRead && !strings.Contains(p, "/") && (isReadme(strings.ToLower(p)) || isManifest(p)) {
			return false
		}
	}
	return !slices.ContainsFunc(r.units, (*unit).mentionsMCP)
}

func (u *unit) mentionsMCP() bool {
	if u.sdk.pkg != "" || u.server != nil || u.bundle != nil || u.smithery != nil || len(u.configs) > 0 ||
		len(u.card) > 0 {
		return true
	}
	texts := append(u.descriptions(), u.names()...)
	if u.readme != nil {
		texts = append(texts, u.readme.Text+strings.Join(u.readme.Links, " "))
	}
	return slices.ContainsFunc(texts, func(text string) bool {
		return hasMCP(text) || strings.Contains(strings.ToLower(text), protocolName)
	})
}

// protocolName is the protocol's name in lower case.
const protocolName = "model context protocol"

// hasMCP reports whether a text contains the protocol's short name, also inside a word.
func hasMCP(s string) bool {
	l := strings.ToLower(s)
	return strings.Contains(l, "mcp") || strings.Contains(l, "modelcontextprotocol")
}

// isManifest reports whether a file contains its folder's dependencies.
func isManifest(p string) bool {
	switch path.Base(p) {
	case "package.json", "pyproject.toml", "setup.py", "requirements.txt", "go.mod", "Cargo.toml",
		"pom.xml",
		"build.gradle", "build.gradle.kts", "server.json", "Package.swift", "composer.json", "Gemfile":
		return true
	}
	return strings.HasSuffix(p, ".csproj")
}
