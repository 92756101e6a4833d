package fakegithub

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

const docRepo = "rest/repos/repos#get-a-repository"

// rest answers GitHub's REST API. The caller holds w.mu.
func (w *World) rest(c *call) reply {
	if c.Method != http.MethodGet && c.Method != http.MethodHead {
		return problem(http.StatusNotFound, "Not Found", "rest")
	}
	s := c.segments
	switch {
	case len(s) == 1 && s[0] == "rate_limit":
		resources := map[string]*budget{}
		for _, name := range []string{"core", "graphql", "search"} {
			resources[name] = w.limits.budget(c.user, name, w.clock())
		}
		return answer(http.StatusOK, map[string]any{"resources": resources, "rate": resources["core"]})
	case len(s) == 2 && s[0] == "search" && s[1] == "repositories":
		return w.searchRepositories(c)
	case len(s) == 1 && s[0] == "user":
		if !c.known {
			return problem(http.StatusUnauthorized, "Requires authentication", "rest")
		}
		return answer(http.StatusOK, map[string]any{"login": c.user, "id": 1, "type": "User"})
	case len(s) == 2 && (s[0] == "users" || s[0] == "orgs"):
		a := w.owners[strings.ToLower(s[1])]
		if a == nil || s[0] == "orgs" && a.kind != "Organization" {
			return problem(http.StatusNotFound, "Not Found", "rest")
		}
		body := a.body()
		body["created_at"], body["is_verified"] = stamp(a.createdAt), false
		return answer(http.StatusOK, body)
	case len(s) >= 3 && s[0] == "repos":
		r := w.find(s[1] + "/" + s[2])
		if r != nil && r.visible() && !strings.EqualFold(r.fullName(), s[1]+"/"+s[2]) && r.blocked == "" {
			to := fmt.Sprintf("%s/repositories/%d", c.api, r.id)
			for _, more := range s[3:] {
				to += "/" + more
			}
			if c.URL.RawQuery != "" {
				to += "?" + c.URL.RawQuery
			}
			return answer(http.StatusMovedPermanently, map[string]any{
				"message": "Moved Permanently", "url": to,
				"documentation_url": "https://docs.github.com/rest/guides/best-practices-for-using-the-rest-api#follow-redirects",
			}).with("Location", to)
		}
		return w.repoREST(c, r, s[3:])
	case len(s) >= 2 && s[0] == "repositories":
		id, _ := strconv.ParseInt(s[1], 10, 64)
		return w.repoREST(c, w.repos[id], s[2:])
	}
	return problem(http.StatusNotFound, "Not Found", "rest")
}

