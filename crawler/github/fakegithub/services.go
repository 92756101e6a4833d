package fakegithub

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A pkg is a package of a fixture.
type pkg struct {
	System     string    `yaml:"system"` // npm, pypi, go, cargo, maven, nuget
	Name       string    `yaml:"name"`
	License    string    `yaml:"license"`
	Repo       string    `yaml:"repo"`      // source repository; "-" for none, the fixture's by default
	Downloads  int64     `yaml:"downloads"` // in 30 days
	Attested   bool      `yaml:"attested"`
	Dependents int       `yaml:"dependents"`
	Versions   []version `yaml:"versions"` // oldest first
}

type version struct {
	Number     string `yaml:"version"`
	Age        age    `yaml:"age"`
	Deprecated string `yaml:"deprecated"`
	at         time.Time
}

type vuln struct {
	ID        string   `yaml:"id"`
	Aliases   []string `yaml:"aliases"`
	Ecosystem string   `yaml:"ecosystem"`
	Package   string   `yaml:"package"`
	Versions  []string `yaml:"versions"`
	Fixed     string   `yaml:"fixed"`
	Severity  string   `yaml:"severity"` // LOW, MODERATE, HIGH, CRITICAL
	CVSS      string   `yaml:"cvss"`
	Score     float64  `yaml:"score"`
	Summary   string   `yaml:"summary"`
	Age       age      `yaml:"age"`
	at        time.Time
}

// A listing is one version of a server in the official registry.
type listing struct {
	server  map[string]any
	name    string
	version string
	status  string
	message string
	at      time.Time // of publication and update
	latest  bool
}

// list publishes a server.json of a repository in the official registry. The caller holds
// w.mu.
func (w *Server) list(r *repo, file, number, status, message string, at time.Time) error {
	var server map[string]any
	d := json.NewDecoder(strings.NewReader(r.files[file]))
	d.UseNumber()
	if err := d.Decode(&server); err != nil {
		return fmt.Errorf("listing %s: %w", file, err)
	}
	if number != "" {
		server["version"] = number
	}
	name, _ := server["name"].(string)
	number, _ = server["version"].(string)
	l := &listing{server: server, name: name, version: number, status: cmp.Or(status, "active"),
		message: message, at: at, latest: true}
	for _, other := range w.listings {
		if other.name == name {
			l.latest = l.latest && !other.at.After(at)
			other.latest = other.latest && other.at.After(at)
		}
	}
	w.listings = append(w.listings, l)
	slices.SortFunc(w.listings, func(a, b *listing) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.version, b.version))
	})
	return nil
}

func (l *listing) body() any {
	official := map[string]any{
		"status": l.status, "statusChangedAt": stamp(l.at), "publishedAt": stamp(l.at),
		"updatedAt": stamp(l.at), "isLatest": l.latest,
	}
	if l.message != "" {
		official["statusMessage"] = l.message
	}
	return map[string]any{"server": l.server,
		"_meta": map[string]any{"io.modelcontextprotocol.registry/official": official}}
}

func (w *Server) mcpRegistry(c *call) reply {
	s := append(c.segments, "", "", "")
	withDeleted := c.query.Get("include_deleted") == "true"
	rows := w.versionsOf(s[2], withDeleted)
	latest := slices.IndexFunc(rows, func(l *listing) bool { return l.latest })
	switch path := strings.Join(c.segments[min(3, len(c.segments)):], "/"); {
	case s[0] != "v0.1" || s[1] != "servers":
	case len(c.segments) == 2:
		return w.listServers(c, withDeleted)
	case latest < 0:
	case path == "versions":
		return listingPage(rows, "")
	case path == "versions/latest":
		return jsonReply(http.StatusOK, rows[latest].body())
	}
	return jsonReply(http.StatusNotFound, map[string]any{"title": "Not Found", "status": http.StatusNotFound,
		"detail": "Server not found"}).with("Content-Type", "application/problem+json")
}

func listingPage(rows []*listing, next string) reply {
	meta := map[string]any{"count": len(rows)}
	if next != "" {
		meta["nextCursor"] = next
	}
	return jsonReply(http.StatusOK, map[string]any{"servers": each(rows, (*listing).body), "metadata": meta})
}

