package fakegithub

import (
	"net/http"
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
	case "search":
		return w.searchREST(c)
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

// searchREST serves a search for repositories, all results on one page.
func (w *Server) searchREST(c *call) reply {
	found, err := w.search(c.query.Get("q"))
	if err != nil || len(found) == 0 {
		return problem(http.StatusUnprocessableEntity, "Validation Failed", "v3/search/")
	}
	return jsonReply(http.StatusOK, map[string]any{"total_count": len(found),
		"incomplete_results": false,
		"items":              each(found, func(r *repo) any { return w.repoBody(r) })})
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