func (w *World) repoREST(c *call, r *repo, s []string) reply {
	if r == nil || !r.visible() || len(s) > 0 && s[len(s)-1] == "" && s[0] != "contents" {
		return problem(http.StatusNotFound, "Not Found", docRepo)
	}
	if r.blocked != "" {
		status := http.StatusUnavailableForLegalReasons
		if r.blocked == "tos" {
			status = http.StatusForbidden
		}
		return answer(status, map[string]any{"message": "Repository access blocked",
			"block": map[string]any{"reason": r.blocked, "created_at": stamp(r.updatedAt), "html_url": nil}})
	}
	what := ""
	if len(s) > 0 {
		what = s[0]
	}
	below := strings.Join(s[min(1, len(s)):], "/")
	switch what {
	case "":
		return answer(http.StatusOK, w.repoBody(c, r, true))
	case "languages":
		out := &ordered{}
		for _, l := range r.languages {
			out.set(l.name, l.size)
		}
		return answer(http.StatusOK, out)
	case "topics":
		return answer(http.StatusOK, map[string]any{"names": orEmpty(r.topics)})
	case "releases":
		return w.releasesREST(c, r, below)
	case "tags":
		var items []any
		for _, t := range r.tags {
			items = append(items, map[string]any{"name": t.tag, "commit": map[string]any{"sha": r.commitAt(t.at).oid}})
		}
		return w.paged(c, items)
	case "issues", "pulls":
		var items []any
		state := c.query.Get("state")
		for _, is := range r.issues {
			if what == "pulls" && !is.pull || state != "all" && (state == "closed") != !is.closedAt.IsZero() {
				continue
			}
			items = append(items, issueBody(r, is))
		}
		return w.paged(c, items)
	}
	if r.empty() {
		switch what {
		case "contributors":
			return reply{status: http.StatusNoContent}
		case "commits", "git", "branches":
			return problem(http.StatusConflict, "Git Repository is empty.", "rest")
		case "readme", "contents":
			return problem(http.StatusNotFound, "This repository is empty.", "rest")
		}
	}
	switch what {
	case "contributors":
		var items []any
		for _, k := range r.contributors() {
			kind := "User"
			if strings.HasSuffix(k.login, "[bot]") {
				kind = "Bot"
			}
			items = append(items, map[string]any{"login": k.login, "id": number("account", k.login) % 90_000_000, "type": kind, "contributions": k.commits})
		}
		return w.paged(c, items)
	case "commits":
		return w.commitsREST(c, r, below)
	case "branches":
		branch := map[string]any{"name": r.branch, "commit": map[string]any{"sha": r.head().oid}, "protected": false}
		if below == "" {
			return w.paged(c, []any{branch})
		}
		if below == r.branch {
			return answer(http.StatusOK, branch)
		}
	case "git":
		switch {
		case len(s) >= 3 && s[1] == "trees":
			return w.treeREST(c, r, strings.Join(s[2:], "/"))
		case len(s) == 3 && s[1] == "blobs":
			if text, ok := r.blobs[s[2]]; ok {
				return answer(http.StatusOK, map[string]any{"sha": s[2], "size": len(text), "encoding": "base64",
					"content": base64.StdEncoding.EncodeToString([]byte(text)), "url": c.api + "/repos/" + r.fullName() + "/git/blobs/" + s[2]})
			}
		case len(s) >= 3 && s[1] == "ref" && strings.Join(s[2:], "/") == "heads/"+r.branch:
			return answer(http.StatusOK, map[string]any{"ref": "refs/heads/" + r.branch, "object": map[string]any{"type": "commit", "sha": r.head().oid}})
		}
	case "readme":
		if p := r.readme(); p != "" && below == "" {
			return w.contentsREST(c, r, p)
		}
	case "contents":
		return w.contentsREST(c, r, below)
	case "license":
		if r.license != "" {
			e, _ := r.lookup("LICENSE")
			body := r.contentBody(c, "LICENSE", e)
			body["license"] = licenseBody(r.license)
			return answer(http.StatusOK, body)
		}
	case "community":
		if below == "profile" {
			return answer(http.StatusOK, r.community())
		}
	}
	return problem(http.StatusNotFound, "Not Found", "rest")
}

func (w *World) releasesREST(c *call, r *repo, below string) reply {
	var items []any
	for _, rel := range r.releases {
		body := releaseBody(r, rel)
		if below == "latest" && !rel.prerelease || below == "tags/"+rel.tag {
			return answer(http.StatusOK, body)
		}
		items = append(items, body)
	}
	if below != "" {
		return problem(http.StatusNotFound, "Not Found", "rest/releases/releases")
	}
	return w.paged(c, items)
}

func releaseBody(r *repo, rel release) map[string]any {
	return map[string]any{
		"id": number(r.fullName(), rel.tag) % 200_000_000, "tag_name": rel.tag, "name": rel.tag, "draft": false,
		"prerelease": rel.prerelease, "created_at": stamp(rel.at), "published_at": stamp(rel.at), "body": rel.notes,
		"html_url": r.url() + "/releases/tag/" + rel.tag, "target_commitish": r.branch, "assets": []any{},
	}
}

func (w *World) commitsREST(c *call, r *repo, rev string) reply {
	if rev != "" {
		for _, k := range r.commits {
			if k.oid == rev || r.isHead(rev) {
				return answer(http.StatusOK, commitBody(r, k))
			}
		}
		return problem(http.StatusUnprocessableEntity, "No commit found for SHA: "+rev, "rest/commits/commits#get-a-commit")
	}
	if sha := c.query.Get("sha"); sha != "" && !r.isHead(sha) {
		return problem(http.StatusNotFound, "Not Found", "rest/commits/commits#list-commits")
	}
	var items []any
	for _, k := range r.history(when(c.query.Get("since")), when(c.query.Get("until")), c.query.Get("path")) {
		items = append(items, commitBody(r, k))
	}
	return w.paged(c, items)
}