// versionsOf returns the versions of a server, newest first.
func (w *Server) versionsOf(name string, withDeleted bool) (rows []*listing) {
	for _, l := range w.listings {
		if l.name == name && (withDeleted || l.status != "deleted") {
			rows = append(rows, l)
		}
	}
	slices.SortFunc(rows, func(a, b *listing) int { return b.at.Compare(a.at) })
	return rows
}

func (w *Server) listServers(c *call, withDeleted bool) reply {
	limit, _ := strconv.Atoi(c.query.Get("limit"))
	name, number, _ := strings.Cut(c.query.Get("cursor"), ":")
	var since time.Time
	if s := c.query.Get("updated_since"); s != "" {
		since, _ = time.Parse(time.RFC3339, s)
		withDeleted = true
	}
	rows := slices.DeleteFunc(slices.Clone(w.listings), func(l *listing) bool {
		return cmp.Or(cmp.Compare(l.name, name), cmp.Compare(l.version, number)) <= 0 ||
			!withDeleted && l.status == "deleted" || !l.at.After(since) ||
			c.query.Get("version") == "latest" && !l.latest
	})
	if limit == 0 || len(rows) <= limit {
		return listingPage(rows, "")
	}
	return listingPage(rows[:limit], rows[limit-1].name+":"+rows[limit-1].version)
}

func depsDevNotFound(what string) reply {
	return jsonReply(http.StatusNotFound, map[string]any{"code": 5, "message": what + " not found"})
}

func (w *Server) depsDev(c *call) reply {
	s := append(c.segments, "", "", "", "")
	switch s[1] {
	case "systems":
		return w.depsDevPackage(s)
	case "projects":
		return w.depsDevProject(s[2])
	case "advisories":
		if v := w.vulns[s[2]]; v != nil {
			return jsonReply(http.StatusOK, map[string]any{
				"advisoryKey": map[string]any{"id": v.ID}, "title": v.Summary, "cvss3Score": v.Score,
			})
		}
	}
	return depsDevNotFound("path")
}

// depsDevPackage serves v3/systems/SYSTEM/packages/NAME and, below it,
// versions/VERSION with ":dependencies" or ":dependents".
func (w *Server) depsDevPackage(s []string) reply {
	p := w.packages[strings.ToLower(s[2])+":"+s[4]]
	if p == nil {
		return depsDevNotFound("package")
	}
	if s[5] == "" {
		return jsonReply(http.StatusOK, map[string]any{
			"packageKey": map[string]any{"name": p.Name},
			"versions":   each(p.Versions, func(v version) any { return p.versionFields(v) }),
		})
	}
	number, method, _ := strings.Cut(s[6], ":")
	i := slices.IndexFunc(p.Versions, func(v version) bool { return v.Number == number })
	switch {
	case i < 0:
	case method == "":
		return jsonReply(http.StatusOK, w.versionBody(p, p.Versions[i]))
	case method == "dependencies":
		self := map[string]any{"versionKey": p.key(p.Versions[i]), "relation": "SELF"}
		return jsonReply(http.StatusOK, map[string]any{"nodes": []any{self}, "error": ""})
	case method == "dependents" && s[0] == "v3alpha":
		return jsonReply(http.StatusOK, map[string]any{"dependentCount": p.Dependents})
	}
	return depsDevNotFound("version")
}

func (w *Server) depsDevProject(id string) reply {
	r := w.find(strings.TrimPrefix(id, "github.com/"))
	if r == nil || r.gone {
		return depsDevNotFound("project")
	}
	body := map[string]any{"projectKey": map[string]any{"id": id},
		"starsCount": r.stars, "forksCount": r.forks}
	if r.scorecard > 0 {
		body["scorecard"] = map[string]any{
			"date": stamp(w.now.AddDate(0, 0, -4)), "overallScore": r.scorecard,
		}
	}
	return jsonReply(http.StatusOK, body)
}

func (p *pkg) key(v version) map[string]any {
	return map[string]any{"system": strings.ToUpper(p.System), "name": p.Name, "version": v.Number}
}

func (p *pkg) versionFields(v version) map[string]any {
	return map[string]any{
		"versionKey": p.key(v), "publishedAt": stamp(v.at), "isDefault": v == p.Versions[len(p.Versions)-1],
		"isDeprecated": v.Deprecated != "", "deprecatedReason": v.Deprecated,
	}
}

