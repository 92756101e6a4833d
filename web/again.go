package web

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/registry"
)

// takenOver is how long after a report its reader waits for the registry's own
// entry to follow; then he sees the report itself.
const takenOver = 20 * time.Second

// repositoryOf returns what a page shows of a listed server, and its repository.
func repositoryOf(i *catalog.Item) (record, registry.RepoRef, error) {
	r, err := recordOf(i)
	if err != nil {
		return r, registry.RepoRef{}, err
	}
	if r.Repository.Owner == "" {
		return r, registry.RepoRef{}, registry.Errorf(registry.ErrInvalid, "No repository of this server is known, so there is nothing to check.")
	}
	return r, registry.RepoRef{Host: registry.GitHub, Owner: r.Repository.Owner, Name: r.Repository.Name}, nil
}

// checkAgain answers POST /servers/{slug}/check: its repository is read anew,
// and whoever asks sees how far that has come.
func (s *Site) checkAgain(ctx context.Context, c *gin.Context) error {
	if err := s.ownPage(c); err != nil {
		return err
	}
	i, err := s.asked(c)
	if err != nil {
		return err
	}
	_, ref, err := repositoryOf(i)
	if err != nil {
		return err
	}
	if s.Checker == nil {
		return registry.Errorf(registry.ErrUnavailable, "Nothing can be checked at the moment.")
	}
	if _, err := s.Checker.Recheck(ctx, ref, func() error { return s.mayCheck(ctx, c) }); err != nil {
		return err
	}
	c.Redirect(http.StatusSeeOther, "/servers/"+i.Slug()+"/check")
	return nil
}

// again answers GET /servers/{slug}/check: how far the check has come that was
// asked for. It leads back to the server's page once that shows what was read,
// and begins nothing.
func (s *Site) again(ctx context.Context, c *gin.Context) error {
	i, err := s.asked(c)
	if err != nil {
		return err
	}
	page := "/servers/" + i.Slug()
	if i.Slug() != c.Param("slug") {
		c.Redirect(http.StatusPermanentRedirect, page+"/check")
		return nil
	}
	r, ref, err := repositoryOf(i)
	if err != nil {
		return err
	}
	back := func(to string) error {
		c.Redirect(http.StatusSeeOther, to)
		return nil
	}
	if s.Checker == nil {
		return back(page)
	}
	none := errors.New("there is no check to follow")
	report, err := s.Checker.Follow(ctx, ref, func() error { return none })
	if errors.Is(err, none) {
		return back(page)
	} else if err != nil {
		return err
	}
	if report.Status == registry.CheckNotFound {
		return registry.Errorf(registry.ErrNotFound, "GitHub has no public repository %s at the moment. The registry keeps the server for three days, in case it comes back.", ref.String())
	}
	p := checkPage{frame: s.frame("", "servers")}
	p.Listed = new(row)
	if *p.Listed, err = rowOf(i); err != nil {
		return err
	}
	follow := step{Name: "Bring the server’s page up to date", State: "next"}
	if report.Status == registry.CheckDone && len(report.Servers) > 0 && !report.Stale {
		switch {
		case r.LastCrawledAt != nil && !r.LastCrawledAt.Before(report.At):
			return back(page + "?checked")
		case s.Now().Sub(report.At) < takenOver:
			for _, x := range stepsOf(report) {
				p.Steps = append(p.Steps, step{Name: x.Name, State: "done"})
			}
			follow.State = "now"
			p.Steps = append(p.Steps, follow)
			p.Pending, p.Refresh, p.NoIndex, p.Title = true, 2, true, "Check of "+report.Ref.String()
			return s.show(c, http.StatusAccepted, "check", "", p)
		}
	}
	if report.Status == registry.CheckPending {
		p.Steps = []step{follow}
	}
	return s.showReport(c, p, ref, report)
}
