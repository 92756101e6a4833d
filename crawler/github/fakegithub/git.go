package fakegithub

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"

	"mcpcensus/crawler/git/gittest"
)

// build gives git the files and commits of a repository. Their IDs depend on all of them.
func (w *Server) build(r *repo) {
	if r.built || r.empty() {
		return
	}
	r.built = true
	repo := gittest.Repo{Branch: r.branch, Tags: map[string]int{}}
	files := maps.Clone(r.files)
	for i, c := range r.commits { // the newest first
		repo.Commits = append(repo.Commits, gittest.Commit{Files: maps.Clone(files), Name: c.login,
			Email: c.login + "@users.noreply.github.com", At: c.at})
		for _, p := range c.paths {
			files[p] = "of commit " + strconv.Itoa(i) + "\n"
		}
	}
	slices.Reverse(repo.Commits)
	for _, t := range r.tags {
		i := slices.IndexFunc(r.commits, func(c commit) bool { return !c.at.After(t.at) })
		if i < 0 {
			i = len(r.commits) - 1
		}
		repo.Tags[t.tag] = len(r.commits) - 1 - i
	}
	ids := w.git.Set(strconv.FormatInt(r.id, 10), repo)
	for i := range r.commits {
		r.commits[i].oid = ids[len(ids)-1-i]
	}
}

// serveGit serves git at /git/OWNER/NAME.git. The caller holds w.mu.
func (w *Server) serveGit(c *call) reply {
	name, rest, isRepo := strings.Cut(strings.Join(c.segments, "/"), ".git/")
	r := w.find(name)
	text := func(status int, s string) reply {
		return textReply(status, "text/plain; charset=utf-8", s)
	}
	switch {
	case !isRepo:
		return text(http.StatusNotFound, "Not Found\n")
	case c.token != "" && w.revoked[passwordOf(c)], r == nil || r.gone:
		return text(http.StatusUnauthorized, "Repository not found.\n").
			with("WWW-Authenticate", `Basic realm="GitHub"`)
	case r.blocked != "":
		return text(http.StatusForbidden, "Repository unavailable due to DMCA takedown.\n")
	case !strings.EqualFold(r.fullName(), name):
		to := fmt.Sprintf("%s/git/%s.git/%s?%s", c.origin, r.fullName(), rest, c.URL.RawQuery)
		return text(http.StatusMovedPermanently, "").with("Location", to)
	}
	if r.empty() {
		w.git.Set(strconv.FormatInt(r.id, 10), gittest.Repo{Branch: r.branch})
	}
	w.build(r)
	req := httptest.NewRequest(c.Method, "/"+strconv.FormatInt(r.id, 10)+".git/"+rest+"?"+
		c.URL.RawQuery, strings.NewReader(string(c.body)))
	req.Header = c.Header
	rec := httptest.NewRecorder()
	w.git.ServeHTTP(rec, req)
	return reply{rec.Code, rec.Header(), rec.Body.Bytes()}
}

// passwordOf returns the token of a request of git.
func passwordOf(c *call) string {
	_, password, _ := c.BasicAuth()
	return cmp.Or(password, c.token)
}
