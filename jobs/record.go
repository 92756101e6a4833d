package jobs

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"mcpcensus/crawler/detect"
	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/internal/tools"
	"mcpcensus/scorer"
)

// Score returns the server of facts with health and popularity at the given time, or in the
// second after the repository was read if that is later: the clocks of machines differ. Fields
// owned by the store (slug, change number, sightings, times of listing) are empty.
func Score(f registry.Facts, now time.Time) registry.Scored {
	now = now.UTC().Truncate(time.Second)
	if read := f.Repo.ObservedAt.UTC(); read.After(now) {
		now = read.Truncate(time.Second).Add(time.Second)
	}
	s := record(f)
	s.VerifiedReason = scorer.Linked(f, now)
	s.Verified = s.VerifiedReason != ""
	s.Health = scorer.Health(f, now)
	s.Popularity = scorer.Popularity(f)
	s.ScoredAt = &now
	return registry.Scored{Server: s, Facts: f}
}

// record returns the record of facts, without a score and link.
func record(f registry.Facts) registry.Server {
	d, r, l := f.Detection, f.Repo, f.Listing
	l = cmp.Or(l, new(registry.Listing))
	s := registry.Server{
		RegistryName:       l.Name, // a name in the files counts only if the registry lists it
		FormerNames:        f.FormerNames,
		Published:          published(l),
		Name:               cmp.Or(d.Name, r.Name),
		Title:              cmp.Or(l.Title, d.Title),
		Description:        cmp.Or(d.Description, l.Description, r.Description),
		DescriptionFrom:    d.DescriptionFrom,
		Kind:               d.Kind,
		Category:           cmp.Or(d.Category, registry.CategoryTools),
		CategoryConfidence: d.CategoryConfidence,
		SecondCategory:     d.SecondCategory,
		Tags:               d.Tags,
		SDK:                d.SDK,
		Framework:          d.Framework,
		Language:           cmp.Or(d.Language, r.Language),
		OpenIssues:         r.OpenIssues,
		Contributors:       r.Contributors,
		Repo:               r,
		Subfolder:          d.Subfolder,
		Homepage:           homepage(f, l),
		Icon:               l.IconURL,
		Transports:         d.Transports,
		Unpublished:        unpublished(f),
		Packages:           publishedPackages(f),
		Remotes:            withLiveness(d.Remotes, f.Endpoints),
		Variables:          d.Variables,
		CreatedAt:          r.CreatedAt,
	}
	s.Stars, s.Forks, s.CountedAt = f.Counts()
	setTools(&s, f)
	s.Touches, s.ReadOnly, s.ReadOnlyEndpoint = d.Touches, d.ReadOnly, d.ReadOnlyEndpoint
	for _, p := range f.Packages {
		if p.Inspection != nil && !f.Doubtful(p) {
			s.Touches = s.Touches.Saw(p.Inspection.Hosts)
		}
	}
	s.Liveness = registry.BestLiveness(s.Remotes)
	install.SetCommand(&s)
	s.SourceInstall, s.Elsewhere = d.SourceInstall, d.Elsewhere
	s.Downloads, s.DownloadsBy, s.DownloadsAt = downloads(f.Packages)
	if !r.ObservedAt.IsZero() {
		s.LastCrawledAt = new(r.ObservedAt)
	}
	setStatus(&s, f)
	s.SuccessorURL = successor(s.Status, f)
	s.OfficialReason = detect.Official(&f)
	s.Official = s.OfficialReason != ""
	s.License, s.LicenseFrom = license(f)
	setVersion(&s, f)
	if f.Activity != nil {
		s.LastCommitAt = f.Activity.LastCommitAt
	} else {
		s.LastCommitAt = r.CommittedAt
	}
	return s
}

// published returns the entry as its owner published it, nil if that is not known or the
// entry is deleted.
func published(l *registry.Listing) *registry.PublishedEntry {
	if len(l.Document) == 0 || l.Status == "deleted" {
		return nil
	}
	return &registry.PublishedEntry{Document: l.Document, At: l.PublishedAt}
}

// setTools sets the server's tools from the most reliable source of facts.
func setTools(s *registry.Server, f registry.Facts) {
	list, ok := tools.Choose(f.ToolLists())
	if !ok {
		if known := f.Detection.Tools; known != nil {
			s.Tools, s.ToolCount = known, new(int)
		}
		return
	}
	s.Tools, s.Suspicious = tools.WithEffects(list.Tools, readTools(f)...), f.SuspiciousTexts()
	s.SilentChange = f.SilentChange()
	s.ToolsFrom, s.ToolsVersion, s.ToolsHash = list.From, list.Version, tools.ListHash(list.Tools)
	s.ToolsPackage, s.ToolsEndpoint, s.ToolsPartial = list.Package, list.Endpoint, list.IsIncomplete()
	if !list.At.IsZero() {
		s.ToolsAt = &list.At
	}
	if !s.ToolsPartial {
		countTools(s)
	}
}

