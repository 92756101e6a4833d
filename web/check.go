package web

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
)

type checkPage struct {
	frame
	URL     string // as it was typed
	Problem string // what is wrong with it
	Report  *registry.CheckResult
	Records []record
	Pending bool
	Steps   []step // of a report that is pending
	Listed  *row   // the registry's own entry, if that is checked again
	Share   string // absolute address of this report
}

// check answers GET /check: the report of any repository by its address.
func (s *Site) check(ctx context.Context, c *gin.Context) error {
	v, err := s.view()
	if err != nil {
		return err
	}
	p := checkPage{frame: s.frame("Check a repository", "check"), URL: strings.TrimSpace(c.Query("url"))}
	p.Description = "Paste the address of a repository and see the health of its MCP server, with reasons."
	p.Canonical = "/check"
	if p.URL == "" {
		return s.show(c, http.StatusOK, "check", "", p)
	}
	p.NoIndex = true
	wrong := func(err error) error {
		x := httpd.Explain(err)
		if x.Status >= 500 {
			return err
		}
		if x.RetryAfter > 0 {
			c.Writer.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(x.RetryAfter.Seconds()))))
		}
		p.Problem = x.Detail
		if rest, ok := strings.CutPrefix(p.Problem, "url "); ok { // it has no name on the page
			p.Problem = "The address " + rest
		}
		return s.show(c, x.Status, "check", "", p)
	}
	ref, err := registry.ParseRepoRef(p.URL)
	if err != nil {
		p.URL = shortened(p.URL)
		return wrong(err)
	}
	if i := inRepo(v, ref.Key(), ref); i != nil {
		c.Redirect(http.StatusSeeOther, "/servers/"+i.Slug())
		return nil
	}
	if s.Checker == nil {
		return registry.Errorf(registry.ErrUnavailable, "This repository is not in the registry, and checks of others are not available at the moment.")
	}
	r, err := s.Checker.Follow(ctx, ref, func() error { return s.mayCheck(ctx, c) })
	if err != nil {
		return wrong(err)
	}
	if r.Status == registry.CheckNotFound {
		return wrong(&registry.Error{Kind: registry.ErrNotFound, Msg: "There is no public repository " + ref.String() + "."})
	}
	if i := inRepo(v, cmp.Or(r.ListedAs, r.Ref.Key()), r.Ref); i != nil && r.Status != registry.CheckPending { // renamed to one that is listed
		c.Redirect(http.StatusSeeOther, "/servers/"+i.Slug())
		return nil
	}
	return s.showReport(c, p, ref, r)
}

// showReport shows a report, or how far one has come.
func (s *Site) showReport(c *gin.Context, p checkPage, ref registry.RepoRef, r registry.CheckResult) error {
	if r.Ref.Owner == "" {
		r.Ref = ref
	}
	p.Title, p.NoIndex = "Check of "+r.Ref.String(), true
	if p.Canonical = ""; p.Listed == nil {
		p.Canonical, p.Meta.Shared = "/check?"+url.Values{"url": {"https://github.com/" + r.Ref.Owner + "/" + r.Ref.Name}}.Encode(), true
		p.Description = "The health of " + r.Ref.String() + " as an MCP server, check by check: what speaks for it, what against it, and what would raise it."
	}
	if r.Status == registry.CheckPending {
		p.Pending, p.Steps = true, append(stepsOf(r), p.Steps...)
		for i := range r.Servers {
			x := checkedOf(&r.Servers[i].Server)
			x.Prefix = "s" + strconv.Itoa(i+1) + "-"
			p.Records = append(p.Records, x)
		}
		p.Refresh = int(max(2*time.Second, min(r.RetryAfter, time.Minute)).Seconds())
		c.Writer.Header().Set("Retry-After", strconv.Itoa(p.Refresh))
		return s.show(c, http.StatusAccepted, "check", "", p)
	}
	folders := make([]string, len(r.Servers))
	for i := range r.Servers {
		folders[i] = r.Servers[i].Server.Subfolder
	}
	switch at, folder := r.Ref.Among(folders); {
	case at < 0 && folder != "":
		r.Reason = fmt.Sprintf("nothing at %s of the repository is one; it holds %d in other folders", folder, len(r.Servers))
		r.Servers = nil
	case at > 0: // the one that was asked for comes first
		r.Servers = append([]registry.Scored{r.Servers[at]}, slices.Delete(slices.Clone(r.Servers), at, at+1)...)
	}
	p.Report = &r
	for i := range r.Servers {
		p.Records = append(p.Records, checkedOf(&r.Servers[i].Server))
	}
	if p.Listed != nil { // of a repository with several servers, the one that was asked for
		slices.SortStableFunc(p.Records, func(a, b record) int {
			return bools(b.Server.Subfolder == p.Listed.Repository.Subfolder) - bools(a.Server.Subfolder == p.Listed.Repository.Subfolder)
		})
	}
	for n := range p.Records[min(1, len(p.Records)):] {
		p.Records[n+1].Prefix = "s" + strconv.Itoa(n+2) + "-"
	}
	p.Share = s.BaseURL + p.CheckAgain()
	if p.Listed == nil {
		switch {
		case len(p.Records) > 0:
			h := p.Records[0].Health
			said := healthText(h.Score, h.Grade)
			p.Title = r.Ref.String() + ": " + said
			p.Description = titled(said) + ", as of " + r.At.UTC().Format("2 January 2006") + ". Every check with its reason, its evidence and what would raise the score."
		case r.Blocked == "":
			p.Description = "No MCP server was found in " + r.Ref.String() + ". " + titled(r.Reason)
		}
	}
	return s.show(c, http.StatusOK, "check", "", p)
}