// ecosystems are OSV's names of deps.dev's systems.
var ecosystems = map[string]string{
	"npm": "npm", "pypi": "PyPI", "go": "Go", "cargo": "crates" + ".io",
	"maven": "Maven", "nuget": "NuGet",
}

func (w *Server) versionBody(p *pkg, v version) map[string]any {
	body := p.versionFields(v)
	links, attestations, licenses := []any{}, []any{}, []any{}
	if p.Repo != "-" {
		links = append(links, map[string]any{"label": "SOURCE_REPO", "url": "git+" + p.Repo + ".git"})
		if p.Attested {
			attestations = append(attestations, map[string]any{"verified": true, "sourceRepository": p.Repo})
		}
	}
	if p.License != "" {
		licenses = append(licenses, p.License)
	}
	body["licenses"], body["links"], body["attestations"] = licenses, links, attestations
	body["advisoryKeys"] = each(w.vulnsOf(ecosystems[p.System], p.Name, v.Number), (*vuln).ref)
	return body
}

// npmDownloads serves downloads/range/FROM:TO/NAME, with one name or several.
func (w *Server) npmDownloads(c *call) reply {
	s := append(c.segments, "", "", "")
	first, last, _ := strings.Cut(s[2], ":")
	from, err := time.Parse(time.DateOnly, first)
	to, err2 := time.Parse(time.DateOnly, last)
	if s[1] != "range" || err != nil || err2 != nil {
		return jsonReply(http.StatusBadRequest, map[string]any{"error": "invalid period"})
	}
	found := map[string]any{}
	names := strings.Split(strings.Join(c.segments[min(3, len(c.segments)):], "/"), ",")
	for _, name := range names {
		p := w.packages["npm:"+name]
		if p == nil {
			found[name] = nil
			continue
		}
		var days []any
		for d := from; !d.After(to); d = d.AddDate(0, 0, 1) {
			days = append(days, map[string]any{
				"downloads": p.onDay(w, w.daysAgo(d)), "day": d.Format(time.DateOnly),
			})
		}
		found[name] = map[string]any{"package": p.Name, "downloads": days}
	}
	switch one := found[names[0]]; {
	case len(names) > 1:
		return jsonReply(http.StatusOK, found)
	case one == nil:
		return jsonReply(http.StatusNotFound, map[string]any{"error": "package " + names[0] + " not found"})
	default:
		return jsonReply(http.StatusOK, one)
	}
}

func (w *Server) daysAgo(day time.Time) int {
	return int(w.now.Truncate(24*time.Hour).Sub(day) / (24 * time.Hour))
}

// onDay spreads the downloads of 30 days, with fewer on two days in seven. It depends on
// the age of the day instead of its date, so that the sum is the same every day.
func (p *pkg) onDay(w *Server, daysAgo int) int64 {
	if len(p.Versions) == 0 || daysAgo > w.daysAgo(p.Versions[0].at.Truncate(24*time.Hour)) {
		return 0
	}
	n := float64(p.Downloads) / 30
	if daysAgo%7 >= 5 {
		n *= 0.55
	} else {
		n *= 1.18
	}
	return int64(n * (0.9 + float64(number(p.Name, strconv.Itoa(daysAgo))%200)/1000))
}

func (w *Server) pypiStats(c *call) reply {
	s := c.segments
	if len(s) != 4 || s[0] != "api" || s[1] != "packages" || s[3] != "overall" {
		return jsonReply(http.StatusNotFound, map[string]any{"message": "not found"})
	}
	p := w.packages["pypi:"+s[2]]
	if p == nil {
		return textReply(http.StatusNotFound, "text/html", "404 Not Found")
	}
	var rows []any
	to := w.now.Truncate(24*time.Hour).AddDate(0, 0, -1)
	for d := to.AddDate(0, 0, -179); !d.After(to); d = d.AddDate(0, 0, 1) {
		rows = append(rows, map[string]any{
			"category": "without_mirrors", "date": d.Format(time.DateOnly), "downloads": p.onDay(w, w.daysAgo(d)),
		})
	}
	return jsonReply(http.StatusOK, map[string]any{"package": p.Name, "type": "overall_downloads", "data": rows})
}