// readTools returns the lists of tools that were read from source code, the repository's first.
func readTools(f registry.Facts) [][]registry.Tool {
	lists := [][]registry.Tool{f.Detection.Tools}
	for _, p := range f.Packages {
		if p.Archive != nil && !f.Doubtful(p) {
			lists = append(lists, p.Archive.Tools)
		}
	}
	return lists
}

// countTools sets the number and the tokens of the server's tools.
func countTools(s *registry.Server) {
	counted := registry.DefaultTools(s.Tools)
	n, tokens := len(counted), 0
	for _, t := range counted {
		tokens += t.Tokens
	}
	s.ToolCount = &n
	if s.ToolsHash != "" {
		s.ToolTokens = &tokens
	}
}

// homepage returns the first URL of a homepage that is not the repository itself, "" for none.
func homepage(f registry.Facts, l *registry.Listing) string {
	for _, address := range []string{f.Detection.Homepage, l.WebsiteURL, f.Repo.Homepage} {
		if address != "" && !detect.IsRepository(address, &f.Repo) {
			return address
		}
	}
	return ""
}

// license returns the SPDX identifier of the license that the host detected, otherwise the one
// in the manifest, and its source; "" for none.
func license(f registry.Facts) (spdx, from string) {
	if l := f.Repo.License; l != "" && l != "NOASSERTION" {
		return l, registry.HostOf(f.Repo.Host).ID
	}
	if l := f.Detection.License; l != "" {
		return l, registry.LicenseFromManifest
	}
	return "", ""
}

// publishedPackages returns the packages that a client can install: from the manifests and the
// registry entry, with the latest version if known, without those that the package service
// does not have.
func publishedPackages(f registry.Facts) []registry.Package {
	var out []registry.Package
	for _, p := range f.Detection.Packages {
		p.Doubt = f.DoubtOf(p)
		if known, ok := factsOf(f.Packages, p); ok {
			if known.Missing() {
				continue
			}
			if p.RegistryType == "oci" {
				p.Version = tagOf(p, known)
			} else if known.Latest != "" {
				p.Version = known.Released()
			}
			p.Inspection = known.Inspection.Shown()
		}
		out = append(out, p)
	}
	return out
}

// tagOf returns the tag of an image: the declared one if the image has it or its tags are
// unknown, otherwise none if there is a default one, otherwise the latest version.
func tagOf(p registry.Package, known registry.PackageFacts) string {
	const byDefault = "latest"
	if known.Tags == nil || slices.Contains(known.Tags, cmp.Or(p.Version, byDefault)) {
		return p.Version
	}
	if slices.Contains(known.Tags, byDefault) {
		return ""
	}
	return known.Latest
}

// unpublished returns the packages of [registry.Server.Unpublished].
func unpublished(f registry.Facts) (out []string) {
	for _, p := range f.Detection.Packages {
		if known, ok := factsOf(f.Packages, p); ok && known.Missing() {
			out = append(out, p.RegistryType+" "+p.Identifier)
		}
	}
	return out
}

func factsOf(facts []registry.PackageFacts, p registry.Package) (registry.PackageFacts, bool) {
	i := slices.IndexFunc(facts, func(pf registry.PackageFacts) bool {
		return pf.RegistryType == p.RegistryType && pf.Identifier == p.Identifier
	})
	if i < 0 {
		return registry.PackageFacts{}, false
	}
	return facts[i], true
}

// downloads returns the downloads of the last 30 days, of all packages and by
// registry type, and when the oldest of the counts was read; nil if unknown.
func downloads(facts []registry.PackageFacts) (_ *int64, by map[string]int64, at *time.Time) {
	var total int64
	for _, p := range facts {
		if p.Downloads == nil {
			continue
		}
		if by == nil {
			by = map[string]int64{}
		}
		by[p.RegistryType] += *p.Downloads
		total += *p.Downloads
		if when := p.DownloadsObservedAt; when != nil && (at == nil || when.Before(*at)) {
			at = when
		}
	}
	if by == nil {
		return nil, nil, nil
	}
	return &total, by, at
}

