package dumps

import (
	"errors"
	"fmt"
	"math"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"encoding/json"

	"mcpcensus/crawler/serverjson"
	"mcpcensus/internal/registry"
)

var slugForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// Limits of values that a crawl never exceeds.
const (
	maxSlug = 220
	maxPath = 1000 // of a subfolder
	maxName = 1000 // of a tool, a package, a source
	maxDays = 4000 // of a server: more than ten years
	maxText = 8 << 20
	skew    = 24 * time.Hour // how far clocks may differ
)

var states = []string{"server", "not_server", "empty", "gone", "blocked", "unknown"}

// check returns an error if a line has values that a crawl could not have stored. It
// removes addresses that a crawl would not have stored.
func check(l *registry.DumpLine, now time.Time) error {
	switch {
	case l.Server != nil:
		return checkServer(l.Server, now)
	case l.Gone != nil:
		g := l.Gone
		return errors.Join(checkSlugs(g.Slug, g.OldSlugs), checkFolder(g.Subfolder),
			checkTimes(now, "listedAt", g.ListedAt, "goneAt", g.GoneAt), checkRepository(&g.Repository, now))
	case l.Departed != nil:
		if d := l.Departed; !registry.IsEntryName(d.Name) || d.Version == "" || len(d.Version) > 255 {
			return fmt.Errorf("%.50q is not the name of an entry, or has no version", d.Name)
		}
		return checkTimes(now, "at", l.Departed.At)
	case l.Repository != nil:
		return checkRepository(l.Repository, now)
	case l.Package != nil:
		return checkPackage(l.Package)
	case l.Listing != nil:
		return checkListing(l.Listing)
	}
	return checkDay(l.Day)
}

func checkServer(s *registry.DumpServer, now time.Time) error {
	f := &s.Facts
	if err := errors.Join(checkSlugs(s.Slug, s.OldSlugs), checkRepository(&s.Repository, now),
		checkRef(f.Repo.Host, f.Repo.Owner, f.Repo.Name), checkTimes(now, "listedAt", s.ListedAt,
			"updatedAt", s.UpdatedAt, "scoredAt", s.ScoredAt), checkFacts(f)); err != nil {
		return err
	}
	if f.Repo.Host != s.Repository.Host || f.Repo.ID != 0 && f.Repo.ID != s.Repository.HostID {
		return errors.New("the facts are about another repository")
	}
	if s.Readme != nil && (s.Readme.Path == "" || len(s.Readme.Path) > maxPath || len(s.Readme.Text) > maxText) {
		return errors.New("the README has no path or is too long")
	}
	if c := s.Copy; c != nil && (!isSlug(c.Of) || c.Kind != registry.CopyOf && c.Kind != registry.LookAlike) {
		return fmt.Errorf("copy: %.50q is not a kind of copies, or %.50q not a slug", c.Kind, c.Of)
	}
	return checkHistory(s, now)
}

func checkHistory(s *registry.DumpServer, now time.Time) error {
	if len(s.Days) > maxDays || len(s.ToolLists) > registry.MaxToolLists {
		return errors.New("there are more days or lists of tools than a registry stores")
	}
	for i := range s.Days {
		if err := checkDay(&s.Days[i]); err != nil {
			return err
		}
	}
	for _, t := range s.ToolLists {
		if !slices.Contains(registry.ToolSources, t.Source) || t.Hash != "" && !registry.IsSHA256(t.Hash) {
			return fmt.Errorf("toolLists: unknown source %.20q, or a hash of another form", t.Source)
		}
		if err := errors.Join(checkTools(t.Tools), checkTimes(now, "since", t.Since)); err != nil {
			return err
		}
	}
	return nil
}

func isSlug(s string) bool { return len(s) <= maxSlug && slugForm.MatchString(s) }

func checkSlugs(slug string, old []string) error {
	for _, s := range append([]string{slug}, old...) {
		if !isSlug(s) {
			return fmt.Errorf("%.50q is not a slug", s)
		}
	}
	return nil
}

// checkTimes checks times by name: all must be set and not in the future.
func checkTimes(now time.Time, pairs ...any) error {
	for i := 0; i < len(pairs); i += 2 {
		if t := pairs[i+1].(time.Time); t.Year() < 1990 || t.After(now.Add(skew)) {
			return fmt.Errorf("%s is unset or lies in the future: %s", pairs[i], t.Format(time.RFC3339))
		}
	}
	return nil
}

// checkRef checks the names of a repository by the rules of its host.
func checkRef(host, owner, name string) error {
	h := registry.FindHost(host)
	if h == nil {
		return fmt.Errorf("unknown code host %.30q", host)
	}
	ref := registry.RepoRef{Host: host, Owner: owner, Name: name}
	parsed, err := registry.ParseRepoRef(ref.URL())
	if err != nil || parsed.Key() != ref.Key() {
		return fmt.Errorf("%.100q is not a repository of %s", owner+"/"+name, h.ID)
	}
	return nil
}