func commitBody(r *repo, k commit) map[string]any {
	actor := map[string]any{"name": k.login, "date": stamp(k.at)}
	kind := "User"
	if k.bot() {
		kind = "Bot"
	}
	account := map[string]any{"login": k.login, "id": number("account", k.login) % 90_000_000, "type": kind}
	return map[string]any{
		"sha": k.oid, "html_url": r.url() + "/commit/" + k.oid, "author": account, "committer": account,
		"commit": map[string]any{"message": "Commit " + k.oid[:7], "author": actor, "committer": actor,
			"tree": map[string]any{"sha": r.root.oid}, "verification": map[string]any{"verified": false, "reason": "unsigned"}},
		"parents": []any{},
	}
}

func (w *World) treeREST(c *call, r *repo, rev string) reply {
	t := r.trees[rev]
	if r.isHead(rev) {
		t = r.root
	} else if at, p, ok := strings.Cut(rev, ":"); ok && r.isHead(at) {
		if e, ok := r.lookup(p); ok {
			t = e.tree
		}
	}
	if t == nil {
		return problem(http.StatusNotFound, "Not Found", "rest/git/trees#get-a-tree")
	}
	var items []any
	var walk func(t *tree, dir string)
	walk = func(t *tree, dir string) {
		for _, e := range t.entries {
			item := map[string]any{"path": path.Join(dir, e.name), "mode": e.mode, "type": e.kind, "sha": e.oid}
			if e.kind == "blob" {
				item["size"] = e.size
			}
			items = append(items, item)
			if e.tree != nil && c.query.Get("recursive") != "" {
				walk(e.tree, path.Join(dir, e.name))
			}
		}
	}
	walk(t, "")
	return answer(http.StatusOK, map[string]any{"sha": t.oid, "tree": items, "truncated": false,
		"url": c.api + "/repos/" + r.fullName() + "/git/trees/" + t.oid})
}

func (w *World) contentsREST(c *call, r *repo, p string) reply {
	p = strings.Trim(p, "/")
	if ref := c.query.Get("ref"); ref != "" && !r.isHead(ref) {
		return problem(http.StatusNotFound, "No commit found for the ref "+ref, "v3/repos/contents/")
	}
	e, ok := r.lookup(p)
	if !ok {
		return problem(http.StatusNotFound, "Not Found", "rest/repos/contents#get-repository-content")
	}
	if strings.Contains(c.header.Get("Accept"), "raw") && e.kind == "blob" {
		return reply{status: http.StatusOK, header: http.Header{"Content-Type": {"application/vnd.github.raw; charset=utf-8"}}, body: []byte(r.blobs[e.oid])}
	}
	if e.tree == nil {
		return answer(http.StatusOK, r.contentBody(c, p, e))
	}
	items := []any{}
	for _, sub := range e.tree.entries {
		body := r.contentBody(c, path.Join(p, sub.name), sub)
		delete(body, "content")
		delete(body, "encoding")
		items = append(items, body)
	}
	return answer(http.StatusOK, items)
}

func (r *repo) contentBody(c *call, p string, e entry) map[string]any {
	body := map[string]any{"name": path.Base(p), "path": p, "sha": e.oid, "size": e.size, "type": "file",
		"url":      c.api + "/repos/" + r.fullName() + "/contents/" + p + "?ref=" + r.branch,
		"html_url": r.url() + "/blob/" + r.branch + "/" + p}
	if e.tree != nil {
		body["type"] = "dir"
		return body
	}
	body["encoding"] = "base64"
	body["content"] = base64.StdEncoding.EncodeToString([]byte(r.blobs[e.oid]))
	return body
}

