package pages

import (
	"cmp"
	"context"
	"errors"
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
	"mcpcensus/internal/text"
	"mcpcensus/web/format"
	"mcpcensus/web/record"
	"mcpcensus/web/site"
)

type checkPage struct {
	site.Frame
	URL     string // as it was typed
	Problem string // what is wrong with it
	Report  *registry.CheckResult
	Records []record.Record
	Pending bool
	Steps   []step             // of a pending check
	Listed  *registry.Server   // the listed server that is checked again
	Share   string             // absolute address of this report
	Members []*registry.Server // of a listed repository with several servers
	Sample  []*registry.Server // listed servers whose reports show what to expect
}

// CheckAgain is the address of this page.
func (p checkPage) CheckAgain() string {
	if p.Listed != nil {
		return "/servers/" + p.Listed.Slug + "/check"
	}
	return "/check?" + url.Values{"url": {p.URL}}.Encode()
}

// check responds to GET /check: the report of any repository by its address.
func (p *Pages) check(ctx context.Context, c *gin.Context, v *catalog.View) error {
	page := checkPage{Frame: p.NewFrame("Check a repository", "check"),
		URL: strings.TrimSpace(c.Query("url"))}
	page.Description = "Paste a " + registry.HostNames() +
		" URL and get the health report of its MCP server, with the evidence."
	page.Canonical = "/check"
	if page.URL == "" {
		for _, slugs := range p.censusOf(v).home.cases {
			page.Sample = append(page.Sample, rowsOf(v, slugs[:min(len(slugs), 1)])...)
		}
		return p.Show(c, http.StatusOK, "check", "", page)
	}
	page.NoIndex = true
	if items, err := v.ByAddress(page.URL); err == nil && len(items) > 0 {
		return p.showListed(c, page, items)
	}
	ref, err := registry.ParseRepoRef(page.URL)
	if err != nil {
		page.URL = format.Clip(page.URL, maxTyped)
		return p.refuseCheck(c, page, err)
	}
	if i := record.InRepo(v, ref.Key(), ref); i != nil {
		c.Redirect(http.StatusSeeOther, "/servers/"+i.Slug())
		return nil
	}
	if p.Checker == nil {
		return registry.Errorf(registry.ErrUnavailable,
			"This repository is not in the registry. Checks of other repositories are "+
				"unavailable right now.")
	}
	ctx = httpd.Visiting(ctx, c)
	r, err := p.Checker.Follow(ctx, ref, func() error { return p.mayCheck(ctx, c) })
	if err == nil && r.Status == registry.CheckNotFound {
		err = &registry.Error{Kind: registry.ErrNotFound,
			Msg: "There is no public repository " + ref.String() + "."}
	}
	if err != nil {
		return p.refuseCheck(c, page, err)
	}
	if i := record.InRepo(v, cmp.Or(r.ListedAs, r.Ref.Key()), r.Ref); i != nil &&
		r.Status != registry.CheckPending {
		c.Redirect(http.StatusSeeOther, "/servers/"+i.Slug()) // it was renamed
		return nil
	}
	leave, err := httpd.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return p.showReport(c, page, ref, r)
}

// showListed redirects to the page of a listed server, or shows the servers of a
// repository that has several.
func (p *Pages) showListed(c *gin.Context, page checkPage, items []*catalog.Item) error {
	if len(items) == 1 {
		c.Redirect(http.StatusSeeOther, "/servers/"+items[0].Slug())
		return nil
	}
	for _, i := range items {
		page.Members = append(page.Members, record.Row(i))
	}
	page.URL = page.Members[0].Repo.Ref().URL()
	page.Title = "Servers in " + page.Members[0].Repo.FullName()
	return p.Show(c, http.StatusOK, "check", "", page)
}

// maxTyped is the maximum number of characters of a rejected address that are
// shown again.
const maxTyped = 200

// refuseCheck shows an error beside the form. It returns errors of the server.
func (p *Pages) refuseCheck(c *gin.Context, page checkPage, err error) error {
	x := httpd.Explain(err)
	if x.Status >= 500 {
		return err
	}
	if x.RetryAfter > 0 {
		c.Writer.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(x.RetryAfter.Seconds()))))
	}
	page.Problem = x.Detail
	// the parameter has no name on the page
	if rest, ok := strings.CutPrefix(page.Problem, "url "); ok {
		page.Problem = "The address " + rest
	}
	return p.Show(c, x.Status, "check", "", page)
}