func (w *Server) vulnsOf(ecosystem, name, number string) []*vuln {
	var found []*vuln
	for _, v := range w.vulns {
		affected := number == "" || len(v.Versions) == 0 || slices.Contains(v.Versions, number)
		if strings.EqualFold(v.Ecosystem, ecosystem) && v.Package == name && affected {
			found = append(found, v)
		}
	}
	slices.SortFunc(found, func(a, b *vuln) int { return strings.Compare(a.ID, b.ID) })
	return found
}

func (v *vuln) ref() any { return map[string]any{"id": v.ID, "modified": stamp(v.at)} }

func (v *vuln) body() map[string]any {
	events := []any{map[string]any{"introduced": "0"}}
	if v.Fixed != "" {
		events = append(events, map[string]any{"fixed": v.Fixed})
	}
	body := map[string]any{
		"id": v.ID, "aliases": append([]string{}, v.Aliases...), "summary": v.Summary, "modified": stamp(v.at),
		"affected": []any{map[string]any{
			"package": map[string]any{"ecosystem": v.Ecosystem, "name": v.Package},
			"ranges":  []any{map[string]any{"type": "SEMVER", "events": events}}}},
		"database_specific": map[string]any{"severity": v.Severity},
	}
	if v.CVSS != "" {
		body["severity"] = []any{map[string]any{"type": "CVSS_V3", "score": v.CVSS}}
	}
	return body
}

// osv serves POST v1/querybatch and v1/vulns/ID.
func (w *Server) osv(c *call) reply {
	var in struct {
		Queries []struct {
			Package struct{ Ecosystem, Name string }
			Version string
		}
	}
	if v := w.vulns[c.segments[len(c.segments)-1]]; v != nil {
		return jsonReply(http.StatusOK, v.body())
	}
	if c.Method != http.MethodPost || json.Unmarshal(c.body, &in) != nil {
		return depsDevNotFound("vulnerability")
	}
	results := []any{}
	for _, q := range in.Queries {
		one := map[string]any{}
		if found := w.vulnsOf(q.Package.Ecosystem, q.Package.Name, q.Version); found != nil {
			one["vulns"] = each(found, (*vuln).ref)
		}
		results = append(results, one)
	}
	return jsonReply(http.StatusOK, map[string]any{"results": results})
}

func textReply(status int, contentType, body string) reply {
	return reply{status: status, header: http.Header{"Content-Type": {contentType}}, body: []byte(body)}
}

// lists serves a Markdown list of links to all repositories.
func (w *Server) lists(c *call) reply {
	if len(c.segments) != 1 || !strings.HasSuffix(c.segments[0], ".md") {
		return textReply(http.StatusNotFound, "text/plain; charset=utf-8", "404: Not Found")
	}
	var b strings.Builder
	b.WriteString("# Servers\n\n")
	for _, r := range w.all() {
		fmt.Fprintf(&b, "- [%s](%s) - %s\n", r.name, r.url(), r.description)
	}
	return textReply(http.StatusOK, "text/markdown; charset=utf-8", b.String())
}

// images serves the tags of an image in a container registry: those in listings.
func (w *Server) images(c *call) reply {
	host, rest, ok := strings.Cut(strings.Join(c.segments, "/"), "/v2/")
	path, isList := strings.CutSuffix(rest, "/tags/list")
	if !ok || !isList {
		return textReply(http.StatusNotFound, "text/plain; charset=utf-8", "fakegithub: only tags are listed")
	}
	tags := []string{}
	for _, l := range w.listings {
		packages, _ := l.server["packages"].([]any)
		for _, p := range packages {
			p, _ := p.(map[string]any)
			name, _ := p["identifier"].(string)
			if tag, ok := strings.CutPrefix(name, host+"/"+path+":"); ok && p["registryType"] == "oci" {
				tags = append(tags, tag)
			}
		}
	}
	if len(tags) == 0 {
		return jsonReply(http.StatusNotFound, map[string]any{"errors": []any{
			map[string]any{"code": "NAME_UNKNOWN", "message": "repository name not known to registry"}}})
	}
	slices.Sort(tags)
	return jsonReply(http.StatusOK, map[string]any{"name": path, "tags": slices.Compact(tags)})
}
