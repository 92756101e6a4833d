package pages

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

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

const (
	// FormsHourly is the number of forms that a client may send in a UTC hour
	// to add servers or report problems.
	FormsHourly = 10

	maxAdded     = 10   // repositories of one form
	maxAddedText = 6000 // characters of a form that are shown again
	maxLinked    = 5    // servers of a repository that are linked

	// addedSource is stored as the source of repositories that readers add.
	addedSource = "added on the page"
)

// take counts a request against a limit. text describes the limit.
func (p *Pages) take(
	ctx context.Context, s quota.Subject, most int, text func(quota.Result) string,
) error {
	if p.Limiter == nil {
		return nil
	}
	left, err := p.Limiter.Take(ctx, s, most)
	if err != nil || left.Allowed {
		return err
	}
	msg := "Rate limit reached: " + text(left)
	if left.OfSite {
		msg = "Rate limit of your network reached. Try again " + in(left.RetryAfter) + "."
	}
	return &registry.Error{Kind: registry.ErrLimited, RetryAfter: max(time.Second, left.RetryAfter),
		Msg: msg}
}

// countForm counts a form against the limit of its client.
func (p *Pages) countForm(ctx context.Context, c *gin.Context) error {
	return p.take(ctx, quota.Subject{Of: quota.FormHour, ID: httpd.ClientOf(c).Subject().ID},
		FormsHourly, func(left quota.Result) string {
			return fmt.Sprintf("%d forms per hour. The limit resets at %s UTC.", FormsHourly,
				left.Reset.UTC().Format("15:04"))
		})
}

type addPage struct {
	site.Frame
	Text    string // as it was typed
	Problem string
	Most    int
	Results []addResult
	New     int // new repositories
}

type addResult struct {
	Text    string // the repository, or what was typed
	URL     string // of the repository, "" if the line is not one
	Problem string
	Listed  []*registry.Server // servers of it that are listed
	Known   bool               // already queued

	ref registry.RepoRef
}

func (p *Pages) newAddPage() addPage {
	page := addPage{Frame: p.NewFrame("Add a server", "add"), Most: maxAdded}
	page.Description = "Submit the repository of an MCP server to the registry."
	page.Canonical = "/add"
	return page
}

func (p *Pages) addForm(_ context.Context, c *gin.Context) error {
	page := p.newAddPage()
	if page.Text = format.Clip(strings.TrimSpace(c.Query("url")), maxTyped); page.Text != "" {
		page.NoIndex = true
	}
	return p.Show(c, http.StatusOK, "add", site.ByContent, page)
}

// add responds to POST /add: it queues repositories that are not listed.
// Sending the form twice adds nothing.
func (p *Pages) add(ctx context.Context, c *gin.Context, v *catalog.View) error {
	form, err := p.OwnForm(c)
	if err != nil {
		return err
	}
	page := p.newAddPage()
	page.NoIndex = true
	fresh, problem := page.read(v, form.Get("url"))
	if problem != "" {
		page.Text, page.Problem, page.Results = format.Clip(form.Get("url"), maxAddedText), problem,
			nil
		return p.Show(c, http.StatusBadRequest, "add", "", page)
	}
	if len(fresh) > 0 {
		if p.Enqueue == nil {
			return registry.Errorf(registry.ErrUnavailable, "Servers cannot be added right now.")
		}
		if err := p.countForm(ctx, c); err != nil {
			return err
		}
	}
	for _, i := range fresh {
		n, err := p.Enqueue(ctx,
			[]registry.Candidate{{Ref: page.Results[i].ref, Source: addedSource}}, p.Now())
		if err != nil {
			return err
		}
		page.New += n
		page.Results[i].Known = n == 0
	}
	return p.Show(c, http.StatusOK, "add", "", page)
}

// read fills in a result for each line of a text. It returns the indexes of results to queue,
// or the problem with the text.
func (p *addPage) read(v *catalog.View, text string) (fresh []int, problem string) {
	lines := addresses(text)
	switch {
	case len(lines) == 0:
		return nil, "Paste the address of a repository, such as " + registry.ExampleURL() + "."
	case len(lines) > maxAdded:
		return nil, fmt.Sprintf("Submit up to %d repositories at a time.", maxAdded)
	}
	var keys []string
	for _, line := range lines {
		ref, err := registry.ParseRepoRef(line)
		if err != nil {
			p.Results = append(p.Results,
				addResult{Text: format.Clip(line, maxTyped), Problem: refusal(err)})
			continue
		}
		if slices.Contains(keys, ref.Key()) {
			continue
		}
		keys = append(keys, ref.Key())
		ref.Path = "" // the whole repository is queued
		r := addResult{Text: ref.String(), URL: ref.URL(), Listed: listedIn(v, ref), ref: ref}
		if len(r.Listed) == 0 {
			fresh = append(fresh, len(p.Results))
		}
		p.Results = append(p.Results, r)
	}
	if len(keys) == 0 && len(lines) == 1 {
		return nil, p.Results[0].Problem + " Submit a " + registry.HostNames() +
			" repository as owner/name or " + registry.ExampleURL() + "."
	}
	return fresh, ""
}

