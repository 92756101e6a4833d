package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// An Item is one listed server as the catalog keeps it: the values that it is
// sorted by, and its documents. It never changes once it is laid out.
type Item struct {
	id         int64
	seq        int64
	slug       string
	name       string // as it is sorted by; "" if not known
	updated    int64  // Unix microseconds, unknown if not known
	created    int64
	crawled    int64
	released   int64
	committed  int64
	downloads  int64
	stars      int32 // -1: not known
	tools      int32 // of known tools
	score      int16 // -1: not known
	popularity int16
	category   uint8  // index in registry.Categories
	sdk        uint8  // index in registry.SDKs, or sdkCount
	traits     uint8  // transports and ways to run it, as traits
	place      uint8  // in home
	license    uint32 // in names; 0 if not known
	missing    bool   // the code host no longer has the repository
	// basic is the list entry as it is, since pages are made of twenty or more,
	// and a comma.
	basic  []byte
	doc    []byte   // the fields for filters, compressed
	tags   []uint32 // in tagNames
	facts  facts
	record []byte // JSON of the whole [registry.Server], compressed
	home   *chunk
	codecs *codecs
	keys   *itemKeys
	// documents is where the others are. It is shared by copies of the item.
	documents *atomic.Pointer[documents]
}

// itemKeys are the names that find an item besides its slug.
type itemKeys struct {
	old       []string
	registry  string
	repo      string
	subfolder string
}

const unknown = math.MinInt64

// Slug returns the server's slug.
func (i *Item) Slug() string { return i.slug }

// Seq returns the number of the server's last change.
func (i *Item) Seq() int64 { return i.seq }

// Score returns the health score, or -1 if it is not known.
func (i *Item) Score() int { return int(i.score) }

// Tools returns how many tools of the server are known by name.
func (i *Item) Tools() int { return int(i.tools) }

// Category returns the server's category.
func (i *Item) Category() string { return registry.Categories[i.category] }

// Subfolder returns the folder of its repository that the server is in, "" for
// the root.
func (i *Item) Subfolder() string { return i.keys.subfolder }

// CrawledAt returns when the code host was last read for it, the zero time if
// never.
func (i *Item) CrawledAt() time.Time { return timeOf(i.crawled) }

// Missing reports whether the code host no longer has its repository.
func (i *Item) Missing() bool { return i.missing }

// ReleasedAt returns when the newest version was released, the zero time if
// that is not known.
func (i *Item) ReleasedAt() time.Time { return timeOf(i.released) }

// LastCommitAt returns when a human last committed, the zero time if that is
// not known.
func (i *Item) LastCommitAt() time.Time { return timeOf(i.committed) }

// CreatedAt returns when the repository was created, the zero time if that is
// not known.
func (i *Item) CreatedAt() time.Time { return timeOf(i.created) }

// UpdatedAt returns when the record last changed, the zero time if that is not
// known.
func (i *Item) UpdatedAt() time.Time { return timeOf(i.updated) }

// Owner returns who the repository belongs to, in lower case, "" if there is
// none.
func (i *Item) Owner() string {
	_, name, _ := strings.Cut(i.keys.repo, ":")
	owner, _, _ := strings.Cut(name, "/")
	return owner
}

