package registry

import (
	"encoding/json"
	"time"
)

// A Server is one listed MCP server with all data shown on pages and in the
// APIs.
type Server struct {
	ID   int64  `json:"-"` // in this database
	Seq  int64  `json:"-"` // number of the last change, from one sequence over all servers
	Slug string `json:"slug"`
	// OldSlugs are slugs from before its repository was renamed; they still
	// find it.
	OldSlugs []string `json:"-"`

	RegistryName string `json:"registryName"`
	// FormerNames are keys of names that the host redirected to the repository.
	FormerNames []string `json:"formerNames,omitempty"`
	// Published is the entry in the official registry as its owner published it; nil if
	// there is none or its text is not known.
	Published   *PublishedEntry `json:"published,omitempty"`
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	// DescriptionFrom is DescriptionComposed, or "" for a sentence of the owner.
	DescriptionFrom string `json:"descriptionFrom,omitempty"`
	Kind            string `json:"kind,omitempty"` // one of ServerKinds, "" if unknown

	Category           string   `json:"category"`
	CategoryConfidence float64  `json:"categoryConfidence"`
	SecondCategory     string   `json:"secondCategory"` // "" unless the category is uncertain
	Tags               []string `json:"tags"`
	SDK                string   `json:"sdk"` // "" if unknown
	Framework          string   `json:"framework"`
	Language           string   `json:"language"`
	// License is the SPDX identifier, and LicenseFrom its source: the host of the repository,
	// which read the license file, or LicenseFromManifest; "" if unknown.
	License     string `json:"license"`
	LicenseFrom string `json:"licenseFrom,omitempty"`

	Health     Health     `json:"health"`
	Popularity Popularity `json:"popularity"`

	Stars *int `json:"stars"`
	Forks *int `json:"forks"`
	// CountedAt is when deps.dev returned Stars and Forks, nil if they are the code host's.
	CountedAt    *time.Time       `json:"countedAt,omitempty"`
	OpenIssues   *int             `json:"openIssues"`
	Contributors *int             `json:"contributors"`
	Downloads    *int64           `json:"downloads"`          // last 30 days, all registries
	DownloadsBy  map[string]int64 `json:"downloadsBreakdown"` // by registry type; absent means unknown
	// DownloadsAt is when the oldest of the counts was read; nil if unknown.
	DownloadsAt *time.Time `json:"downloadsAt,omitempty"`

	Repo      Repository `json:"repo"`
	Subfolder string     `json:"subfolder"`
	Homepage  string     `json:"homepage"`
	Icon      string     `json:"icon"`

	Transports []string  `json:"transports"`
	Packages   []Package `json:"packages"`
	Remotes    []Remote  `json:"remotes"`
	// Liveness is the best one of Remotes, one of Livenesses; "" without remotes.
	Liveness  string     `json:"liveness,omitempty"`
	Variables []Variable `json:"environmentVariables"`
	Tools     []Tool     `json:"tools"` // nil: not known
	// ToolCount is how many of Tools a start with the default settings registers; nil if that
	// is unknown, as of a list with ToolsPartial.
	ToolCount *int `json:"toolCount"`
	// ToolsFrom is the source of Tools, one of the ToolsFrom constants, "" if
	// Tools is nil; ToolsVersion is the version of the server that has them, "" if
	// unknown, and ToolsAt when the source was read.
	ToolsFrom     string     `json:"toolsFrom"`
	ToolsPackage  PackageKey `json:"toolsPackage,omitzero"`   // see [ToolList.Package]
	ToolsEndpoint string     `json:"toolsEndpoint,omitempty"` // see [ToolList.Endpoint]
	ToolsVersion  string     `json:"toolsVersion"`
	ToolsAt       *time.Time `json:"toolsAt"`
	// ToolsPartial is [ToolList.IsIncomplete] of the list that Tools are from.
	ToolsPartial bool `json:"toolsPartial,omitempty"`
	// ToolsHash changes with the hash of any tool; "" if unknown.
	ToolsHash string `json:"toolsHash"`
	// ToolTokens is the approximate number of tokens of the tools of ToolCount in a model's
	// context, in the encoding o200k_base; nil if unknown.
	ToolTokens *int             `json:"toolTokens"`
	Suspicious []SuspiciousText `json:"suspicious,omitempty"`
	// SilentChange is the last change of tools without a new version; nil if there is none in
	// the current version.
	SilentChange *SilentChange `json:"silentChange,omitempty"`
	// Touches and the switches are of [Server.Capabilities]; nil if unknown.
	Touches          *Touches        `json:"touches,omitempty"`
	ReadOnly         *ReadOnlySwitch `json:"readOnly,omitempty"`
	ReadOnlyEndpoint *ReadOnlySwitch `json:"readOnlyEndpoint,omitempty"`

	// InstallCommand starts the server from its first published package that clients can
	// start, otherwise from the first that a user can start; "" for none. It is never guessed.
	InstallCommand string `json:"installCommand"`
	// SourceInstall is the documented command that installs from source, and Elsewhere are endpoints
	// that are not the owner's, see [Detection].
	SourceInstall string   `json:"sourceInstall,omitempty"`
	Elsewhere     []string `json:"elsewhere,omitempty"`

	// Unpublished are packages of the repository or its entry in the official registry that
	// the package service does not have: "npm weather-mcp".
	Unpublished []string `json:"unpublished,omitempty"`

	Status        string `json:"status"` // one of Statuses
	StatusMessage string `json:"statusMessage"`
	// StatusFrom is the source of a Status other than active: the ID of the code host,
	// "official-registry" or the registry type of a package. StatusAt is when it was read.
	StatusFrom string     `json:"statusFrom,omitempty"`
	StatusAt   *time.Time `json:"statusAt,omitempty"`
	// SuccessorURL is the owner's replacement for a deprecated or archived server, "" for
	// none.
	SuccessorURL string `json:"successorUrl,omitempty"`
	// Official means that the vendor of the product publishes the server.
	// OfficialReason is a sentence with the evidence; "" if not official.
	Official       bool   `json:"official"`
	OfficialReason string `json:"officialReason"`
	// Verified reports that the package or the registry entry and the repository name each
	// other ("linked" on pages), and VerifiedReason which, as a sentence.
	Verified       bool   `json:"verified"`
	VerifiedReason string `json:"verifiedReason"`

	// Copy is set by the store; nil for an original, or if nothing was found.
	Copy *Copy `json:"copy,omitempty"`

	// LatestVersion is the version that was published or released last, otherwise the one in
	// the manifest.
	LatestVersion string      `json:"latestVersion"`
	ReleasedAt    *time.Time  `json:"releasedAt"`
	Sources       []Discovery `json:"sources"`
	// VersionFrom is the source of LatestVersion: the registry type of a package, or a constant
	// such as [VersionRelease]; "" if unknown. VersionAt is when the source was read.
	VersionFrom string     `json:"versionFrom,omitempty"`
	VersionAt   *time.Time `json:"versionAt,omitempty"`

	CreatedAt     time.Time  `json:"createdAt"` // of the repository
	UpdatedAt     time.Time  `json:"updatedAt"` // last change of the record
	ListedAt      time.Time  `json:"listedAt"`  // first listed here
	LastCommitAt  *time.Time `json:"lastCommitAt"`
	LastCrawledAt *time.Time `json:"lastCrawledAt"`
	ScoredAt      *time.Time `json:"scoredAt"`

	// KnownRisks are the risks of a summary, which lacks the fields that they follow from; nil
	// in whole records.
	KnownRisks []Risk `json:"-"`
	// KnownEffect is [Capabilities.Effect] of a summary, "" in whole records.
	KnownEffect string `json:"-"`
	// KnownGuess is [Capabilities.Guessed] of a summary.
	KnownGuess bool `json:"-"`
	// KnownSecrets is [Server.HasSecrets] of a summary, nil in whole records.
	KnownSecrets *bool `json:"-"`
	// Readme is the README's text for the search index, cut short; it is not
	// part of the record.
	Readme string `json:"-"`
	// Record is the JSON that the server was decoded from, for readers that
	// store it. It is nil unless a function sets it.
	Record []byte `json:"-"`
}

