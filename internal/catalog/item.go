package catalog

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unique"

	"github.com/klauspost/compress/zstd"

	"mcpcensus/internal/entry"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// An Item is one listed server: a summary and its whole record, compressed. It
// is immutable.
type Item struct {
	values query.Values // first: queries read it of every server
	record []byte       // JSON of the [registry.Server], compressed
	packer *packer      // of record

	id, seq      int64
	slug         string
	oldSlugs     []string
	registryName string
	name, title  string
	description  string
	icon         string
	host         string
	owner, repo  string
	subfolder    string
	official     string // why it is official, "" if it is not
	second       string // category
	kind         string
	licenseFrom  string
	describedBy  string // DescriptionFrom

	tools int // known by name

	// Zero if unknown. The garbage collector need not read them.
	created, updated, released, committed, crawled, downloadsAt, scoredAt, toolsAt time.Time

	toolsFrom, toolsVersion string
	toolsPartial            bool
	suspicious              []registry.SuspiciousText // their rules, each once

	risks    []registry.Risk          // not nil
	copy     *registry.Copy           // nil for an original
	switched *registry.ReadOnlySwitch // [registry.Server.ReadOnly]
	remotes  []registry.Remote        // without headers and variables

	terms []term // for comparison, see [View.Alike]

	entry       entry.Head // see [Entries]
	repoID      int64      // of the code host
	formerNames []string   // keys of the repository's former names

	active   bool // see [Item.Active]
	harmful  bool
	guessed  bool // [registry.Server.EffectIsGuess]
	hasEntry bool
	fork     bool
	missing  bool // the code host no longer has the repository

	repoCreated time.Time // zero until the code host returned its metadata
}

// newItem returns an item. It shares texts and lists with s, which must not change any more.
func newItem(s *registry.Server, p *packer) (*Item, error) {
	record, err := recordOf(s)
	if err != nil {
		return nil, err
	}
	i := &Item{
		record: bytes.Clone(p.encoder.EncodeAll(record, make([]byte, 0, len(record)/4))),
		packer: p, id: s.ID, seq: s.Seq, slug: s.Slug,
		oldSlugs: s.OldSlugs, registryName: s.RegistryName, name: s.Name, title: s.Title,
		description: s.Description, icon: s.Icon, host: unique.Make(s.Repo.Host).Value(),
		owner: unique.Make(s.Repo.Owner).Value(), repo: s.Repo.Name, subfolder: s.Subfolder,
		official: unique.Make(s.OfficialReason).Value(),
		second:   unique.Make(s.SecondCategory).Value(), kind: unique.Make(s.Kind).Value(),
		licenseFrom: unique.Make(s.LicenseFrom).Value(),
		describedBy: unique.Make(s.DescriptionFrom).Value(),
		tools:       len(s.Tools), created: s.CreatedAt, updated: s.UpdatedAt, released: timeOf(s.ReleasedAt),
		committed: timeOf(s.LastCommitAt), crawled: timeOf(s.LastCrawledAt),
		downloadsAt: timeOf(s.DownloadsAt), scoredAt: timeOf(s.ScoredAt), toolsAt: timeOf(s.ToolsAt),
		toolsFrom: unique.Make(s.ToolsFrom).Value(), toolsVersion: unique.Make(s.ToolsVersion).Value(),
		toolsPartial: s.ToolsPartial, suspicious: rulesOf(s.Suspicious), risks: s.Risks(),
		switched: cmp.Or(s.ReadOnly, s.ReadOnlyEndpoint), copy: s.Copy,
		remotes: remotesOf(s.Remotes), active: s.Active(),
		harmful: s.Harmful(), guessed: s.EffectIsGuess(), fork: s.Repo.Fork,
		repoCreated: s.Repo.CreatedAt, missing: slices.Contains(s.Health.Flags, "missing"),
		terms: termsOf(s), repoID: s.Repo.ID, formerNames: s.FormerNames,
	}
	i.entry, i.hasEntry = entry.HeadOf(s)
	i.values = *query.ValuesOf(s)
	return i, nil
}

// rulesOf returns the rules of texts, each once and without the texts.
func rulesOf(texts []registry.SuspiciousText) (out []registry.SuspiciousText) {
	for _, rule := range registry.SuspiciousRules(texts) {
		out = append(out, registry.SuspiciousText{Rule: unique.Make(rule).Value()})
	}
	return out
}

// remotesOf returns the type, URL and liveness of remotes.
func remotesOf(list []registry.Remote) (out []registry.Remote) {
	for _, r := range list {
		out = append(out, registry.Remote{Type: unique.Make(r.Type).Value(), URL: r.URL,
			Liveness: r.Liveness})
	}
	return out
}

// Values returns the server's values for filters, facets and orders.
func (i *Item) Values() *query.Values { return &i.values }