func checkFolder(folder string) error {
	if folder != "" && (len(folder) > maxPath || path.Clean("/"+folder) != "/"+folder ||
		strings.ContainsAny(folder, "\\\x00\n")) {
		return fmt.Errorf("%.50q is not a folder of a repository", folder)
	}
	return nil
}

func checkRepository(r *registry.DumpRepository, now time.Time) error {
	if err := checkRef(r.Host, r.Owner, r.Name); err != nil {
		return err
	}
	if !slices.Contains(states, r.State) && r.State != "new" {
		return fmt.Errorf("unknown state %.20q of a repository", r.State)
	}
	if r.HostID < 0 || r.Misses < 0 || r.Misses > math.MaxInt16 || r.Interval < 0 || r.Interval > 10_000 ||
		len(r.NodeID) > maxName || len(r.FormerNames) > maxName || len(r.Sources) > maxName {
		return errors.New("the repository has a value out of range")
	}
	r.Priority = min(max(r.Priority, 0), math.MaxInt32)
	return errors.Join(checkNames(r), checkRepositoryTimes(r, now))
}

func checkNames(r *registry.DumpRepository) error {
	for _, n := range r.FormerNames {
		host, full, _ := strings.Cut(n.Key, ":")
		owner, name, _ := strings.Cut(full, "/")
		if err := checkRef(host, owner, name); err != nil {
			return err
		}
	}
	for _, s := range r.Sources {
		if s.Name == "" || len(s.Name) > maxName {
			return errors.New("the repository has a source without a name, or with a long one")
		}
	}
	return nil
}

func checkRepositoryTimes(r *registry.DumpRepository, now time.Time) error {
	times := []any{"createdAt", r.CreatedAt}
	for name, t := range map[string]*time.Time{"fetchedAt": r.FetchedAt, "probedAt": r.ProbedAt,
		"changedAt": r.ChangedAt, "missingSince": r.MissingSince, "lastMissAt": r.LastMissAt} {
		if t != nil {
			times = append(times, name, *t)
		}
	}
	return checkTimes(now, times...)
}

func checkFacts(f *registry.Facts) error {
	d := &f.Detection
	for _, c := range []string{d.Category, d.SecondCategory} {
		if c != "" && !slices.Contains(registry.Categories, c) {
			return fmt.Errorf("unknown category %.30q", c)
		}
	}
	if d.SDK != "" && !slices.Contains(registry.SDKs, d.SDK) {
		return fmt.Errorf("unknown SDK %.30q", d.SDK)
	}
	if d.Kind != "" && !slices.Contains(registry.ServerKinds, d.Kind) {
		return fmt.Errorf("unknown kind %.30q", d.Kind)
	}
	d.Homepage = serverjson.WebAddress(d.Homepage)
	if l := f.Listing; l != nil {
		cleanListing(l)
	}
	d.Remotes = checkRemotes(d.Remotes)
	cleanAddresses(reflect.ValueOf(f).Elem())
	tools := d.Tools
	for _, p := range slices.Concat(f.Packages, f.Endpoints) {
		if err := checkKey(p.RegistryType, p.Identifier); err != nil {
			return err
		}
		tools = slices.Concat(tools, toolsOf(&p))
	}
	return errors.Join(checkTools(tools), checkFolder(d.Subfolder))
}

func toolsOf(p *registry.PackageFacts) (tools []registry.Tool) {
	if p.Archive != nil {
		tools = append(tools, p.Archive.Tools...)
	}
	if p.Inspection != nil {
		tools = append(tools, p.Inspection.Tools...)
	}
	if p.Probe != nil {
		tools = append(tools, p.Probe.Tools...)
	}
	return tools
}

func checkTools(tools []registry.Tool) error {
	for _, t := range tools {
		if t.Name == "" || len(t.Name) > maxName || t.Tokens < 0 || t.Tokens > math.MaxInt32 {
			return fmt.Errorf("tool %.50q has no name, a long one, or a wrong number of tokens", t.Name)
		}
		if len(t.InputSchema) > 0 && !json.Valid(t.InputSchema) {
			return fmt.Errorf("tool %.50q: the input schema is not JSON", t.Name)
		}
	}
	return nil
}

func checkKey(registryType, identifier string) error {
	if registryType == "" || len(registryType) >= 50 || identifier == "" || len(identifier) > 500 {
		return fmt.Errorf("%.20q %.50q is not a package", registryType, identifier)
	}
	if registryType != registry.RemoteType {
		return nil
	}
	if key, ok := registry.RemoteKey(identifier); !ok || key.Identifier != identifier {
		return fmt.Errorf("%.100q is not the address of an endpoint", identifier)
	}
	return nil
}