func (r *repo) community() map[string]any {
	file := func(names ...string) any {
		if p := r.has(names...); p != "" {
			return map[string]any{"url": r.url() + "/blob/" + r.branch + "/" + p, "html_url": r.url() + "/blob/" + r.branch + "/" + p}
		}
		return nil
	}
	files := map[string]any{"readme": file("README.md", "README.rst", "README"), "license": licenseBody(r.license),
		"contributing": file("CONTRIBUTING.md"), "code_of_conduct": file("CODE_OF_CONDUCT.md"), "issue_template": nil, "pull_request_template": nil}
	have := 0
	for _, f := range files {
		if f != nil {
			have++
		}
	}
	return map[string]any{"health_percentage": 100 * have / len(files), "description": orNil(r.description), "files": files, "updated_at": stamp(r.updatedAt)}
}

func issueBody(r *repo, is issue) map[string]any {
	body := map[string]any{"id": r.id*1000 + int64(is.number), "number": is.number, "title": is.title, "state": strings.ToLower(is.state()),
		"user": map[string]any{"login": is.login, "type": "User"}, "created_at": stamp(is.createdAt), "updated_at": stamp(is.updatedAt()),
		"closed_at": nil, "author_association": "NONE", "comments": 0}
	if is.member {
		body["author_association"] = "MEMBER"
	}
	if !is.answerAt.IsZero() {
		body["comments"] = 1
	}
	if !is.closedAt.IsZero() {
		body["closed_at"], body["state"] = stamp(is.closedAt), "closed"
	}
	if is.pull {
		body["pull_request"] = map[string]any{"url": r.url()}
		body["merged_at"] = nil
		if is.merged {
			body["merged_at"] = stamp(is.closedAt)
		}
	}
	return body
}

func (a *account) body() map[string]any {
	return map[string]any{"login": a.login, "id": a.id, "node_id": a.node(), "avatar_url": a.avatar(), "html_url": "https://github.com/" + a.login, "type": a.kind}
}

func licenseBody(spdx string) any {
	if spdx == "" {
		return nil
	}
	return map[string]any{"key": licenseKey(spdx), "name": licenseName(spdx), "spdx_id": spdx, "url": nil}
}

