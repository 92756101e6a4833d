// Package gittest serves repositories over git's protocol, version 2, for tests and the demo.
// Repositories are made of files and commits; their object IDs depend on nothing else. It needs
// no git program and no files.
package gittest

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Repo is a repository.
type Repo struct {
	Branch  string         // default "main"
	Commits []Commit       // the last is the head of the branch
	Tags    map[string]int // indexes in Commits
	// Objects are further objects; commits among them have no parents. If Head is not "", it is
	// the ID of the branch's head.
	Objects []Object
	Head    string
}

// A Commit is a commit and all its files.
type Commit struct {
	Files   map[string]string // by path; nil: those of the commit before
	Modes   map[string]string // by path; default "100644"; a submodule's text is its commit
	Parents []int             // indexes of earlier commits; nil: the commit before
	Name    string            // of author and committer; default "Ann"
	Email   string            // default "ann@example.com"
	At      time.Time
	Message string
}

// An Object is an object of git: a "commit", "tree", "blob" or "tag".
type Object struct {
	Kind string
	Data []byte
}

func (o Object) ID() string {
	sum := sha1.Sum(fmt.Appendf(nil, "%s %d\x00%s", o.Kind, len(o.Data), o.Data))
	return hex.EncodeToString(sum[:])
}

// A Fault changes the responses of a repository.
type Fault struct {
	On     string // "info/refs", "ls-refs", "fetch", or "" for all
	Status int    // with Header and Body, instead of the response; 0: none
	Header map[string]string
	Body   string
	// Change returns the body to send instead of a correct one. It may be nil.
	Change func(body []byte) []byte
	Hang   bool // until the client closes the connection
}

// A Request is a request that was received.
type Request struct {
	Repo          string
	Kind          string // "info/refs", "ls-refs", "fetch"
	Body          string // pkt-lines
	Authorization string
	Bytes         int // of the response
}

// A Server is an http.Handler for /OWNER/NAME.git. It is safe for concurrent use.
type Server struct {
	mu       sync.Mutex
	repos    map[string]*repository // by lowercase name
	renames  map[string]string
	faults   map[string]Fault // by lowercase name; "": of all
	requests []Request
}

// New returns a server without repositories.
func New() *Server {
	return &Server{repos: map[string]*repository{}, renames: map[string]string{},
		faults: map[string]Fault{}}
}

// Set adds or replaces a repository OWNER/NAME. It returns the IDs of its commits.
func (s *Server) Set(name string, r Repo) []string {
	made, ids := build(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.repos[strings.ToLower(name)] = made
	return ids
}

// Rename redirects a name to another one, which must be set.
func (s *Server) Rename(name, to string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.repos, strings.ToLower(name))
	s.renames[strings.ToLower(name)] = to
}

// Remove removes a repository, which then responds as a missing one.
func (s *Server) Remove(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.repos, strings.ToLower(name))
}

// Fault sets the fault of a repository, or of all others for the name "".
func (s *Server) Fault(name string, f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[strings.ToLower(name)] = f
}

// Requests returns the requests since the last call.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.requests
	s.requests = nil
	return list
}

// A repository is the objects of a Repo.
type repository struct {
	objects map[string]Object
	commits map[string]commit
	refs    []string // lines of ls-refs
}

type commit struct {
	parents []string
	tree    string
	at      time.Time
}

func (r *repository) add(kind string, data []byte) string {
	o := Object{kind, data}
	id := o.ID()
	r.objects[id] = o
	return id
}

func build(r Repo) (*repository, []string) {
	made := &repository{objects: map[string]Object{}, commits: map[string]commit{}}
	for _, o := range r.Objects {
		id := made.add(o.Kind, o.Data)
		if o.Kind == "commit" {
			tree, _, _ := strings.Cut(strings.TrimPrefix(string(o.Data), "tree "), "\n")
			made.commits[id] = commit{tree: tree}
		}
	}
	var ids []string
	tree := made.tree(nil, nil)
	for i, c := range r.Commits {
		if c.Files != nil {
			tree = made.tree(c.Files, c.Modes)
		}
		var parents []string
		if c.Parents == nil && i > 0 {
			parents = []string{ids[i-1]}
		}
		for _, p := range c.Parents {
			parents = append(parents, ids[p])
		}
		ids = append(ids, made.commit(c, tree, parents))
	}
	head, branch := r.Head, "refs/heads/"+cmp.Or(r.Branch, "main")
	if len(ids) > 0 {
		head = cmp.Or(head, ids[len(ids)-1])
	}
	if head != "" {
		made.refs = append(made.refs, head+" HEAD symref-target:"+branch, head+" "+branch)
	}
	for _, tag := range slices.Sorted(maps.Keys(r.Tags)) {
		made.refs = append(made.refs, ids[r.Tags[tag]]+" refs/tags/"+tag)
	}
	return made, ids
}

func (r *repository) commit(c Commit, tree string, parents []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "tree %s\n", tree)
	for _, p := range parents {
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	who := fmt.Sprintf("%s <%s> %d +0000", cmp.Or(c.Name, "Ann"), cmp.Or(c.Email, "ann@example.com"),
		c.At.Unix())
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\n%s\n", who, who, cmp.Or(c.Message, "Change"))
	id := r.add("commit", []byte(b.String()))
	r.commits[id] = commit{parents, tree, c.At}
	return id
}

