package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
)

// Enqueue puts repositories down for the crawl, and returns how many are new.
type Enqueue func(ctx context.Context, candidates []registry.Candidate, now time.Time) (added int, err error)

// FormsHourly is how many times a client may add servers or report in a UTC
// hour.
const FormsHourly = 10

// maxAdded is how many repositories one form takes.
const maxAdded = 10

// addedSource is what is noted of a repository as where it was named.
const addedSource = "added on the page"

// registerForms adds the pages with which readers add servers and report what
// is wrong with listings. They need no session, so nobody gets a cookie here.
func (s *Site) registerForms(r gin.IRouter) {
	var err error
	if s.origins, err = httpd.NewOrigins(s.BaseURL); err != nil {
		s.origins = new(httpd.Origins) // a site without an address of its own
	}
	for path, h := range map[string]struct{ get, post httpd.Handler }{
		"/add":                  {s.addForm, s.add},
		"/servers/:slug/report": {s.reportForm, s.report},
	} {
		httpd.Get(r, path, httpd.Handle(s.guard(h.get), s.Error))
		r.POST(path, httpd.Handle(s.guard(h.post), s.Error))
	}
}

// ownForm reads a form that a page of ours has sent.
func (s *Site) ownForm(c *gin.Context) (url.Values, error) {
	if err := s.ownPage(c); err != nil {
		return nil, err
	}
	return readForm(c)
}

// ownPage refuses what a page of another site makes a browser send.
func (s *Site) ownPage(c *gin.Context) error {
	if s.origins.Foreign(c.Request) {
		return &registry.Error{Kind: registry.ErrForbidden, Code: "cross_origin",
			Msg: "A page of another site has sent this form. Forms of this registry come from its own pages."}
	}
	return nil
}

// takeForm counts a form for the client that sends it.
func (s *Site) takeForm(ctx context.Context, c *gin.Context) error {
	if s.Limiter == nil {
		return nil
	}
	left, err := s.Limiter.Take(ctx, quota.Subject{Of: quota.FormHour, ID: httpd.ClientOf(c).Subject().ID}, FormsHourly)
	if err != nil {
		return err
	}
	if !left.Allowed {
		return &registry.Error{Kind: registry.ErrLimited, RetryAfter: max(time.Second, left.RetryAfter),
			Msg: "Your address has sent its forms of this hour. The next hour starts at " + left.Reset.UTC().Format("15:04") + " UTC."}
	}
	return nil
}

type addPage struct {
	frame
	Text    string // as it was typed
	Problem string
	Most    int
	Results []addResult
	New     int // repositories that were not known
}

// An addResult is what became of one line.
type addResult struct {
	Text    string // the repository, or what was typed instead
	URL     string // of the repository; "": it is none
	Problem string
	Listed  []addListed // servers of it that are listed
	Known   bool        // it was put down before
}

type addListed struct{ Slug, Name string }

func (s *Site) newAddPage() addPage {
	p := addPage{frame: s.frame("Add a server", "add"), Most: maxAdded}
	p.Description = "Put the repository of an MCP server down for the registry."
	p.Canonical = "/add"
	return p
}

// addForm answers GET /add.
func (s *Site) addForm(_ context.Context, c *gin.Context) error {
	p := s.newAddPage()
	if p.Text = shortened(strings.TrimSpace(c.Query("url"))); p.Text != "" {
		p.NoIndex = true
	}
	return s.show(c, http.StatusOK, "add", byContent, p)
}

// add answers POST /add: repositories that are not listed are put down for the
// crawl. To send the form twice adds nothing.
func (s *Site) add(ctx context.Context, c *gin.Context) error {
	form, err := s.ownForm(c)
	if err != nil {
		return err
	}
	v, err := s.view()
	if err != nil {
		return err
	}
	p := s.newAddPage()
	p.NoIndex = true
	wrong := func(status int, problem string) error {
		p.Text, p.Problem, p.Results = clipped(form.Get("url"), 6000), problem, nil
		return s.show(c, status, "add", "", p)
	}
	lines := strings.FieldsFunc(form.Get("url"), func(r rune) bool { return r == '\n' || r == '\r' || r == ',' || r == ' ' || r == '\t' })
	switch {
	case len(lines) == 0:
		return wrong(http.StatusBadRequest, "Paste the address of a repository, such as https://github.com/owner/name.")
	case len(lines) > maxAdded:
		return wrong(http.StatusBadRequest, "Give at most 10 repositories at a time.")
	}
	var fresh []int // results that are to be put down
	var refs []registry.RepoRef
	for _, line := range lines {
		ref, err := registry.ParseRepoRef(line)
		if err != nil {
			p.Results = append(p.Results, addResult{Text: shortened(line), Problem: refusal(err)})
			continue
		}
		if slices.ContainsFunc(refs, func(r registry.RepoRef) bool { return r.Key() == ref.Key() }) {
			continue // given twice
		}
		refs = append(refs, ref)
		r := addResult{Text: ref.String(), URL: "https://github.com/" + ref.String(), Listed: listedOf(v, ref)}
		if len(r.Listed) == 0 {
			fresh = append(fresh, len(p.Results))
		}
		p.Results = append(p.Results, r)
	}
	if len(refs) == 0 && len(lines) == 1 {
		return wrong(http.StatusBadRequest, p.Results[0].Problem+" Give a repository on GitHub as owner/name or https://github.com/owner/name.")
	}
	if len(fresh) > 0 {
		if s.Enqueue == nil {
			return registry.Errorf(registry.ErrUnavailable, "Servers cannot be added here at the moment.")
		}
		if err := s.takeForm(ctx, c); err != nil {
			return err
		}
	}
	for _, i := range fresh {
		ref, err := registry.ParseRepoRef(p.Results[i].URL) // without a path within it
		if err != nil {
			return err
		}
		n, err := s.Enqueue(ctx, []registry.Candidate{{Ref: ref, Source: addedSource}}, s.Now())
		if err != nil {
			return err
		}
		p.New += n
		p.Results[i].Known = n == 0
	}
	return s.show(c, http.StatusOK, "add", "", p)
}

// refusal says what is wrong with an address, in a sentence, without what it
// should be instead.
func refusal(err error) string {
	says, ok := strings.CutPrefix(httpd.Explain(err).Detail, "url ")
	if ok {
		says = "It " + says
	}
	says, _, _ = strings.Cut(says, ": give a GitHub repository")
	return titled(strings.TrimSuffix(says, ".")) + "."
}

// mostListed is how many servers of one repository are linked.
const mostListed = 5

func listedOf(v *catalog.View, ref registry.RepoRef) (list []addListed) {
	for _, i := range v.InRepo(ref.Key()) {
		if r, err := rowOf(i); err == nil && len(list) < mostListed {
			list = append(list, addListed{i.Slug(), r.Name})
		}
	}
	return list
}
