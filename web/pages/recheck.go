package pages

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
	"mcpcensus/web/record"
)

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
