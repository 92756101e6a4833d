package registry

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"
)

// Names of files in a folder of dumps.
const (
	LatestDump = "latest.jsonl.gz" // a link to the newest
	DumpSums   = "SHA256SUMS"
)

var dumpFile = regexp.MustCompile(`^servers-(\d{4}-\d{2}-\d{2})\.jsonl\.gz$`)

// DumpDate returns the day in the name of a dump's file, "" for other files.
func DumpDate(file string) string {
	if m := dumpFile.FindStringSubmatch(file); m != nil {
		return m[1]
	}
	return ""
}

// ParseSums returns the sums in a text in the format of sha256sum, by the name of the file.
func ParseSums(text string) map[string]string {
	sums := map[string]string{}
	for line := range strings.Lines(text) {
		sum, name, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		if IsSHA256(sum) && len(name) > 1 && strings.ContainsRune(" *", rune(name[0])) {
			sums[name[1:]] = sum
		}
	}
	return sums
}

var sha256Form = regexp.MustCompile(`^[0-9a-f]{64}$`)

// IsSHA256 reports whether a text is a SHA-256 in lower case hexadecimal.
func IsSHA256(s string) bool { return sha256Form.MatchString(s) }

// A DumpHeader is the first line of a dump of a registry.
type DumpHeader struct {
	Format   string       `json:"format"`  // "census-dump"
	Version  int          `json:"version"` // of the format
	Registry DumpRegistry `json:"registry"`
	Time     time.Time    `json:"time"` // of the data
	// LastChange is the number of the last change in the registry's change feed.
	LastChange int64 `json:"lastChange"`
	// Lines counts the lines after the header, by the name of their member: "server", "gone",
	// "departed", "repository", "package", "listing", "day".
	Lines   map[string]int `json:"lines"`
	Licence string         `json:"licence"`
}

// A DumpRegistry identifies the registry that wrote a dump.
type DumpRegistry struct {
	ID         string `json:"id"` // of its database
	Name       string `json:"name"`
	URL        string `json:"url"`
	Program    string `json:"program"`    // its version
	ScoreModel string `json:"scoreModel"` // "" if there are no servers
}

// A DumpLine is a further line of a dump. Exactly one member is set.
type DumpLine struct {
	Server     *DumpServer     `json:"server,omitempty"`
	Gone       *DumpGone       `json:"gone,omitempty"`
	Departed   *Departed       `json:"departed,omitempty"`
	Repository *DumpRepository `json:"repository,omitempty"` // without servers
	Package    *DumpPackage    `json:"package,omitempty"`
	Listing    *DumpListing    `json:"listing,omitempty"`
	Day        *DumpDay        `json:"day,omitempty"` // of the whole registry
}

// A DumpServer is a listed server with all stored data.
type DumpServer struct {
	// Record and Health are as the API returns them. Readers that fill a registry use
	// the facts, from which both are made.
	Record json.RawMessage `json:"record,omitempty"`
	Health json.RawMessage `json:"health,omitempty"`

	Slug       string         `json:"slug"`
	OldSlugs   []string       `json:"oldSlugs,omitempty"`
	ListedAt   time.Time      `json:"listedAt"`
	UpdatedAt  time.Time      `json:"updatedAt"`
	ScoredAt   time.Time      `json:"scoredAt"`
	Repository DumpRepository `json:"repository"`
	Facts      Facts          `json:"facts"`
	Readme     *DumpText      `json:"readme,omitempty"`
	SearchText string         `json:"searchText,omitempty"` // see [Server.Readme]
	Copy       *Copy          `json:"copy,omitempty"`
	Days       []DumpDay      `json:"days,omitempty"`
	ToolLists  []DumpToolList `json:"toolLists,omitempty"` // oldest first

	// Server is the stored record, for the writer of Record and Health.
	Server Server `json:"-"`
}

// A DumpText is a file of a repository.
type DumpText struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// A DumpDay holds the figures of a server, or of the whole registry, at the end of a UTC
// day.
type DumpDay struct {
	Date        string           `json:"date"`              // "2026-11-22"
	Servers     int              `json:"servers,omitempty"` // of the registry
	Score       *float64         `json:"score"`             // of the registry: the mean
	Stars       *int             `json:"stars,omitempty"`
	Forks       *int             `json:"forks,omitempty"`
	Downloads   *int64           `json:"downloads,omitempty"`
	DownloadsBy map[string]int64 `json:"downloadsBreakdown,omitempty"`
}