// addresses splits a text into addresses of repositories: each line that is an address, and
// the words of other lines.
func addresses(text string) (all []string) {
	for line := range strings.Lines(text) {
		if _, err := registry.ParseRepoRef(line); err == nil {
			all = append(all, strings.TrimSpace(line))
			continue
		}
		all = append(all, strings.FieldsFunc(line,
			func(r rune) bool { return strings.ContainsRune("\n\r\t, ", r) })...)
	}
	return all
}

// refusal returns the error about an address as a sentence.
func refusal(err error) string {
	text, ok := strings.CutPrefix(httpd.Explain(err).Detail, "url ")
	if ok {
		text = "It " + text
	}
	text, _, _ = strings.Cut(text, ": give a "+registry.HostNames()+" repository")
	return format.Capital(strings.TrimSuffix(text, ".")) + "."
}

func listedIn(v *catalog.View, ref registry.RepoRef) (all []*registry.Server) {
	for _, i := range v.InRepo(ref.Key()) {
		if len(all) < maxLinked {
			all = append(all, record.Row(i))
		}
	}
	return all
}

type reportPage struct {
	site.Frame
	Slug, Name            string
	Reasons               []registry.ReportReason
	Reason, Text, Contact string // as typed
	ReasonProblem         string
	TextProblem           string
	ContactProblem        string
	Most                  int
	Sent                  bool
}

func (p *Pages) newReportPage(c *gin.Context) (reportPage, error) {
	v, err := p.View()
	if err != nil {
		return reportPage{}, err
	}
	i, err := record.Find(v, c.Param("slug"))
	if err != nil {
		return reportPage{}, err
	}
	page := reportPage{Frame: p.NewFrame("Report a problem", "servers"), Slug: i.Slug(),
		Name:    record.Label(record.Row(i)),
		Reasons: registry.ReportReasons, Most: registry.MaxReport}
	page.NoIndex = true
	return page, nil
}

func (p *Pages) reportForm(_ context.Context, c *gin.Context) error {
	page, err := p.newReportPage(c)
	if err != nil {
		return err
	}
	page.Sent = c.Query("sent") != ""
	return p.Show(c, http.StatusOK, "report", site.ByContent, page)
}

// report responds to POST /servers/{slug}/report: it queues a report for the
// operator.
func (p *Pages) report(ctx context.Context, c *gin.Context) error {
	form, err := p.OwnForm(c)
	if err != nil {
		return err
	}
	page, err := p.newReportPage(c)
	if err != nil {
		return err
	}
	if !page.read(form) {
		return p.Show(c, http.StatusBadRequest, "report", "", page)
	}
	if form.Get("website") == "" { // only bots fill it in
		if p.Reports == nil {
			return registry.Errorf(registry.ErrUnavailable,
				"Problems cannot be reported right now.")
		}
		if err := p.countForm(ctx, c); err != nil {
			return err
		}
		err := p.Reports.AddReport(ctx,
			registry.Report{Slug: page.Slug, Reason: page.Reason, Text: page.Text,
				Contact: page.Contact,
				At:      p.Now()})
		if err != nil {
			return err
		}
	}
	c.Redirect(http.StatusSeeOther, "/servers/"+page.Slug+"/report?sent=1")
	return nil
}

// read fills in the fields of a form and their problems. It returns false if
// there are any.
func (p *reportPage) read(form url.Values) bool {
	p.Reason = form.Get("reason")
	p.Text = strings.TrimSpace(strings.ReplaceAll(form.Get("text"), "\r\n", "\n"))
	p.Contact = strings.TrimSpace(form.Get("contact"))
	if !slices.ContainsFunc(p.Reasons,
		func(r registry.ReportReason) bool { return r.ID == p.Reason }) {
		p.Reason, p.ReasonProblem = "", "Choose a reason."
	}
	switch n := utf8.RuneCountInString(p.Text); {
	case n == 0:
		p.TextProblem = "Describe the problem."
	case n > p.Most:
		p.TextProblem = "The limit is " + text.Thousands(p.Most) + " characters, this has " +
			text.Thousands(n) + "."
	}
	if utf8.RuneCountInString(p.Contact) > registry.MaxContact ||
		strings.ContainsAny(p.Contact, "\r\n") {
		p.ContactProblem = "The contact must be one line of at most 200 characters."
	}
	if p.ReasonProblem+p.TextProblem+p.ContactProblem == "" {
		return true
	}
	p.Text, p.Contact = format.Clip(p.Text, 2*p.Most), format.Clip(p.Contact, 2*registry.MaxContact)
	return false
}