// Slug returns the server's slug.
func (i *Item) Slug() string { return i.slug }

// Seq returns the number of the server's last change.
func (i *Item) Seq() int64 { return i.seq }

// Score returns the health score, or -1 if it is unknown.
func (i *Item) Score() int { return i.number("qualityScore") }

// Popularity returns the popularity, or -1 if it is unknown.
func (i *Item) Popularity() int { return i.number("popularity") }

// Stars returns the stars, or -1 if they are unknown.
func (i *Item) Stars() int { return i.number("stars") }

// Tools returns how many tools of the server are known by name.
func (i *Item) Tools() int { return i.tools }

// Category returns the server's category.
func (i *Item) Category() string { return i.text("category") }

// Subfolder returns the folder of the repository that the server is in, "" for
// the root.
func (i *Item) Subfolder() string { return i.subfolder }

// Owner returns the owner of the repository in lower case, "" without a
// repository.
func (i *Item) Owner() string { return strings.ToLower(i.owner) }

// Active is [registry.Server.Active] of the record.
func (i *Item) Active() bool { return i.active }

// Harmful is [registry.Server.Harmful] of the record.
func (i *Item) Harmful() bool { return i.harmful }

// Suggested reports whether readers may be led to the server: it can be expected to work, and
// has no known risk.
func (i *Item) Suggested() bool { return i.Active() && len(i.risks) == 0 }

func (i *Item) HasRisk(kinds ...string) bool { return registry.HasRisk(i.risks, kinds...) }

// Retired reports whether the server is archived, deprecated or gone.
func (i *Item) Retired() bool {
	s := i.text("status")
	return s != "" && s != registry.StatusActive
}

// Missing reports whether the code host no longer has the repository.
func (i *Item) Missing() bool { return i.missing }

// CrawledAt returns when the code host was last read for the server, the zero
// time if never.
func (i *Item) CrawledAt() time.Time { return i.crawled }

// ReleasedAt returns when the latest version was released, the zero time if
// unknown.
func (i *Item) ReleasedAt() time.Time { return i.released }

// LastCommitAt returns the time of the last human commit, the zero time if
// unknown.
func (i *Item) LastCommitAt() time.Time { return i.committed }

// ScoredAt returns when the score was computed, the zero time if unknown.
func (i *Item) ScoredAt() time.Time { return i.scoredAt }

// CreatedAt returns when the repository was created, the zero time if unknown.
func (i *Item) CreatedAt() time.Time { return i.created }

// UpdatedAt returns when the record last changed, the zero time if unknown.
func (i *Item) UpdatedAt() time.Time { return i.updated }