// mayCheck fails if the client's budget, which is that of its requests to
// /api, is spent.
func (s *Site) mayCheck(ctx context.Context, c *gin.Context) error {
	if s.Limiter == nil {
		return nil
	}
	left, err := s.Limiter.Take(ctx, httpd.ClientOf(c).Subject(), quota.ClientsHourly)
	if err != nil || left.Allowed {
		return err
	}
	return &registry.Error{Kind: registry.ErrLimited, RetryAfter: left.RetryAfter,
		Msg: fmt.Sprintf("New checks and requests to /api share %d an hour for each address, and those of yours are used up. There are new ones %s. Reports that exist can still be read.",
			quota.ClientsHourly, in(left.RetryAfter))}
}

// in says how long something takes from now, in words.
func in(d time.Duration) string {
	switch n := int(math.Ceil(d.Minutes())); {
	case d <= time.Minute:
		return "in a minute"
	case n < 60:
		return "in " + strconv.Itoa(n) + " minutes"
	default:
		return "in an hour"
	}
}

// A step is a part of a check: what it is, and what came of it once it is done.
type step struct {
	Name, Text string
	State      string // "done", "now" or "next"
}

// stepsOf says how far a pending report has come. Until the host has named the
// repository it may be waiting for others.
func stepsOf(r registry.CheckResult) []step {
	p := r.Progress
	if p == nil {
		p = new(registry.CheckProgress)
	}
	steps := []step{{Name: "Find the repository"}, {Name: "Read its files"}, {Name: "Look for MCP servers"}, {Name: "Ask the package services"}, {Name: "Put the score together"}}
	count := func(n int, one, many string) string {
		if n == 1 {
			return "1 " + one
		}
		return grouped(int64(n)) + " " + many
	}
	done := 0
	if p.Repo != nil {
		done, steps[0].Text = 1, p.Repo.FullName()
		if p.Repo.Stars != nil {
			steps[0].Text += ", " + count(*p.Repo.Stars, "star", "stars")
		}
	}
	if p.Files != nil {
		steps[1].Text = count(*p.Files, "file", "files") + " listed"
	}
	if p.Read != nil {
		done = 2
		steps[1].Text += ", " + grouped(int64(*p.Read)) + " read"
	}
	if p.Searched {
		done, steps[2].Text = 3, count(len(r.Servers), "server", "servers")+" found"
		steps[3].Text = grouped(int64(p.Asked)) + " of " + count(p.Packages, "package", "packages")
		if p.Packages == 0 {
			steps[3].Text = "no package is published"
		}
		if p.Asked >= p.Packages {
			done = 4
		}
	}
	for n := range steps {
		steps[n].State = "next"
		if n < done {
			steps[n].State = "done"
		} else if n == done {
			steps[n].State = "now"
		}
	}
	return steps
}

// inRepo returns the listed server that an address means in the repository of a
// key, nil if none.
func inRepo(v *catalog.View, key string, ref registry.RepoRef) *catalog.Item {
	items := v.InRepo(key)
	folders := make([]string, len(items))
	for n, i := range items {
		folders[n] = i.Subfolder()
	}
	if at, _ := ref.Among(folders); at >= 0 {
		return items[at]
	}
	return nil
}

// shortened keeps what was typed short enough to show again.
func shortened(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if r := []rune(s); len(r) > 200 {
		return string(r[:200])
	}
	return s
}

// CheckAgain is the address of this page.
func (p checkPage) CheckAgain() string {
	if p.Listed != nil {
		return "/servers/" + p.Listed.Slug + "/check"
	}
	return "/check?" + url.Values{"url": {p.URL}}.Encode()
}

func bools(b bool) int {
	if b {
		return 1
	}
	return 0
}
