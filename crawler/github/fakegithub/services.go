package fakegithub

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

type pkg struct {
	system, name string
	license      string
	repo         string // "-" if it does not say
	downloads    int64  // of 30 days, 0 is not counted
	attested     bool
	dependents   int
	versions     []version // oldest first
}

type version struct {
	number     string
	at         time.Time
	deprecated string
}

type vuln struct {
	id, ecosystem, pkg, fixed, severity, cvss, summary string
	aliases                                            []string
	versions                                           []string
	score                                              float64
	at                                                 time.Time
}

// A listing is one version of a server in the official registry.
type listing struct {
	server    map[string]any
	name      string
	version   string
	status    string
	message   string
	at        time.Time // published
	updatedAt time.Time
	latest    bool
}

// ---- the official registry

var serverName = regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`)

// list publishes a server.json of a repository. The caller holds w.mu.
func (w *Server) list(r *repo, file, number, status, message string, at time.Time) error {
	var server map[string]any
	d := json.NewDecoder(bytes.NewReader([]byte(r.files[file])))
	d.UseNumber()
	if err := d.Decode(&server); err != nil {
		return fmt.Errorf("listing %s: %w", file, err)
	}
	if number != "" {
		server["version"] = number
	}
	name, _ := server["name"].(string)
	number, _ = server["version"].(string)
	if !serverName.MatchString(name) || number == "" {
		return fmt.Errorf("listing %s: the registry takes no server %q of version %q", file, name, number)
	}
	l := &listing{
		server: server, name: name, version: number, status: cmp.Or(status, "active"), message: message,
		at: at, updatedAt: at, latest: true,
	}
	for _, other := range w.listings {
		if other.name != name {
			continue
		}
		if other.version == number {
			return fmt.Errorf("listing %s: version %s exists", name, number)
		}
		if other.at.After(at) {
			l.latest = false
		} else {
			other.latest = false
		}
	}
	w.listings = append(w.listings, l)
	slices.SortFunc(w.listings, func(a, b *listing) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.version, b.version))
	})
	return nil
}

func (l *listing) body() map[string]any {
	official := map[string]any{
		"status": l.status, "statusChangedAt": stamp(l.updatedAt), "publishedAt": stamp(l.at),
		"updatedAt": stamp(l.updatedAt), "isLatest": l.latest,
	}
	if l.message != "" {
		official["statusMessage"] = l.message
	}
	meta := map[string]any{"io.modelcontextprotocol.registry/official": official}
	return map[string]any{"server": l.server, "_meta": meta}
}

func registryProblem(status int, detail string) reply {
	body := map[string]any{"title": http.StatusText(status), "status": status, "detail": detail}
	return answer(status, body).with("Content-Type", "application/problem+json")
}

func (w *Server) mcpRegistry(c *call) reply {
	s := c.segments
	if len(s) < 2 || s[0] != "v0.1" && s[0] != "v0" || s[1] != "servers" || c.Method != http.MethodGet {
		return registryProblem(http.StatusNotFound, "Endpoint not found. See /docs for the API documentation.")
	}
	withDeleted := c.query.Get("include_deleted") == "true"
	if len(s) == 2 {
		return w.listServers(c, withDeleted)
	}
	rows := w.versionsOf(s[2], withDeleted)
	latest := slices.IndexFunc(rows, func(l *listing) bool { return l.latest })
	switch path := strings.Join(s[3:], "/"); {
	case latest < 0:
	case path == "versions":
		bodies := make([]any, len(rows))
		for i, l := range rows {
			bodies[i] = l.body()
		}
		return answer(http.StatusOK, map[string]any{"servers": bodies, "metadata": map[string]any{"count": len(rows)}})
	case path == "versions/latest":
		return answer(http.StatusOK, rows[latest].body())
	}
	return registryProblem(http.StatusNotFound, "Server not found")
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

// A listQuery is a request for a page of the list of servers.
type listQuery struct {
	limit        int
	since        time.Time
	withDeleted  bool
	name, number string // of the cursor
	latest       bool   // versions only
}

func (q *listQuery) matches(l *listing) bool {
	switch {
	case cmp.Or(cmp.Compare(l.name, q.name), cmp.Compare(l.version, q.number)) <= 0,
		!q.withDeleted && l.status == "deleted",
		!q.since.IsZero() && !l.updatedAt.After(q.since):
		return false
	}
	return l.latest || !q.latest
}

func (w *Server) listServers(c *call, withDeleted bool) reply {
	q := listQuery{limit: 30, withDeleted: withDeleted, latest: c.query.Get("version") == "latest"}
	q.name, q.number, _ = strings.Cut(c.query.Get("cursor"), ":")
	if s := c.query.Get("limit"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > 100 {
			return registryProblem(http.StatusUnprocessableEntity, "validation failed")
		}
		q.limit = n
	}
	if s := c.query.Get("updated_since"); s != "" {
		t, err := time.Parse(time.RFC3339, s)
		if err != nil {
			return registryProblem(http.StatusBadRequest,
				"Invalid updated_since format: expected RFC3339 timestamp (e.g., 2025-08-07T13:15:04.280Z)")
		}
		q.since, q.withDeleted = t, true
	}
	servers := []any{}
	var last *listing
	for _, l := range w.listings {
		if len(servers) < q.limit && q.matches(l) {
			servers, last = append(servers, l.body()), l
		}
	}
	meta := map[string]any{"count": len(servers)}
	if len(servers) == q.limit {
		meta["nextCursor"] = last.name + ":" + last.version
	}
	return answer(http.StatusOK, map[string]any{"servers": servers, "metadata": meta})
}

// ---- deps.dev

func notThere(what string) reply {
	return answer(http.StatusNotFound, map[string]any{"code": 5, "message": what + " not found"})
}

func (w *Server) depsDev(c *call) reply {
	s := c.segments
	if len(s) < 3 || s[0] != "v3" && s[0] != "v3alpha" {
		return notThere("path")
	}
	switch {
	case s[1] == "systems" && len(s) >= 5 && s[3] == "packages":
		return w.depsDevPackage(s)
	case s[1] == "projects" && len(s) == 3:
		return w.depsDevProject(s[2])
	case s[1] == "advisories" && len(s) == 3:
		return w.depsDevAdvisory(s[2])
	}
	return notThere("path")
}

// depsDevPackage answers v3/systems/SYSTEM/packages/NAME and, below it,
// versions/VERSION with ":dependencies" or ":dependents".
func (w *Server) depsDevPackage(s []string) reply {
	p := w.packages[strings.ToLower(s[2])+":"+s[4]]
	switch {
	case p == nil:
		return notThere("package")
	case len(s) == 5:
		return answer(http.StatusOK, p.body())
	case len(s) != 7 || s[5] != "versions":
		return notThere("version")
	}
	number, what, _ := strings.Cut(s[6], ":")
	i := slices.IndexFunc(p.versions, func(v version) bool { return v.number == number })
	if i < 0 {
		return notThere("version")
	}
	v := p.versions[i]
	switch {
	case what == "":
		return answer(http.StatusOK, w.versionBody(p, v, i == len(p.versions)-1))
	case what == "dependencies":
		self := map[string]any{"versionKey": p.key(v), "bundled": false, "relation": "SELF", "errors": []any{}}
		return answer(http.StatusOK, map[string]any{"nodes": []any{self}, "edges": []any{}, "error": ""})
	case what == "dependents" && s[0] == "v3alpha":
		return answer(http.StatusOK, map[string]any{
			"dependentCount": p.dependents, "directDependentCount": p.dependents, "indirectDependentCount": 0,
		})
	}
	return notThere("version")
}

func (w *Server) depsDevProject(id string) reply {
	name, ok := strings.CutPrefix(id, "github.com/")
	r := w.find(name)
	if r == nil || !r.visible() || !ok {
		return notThere("project")
	}
	body := map[string]any{
		"projectKey": map[string]any{"id": "github.com/" + strings.ToLower(r.fullName())},
		"starsCount": r.stars, "forksCount": r.forks, "license": r.license,
		"description": r.description, "homepage": r.homepage, "openIssuesCount": 0,
	}
	if r.scorecard > 0 {
		body["scorecard"] = map[string]any{
			"date": stamp(w.now.AddDate(0, 0, -4)), "overallScore": r.scorecard, "checks": []any{},
		}
	}
	return answer(http.StatusOK, body)
}

func (w *Server) depsDevAdvisory(id string) reply {
	v := w.vulns[id]
	if v == nil {
		return notThere("advisory")
	}
	return answer(http.StatusOK, map[string]any{
		"advisoryKey": map[string]any{"id": v.id}, "url": "https://osv.dev/vulnerability/" + v.id,
		"title": v.summary, "aliases": orEmpty(v.aliases), "cvss3Score": v.score, "cvss3Vector": v.cvss,
	})
}

func (p *pkg) key(v version) map[string]any {
	return map[string]any{"system": strings.ToUpper(p.system), "name": p.name, "version": v.number}
}

func (p *pkg) purl() string {
	kind := map[string]string{"go": "golang"}[p.system]
	return "pkg:" + cmp.Or(kind, p.system) + "/" + strings.ReplaceAll(p.name, "@", "%40")
}

func (p *pkg) versionFields(v version, isDefault bool) map[string]any {
	return map[string]any{
		"versionKey": p.key(v), "purl": p.purl() + "@" + v.number, "publishedAt": stamp(v.at),
		"isDefault": isDefault, "isDeprecated": v.deprecated != "", "deprecatedReason": v.deprecated,
	}
}

func (p *pkg) body() map[string]any {
	var vs []any
	for i, v := range p.versions {
		vs = append(vs, p.versionFields(v, i == len(p.versions)-1))
	}
	key := map[string]any{"system": strings.ToUpper(p.system), "name": p.name}
	return map[string]any{"packageKey": key, "purl": p.purl(), "versions": vs}
}

// ecosystems are OSV's names of deps.dev's systems.
var ecosystems = map[string]string{
	"npm": "npm", "pypi": "PyPI", "go": "Go", "cargo": "crates" + ".io",
	"maven": "Maven", "nuget": "NuGet",
}

func (w *Server) versionBody(p *pkg, v version, isDefault bool) map[string]any {
	body := p.versionFields(v, isDefault)
	links, related, attestations, advisories := []any{}, []any{}, []any{}, []any{}
	if p.repo != "-" {
		provenance := "UNVERIFIED_METADATA"
		if p.attested {
			provenance = "SLSA_ATTESTATION"
			attestations = append(attestations, map[string]any{
				"type": "https://slsa.dev/provenance/v1", "url": "", "verified": true,
				"sourceRepository": p.repo, "commit": "",
			})
		}
		links = append(links, map[string]any{"label": "SOURCE_REPO", "url": "git+" + p.repo + ".git"})
		project := map[string]any{"id": strings.ToLower(strings.TrimPrefix(p.repo, "https://"))}
		related = append(related, map[string]any{
			"projectKey": project, "relationProvenance": provenance, "relationType": "SOURCE_REPO",
		})
	}
	licenses := []any{}
	if p.license != "" {
		licenses = append(licenses, p.license)
	}
	for _, x := range w.vulnsOf(ecosystems[p.system], p.name, v.number) {
		advisories = append(advisories, map[string]any{"id": x.id})
	}
	body["licenses"], body["links"], body["relatedProjects"] = licenses, links, related
	body["attestations"], body["slsaProvenances"], body["advisoryKeys"] = attestations, []any{}, advisories
	return body
}

// ---- download counts

func (w *Server) npmDownloads(c *call) reply {
	s := c.segments
	if len(s) < 4 || s[0] != "downloads" || s[1] != "range" {
		return answer(http.StatusNotFound, map[string]any{"error": "path not found"})
	}
	from, to, ok := period(s[2])
	if !ok {
		return answer(http.StatusBadRequest, map[string]any{"error": "invalid period"})
	}
	name := strings.Join(s[3:], "/")
	one := func(p *pkg) map[string]any {
		body := map[string]any{"start": from.Format(time.DateOnly), "end": to.Format(time.DateOnly), "package": p.name}
		var days []any
		for d := from; !d.After(to); d = d.AddDate(0, 0, 1) {
			n := p.onDay(w, w.daysAgo(d))
			days = append(days, map[string]any{"downloads": n, "day": d.Format(time.DateOnly)})
		}
		body["downloads"] = days
		return body
	}
	if names := strings.Split(name, ","); len(names) > 1 {
		out := map[string]any{}
		for _, n := range names {
			if strings.HasPrefix(n, "@") {
				return answer(http.StatusBadRequest, map[string]any{"error": "scoped packages not supported in bulk lookups"})
			}
			out[n] = nil
			if p := w.packages["npm:"+n]; p != nil {
				out[n] = one(p)
			}
		}
		return answer(http.StatusOK, out)
	}
	p := w.packages["npm:"+name]
	if p == nil {
		return answer(http.StatusNotFound, map[string]any{"error": "package " + name + " not found"})
	}
	return answer(http.StatusOK, one(p))
}

// daysAgo counts back from the world's today.
func (w *Server) daysAgo(day time.Time) int {
	return int(w.now.Truncate(24*time.Hour).Sub(day) / (24 * time.Hour))
}

// onDay spreads the downloads of 30 days, with two quiet days in seven. Like
// every date here it goes by the age, so that the sum is the same every day.
func (p *pkg) onDay(w *Server, daysAgo int) int64 {
	if len(p.versions) == 0 || daysAgo > w.daysAgo(p.versions[0].at.Truncate(24*time.Hour)) {
		return 0
	}
	n := float64(p.downloads) / 30
	if daysAgo%7 >= 5 {
		n *= 0.55
	} else {
		n *= 1.18
	}
	return int64(n * (0.9 + float64(number(p.name, strconv.Itoa(daysAgo))%200)/1000))
}

// period reads A:B.
func period(s string) (from, to time.Time, ok bool) {
	a, b, _ := strings.Cut(s, ":")
	from, err := time.Parse(time.DateOnly, a)
	if err != nil {
		return from, to, false
	}
	to, err = time.Parse(time.DateOnly, b)
	return from, to, err == nil && !to.Before(from) && to.Sub(from) <= 549*24*time.Hour
}

func (w *Server) pypiStats(c *call) reply {
	s := c.segments
	if len(s) != 4 || s[0] != "api" || s[1] != "packages" || s[3] != "overall" {
		return answer(http.StatusNotFound, map[string]any{"message": "not found"})
	}
	p := w.packages["pypi:"+s[2]]
	if p == nil {
		return plain(http.StatusNotFound, "text/html", "404 Not Found")
	}
	var rows []any
	to := w.now.Truncate(24*time.Hour).AddDate(0, 0, -1)
	for d := to.AddDate(0, 0, -179); !d.After(to); d = d.AddDate(0, 0, 1) {
		rows = append(rows, map[string]any{
			"category": "without_mirrors", "date": d.Format(time.DateOnly), "downloads": p.onDay(w, w.daysAgo(d)),
		})
	}
	return answer(http.StatusOK, map[string]any{"package": p.name, "type": "overall_downloads", "data": rows})
}

// ---- OSV

func (w *Server) vulnsOf(ecosystem, name, number string) []*vuln {
	var found []*vuln
	for _, v := range w.vulns {
		affected := number == "" || len(v.versions) == 0 || slices.Contains(v.versions, number)
		if strings.EqualFold(v.ecosystem, ecosystem) && v.pkg == name && affected {
			found = append(found, v)
		}
	}
	slices.SortFunc(found, func(a, b *vuln) int { return strings.Compare(a.id, b.id) })
	return found
}

func (v *vuln) body() map[string]any {
	events := []any{map[string]any{"introduced": "0"}}
	if v.fixed != "" {
		events = append(events, map[string]any{"fixed": v.fixed})
	}
	body := map[string]any{
		"schema_version": "1.7.0", "id": v.id, "aliases": orEmpty(v.aliases), "summary": v.summary,
		"modified": stamp(v.at), "published": stamp(v.at),
		"affected": []any{map[string]any{
			"package": map[string]any{"ecosystem": v.ecosystem, "name": v.pkg}, "versions": orEmpty(v.versions),
			"ranges": []any{map[string]any{"type": "SEMVER", "events": events}}}},
		"references":        []any{map[string]any{"type": "ADVISORY", "url": "https://osv.dev/vulnerability/" + v.id}},
		"database_specific": map[string]any{"severity": v.severity},
	}
	if v.cvss != "" {
		body["severity"] = []any{map[string]any{"type": "CVSS_V3", "score": v.cvss}}
	}
	return body
}

func osvRefusal(message string) reply {
	return answer(http.StatusBadRequest, map[string]any{"code": 3, "message": message})
}

func (w *Server) osv(c *call) reply {
	s := c.segments
	path := strings.Join(s, "/")
	switch {
	case c.Method == http.MethodPost && path == "v1/querybatch":
		return w.osvBatch(c)
	case c.Method == http.MethodGet && len(s) == 3 && s[0] == "v1" && s[1] == "vulns":
		if v := w.vulns[s[2]]; v != nil {
			return answer(http.StatusOK, v.body())
		}
		return answer(http.StatusNotFound, map[string]any{"code": 5, "message": "Bug not found."})
	}
	return answer(http.StatusNotFound, map[string]any{"code": 5, "message": "Not Found"})
}

func (w *Server) osvBatch(c *call) reply {
	var in struct {
		Queries []struct {
			Package struct{ Ecosystem, Name string }
			Version string
		}
	}
	if json.Unmarshal(bodyOf(c.Context()), &in) != nil {
		return osvRefusal("Invalid JSON.")
	}
	if len(in.Queries) > 1000 {
		return osvRefusal("Too many queries.")
	}
	results := []any{}
	for _, q := range in.Queries {
		if q.Package.Name == "" {
			return osvRefusal("Invalid query.")
		}
		one := map[string]any{}
		var ids []any
		for _, v := range w.vulnsOf(q.Package.Ecosystem, q.Package.Name, q.Version) {
			ids = append(ids, map[string]any{"id": v.id, "modified": stamp(v.at)})
		}
		if ids != nil {
			one["vulns"] = ids
		}
		results = append(results, one)
	}
	return answer(http.StatusOK, map[string]any{"results": results})
}

// ---- lists

// plain returns a reply that is not JSON.
func plain(status int, contentType, body string) reply {
	return reply{status: status, header: http.Header{"Content-Type": {contentType}}, body: []byte(body)}
}

// lists answers with a list of links to all repositories, as people keep them.
func (w *Server) lists(c *call) reply {
	if len(c.segments) != 1 || !strings.HasSuffix(c.segments[0], ".md") {
		return plain(http.StatusNotFound, "text/plain; charset=utf-8", "404: Not Found")
	}
	var b strings.Builder
	b.WriteString("# Servers\n\n")
	for _, r := range w.all() {
		fmt.Fprintf(&b, "- [%s](%s) - %s\n", r.name, r.url(), r.description)
	}
	return plain(http.StatusOK, "text/markdown; charset=utf-8", b.String())
}

// ---- registries of container images

// images lists the tags of an image: those with which listings name it.
func (w *Server) images(c *call) reply {
	address := strings.Join(c.segments, "/")
	host, rest, ok := strings.Cut(address, "/v2/")
	path, isList := strings.CutSuffix(rest, "/tags/list")
	if !ok || !isList {
		return plain(http.StatusNotFound, "text/plain; charset=utf-8", "fakegithub: only tags are listed")
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
		return answer(http.StatusNotFound, map[string]any{"errors": []any{
			map[string]any{"code": "NAME_UNKNOWN", "message": "repository name not known to registry"}}})
	}
	slices.Sort(tags)
	return answer(http.StatusOK, map[string]any{"name": path, "tags": slices.Compact(tags)})
}