// A DumpToolList is a list of tools that a server has had since a time.
type DumpToolList struct {
	Since       time.Time `json:"since"`
	Hash        string    `json:"hash"`
	Source      string    `json:"source"` // one of the ToolsFrom constants
	Package     string    `json:"package,omitempty"`
	Version     string    `json:"version,omitempty"`
	LastVersion string    `json:"lastVersion,omitempty"`
	Tools       []Tool    `json:"tools"`
}

// A DumpGone is a server that is no longer listed because its repository is gone or no longer
// has it. Its slug is never reused.
type DumpGone struct {
	Slug       string         `json:"slug"`
	OldSlugs   []string       `json:"oldSlugs,omitempty"`
	Subfolder  string         `json:"subfolder,omitempty"`
	ListedAt   time.Time      `json:"listedAt"`
	GoneAt     time.Time      `json:"goneAt"`
	Repository DumpRepository `json:"repository"`
}

// A DumpRepository is a repository as the queue of the crawl has it.
type DumpRepository struct {
	Host         string      `json:"host"`
	HostID       int64       `json:"hostId,omitempty"`
	NodeID       string      `json:"nodeId,omitempty"`
	Owner        string      `json:"owner"`
	Name         string      `json:"name"`
	Unnamed      bool        `json:"unnamed,omitempty"` // the name now belongs to another repository
	State        string      `json:"state"`             // as in [Result.State]
	Reason       string      `json:"reason,omitempty"`
	Priority     int         `json:"priority,omitempty"`
	Interval     float64     `json:"interval,omitempty"` // days between changes
	FetchedAt    *time.Time  `json:"fetchedAt,omitempty"`
	ProbedAt     *time.Time  `json:"probedAt,omitempty"`
	ChangedAt    *time.Time  `json:"changedAt,omitempty"`
	DueAt        time.Time   `json:"dueAt"`
	CreatedAt    time.Time   `json:"createdAt"`
	Misses       int         `json:"misses,omitempty"`
	MissingSince *time.Time  `json:"missingSince,omitempty"`
	LastMissAt   *time.Time  `json:"lastMissAt,omitempty"`
	FormerNames  []DumpName  `json:"formerNames,omitempty"`
	Sources      []Discovery `json:"sources,omitempty"`
}

// A DumpName is the key of a name that a repository had.
type DumpName struct {
	Key     string    `json:"key"`
	Trusted bool      `json:"trusted"` // no other repository has taken it
	Until   time.Time `json:"until"`
}

// A DumpPackage holds the facts of package services, probes and inspections on a package or
// endpoint.
type DumpPackage struct {
	PackageKey
	Facts          PackageFacts     `json:"facts"`
	Days           map[string]int64 `json:"days,omitempty"` // downloads by UTC day
	Inspection     *Inspection      `json:"inspection,omitempty"`
	Inspected      string           `json:"inspected,omitempty"` // version
	InspectionDue  *time.Time       `json:"inspectionDueAt,omitempty"`
	DueAt          time.Time        `json:"dueAt"`
	DownloadsDueAt time.Time        `json:"downloadsDueAt"`
}

// A DumpListing is an entry of the official registry.
type DumpListing struct {
	Listing Listing   `json:"listing"`
	RepoKey string    `json:"repoKey,omitempty"`
	HostID  int64     `json:"hostId,omitempty"`
	SeenAt  time.Time `json:"seenAt"`
	// Earlier are entries that later versions have replaced, at most [MaxEarlier].
	Earlier []Listing `json:"earlier,omitempty"`
}

// An ImportState is the progress of an import.
type ImportState struct {
	Line       int64      // the last one that is stored
	Stored     int64      `db:"stored"`   // servers
	Rejected   int64      `db:"rejected"` // lines
	FinishedAt *time.Time `db:"finished_at"`
}

// An ImportLine is a line of a dump that was checked.
type ImportLine struct {
	Number int64
	DumpLine
	Scored *Scored // of a Server
}