// MaxCompared is the maximum number of servers in a comparison.
const MaxCompared = 5

// Kinds of a listed server.
const (
	KindServer = "server"
	KindProxy  = "proxy" // passes on to other servers
)

// ServerKinds are the kinds of listed servers.
var ServerKinds = []string{KindServer, KindProxy}

// MarkedDescription returns a description with a mark if its source is DescriptionComposed.
func MarkedDescription(description, source string) string {
	if source == DescriptionComposed {
		description += " (composed by Census)"
	}
	return description
}

// HasAllTools reports whether Tools is complete, nil if it has no source.
func (s *Server) HasAllTools() *bool {
	if s.ToolsFrom == "" {
		return nil
	}
	return new(!s.ToolsPartial)
}

// DescriptionComposed is the [Server.DescriptionFrom] of a description that Census made of the name
// and the tools, because no text of the owner says in a sentence what the server does.
const DescriptionComposed = "composed"

// LicenseFromManifest is the [Server.LicenseFrom] of a license that only a manifest names.
const LicenseFromManifest = "manifest"

// Active reports whether the server can be expected to work: it is neither
// archived nor deprecated nor gone nor offline.
func (s *Server) Active() bool {
	return (s.Status == StatusActive || s.Status == "") && !s.Offline()
}

// Offline reports whether all endpoints of the server are down and nothing else is known to
// run it: no package, and no command that installs it from source.
func (s *Server) Offline() bool {
	return s.Liveness == LivenessDown && len(s.Packages) == 0 && s.SourceInstall == ""
}