func timeOf(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

// known returns t, or nil if it is zero.
func known(t *time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return t
}

// text returns the first value of a text field, "" if unknown.
func (i *Item) text(field string) string {
	if all := i.texts(field); len(all) > 0 {
		return all[0]
	}
	return ""
}

func (i *Item) texts(field string) []string { return i.values.Texts(query.FieldNamed(field)) }

func (i *Item) flag(field string) bool {
	n, _ := i.values.Num(query.FieldNamed(field))
	return n == 1
}

// number returns the value of a number field, -1 if unknown.
func (i *Item) number(field string) int {
	if n := count[int](i, field); n != nil {
		return *n
	}
	return -1
}

// count returns the value of a number field, nil if unknown.
func count[N int | int64](i *Item, field string) *N {
	if n, known := i.values.Num(query.FieldNamed(field)); known {
		return new(N(n))
	}
	return nil
}

// Record returns the whole server as the store has it, without its README and
// with synonyms among its tags folded. The caller owns it. An error means that
// the stored record is not valid JSON.
func (i *Item) Record() (*registry.Server, error) {
	s := new(registry.Server)
	if err := json.Unmarshal(i.packer.decompress(i.record), s); err != nil {
		return nil, fmt.Errorf("record of %s: %w", i.slug, err)
	}
	s.ID, s.Seq, s.Slug, s.OldSlugs = i.id, i.seq, i.slug, i.oldSlugs
	if len(s.Tags) > 0 { // records that were stored by earlier versions have tags as written
		s.Tags = slices.Clone(i.texts("tags"))
	}
	return s, nil
}

// Summary returns the server with the fields that lists show and filters, searches and orders
// use: slugs, names, description and its source, kind, category, tags, SDK, language, framework, license and its source, status,
// official and why, verified, copy, transports, liveness, types of packages, remotes (type,
// URL, liveness), names of sources and tools, icon, the repository's host, owner, name,
// archived and fork, subfolder, grade, scores, stars, downloads, number and tokens of
// tools, their source, version and completeness, the rules of suspicious texts, risks, effect,
// read-only switch, and times. Other fields
// are zero. The caller must not change its lists and times.
func (i *Item) Summary() *registry.Server {
	s := &registry.Server{
		ID: i.id, Seq: i.seq, Slug: i.slug, OldSlugs: i.oldSlugs, RegistryName: i.registryName,
		Name: i.name, Title: i.title, Description: i.description,
		DescriptionFrom: i.describedBy, Category: i.Category(),
		SecondCategory: i.second, Kind: i.kind,
		Tags: i.texts("tags"), SDK: i.text("sdk"), Language: i.text("language"),
		Framework: i.text("framework"), License: i.text("license"), LicenseFrom: i.licenseFrom,
		Status: i.text("status"), Official: i.flag("official"), OfficialReason: i.official,
		Verified: i.flag("verified"), Copy: i.copy,
		Transports: i.texts("transport"), Remotes: i.remotes, Liveness: i.text("liveness"),
		Subfolder: i.subfolder,
		Icon:      i.icon,
		Stars:     count[int](i, "stars"), Downloads: count[int64](i, "downloads"),
		ToolCount: count[int](i, "toolCount"), ToolTokens: count[int](i, "toolTokens"),
		CreatedAt: i.created, UpdatedAt: i.updated,
		ReleasedAt: known(&i.released), LastCommitAt: known(&i.committed),
		LastCrawledAt: known(&i.crawled), DownloadsAt: known(&i.downloadsAt),
		ScoredAt: known(&i.scoredAt), ToolsFrom: i.toolsFrom, ToolsAt: known(&i.toolsAt),
		ToolsVersion: i.toolsVersion, ToolsPartial: i.toolsPartial, Suspicious: i.suspicious,
		KnownRisks: i.risks, KnownEffect: i.text("effect"), KnownGuess: i.guessed, ReadOnly: i.switched,
		KnownSecrets: new(i.flag("secrets")),
		Repo: registry.Repository{
			Host: i.host, Owner: i.owner, Name: i.repo, Archived: i.flag("archived"), Fork: i.fork,
			CreatedAt: i.repoCreated,
		},
	}
	s.Health.Grade, s.Health.Score = i.text("grade"), count[int](i, "qualityScore")
	s.Health.ComputedAt = i.scoredAt
	s.Popularity.Score = count[int](i, "popularity")
	for _, t := range i.texts("registryType") {
		s.Packages = append(s.Packages, registry.Package{RegistryType: t})
	}
	for _, n := range i.texts("source") {
		s.Sources = append(s.Sources, registry.Discovery{Name: n})
	}
	for _, t := range i.texts("tools") {
		s.Tools = append(s.Tools, registry.Tool{Name: t})
	}
	return s
}

// repoKey is [registry.RepoRef.Key] of the repository, "" for none.
func (i *Item) repoKey() string {
	if i.owner == "" {
		return ""
	}
	return registry.RepoRef{Host: i.host, Owner: i.owner, Name: i.repo}.Key()
}

func (i *Item) aliases() []string {
	if i.registryName == "" {
		return i.oldSlugs
	}
	return append([]string{i.registryName}, i.oldSlugs...)
}

// A packer compresses records. Most of their text is the same, so the first ones are its
// dictionary: it more than halves the size.
type packer struct {
	encoder *zstd.Encoder
	decoder *zstd.Decoder
}

// The records of a dictionary, and the bytes of each.
const (
	sampled   = 4
	maxSample = 32 << 10
)

// newPacker returns a packer for records like those of some servers.
func newPacker(like []registry.Server) *packer {
	var dictionary []byte
	for i := range like[:min(len(like), sampled)] {
		record, _ := recordOf(&like[i]) // newItem reports the error
		dictionary = append(dictionary, record[:min(len(record), maxSample)]...)
	}
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithEncoderCRC(false), zstd.WithWindowSize(128<<10), zstd.WithLowerEncoderMem(true),
		zstd.WithEncoderDictRaw(1, dictionary))
	if err != nil {
		panic(err) // the options are constants, and any bytes are a dictionary
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderLowmem(true), zstd.WithDecoderConcurrency(0),
		zstd.WithDecoderDictRaw(1, dictionary))
	if err != nil {
		panic(err) // as above
	}
	return &packer{e, d}
}

// decompress reverses compress.
func (p *packer) decompress(b []byte) []byte {
	out, err := p.decoder.DecodeAll(b, nil)
	if err != nil {
		panic("catalog: " + err.Error()) // the bytes are in memory and unchanged
	}
	return out
}

// recordOf returns the JSON of a server.
func recordOf(s *registry.Server) ([]byte, error) {
	if s.Record != nil {
		return s.Record, nil
	}
	record, err := json.Marshal(s) // not from the store
	if err != nil {
		return nil, registry.Wrap(registry.ErrInvalid, err,
			"server "+s.Slug+" cannot be encoded")
	}
	return record, nil
}