func (p *Pages) showReport(
	c *gin.Context, page checkPage, ref registry.RepoRef, r registry.CheckResult,
) error {
	if r.Ref.Owner == "" {
		r.Ref = ref
	}
	page.Title, page.NoIndex, page.Canonical = "Check of "+r.Ref.String(), true, ""
	if page.Listed == nil {
		page.Canonical = "/check?" + url.Values{"url": {r.Ref.URL()}}.Encode()
		page.Meta.Shared = true
		page.Description = "The health of " + r.Ref.String() +
			" as an MCP server: every check, the evidence, and how to improve."
	}
	if r.Status == registry.CheckPending {
		page.Pending, page.Steps = true, append(stepsOf(r), page.Steps...)
		page.addRecords(r.Servers, 0)
		page.Refresh = int(max(2*time.Second, min(r.RetryAfter, time.Minute)).Seconds())
		c.Writer.Header().Set("Retry-After", strconv.Itoa(page.Refresh))
		return p.Show(c, http.StatusAccepted, "check", "", page)
	}
	order(&r, page.Listed)
	page.Report = &r
	page.addRecords(r.Servers, 1)
	page.Share = p.BaseURL + page.CheckAgain()
	if page.Listed == nil {
		page.describe()
	}
	return p.Show(c, http.StatusOK, "check", "", page)
}

// order puts the requested server first: the one in the folder of the address,
// or the listed one.
func order(r *registry.CheckResult, listed *registry.Server) {
	at, folder := r.Chosen()
	if i := slices.IndexFunc(r.Servers, func(s registry.Scored) bool {
		return listed != nil && s.Server.Subfolder == listed.Subfolder
	}); i >= 0 {
		at = i
	}
	switch {
	case at < 0 && folder != "":
		r.Reason = fmt.Sprintf("no server in %s, but %d in other folders of the repository", folder,
			len(r.Servers))
		r.Servers = nil
	case at > 0:
		r.Servers = append([]registry.Scored{r.Servers[at]},
			slices.Delete(slices.Clone(r.Servers), at, at+1)...)
	}
}

// addRecords adds servers. The ids of those from an index on get a prefix.
func (p *checkPage) addRecords(servers []registry.Scored, prefixFrom int) {
	for i := range servers {
		r := record.New(new(servers[i].Server))
		if i >= prefixFrom {
			r.Prefix = "s" + strconv.Itoa(i+1) + "-"
		}
		p.Records = append(p.Records, r)
	}
}

// describe fills in the description and picture of a shared report.
func (p *checkPage) describe() {
	switch r := p.Report; {
	case len(p.Records) > 0:
		h := p.Records[0].Health
		said := format.Health(h.Score, h.Grade)
		p.Title = r.Ref.String() + ": " + said
		p.Description = format.Capital(said) + ", as of " + r.At.UTC().Format("2 January 2006") +
			". Every check, the evidence, and how to improve."
	case r.Blocked == "":
		p.Description = "No MCP server was found in " + r.Ref.String() + ". " +
			format.Capital(r.Reason)
	}
}

// mayCheck returns an error if the client has used up its requests to /api,
// which include checks.
func (p *Pages) mayCheck(ctx context.Context, c *gin.Context) error {
	return p.take(ctx, httpd.ClientOf(c).Subject(), quota.ClientsHourly, func(left quota.Result) string {
		return fmt.Sprintf("%d new checks and requests to /api per hour. Try again %s. Existing "+
			"reports are not limited.", quota.ClientsHourly, in(left.RetryAfter))
	})
}

// in returns the time until t in words.
func in(d time.Duration) string {
	switch n := int(math.Ceil(d.Minutes())); {
	case n <= 1:
		return "in a minute"
	case n < 60:
		return "in " + strconv.Itoa(n) + " minutes"
	}
	return "in an hour"
}

// A step is a part of a check with its result so far.
type step struct {
	Name, Text string
	State      string // "done", "now" or "next"
}

