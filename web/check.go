package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
)

type checkPage struct {
	frame
	URL     string // as it was typed
	Problem string // what is wrong with it
	Report  *registry.Report
	Records []record
	Pending bool
	Listed  *row   // the registry's own entry, if its page asked
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
		if x.Status >= 500 || x.Status == http.StatusTooManyRequests {
			return err
		}
		p.Problem = x.Detail
		return s.show(c, x.Status, "check", "", p)
	}
	ref, err := registry.ParseRepoRef(p.URL)
	if err != nil {
		p.URL = shortened(p.URL)
		return wrong(err)
	}
	again := c.Query("listed") != "" // its page asks to look again
	if i := inRepo(v, ref); i != nil && !again {
		c.Redirect(http.StatusSeeOther, "/servers/"+i.Slug())
		return nil
	} else if i != nil {
		if named, err := find(v, c.Query("listed")); err == nil {
			i = named
		}
		r, err := rowOf(i)
		if err != nil {
			return err
		}
		p.Listed = &r
	}
	if s.Checker == nil {
		return registry.Errorf(registry.ErrUnavailable, "This repository is not in the registry, and checks of others are not available at the moment.")
	}
	if s.Limiter != nil {
		left, err := s.Limiter.Take(ctx, httpd.ClientOf(c).Subject(), registry.ClientsHourly)
		if err != nil {
			return err
		}
		if !left.Passed {
			return &registry.Error{Kind: registry.ErrLimited, RetryAfter: left.Wait, Msg: "Too many checks from your address. Please come back later."}
		}
	}
	r, err := s.Checker.Check(ctx, ref)
	if err != nil {
		return wrong(err)
	}
	if r.Ref.Owner == "" {
		r.Ref = ref
	}
	p.Title, p.Canonical = "Check of "+r.Ref.String(), ""
	switch r.Status {
	case registry.ReportNotFound:
		return wrong(&registry.Error{Kind: registry.ErrNotFound, Msg: "There is no public repository " + ref.String() + "."})
	case registry.ReportPending:
		p.Pending = true
		p.Refresh = int(max(2*time.Second, min(r.RetryAfter, time.Minute)).Seconds())
		c.Writer.Header().Set("Retry-After", strconv.Itoa(p.Refresh))
		return s.show(c, http.StatusAccepted, "check", "", p)
	}
	if i := inRepo(v, r.Ref); i != nil && p.Listed == nil { // renamed to one that is listed
		c.Redirect(http.StatusSeeOther, "/servers/"+i.Slug())
		return nil
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
	return s.show(c, http.StatusOK, "check", "", p)
}

// inRepo returns the listed server that an address means, nil if none.
func inRepo(v *catalog.View, ref registry.RepoRef) *catalog.Item {
	items := v.InRepo(ref.Key())
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
	q := url.Values{"url": {p.URL}}
	if p.Listed != nil {
		q.Set("listed", p.Listed.Slug)
	}
	return "/check?" + q.Encode()
}

func bools(b bool) int {
	if b {
		return 1
	}
	return 0
}
