package fakegithub

import (
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
	case len(s) >= 3 && s[0] == "repos":
		return w.repoREST(c, w.find(s[1]+"/"+s[2]), s[3:])
	case len(s) >= 2 && s[0] == "repositories":
		id, _ := strconv.ParseInt(s[1], 10, 64)
		return w.repoREST(c, w.repos[id], s[2:])
	}
	return notFound()
}

// repoREST answers a request below a repository.
func (w *Server) repoREST(c *call, r *repo, s []string) reply {
	switch {
	case r == nil || !r.visible():
		return problem(http.StatusNotFound, "Not Found", docRepo)
	case r.blocked != "":
		return withheld(r)
	case len(s) == 0:
		return answer(http.StatusOK, w.repoBody(c, r))
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

func (w *Server) treeREST(c *call, r *repo, rev string) reply {
	t := r.trees[rev]
	if r.isHead(rev) {
		t = r.root
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

func orEmpty(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

func (w *Server) repoBody(c *call, r *repo) map[string]any {
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
	if r.license != "" && !r.empty() {
		lic = map[string]any{"key": licenseKey(r.license), "spdx_id": r.license, "url": nil}
	}
	return map[string]any{
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
		"subscribers_count": r.watchers, "network_count": r.forks,
	}
}

// paged answers with one page of a list, and links to the next and the last one.
func (w *Server) paged(c *call, items []any) reply {
	page, _ := strconv.Atoi(c.query.Get("page"))
	size, _ := strconv.Atoi(c.query.Get("per_page"))
	page, size = max(1, page), min(max(1, size), 100)
	from := min((page-1)*size, len(items))
	r := answer(http.StatusOK, append([]any{}, items[from:min(from+size, len(items))]...))
	last := (len(items) + size - 1) / size
	if page >= last {
		return r
	}
	to := func(n int, rel string) string {
		q := c.URL.Query()
		q.Set("page", strconv.Itoa(n))
		return fmt.Sprintf(`<%s/%s?%s>; rel="%s"`, c.api, strings.Join(c.segments, "/"), q.Encode(), rel)
	}
	return r.with("Link", to(page+1, "next")+", "+to(last, "last"))
}