func timeOf(micros int64) time.Time {
	if micros == unknown {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}

// Record returns the whole server as the store has it, without its README. The
// caller owns it. An error means that the stored record is not valid JSON.
func (i *Item) Record() (*registry.Server, error) {
	s := new(registry.Server)
	if err := json.Unmarshal(i.codecs.record.decode(nil, i.record), s); err != nil {
		return nil, fmt.Errorf("record of %s: %w", i.slug, err)
	}
	s.ID, s.Seq, s.Slug, s.OldSlugs = i.id, i.seq, i.slug, i.keys.old
	return s, nil
}

// Summary returns the server with the fields that lists show and filters,
// searches and orders use: slug, names, description, category, tags, SDK,
// language, framework, license, status, official, verified, transports,
// subfolder, owner and name of the repository, grade and scores, stars,
// downloads, number and names of tools, and times. Other fields have zero
// values. The caller must not change it.
func (i *Item) Summary() *registry.Server {
	s := i.Server()
	return &s
}

func timePointer(micros int64) *time.Time {
	if micros == unknown {
		return nil
	}
	t := timeOf(micros)
	return &t
}

// AppendBasic appends the server's entry in lists, as JSON.
func (i *Item) AppendBasic(dst []byte) []byte {
	return append(dst, i.basic[:len(i.basic)-1]...)
}

// AppendEntry appends the server's tool entry, as JSON.
func (i *Item) AppendEntry(dst []byte) []byte {
	return i.made().entry(dst)
}

// AppendDetail appends the server's detail record, as JSON.
func (i *Item) AppendDetail(dst []byte) []byte {
	return i.made().detail(dst)
}

// AppendHealth appends the server's health report, as JSON.
func (i *Item) AppendHealth(dst []byte) []byte {
	return i.made().health(dst)
}

// doc holds what filters and words look at, in a form that is quick to read.
type doc struct {
	Name, Title, Description, SDK, Language, Framework, License, Owner, Repo, Status, Grade, Host string   `json:",omitempty"`
	Tags, Transports, Sources, RegistryTypes, Tools                                               []string `json:",omitempty"`
	Remotes, ToolCount                                                                            int
	Official, Verified, Archived, Fork                                                            bool
}

// Server returns the server with the fields that filters, words and orders look
// at, and no others: those of [registry.Filter], the names and the description.
// The README and what tools say of themselves are not among them.
func (i *Item) Server() registry.Server {
	var d doc
	if err := json.Unmarshal(i.codecs.doc.decode(nil, i.doc), &d); err != nil {
		panic("catalog: " + err.Error())
	}
	s := registry.Server{
		Seq: i.seq, Slug: i.slug, RegistryName: i.keys.registry, Name: d.Name, Title: d.Title, Description: d.Description,
		Category: i.Category(), Tags: d.Tags, SDK: d.SDK, Language: d.Language, Framework: d.Framework,
		License: d.License, Status: d.Status, Official: d.Official, Verified: d.Verified, Transports: d.Transports,
		Subfolder: i.keys.subfolder,
	}
	s.ID, s.OldSlugs = i.id, i.keys.old
	s.ReleasedAt, s.LastCommitAt, s.LastCrawledAt = timePointer(i.released), timePointer(i.committed), timePointer(i.crawled)
	s.Repo.Owner, s.Repo.Name, s.Repo.Host, s.Repo.Archived, s.Repo.Fork = d.Owner, d.Repo, d.Host, d.Archived, d.Fork
	s.Health.Grade = d.Grade
	s.Health.Score, s.Popularity.Score, s.Stars = number(int(i.score)), number(int(i.popularity)), number(int(i.stars))
	if i.downloads != unknown {
		n := i.downloads
		s.Downloads = &n
	}
	s.ToolCount = number(d.ToolCount)
	if i.updated != unknown {
		s.UpdatedAt = time.UnixMicro(i.updated).UTC()
	}
	if i.created != unknown {
		s.CreatedAt = time.UnixMicro(i.created).UTC()
	}
	for _, t := range d.RegistryTypes {
		s.Packages = append(s.Packages, registry.Package{RegistryType: t})
	}
	for range d.Remotes {
		s.Remotes = append(s.Remotes, registry.Remote{})
	}
	for _, n := range d.Sources {
		s.Sources = append(s.Sources, registry.Sighting{Name: n})
	}
	for _, t := range d.Tools {
		s.Tools = append(s.Tools, registry.Tool{Name: t})
	}
	return s
}

func number(n int) *int {
	if n < 0 {
		return nil
	}
	return &n
}

// newItem returns s with its documents, compressed.
func newItem(s *registry.Server, basic, record []byte, d *documents, licenses, tags, terms *names) *Item {
	i := &Item{
		facts: factsOf(s, terms), record: record,
		id: s.ID, seq: s.Seq, slug: strings.Clone(s.Slug), codecs: d.codecs,
		updated: micros(s.UpdatedAt), created: micros(s.CreatedAt), crawled: unknown, missing: slices.Contains(s.Health.Flags, "missing"),
		released: unknown, committed: unknown, traits: traitsOf(s), license: licenses.of(s.License),
		downloads: unknown, stars: -1, tools: int32(len(s.Tools)), score: -1, popularity: -1,
		category: categoryIndex(s.Category), sdk: sdkIndex(s.SDK),
		keys: &itemKeys{
			registry: strings.Clone(s.RegistryName), repo: repoKey(s), subfolder: strings.Clone(s.Subfolder),
			old: slices.Clone(s.OldSlugs),
		},
	}
	if key, ok := query.SortNamed("name").SortKey(s).(string); ok {
		i.name = strings.Clone(key)
	}
	if s.LastCrawledAt != nil {
		i.crawled = micros(*s.LastCrawledAt)
	}
	for _, t := range s.Tags[:min(len(s.Tags), mostTags)] {
		if id := tags.of(strings.ToLower(t)); id != 0 && !slices.Contains(i.tags, id) {
			i.tags = append(i.tags, id)
		}
	}
	if s.ReleasedAt != nil {
		i.released = micros(*s.ReleasedAt)
	}
	if s.LastCommitAt != nil {
		i.committed = micros(*s.LastCommitAt)
	}
	if s.Downloads != nil {
		i.downloads = max(0, *s.Downloads)
	}
	if s.Stars != nil {
		i.stars = int32(min(max(0, *s.Stars), math.MaxInt32))
	}
	if s.Health.Score != nil {
		i.score = int16(min(max(0, *s.Health.Score), 100))
	}
	if s.Popularity.Score != nil {
		i.popularity = int16(min(max(0, *s.Popularity.Score), 100))
	}
	i.basic = append(append(make([]byte, 0, len(basic)+1), basic...), ',')
	i.doc = bytes.Clone(d.codecs.doc.encode(nil, docOf(s)))
	i.documents = new(atomic.Pointer[documents])
	i.documents.Store(d)
	return i
}

func docOf(s *registry.Server) []byte {
	d := doc{
		Name: s.Name, Title: s.Title, Description: s.Description, SDK: s.SDK, Language: s.Language,
		Framework: s.Framework, License: s.License, Owner: s.Repo.Owner, Repo: s.Repo.Name, Status: s.Status, Grade: s.Health.Grade,
		Host: s.Repo.Host, Tags: s.Tags, Transports: s.Transports, Remotes: len(s.Remotes), ToolCount: -1,
		Official: s.Official, Verified: s.Verified, Archived: s.Repo.Archived, Fork: s.Repo.Fork,
	}
	if s.ToolCount != nil {
		d.ToolCount = *s.ToolCount
	}
	for _, g := range s.Sources {
		d.Sources = append(d.Sources, g.Name)
	}
	for _, p := range s.Packages {
		d.RegistryTypes = append(d.RegistryTypes, p.RegistryType)
	}
	for _, t := range s.Tools {
		d.Tools = append(d.Tools, t.Name)
	}
	b, err := json.Marshal(d)
	if err != nil {
		panic("catalog: " + err.Error()) // strings, numbers and bools always marshal
	}
	return b
}

// repoKey is [registry.RepoRef.Key] of the server's repository.
func repoKey(s *registry.Server) string {
	if s.Repo.Owner == "" {
		return ""
	}
	return s.Repo.Ref().Key()
}

func micros(t time.Time) int64 {
	if t.IsZero() {
		return unknown
	}
	return t.UnixMicro()
}

func categoryIndex(c string) uint8 {
	if i := slices.Index(registry.Categories, c); i >= 0 {
		return uint8(i)
	}
	return uint8(slices.Index(registry.Categories, registry.CategoryTools))
}