func orEmpty(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

func (w *World) repoBody(c *call, r *repo, full bool) map[string]any {
	open := 0
	for _, is := range r.issues {
		if is.closedAt.IsZero() {
			open++ // pull requests too, as GitHub counts
		}
	}
	var language any
	if len(r.languages) > 0 {
		language = r.languages[0].name
	}
	var lic any
	if !r.empty() {
		lic = licenseBody(r.license)
	}
	body := map[string]any{
		"id": r.id, "node_id": r.node, "name": r.name, "full_name": r.fullName(), "private": false, "visibility": "public",
		"owner": w.account(r.owner, r.ownerType).body(), "html_url": r.url(), "url": c.api + "/repos/" + r.fullName(),
		"description": orNil(r.description), "homepage": orNil(r.homepage), "fork": r.parent != "", "is_template": r.isTemplate,
		"created_at": stamp(r.createdAt), "updated_at": stamp(r.updatedAt), "pushed_at": stamp(r.pushedAt), "size": r.kilobytes(),
		"stargazers_count": r.stars, "watchers_count": r.stars, "forks_count": r.forks, "open_issues_count": open, "language": language,
		"has_issues": true, "has_discussions": false, "has_wiki": true, "archived": !r.archivedAt.IsZero(), "disabled": false,
		"license": lic, "topics": orEmpty(r.topics), "default_branch": r.branch, "mirror_url": nil,
	}
	if full {
		body["subscribers_count"], body["network_count"] = r.watchers, r.forks
		if p := w.find(r.parent); p != nil && p.visible() {
			body["parent"] = w.repoBody(c, p, false)
		}
	}
	return body
}

// paged answers with one page of a list, and links to the others.
func (w *World) paged(c *call, items []any) reply {
	page, size := pageOf(c)
	last := max(1, (len(items)+size-1)/size)
	from := min((page-1)*size, len(items))
	slice := items[from:min(from+size, len(items))]
	if slice == nil {
		slice = []any{}
	}
	r := answer(http.StatusOK, slice)
	if l := links(c, page, last); l != "" {
		r = r.with("Link", l)
	}
	return r
}

func pageOf(c *call) (page, size int) {
	page, _ = strconv.Atoi(c.query.Get("page"))
	size, _ = strconv.Atoi(c.query.Get("per_page"))
	if size < 1 {
		size = 30
	}
	return max(1, page), min(size, 100)
}

func links(c *call, page, last int) string {
	to := func(n int, rel string) string {
		q := c.URL.Query()
		q.Set("page", strconv.Itoa(n))
		return fmt.Sprintf(`<%s/%s?%s>; rel="%s"`, c.api, strings.Join(c.segments, "/"), q.Encode(), rel)
	}
	var all []string
	if page > 1 {
		all = append(all, to(page-1, "prev"))
	}
	if page < last {
		all = append(all, to(page+1, "next"), to(last, "last"))
	}
	if page > 1 {
		all = append(all, to(1, "first"))
	}
	return strings.Join(all, ", ")
}

func (w *World) searchRepositories(c *call) reply {
	invalid := func(message string) reply {
		return answer(http.StatusUnprocessableEntity, map[string]any{"message": "Validation Failed", "documentation_url": "https://docs.github.com/v3/search/",
			"errors": []any{map[string]any{"message": message, "resource": "Search", "field": "q", "code": "invalid"}}, "status": "422"})
	}
	page, size := pageOf(c)
	if (page-1)*size >= searchReach {
		return problem(http.StatusUnprocessableEntity, "Only the first 1000 search results are available", "v3/search/")
	}
	found, err := w.search(c.query.Get("q"), c.query.Get("sort"), c.query.Get("order"))
	if err != nil {
		return invalid(err.Error())
	}
	total := len(found)
	found = found[:min(total, searchReach)]
	from := min((page-1)*size, len(found))
	items := []any{}
	for _, r := range found[from:min(from+size, len(found))] {
		body := w.repoBody(c, r, false)
		body["score"] = 1.0
		items = append(items, body)
	}
	r := answer(http.StatusOK, map[string]any{"total_count": total, "incomplete_results": false, "items": items})
	if l := links(c, page, max(1, (len(found)+size-1)/size)); l != "" {
		r = r.with("Link", l)
	}
	r.noETag = true
	return r
}

// ---- search

const searchReach = 1000

// search finds repositories as GitHub does: words and qualifiers, all of
// which must hold. Forks are found with fork:true only.
func (w *World) search(q, sort, order string) ([]*repo, error) {
	if strings.TrimSpace(q) == "" {
		return nil, errors.New("q is missing")
	}
	where := []string{"name", "description", "topics"}
	var words []string
	var tests []func(*repo) bool
	forks := "false"
	for _, term := range terms(q) {
		key, value, isQualifier := strings.Cut(term, ":")
		no := strings.HasPrefix(key, "-")
		key = strings.TrimPrefix(key, "-")
		var test func(*repo) bool
		switch {
		case !isQualifier:
			if term != "AND" && term != "OR" && term != "NOT" {
				words = append(words, strings.ToLower(term))
			}
		case key == "in":
			where = strings.Split(value, ",")
		case key == "sort":
			sort, order, _ = strings.Cut(value, "-")
		case key == "fork":
			forks = value
		case key == "topic":
			test = func(r *repo) bool { return slices.Contains(r.topics, strings.ToLower(value)) }
		case key == "user" || key == "org":
			test = func(r *repo) bool { return strings.EqualFold(r.owner, value) }
		case key == "repo":
			test = func(r *repo) bool { return strings.EqualFold(r.fullName(), value) }
		case key == "language":
			test = func(r *repo) bool { return len(r.languages) > 0 && strings.EqualFold(r.languages[0].name, value) }
		case key == "license":
			test = func(r *repo) bool { return strings.EqualFold(licenseKey(r.license), value) }
		case key == "archived":
			test = func(r *repo) bool { return !r.archivedAt.IsZero() == (value == "true") }
		case key == "is":
			test = func(r *repo) bool { return value == "public" || value == "archived" && !r.archivedAt.IsZero() }
		case key == "created" || key == "pushed" || key == "updated":
			from, to, err := dates(value)
			if err != nil {
				return nil, err
			}
			test = func(r *repo) bool {
				t := map[string]time.Time{"created": r.createdAt, "pushed": r.pushedAt, "updated": r.updatedAt}[key]
				return !t.Before(from) && (to.IsZero() || t.Before(to))
			}
		case key == "stars" || key == "forks" || key == "size":
			low, high, err := numbers(value)
			if err != nil {
				return nil, err
			}
			test = func(r *repo) bool {
				n := map[string]int{"stars": r.stars, "forks": r.forks, "size": r.kilobytes()}[key]
				return n >= low && n <= high
			}
		default:
			return nil, fmt.Errorf("fakegithub: the qualifier %s is not modelled", key)
		}
		if test != nil {
			tests = append(tests, func(r *repo) bool { return test(r) != no })
		}
	}
	var found []*repo
	for _, r := range w.all() {
		if (r.parent != "") != (forks == "only") && forks != "true" {
			continue
		}
		ok := true
		for _, t := range tests {
			ok = ok && t(r)
		}
		for _, word := range words {
			ok = ok && r.contains(word, where)
		}
		if ok {
			found = append(found, r)
		}
	}
	less := map[string]func(a, b *repo) int{
		"stars":   func(a, b *repo) int { return b.stars - a.stars },
		"forks":   func(a, b *repo) int { return b.forks - a.forks },
		"updated": func(a, b *repo) int { return b.updatedAt.Compare(a.updatedAt) },
		"created": func(a, b *repo) int { return b.createdAt.Compare(a.createdAt) },
	}[sort]
	if less != nil {
		slices.SortStableFunc(found, less)
		if order == "asc" {
			slices.Reverse(found)
		}
	}
	return found, nil
}

// contains looks for a word or a phrase in the named fields.
func (r *repo) contains(word string, where []string) bool {
	for _, f := range where {
		var s string
		switch f {
		case "name":
			s = r.fullName()
		case "description":
			s = r.description
		case "topics":
			s = strings.Join(r.topics, " ")
		case "readme":
			s = r.files[r.readme()]
		}
		if strings.Contains(strings.ToLower(s), word) {
			return true
		}
	}
	return false
}

// terms splits a query at spaces outside of quotes.
func terms(q string) []string {
	var all []string
	var b strings.Builder
	quoted := false
	flush := func() {
		if b.Len() > 0 {
			all = append(all, b.String())
			b.Reset()
		}
	}
	for _, c := range q {
		switch {
		case c == '"':
			quoted = !quoted
		case (c == ' ' || c == '\t' || c == '\n') && !quoted:
			flush()
		default:
			b.WriteRune(c)
		}
	}
	flush()
	return all
}

// dates reads a date range of a search; to is exclusive and zero where there
// is no end.
func dates(s string) (from, to time.Time, err error) {
	day := func(s string) (start, end time.Time, err error) {
		if t, err := time.Parse(time.DateOnly, s); err == nil {
			return t, t.AddDate(0, 0, 1), nil
		}
		t, err := time.Parse(time.RFC3339, s)
		if err != nil {
			return t, t, fmt.Errorf("%q is not a recognized date/time format", s)
		}
		return t, t.Add(time.Second), nil
	}
	if a, b, ok := strings.Cut(s, ".."); ok {
		if a != "*" {
			if from, _, err = day(a); err != nil {
				return
			}
		}
		if b != "*" {
			_, to, err = day(b)
		}
		return
	}
	value := strings.TrimLeft(s, "<>=")
	start, end, err := day(value)
	if err != nil {
		return from, to, err
	}
	switch s[:len(s)-len(value)] {
	case ">=":
		return start, time.Time{}, nil
	case ">":
		return end, time.Time{}, nil
	case "<=":
		return time.Time{}, end, nil
	case "<":
		return time.Time{}, start, nil
	}
	return start, end, nil
}

func numbers(s string) (low, high int, err error) {
	const most = 1 << 40
	read := func(s string, star int) (int, error) {
		if s == "*" {
			return star, nil
		}
		return strconv.Atoi(s)
	}
	if a, b, ok := strings.Cut(s, ".."); ok {
		if low, err = read(a, 0); err == nil {
			high, err = read(b, most)
		}
		return
	}
	value := strings.TrimLeft(s, "<>=")
	n, err := strconv.Atoi(value)
	switch s[:len(s)-len(value)] {
	case ">=":
		return n, most, err
	case ">":
		return n + 1, most, err
	case "<=":
		return 0, n, err
	case "<":
		return 0, n - 1, err
	}
	return n, n, err
}