// Recommendation is the default sort key of lists: health × (1 + popularity), 0 to 10,100, see
// docs/scoring.md. It is negative for servers that are not active, and lower still for copies,
// which must not precede their originals. It is an integer, because text indexes lose digits of
// other numbers.
func (s *Server) Recommendation() int {
	health, popularity := 0, 0
	if n := s.Health.Score; n != nil {
		health = *n
	}
	if n := s.Popularity.Score; n != nil {
		popularity = *n
	}
	r := health * (1 + popularity)
	if !s.Active() {
		r -= 10_101
	}
	if s.Copy != nil {
		r -= 2 * 10_101
	}
	return r
}

// A Discovery records which source named a server, and when.
type Discovery struct {
	Name        string    `json:"name"` // "github", "official-registry", a list's name, "manual", "on-demand"
	FirstSeenAt time.Time `json:"firstSeenAt"`
	LastSeenAt  time.Time `json:"lastSeenAt"`
}

// SourceURL returns the page of the server's folder on the code host, "" without a repository.
func (s *Server) SourceURL() string {
	if s.Subfolder != "" {
		if folder := s.Repo.Ref().TreeURL(s.Repo.DefaultBranch, s.Subfolder); folder != "" {
			return folder
		}
	}
	return s.Repo.URL()
}

// A PublishedEntry is the latest version of a server in the official registry.
type PublishedEntry struct {
	Document json.RawMessage `json:"document"` // the server.json
	At       *time.Time      `json:"at,omitempty"`
}

// A Change reports that a server was written or removed from the listing.
type Change struct {
	Seq     int64
	ID      int64
	Slug    string
	Deleted bool // hidden, gone or no longer a server
	Gone    bool // of the deleted: gone from the code host, not hidden by the operator
	// Why is the state of the repository of one that is gone, as in
	// [Result.State]: "blocked", "not_server" and others; "" if deleted.
	Why string
	// At is when one that is deleted was removed; zero if the reader does not set it.
	At time.Time
}

// Sources of a server's latest version other than its packages.
const (
	VersionRelease  = "release"           // of the repository
	VersionTag      = "tag"               // of the repository
	VersionListing  = "official-registry" // the entry
	VersionManifest = "manifest"          // in the repository
)

// MaxEarlier is how many earlier versions of an entry of the official registry are known.
const MaxEarlier = 100

// EntriesLeftFor is how long former names of entries are listed as deleted.
const EntriesLeftFor = 90 * 24 * time.Hour

// A Departed is a former name of a server's entry (see package entry): the server left the
// listing, or has another name or no entry.
type Departed struct {
	Name      string    `json:"name"`
	Version   string    `json:"version"`
	Published bool      `json:"published,omitempty"` // by its owner, in the official registry
	ServerID  int64     `json:"-" db:"server_id"`
	At        time.Time `json:"at"` // when it lost the name
}

// A Published holds the known versions of a server.
type Published struct {
	Packages  []PackageFacts // from their services
	Releases  []Release      // of the repository, newest first, at most 5; where it has none, its newest tag
	NextVisit *time.Time     // when the repository is due
}

// DayStats are one server's figures at the end of one UTC day.
type DayStats struct {
	Date      time.Time
	Score     *int
	Stars     *int
	Forks     *int
	Downloads *int64 // of the last 30 days
	// DownloadsBy are the same by registry type; absent means unknown.
	DownloadsBy map[string]int64
}

// DayDownloads are the downloads of one server's packages on one UTC day.
type DayDownloads struct {
	Date      time.Time
	Downloads int64
}

// DayGrowth holds the size of the registry at the end of one UTC day.
type DayGrowth struct {
	Date    time.Time
	Servers int      // listed then
	Score   *float64 // mean of their scores; nil if none had one
}

// A Readme is the file that introduces a server, as its repository has it.
type Readme struct {
	Path string // in the repository
	Text string // Markdown or another markup, by the path's ending
}