func setStatus(s *registry.Server, f registry.Facts) {
	set := func(status, message, from string, read *time.Time) {
		s.Status, s.StatusMessage, s.StatusFrom, s.StatusAt = status, message, from, read
	}
	host, visited, abandoned := registry.HostOf(f.Repo.Host).ID, s.LastCrawledAt, f.DeprecatedPackage()
	s.Status = registry.StatusActive
	switch {
	case f.Gone:
		set(registry.StatusDeleted, "The repository is gone from its host.", host, visited)
	case f.Missing != nil:
		set(registry.StatusUnreachable, "The code host has not found the repository since "+
			text.Day(*f.Missing)+".", host, f.Missing)
	case f.Repo.Empty:
		set(registry.StatusUnreachable,
			"The repository has no commit; only the official registry describes the server.",
			host, visited)
	case f.Detection.Unfounded && len(f.Detection.Remotes) == 0:
		set(registry.StatusUnreachable,
			"Nothing in the repository is a server; only the official registry describes it.",
			host, visited)
	case f.Repo.Archived:
		set(registry.StatusArchived, "Its owner has archived the repository.", host, visited)
	case f.Readme != nil && f.Readme.Deprecation == "declared":
		set(registry.StatusDeprecated, f.Readme.DeprecationText, host, visited)
	case f.Listing.Deprecation() != "":
		set(registry.StatusDeprecated, f.Listing.Deprecation(), registry.VersionListing,
			&f.Listing.ObservedAt)
	case abandoned != nil:
		set(registry.StatusDeprecated, *abandoned.Deprecated, abandoned.RegistryType,
			abandoned.ObservedAt)
	}
}

var webAddress = regexp.MustCompile(`https?://[^\s<>"'\x60)\]]+`)

// successor returns the URL that texts about the end of a server name, "" for a server that
// has not ended.
func successor(status string, f registry.Facts) string {
	if status != registry.StatusDeprecated && status != registry.StatusArchived {
		return ""
	}
	var texts []string
	if f.Readme != nil {
		texts = []string{f.Readme.Successor, f.Readme.DeprecationText}
	}
	texts = append(texts, f.Listing.Deprecation())
	for _, p := range f.Packages {
		if p.Deprecated != nil {
			texts = append(texts, *p.Deprecated)
		}
	}
	for _, text := range texts {
		for _, address := range webAddress.FindAllString(text, -1) {
			address = strings.TrimRight(address, ".,;:!?")
			ref, err := registry.ParseRepoRef(address)
			if err != nil || ref.Key() != f.Repo.Ref().Key() || otherFolder(ref, address, f) {
				return address
			}
		}
	}
	return ""
}

// otherFolder reports whether a URL in the repository of f leads to a folder outside the
// server's own.
func otherFolder(ref registry.RepoRef, address string, f registry.Facts) bool {
	if tree := registry.HostOf(f.Repo.Host).Pages.Tree; tree == "" || !strings.Contains(address, tree) {
		return false // a file's page or another one
	}
	folder, own := ref.Folder(f.Repo.DefaultBranch), f.Detection.Subfolder
	return folder != "" && folder != own && (own == "" || !strings.HasPrefix(folder, own+"/"))
}

// setVersion sets the latest version, its date and its source: the first package with a known
// version, otherwise the latest release, the entry, the latest tag or the manifest.
func setVersion(s *registry.Server, f registry.Facts) {
	set := func(version, from string, released *time.Time, read time.Time) {
		if version == "" {
			return
		}
		s.LatestVersion, s.ReleasedAt, s.VersionFrom = version, released, from
		if !read.IsZero() {
			s.VersionAt = &read
		}
	}
	for _, p := range f.Packages {
		if p.Released() != "" {
			var read time.Time
			if p.ObservedAt != nil {
				read = *p.ObservedAt
			}
			set(strings.TrimPrefix(p.Latest, "v"), p.RegistryType, p.LatestAt, read)
			return
		}
	}
	// In a repository with several servers, releases may be of another one.
	member := f.Detection.Subfolder != "" && f.Detection.Version != ""
	counts := func(tag string) bool {
		of := f.TagOf(tag)
		return of == registry.TagOfServer || of == registry.TagOfRepository && !member
	}
	visited := f.Repo.ObservedAt
	for _, r := range f.Repo.LatestReleases {
		if !r.Prerelease && counts(r.Tag) {
			set(versionOfTag(r.Tag), registry.VersionRelease, r.PublishedAt, visited)
			return
		}
	}
	switch t := f.Repo.LatestTag; {
	case f.Listing != nil && f.Listing.Version != "":
		set(f.Listing.Version, registry.VersionListing, f.Listing.PublishedAt, f.Listing.ObservedAt)
	case t != nil && t.Tag != "" && counts(t.Tag):
		set(versionOfTag(t.Tag), registry.VersionTag, t.PublishedAt, visited)
	default:
		set(f.Detection.Version, registry.VersionManifest, nil, visited)
	}
}

var tagVersion = regexp.MustCompile(`(?:^|[@/_-])v?([0-9]+(?:\.[0-9]+)+[0-9A-Za-z.+-]*)$`)

// versionOfTag returns the version in a tag, which may follow the name of a part of the
// repository: "tides-v1.2.0". Without one it returns the tag.
func versionOfTag(tag string) string {
	if m := tagVersion.FindStringSubmatch(tag); m != nil {
		return m[1]
	}
	return strings.TrimPrefix(tag, "v")
}
