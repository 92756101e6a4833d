package registry

import (
	"cmp"
	"net/url"
	"strings"
	"time"
)

// A Repository is the state of a repository at its code host at ObservedAt.
// Unknown values are nil.
type Repository struct {
	Host   string `json:"host"`             // GitHub
	ID     int64  `json:"id"`               // the host's numeric id: identity, with Host
	NodeID string `json:"nodeId,omitempty"` // GitHub's global node id, opaque
	Owner  string `json:"owner"`            // as the host spells it
	Name   string `json:"name"`

	OwnerType      string `json:"ownerType,omitempty"` // "User" or "Organization"
	OwnerAvatarURL string `json:"ownerAvatarUrl,omitempty"`
	// the host verified the organization's domain
	OwnerVerified  *bool      `json:"ownerVerified,omitempty"`
	OwnerCreatedAt *time.Time `json:"ownerCreatedAt,omitempty"`

	Description   string `json:"description,omitempty"`
	Homepage      string `json:"homepage,omitempty"`
	DefaultBranch string `json:"defaultBranch,omitempty"`
	Commit        string `json:"commit,omitempty"` // head of the default branch, "" if empty
	TreeID        string `json:"treeId,omitempty"`

	CreatedAt   time.Time  `json:"createdAt"`
	UpdatedAt   time.Time  `json:"updatedAt"`
	PushedAt    time.Time  `json:"pushedAt"`
	CommittedAt *time.Time `json:"committedAt,omitempty"` // committer date of Commit

	Private  bool `json:"private,omitempty"`
	Fork     bool `json:"fork,omitempty"`
	Template bool `json:"template,omitempty"`
	Mirror   bool `json:"mirror,omitempty"`
	Empty    bool `json:"empty,omitempty"` // no commit
	Locked   bool `json:"locked,omitempty"`
	Disabled bool `json:"disabled,omitempty"`
	Archived bool `json:"archived,omitempty"`

	ArchivedAt *time.Time `json:"archivedAt,omitempty"`
	Parent     string     `json:"parent,omitempty"` // owner/name of its origin

	Stars         *int  `json:"stars,omitempty"`
	Forks         *int  `json:"forks,omitempty"`
	Watchers      *int  `json:"watchers,omitempty"`
	OpenIssues    *int  `json:"openIssues,omitempty"` // without pull requests
	ClosedIssues  *int  `json:"closedIssues,omitempty"`
	OpenPRs       *int  `json:"openPrs,omitempty"`
	MergedPRs     *int  `json:"mergedPrs,omitempty"`
	ClosedPRs     *int  `json:"closedPrs,omitempty"`
	Contributors  *int  `json:"contributors,omitempty"` // authors of the last 26 weeks
	Releases      *int  `json:"releases,omitempty"`
	Tags          *int  `json:"tags,omitempty"`
	IssuesEnabled *bool `json:"issuesEnabled,omitempty"`

	// License is the SPDX identifier from the host. "NOASSERTION" is an unrecognized license
	// file; "" none.
	License      string          `json:"license,omitempty"`
	LicenseKnown bool            `json:"licenseKnown,omitempty"` // the host returned it
	Language     string          `json:"language,omitempty"`     // primary language according to the host
	Languages    []LanguageShare `json:"languages,omitempty"`
	Topics       []string        `json:"topics,omitempty"`
	// its own or its organization's
	SecurityPolicy *bool `json:"securityPolicy,omitempty"`
	CodeOfConduct  *bool `json:"codeOfConduct,omitempty"`
	Contributing   *bool `json:"contributing,omitempty"`
	Funding        *bool `json:"funding,omitempty"`

	LatestReleases []Release `json:"latestReleases,omitempty"` // newest first, at most 5
	LatestTag      *Release  `json:"latestTag,omitempty"`

	// CheckState is the state of the head commit's checks: "SUCCESS",
	// "FAILURE", "ERROR", "PENDING", "EXPECTED", or "" without checks.
	CheckState      string `json:"checkState,omitempty"`
	CheckStateKnown bool   `json:"checkStateKnown,omitempty"`

	ObservedAt time.Time `json:"observedAt"`
}

// Identified reports whether the host has said the repository's id. Until then it is known by its
// name, and of its metadata only what git sends.
func (r *Repository) Identified() bool { return r.ID != 0 || r.NodeID != "" }

// Same reports whether r and s are states of one repository: by the host's id, or by name while
// one of them has none.
func (r *Repository) Same(s *Repository) bool {
	if !r.Identified() || !s.Identified() {
		return r.Ref().Key() == s.Ref().Key()
	}
	return r.ID != 0 && r.ID == s.ID || r.NodeID != "" && r.NodeID == s.NodeID
}

// FullName returns owner/name as spelled by the host.
func (r *Repository) FullName() string { return r.Ref().FullName() }

// IsArchived and IsFork report what the host says of the repository; nil until it returned metadata.
func (r *Repository) IsArchived() *bool { return r.ifKnown(r.Archived) }

// IsFork is documented at [Repository.IsArchived].
func (r *Repository) IsFork() *bool { return r.ifKnown(r.Fork) }

func (r *Repository) ifKnown(b bool) *bool {
	if r.CreatedAt.IsZero() {
		return nil
	}
	return &b
}

// Ref returns the repository's address.
func (r *Repository) Ref() RepoRef { return RepoRef{Host: r.Host, Owner: r.Owner, Name: r.Name} }

