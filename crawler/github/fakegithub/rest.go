package fakegithub

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"path"
	"strconv"
	"strings"
)

const docRepo = "rest/repos/repos#get-a-repository"

func notFound() reply { return problem(http.StatusNotFound, "Not Found", "rest") }

// rest answers GitHub's REST API. The caller holds w.mu.
func (w *Server) rest(c *call) reply {
	if c.Method != http.MethodGet && c.Method != http.MethodHead {
		return notFound()
	}
	s := c.segments
	switch {
	case len(s) == 2 && s[0] == "search" && s[1] == "repositories":
		return w.searchRepositories(c)
	case len(s) >= 3 && s[0] == "repos":
		name := s[1] + "/" + s[2]
		r := w.find(name)
		if r != nil && r.visible() && !strings.EqualFold(r.fullName(), name) && r.blocked == "" {
			return moved(c, r, s[3:])
		}
		return w.repoREST(c, r, s[3:])
	case len(s) >= 2 && s[0] == "repositories":
		id, _ := strconv.ParseInt(s[1], 10, 64)
		return w.repoREST(c, w.repos[id], s[2:])
	}
	return notFound()
}

// moved redirects to a repository that was renamed.
func moved(c *call, r *repo, below []string) reply {
	to := strings.Join(append([]string{c.api, "repositories", strconv.FormatInt(r.id, 10)}, below...), "/")
	if c.URL.RawQuery != "" {
		to += "?" + c.URL.RawQuery
	}
	return answer(http.StatusMovedPermanently, map[string]any{
		"message": "Moved Permanently", "url": to,
		"documentation_url": "https://docs.github.com/rest/guides/best-practices-for-using-the-rest-api#follow-redirects",
	}).with("Location", to)
}

// repoREST answers a request below a repository.
func (w *Server) repoREST(c *call, r *repo, s []string) reply {
	switch {
	case r == nil || !r.visible() || len(s) > 0 && s[len(s)-1] == "":
		return problem(http.StatusNotFound, "Not Found", docRepo)
	case r.blocked != "":
		return withheld(r)
	case len(s) == 0:
		return answer(http.StatusOK, w.repoBody(c, r, true))
	case s[0] == "contributors":
		return w.contributorsREST(c, r)
	case s[0] == "git" && len(s) >= 3:
		return w.gitREST(c, r, s[1:])
	}
	return notFound()
}

func (w *Server) gitREST(c *call, r *repo, s []string) reply {
	switch {
	case r.empty():
		return problem(http.StatusConflict, "Git Repository is empty.", "rest")
	case s[0] == "trees":
		return w.treeREST(c, r, strings.Join(s[1:], "/"))
	case s[0] == "blobs":
		return blobREST(c, r, s[1])
	}
	return notFound()
}

// withheld answers for a repository that GitHub withholds.
func withheld(r *repo) reply {
	status := http.StatusUnavailableForLegalReasons
	if r.blocked == "tos" {
		status = http.StatusForbidden
	}
	return answer(status, map[string]any{
		"message": "Repository access blocked",
		"block":   map[string]any{"reason": r.blocked, "created_at": stamp(r.updatedAt), "html_url": nil},
	})
}

func (w *Server) contributorsREST(c *call, r *repo) reply {
	if r.empty() {
		return reply{status: http.StatusNoContent}
	}
	var items []any
	for _, k := range r.contributors() {
		kind := "User"
		if strings.HasSuffix(k.login, "[bot]") {
			kind = "Bot"
		}
		id := number("account", k.login) % 90_000_000
		items = append(items, map[string]any{"login": k.login, "id": id, "type": kind, "contributions": k.commits})
	}
	return w.paged(c, items)
}

func blobREST(c *call, r *repo, id string) reply {
	text, ok := r.blobs[id]
	if !ok {
		return notFound()
	}
	if strings.Contains(c.header.Get("Accept"), "raw") {
		header := http.Header{"Content-Type": {"application/vnd.github.raw; charset=utf-8"}}
		return reply{status: http.StatusOK, header: header, body: []byte(text)}
	}
	return answer(http.StatusOK, map[string]any{
		"sha": id, "size": len(text), "encoding": "base64",
		"content": base64.StdEncoding.EncodeToString([]byte(text)),
		"url":     c.api + "/repos/" + r.fullName() + "/git/blobs/" + id,
	})
}

func (w *Server) treeREST(c *call, r *repo, rev string) reply {
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

func (a *account) body() map[string]any {
	return map[string]any{
		"login": a.login, "id": a.id, "node_id": a.node(), "avatar_url": a.avatar(),
		"html_url": "https://github.com/" + a.login, "type": a.kind,
	}
}

func licenseBody(spdx string) any {
	if spdx == "" {
		return nil
	}
	return map[string]any{"key": licenseKey(spdx), "spdx_id": spdx, "url": nil}
}

func orEmpty(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

func (w *Server) repoBody(c *call, r *repo, full bool) map[string]any {
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
		"description": orNil(r.description), "homepage": orNil(r.homepage),
		"fork": r.parent != "", "is_template": r.isTemplate,
		"created_at": stamp(r.createdAt), "updated_at": stamp(r.updatedAt), "pushed_at": stamp(r.pushedAt),
		"size":             r.kilobytes(),
		"stargazers_count": r.stars, "watchers_count": r.stars, "forks_count": r.forks,
		"open_issues_count": open, "language": language,
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
func (w *Server) paged(c *call, items []any) reply {
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

func (w *Server) searchRepositories(c *call) reply {
	invalid := func(message string) reply {
		e := map[string]any{"message": message, "resource": "Search", "field": "q", "code": "invalid"}
		return answer(http.StatusUnprocessableEntity, map[string]any{
			"message": "Validation Failed", "documentation_url": "https://docs.github.com/v3/search/",
			"errors": []any{e}, "status": "422",
		})
	}
	page, size := pageOf(c)
	if (page-1)*size >= searchReach {
		return problem(http.StatusUnprocessableEntity, "Only the first 1000 search results are available", "v3/search/")
	}
	found, err := w.search(c.query.Get("q"))
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