func stepsOf(r registry.CheckResult) []step {
	p := r.Progress
	p = cmp.Or(p, new(registry.CheckProgress))
	steps := []step{
		{Name: "Find the repository"}, {Name: "Read its files"}, {Name: "Look for MCP servers"},
		{Name: "Query package registries"}, {Name: "Calculate the score"},
	}
	done := 0
	if p.Repo != nil {
		done, steps[0].Text = 1, p.Repo.FullName()
		if p.Repo.Stars != nil {
			steps[0].Text += ", " + text.Count(*p.Repo.Stars, "star")
		}
	}
	if p.Files != nil {
		steps[1].Text = text.Count(*p.Files, "file") + " listed"
	}
	if p.Read != nil {
		done = 2
		steps[1].Text += ", " + text.Thousands(*p.Read) + " read"
	}
	if p.Searched {
		done, steps[2].Text = 3, text.Count(len(r.Servers), "server")+" found"
		steps[3].Text = text.Thousands(p.Asked) + " of " + text.Count(p.Packages, "package")
		if p.Packages == 0 {
			steps[3].Text = "no published package"
		}
		if p.Asked >= p.Packages {
			done = 4
		}
	}
	for n := range steps {
		steps[n].State = map[int]string{-1: "done", 0: "now", 1: "next"}[cmp.Compare(n, done)]
	}
	return steps
}

// updateWait is how long the page waits after a check for the server's record
// to be updated, before it shows the report itself.
const updateWait = 20 * time.Second

// listedRepo returns the listed server in the path of a request, with its repository.
func (p *Pages) listedRepo(c *gin.Context) (*catalog.Item, registry.RepoRef, error) {
	v, err := p.View()
	if err != nil {
		return nil, registry.RepoRef{}, err
	}
	i, err := record.Find(v, c.Param("slug"))
	if err != nil {
		return nil, registry.RepoRef{}, err
	}
	s := i.Summary()
	if s.Repo.Owner == "" {
		return nil, registry.RepoRef{}, registry.Errorf(registry.ErrInvalid,
			"This server has no known repository to check.")
	}
	return i, s.Repo.Ref(), nil
}

// recheck responds to POST /servers/{slug}/check: it starts a check of the
// server's repository and redirects to its progress.
func (p *Pages) recheck(ctx context.Context, c *gin.Context) error {
	if err := p.OwnPage(c); err != nil {
		return err
	}
	i, ref, err := p.listedRepo(c)
	if err != nil {
		return err
	}
	if p.Checker == nil {
		return registry.Errorf(registry.ErrUnavailable, "Checks are unavailable right now.")
	}
	if _, err := p.Checker.Recheck(httpd.Visiting(ctx, c), ref,
		func() error { return p.mayCheck(ctx, c) }); err != nil {
		return err
	}
	c.Redirect(http.StatusSeeOther, "/servers/"+i.Slug()+"/check")
	return nil
}

var errNoCheck = errors.New("no check to follow")

// recheckProgress responds to GET /servers/{slug}/check with the progress of
// the check. It redirects to the server's page once that shows the result, and
// does not start a check.
func (p *Pages) recheckProgress(ctx context.Context, c *gin.Context) error {
	i, ref, err := p.listedRepo(c)
	if err != nil {
		return err
	}
	address := "/servers/" + i.Slug()
	if i.Slug() != c.Param("slug") {
		c.Redirect(http.StatusPermanentRedirect, address+"/check")
		return nil
	}
	result, err := registry.CheckResult{}, errNoCheck
	if p.Checker != nil {
		result, err = p.Checker.Follow(ctx, ref, func() error { return errNoCheck })
	}
	if errors.Is(err, errNoCheck) {
		c.Redirect(http.StatusSeeOther, address)
		return nil
	}
	if err != nil {
		return err
	}
	if result.Status == registry.CheckNotFound {
		return registry.Errorf(registry.ErrNotFound,
			"%s has no public repository %s right now. The server stays listed for three days, "+
				"in case the "+
				"repository comes back.",
			registry.HostOf(ref.Host).Name, ref.FullName())
	}
	page := checkPage{Frame: p.NewFrame("", "servers"), Listed: record.Row(i)}
	update := step{Name: "Update the server’s page", State: "next"}
	if result.Status == registry.CheckPending {
		page.Steps = []step{update}
	}
	if result.Status != registry.CheckDone || len(result.Servers) == 0 || result.Stale {
		return p.showReport(c, page, ref, result)
	}
	switch at := i.CrawledAt(); {
	case !at.IsZero() && !at.Before(result.At):
		c.Redirect(http.StatusSeeOther, address+"?checked")
		return nil
	case p.Now().Sub(result.At) >= updateWait:
		return p.showReport(c, page, ref, result)
	}
	for _, x := range stepsOf(result) {
		page.Steps = append(page.Steps, step{Name: x.Name, State: "done"})
	}
	update.State = "now"
	page.Steps = append(page.Steps, update)
	page.Pending, page.Refresh, page.NoIndex, page.Title = true, 2, true,
		"Check of "+result.Ref.String()
	return p.Show(c, http.StatusAccepted, "check", "", page)
}