func checkPackage(p *registry.DumpPackage) error {
	if err := checkKey(p.RegistryType, p.Identifier); err != nil {
		return err
	}
	if p.Facts.RegistryType != p.RegistryType || p.Facts.Identifier != p.Identifier {
		return errors.New("the facts are about another package")
	}
	if p.Facts.Inspection != nil || len(p.Days) > maxDays {
		return errors.New("the package has more days than a registry stores, or an inspection in its facts")
	}
	for day, n := range p.Days {
		if _, err := time.Parse(time.DateOnly, day); err != nil || n < 0 {
			return fmt.Errorf("%.20q is not a day with downloads", day)
		}
	}
	tools := toolsOf(&p.Facts)
	if i := p.Inspection; i != nil {
		if !slices.Contains(registry.InspectionOutcomes, i.Outcome) {
			return fmt.Errorf("unknown outcome %.20q of an inspection", i.Outcome)
		}
		tools = append(tools, i.Tools...)
	}
	cleanAddresses(reflect.ValueOf(&p.Facts).Elem())
	return checkTools(tools)
}

func checkListing(l *registry.DumpListing) error {
	if name := l.Listing.Name; name == "" || len(name) > 500 || len(l.RepoKey) > 500 || l.HostID < 0 {
		return fmt.Errorf("%.50q is not the name of an entry of the official registry", name)
	}
	if host, _, ok := strings.Cut(l.RepoKey, ":"); l.RepoKey != "" && (!ok || registry.FindHost(host) == nil) {
		return fmt.Errorf("%.50q is not the key of a repository", l.RepoKey)
	}
	if l.SeenAt.Year() < 1990 {
		return errors.New("seenAt is unset")
	}
	cleanListing(&l.Listing)
	if len(l.Earlier) > registry.MaxEarlier {
		return errors.New("there are more earlier versions than a registry stores")
	}
	for i := range l.Earlier {
		e := &l.Earlier[i]
		if e.Name != l.Listing.Name || e.Version == "" || len(e.Version) > 255 || e.PublishedAt == nil {
			return fmt.Errorf("version %.50q is not an earlier one of the entry", e.Version)
		}
		cleanListing(e)
	}
	return nil
}

// cleanListing removes everything that the parser of the official registry's entries would
// reject.
func cleanListing(l *registry.Listing) {
	l.WebsiteURL = serverjson.WebAddress(l.WebsiteURL)
	l.SchemaURL = serverjson.WebAddress(l.SchemaURL)
	if !strings.HasPrefix(serverjson.WebAddress(l.IconURL), "https://") {
		l.IconURL = ""
	}
	l.Remotes = checkRemotes(l.Remotes)
	cleanAddresses(reflect.ValueOf(l).Elem())
}

func checkRemotes(list []registry.Remote) []registry.Remote {
	return slices.DeleteFunc(list, func(r registry.Remote) bool {
		return serverjson.TemplateAddress(r.URL) == ""
	})
}

func checkDay(d *registry.DumpDay) error {
	negative := func(n *int) bool { return n != nil && (*n < 0 || *n > math.MaxInt32) }
	_, err := time.Parse(time.DateOnly, d.Date)
	if err != nil || negative(d.Stars) || negative(d.Forks) || negative(&d.Servers) ||
		d.Downloads != nil && *d.Downloads < 0 || d.Score != nil && (*d.Score < 0 || *d.Score > 100) {
		return fmt.Errorf("%.20q is not a day, or has figures out of range", d.Date)
	}
	return nil
}

// addressName matches names of members with URLs.
var addressName = regexp.MustCompile(`(?i)(url|homepage|successor)$`)

// schemeForm matches the scheme of an address.
var schemeForm = regexp.MustCompile(`^[\s\x00-\x20]*([a-zA-Z][a-zA-Z0-9+.-]*):`)

// schemes are the schemes of URLs of pages and repositories.
var schemes = []string{"http", "https", "git", "ssh", "git+https", "git+http", "git+ssh", "scm"}

// cleanAddresses empties URLs with other schemes, such as javascript, in all members of a
// struct.
func cleanAddresses(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			cleanAddresses(v.Elem())
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			cleanAddresses(v.Index(i))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			f := v.Field(i)
			if f.Kind() == reflect.String && addressName.MatchString(v.Type().Field(i).Name) {
				if m := schemeForm.FindStringSubmatch(f.String()); m != nil &&
					!slices.Contains(schemes, strings.ToLower(m[1])) {
					f.SetString("")
				}
				continue
			}
			cleanAddresses(f)
		}
	}
}