// tree adds the tree of files, and everything below it.
func (r *repository) tree(files, modes map[string]string) string {
	type entry struct{ mode, id string }
	entries := map[string]entry{}
	folders, folderModes := map[string]map[string]string{}, map[string]map[string]string{}
	for p, text := range files {
		dir, rest, nested := strings.Cut(p, "/")
		switch mode := cmp.Or(modes[p], "100644"); {
		case nested:
			if folders[dir] == nil {
				folders[dir], folderModes[dir] = map[string]string{}, map[string]string{}
			}
			folders[dir][rest], folderModes[dir][rest] = text, mode
		case mode == "160000":
			entries[p] = entry{mode, text}
		default:
			entries[p] = entry{mode, r.add("blob", []byte(text))}
		}
	}
	for dir := range folders {
		entries[dir+"/"] = entry{"40000", r.tree(folders[dir], folderModes[dir])}
	}
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(entries)) { // git's order: folders end in a slash
		b.Write(Entry(entries[name].mode, strings.TrimSuffix(name, "/"), entries[name].id))
	}
	return r.add("tree", b.Bytes())
}

// Entry returns an entry of a tree object.
func Entry(mode, name, id string) []byte {
	raw, err := hex.DecodeString(id)
	if err != nil {
		panic("gittest: " + err.Error())
	}
	return append([]byte(mode+" "+name+"\x00"), raw...)
}

func Pack(objects ...Object) []byte {
	var b bytes.Buffer
	PackHeader(&b, len(objects))
	for _, o := range objects {
		PackEntry(&b, slices.Index(packKinds, o.Kind), len(o.Data), nil, o.Data)
	}
	return PackEnd(&b)
}

var packKinds = []string{"", "commit", "tree", "blob", "tag"}

// PackHeader writes the beginning of a pack of n objects.
func PackHeader(b *bytes.Buffer, n int) {
	b.WriteString("PACK\x00\x00\x00\x02")
	b.Write(binary.BigEndian.AppendUint32(nil, uint32(n)))
}

// compressors are reused, as they are large. Those of other levels clear all their memory for
// each object.
var compressors = sync.Pool{New: func() any {
	z, err := zlib.NewWriterLevel(nil, zlib.BestSpeed)
	if err != nil {
		panic(err)
	}
	return z
}}

// PackEntry writes an entry of a pack: its kind, the size that it claims, the base of a delta,
// and the content.
func PackEntry(b *bytes.Buffer, kind, size int, base, content []byte) {
	head := byte(kind<<4 | size&15)
	for size >>= 4; size > 0; size >>= 7 {
		b.WriteByte(head | 0x80)
		head = byte(size & 0x7f)
	}
	b.WriteByte(head)
	b.Write(base)
	z := compressors.Get().(*zlib.Writer)
	defer compressors.Put(z)
	z.Reset(b)
	_, err := z.Write(content)
	if err = cmp.Or(err, z.Close()); err != nil {
		panic(err)
	}
}

// PackEnd writes the checksum of a pack and returns all of it.
func PackEnd(b *bytes.Buffer) []byte {
	sum := sha1.Sum(b.Bytes())
	b.Write(sum[:])
	return b.Bytes()
}

func Line(format string, args ...any) string {
	text := fmt.Sprintf(format, args...)
	return fmt.Sprintf("%04x%s", len(text)+4, text)
}

// Band returns the pkt-lines of a pack in a side band, and the end of the response.
func Band(pack []byte) string {
	var b strings.Builder
	for part := range slices.Chunk(pack, 1000) {
		b.WriteString(Line("\x01%s", part))
	}
	return b.String() + "0000"
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	name, kind, ok := strings.Cut(strings.TrimPrefix(req.URL.Path, "/"), ".git/")
	if !ok {
		http.NotFound(w, req)
		return
	}
	lines, body := readLines(req)
	if kind == "git-upload-pack" && len(lines) > 0 {
		kind = strings.TrimPrefix(lines[0], "command=")
	}
	s.mu.Lock()
	repo, to := s.repos[strings.ToLower(name)], s.renames[strings.ToLower(name)]
	fault, faulty := s.faults[strings.ToLower(name)]
	if !faulty {
		fault = s.faults[""]
	}
	s.mu.Unlock()
	if fault.On != "" && fault.On != kind {
		fault = Fault{}
	}
	n := 0
	switch {
	case fault.Hang:
		<-req.Context().Done()
	case fault.Status != 0:
		for key, value := range fault.Header {
			w.Header().Set(key, value)
		}
		w.WriteHeader(fault.Status)
		n, _ = w.Write([]byte(fault.Body))
	case to != "":
		http.Redirect(w, req, "/"+to+".git/"+kind+"?"+req.URL.RawQuery, http.StatusMovedPermanently)
	case repo == nil:
		w.Header().Set("WWW-Authenticate", `Basic realm="gittest"`)
		http.Error(w, "Repository not found.", http.StatusUnauthorized)
	default:
		n = s.respond(w, repo, kind, lines, fault.Change)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests,
		Request{name, kind, body, req.Header.Get("Authorization"), n})
}

func (s *Server) respond(
	w http.ResponseWriter, r *repository, kind string, lines []string, change func([]byte) []byte,
) int {
	var body []byte
	content := "result"
	switch kind {
	case "info/refs":
		content = "advertisement"
		body = []byte(Line("# service=git-upload-pack\n") + "0000" + Line("version 2\n") +
			Line("ls-refs=unborn\n") + Line("fetch=shallow filter\n") +
			Line("object-format=sha1\n") + "0000")
	case "ls-refs":
		for _, ref := range r.refs {
			body = append(body, Line("%s\n", ref)...)
		}
		body = append(body, "0000"...)
	case "fetch":
		body = r.fetch(lines)
	}
	if change != nil {
		body = change(body)
	}
	w.Header().Set("Content-Type", "application/x-git-upload-pack-"+content)
	n, _ := w.Write(body)
	return n
}
