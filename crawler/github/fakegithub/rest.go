package fakegithub

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

func notFound() reply { return problem(http.StatusNotFound, "Not Found", "rest") }

// rest serves GitHub's REST API. The caller holds w.mu.
func (w *Server) rest(c *call) reply {
	s := append(c.segments, "", "", "")
	switch s[0] {
	case "repos":
		return w.repoREST(c, w.find(s[1]+"/"+s[2]), s[3:])
	case "repositories":
		id, _ := strconv.ParseInt(s[1], 10, 64)
		return w.repoREST(c, w.repos[id], s[2:])
	}
	return notFound()
}

// repoREST serves the endpoints of a repository.
func (w *Server) repoREST(c *call, r *repo, s []string) reply {
	switch endpoint := strings.Trim(strings.Join(s, "/"), "/"); {
	case r == nil || r.gone:
		return notFound()
	case r.blocked != "":
		return blocked(r)
	case endpoint == "":
		return jsonReply(http.StatusOK, w.repoBody(r))
	case endpoint == "contributors":
		return r.contributors(c)
	case strings.HasPrefix(endpoint, "git/trees/"):
		return r.treeREST(strings.TrimPrefix(endpoint, "git/trees/"))
	}
	return notFound()
}

// blocked returns the response for a repository that GitHub blocks.
func blocked(r *repo) reply {
	status := http.StatusUnavailableForLegalReasons
	if r.blocked == "tos" {
		status = http.StatusForbidden
	}
	return jsonReply(status, map[string]any{
		"message": "Repository access blocked",
		"block":   map[string]any{"reason": r.blocked, "created_at": stamp(r.updatedAt), "html_url": nil},
	})
}

// contributors returns a page with one contributor and a link to the last page.
func (r *repo) contributors(c *call) reply {
	logins := map[string]bool{}
	for _, c := range r.commits {
		logins[c.login] = true
	}
	page := jsonReply(http.StatusOK, []any{map[string]any{"login": r.owner}})
	return page.with("Link", fmt.Sprintf(`<%s%s?per_page=1&page=%d>; rel="last"`, c.origin, c.URL.Path, len(logins)))
}

// treeREST returns all files of a tree.
func (r *repo) treeREST(rev string) reply {
	switch {
	case r.empty():
		return problem(http.StatusConflict, "Git Repository is empty.", "rest")
	case !r.isHead(rev):
		return problem(http.StatusNotFound, "Not Found", "rest/git/trees#get-a-tree")
	}
	items := []any{}
	for _, p := range slices.Sorted(maps.Keys(r.files)) {
		items = append(items, map[string]any{"path": p, "mode": "100644", "type": "blob",
			"sha": oid("blob", r.files[p]), "size": len(r.files[p])})
	}
	return jsonReply(http.StatusOK, map[string]any{"sha": r.root.oid, "tree": items, "truncated": false})
}

func (w *Server) repoBody(r *repo) map[string]any {
	owner := w.account(r.owner, r.ownerType)
	var language, license any
	if len(r.languages) > 0 {
		language = r.languages[0].name
	}
	if r.license != "" && !r.empty() {
		license = map[string]any{"spdx_id": r.license}
	}
	return map[string]any{
		"id": r.id, "node_id": r.node, "name": r.name, "full_name": r.fullName(), "private": false,
		"owner":       map[string]any{"login": owner.login, "avatar_url": owner.avatar(), "type": owner.kind},
		"description": orNil(r.description), "homepage": orNil(r.homepage),
		"fork": r.parent != "", "is_template": r.isTemplate,
		"created_at": stamp(r.createdAt), "updated_at": stamp(r.updatedAt), "pushed_at": stamp(r.pushedAt),
		"size": len(r.commits), "stargazers_count": r.stars, "forks_count": r.forks,
		"subscribers_count": r.watchers, "language": language, "has_issues": true,
		"archived": !r.archivedAt.IsZero(), "disabled": false, "license": license,
		"topics": append([]string{}, r.topics...), "default_branch": r.branch, "mirror_url": nil,
	}
}