// URL returns the address of the repository's page, "" if its host is not known.
func (r *Repository) URL() string { return r.Ref().URL() }

// ProjectKey returns the key of deps.dev's facts about a repository itself, such as its
// OpenSSF Scorecard. It reports whether deps.dev covers the host.
func (r *Repository) ProjectKey() (PackageKey, bool) {
	prefix := HostOf(r.Host).Project
	return PackageKey{RegistryType: ProjectType, Identifier: prefix + r.FullName()}, prefix != ""
}

// An OwnerAvatar is the URL of an owner's avatar at a code host.
type OwnerAvatar struct{ Host, Owner, URL string }

// A LanguageShare is the number of bytes of a repository in one language.
type LanguageShare struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// A Release is a release or a bare tag.
type Release struct {
	Tag         string     `json:"tag"`
	PublishedAt *time.Time `json:"publishedAt,omitempty"`
	Prerelease  bool       `json:"prerelease,omitempty"`
	HasNotes    *bool      `json:"hasNotes,omitempty"`
	HasAssets   *bool      `json:"hasAssets,omitempty"`
}

// A File is an entry of a repository's listing.
type File struct {
	Path string `json:"path"`           // slash-separated, from the root
	Size int64  `json:"size"`           // negative if unknown
	OID  string `json:"oid,omitempty"`  // git object id, where known
	Mode string `json:"mode,omitempty"` // "100644", "120000" (symbolic link), "160000" (submodule)
}

// A Snapshot holds all data read from one repository: its state at the host,
// the listing, the texts for detection, and the activity.
type Snapshot struct {
	Repo Repository `json:"repo"`

	// Files is the listing of the default branch at Repo.Commit, files only,
	// sorted by path; nil if it could not be read.
	Files          []File `json:"files,omitempty"`
	FilesTruncated bool   `json:"filesTruncated,omitempty"`

	// Texts are files' contents by path: manifests, README, workflows. A file
	// that is in Files and not in Texts was not read.
	Texts map[string]string `json:"texts,omitempty"`
	// TextsStored reports that the files are identical to those of the stored snapshot: Texts
	// is empty and the stored detection is still valid.
	TextsStored bool `json:"textsKept,omitempty"`
	// Selection is the version of the rules for selecting files. A snapshot of earlier rules
	// is re-read even if nothing has changed.
	Selection int `json:"selection,omitempty"`

	// Activity summarizes the commits of the default branch, by subfolder; ""
	// is the whole repository. A missing key means unknown.
	Activity map[string]Activity `json:"activity,omitempty"`
	Issues   *IssueActivity      `json:"issues,omitempty"`

	// Failures are the parts that could not be read, by name ("tree",
	// "texts", "sources", "activity", …), with a displayable reason.
	Failures map[string]string `json:"failures,omitempty"`
	// FailedAt are the times of the last requests for Failures that are not requested at every
	// visit.
	FailedAt map[string]time.Time `json:"failedAt,omitempty"`
}

// Activity summarizes commits by humans, without names. Weeks are counted back
// from ObservedAt in steps of seven days.
type Activity struct {
	// committer date of the last human commit
	LastCommitAt  *time.Time `json:"lastCommitAt,omitempty"`
	LastCommit    string     `json:"lastCommit,omitempty"`
	FirstCommitAt *time.Time `json:"firstCommitAt,omitempty"` // where known
	// ActiveDays are the days (UTC, "2006-01-02") of the last 26 weeks with a
	// human commit, oldest first. Days and not counts: a hundred commits a day
	// count once.
	ActiveDays []string `json:"activeDays,omitempty"`
	// Humans is the number of distinct humans with a commit in the last 365
	// days; nil if not known.
	Humans     *int `json:"humans,omitempty"`
	BotCommits int  `json:"botCommits,omitempty"` // by dependency-update bots, in the last 180 days
	Truncated  bool `json:"truncated,omitempty"`  // older commits of the window were not read
	// OwnCommits is, for a fork, the number of human commits since the fork; nil if unknown.
	OwnCommits *int      `json:"ownCommits,omitempty"`
	ObservedAt time.Time `json:"observedAt"`
	// CountedAt is when all of it was last read, and not just commits since the previous
	// visit: Humans and BotCommits can only rise until then.
	CountedAt *time.Time `json:"countedAt,omitempty"`
}

// IssueActivity counts issues and pull requests by non-members that are between 14 and 180
// days old, and handled ones.
type IssueActivity struct {
	Opened int `json:"opened"` // by non-members
	// answered, merged or closed by a human member within 14 days
	Answered   int        `json:"answered"`
	Unanswered []int      `json:"unanswered,omitempty"`
	LastAnswer *time.Time `json:"lastAnswer,omitempty"`
	Truncated  bool       `json:"truncated,omitempty"`
	ObservedAt time.Time  `json:"observedAt"`
}

// AvatarPath returns the path at which a registry serves the avatar of the owner,
// "" if there is none.
func (r *Repository) AvatarPath() string {
	if r.Owner == "" || strings.Contains(r.Owner, "/") {
		return ""
	}
	host := cmp.Or(r.Host, Hosts[0].ID)
	return "/avatars/" + url.PathEscape(host) + "/" + url.PathEscape(strings.ToLower(r.Owner)) + ".png"
}
