package pages

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/web/format"
	"mcpcensus/web/record"
	"mcpcensus/web/site"
)

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

// reportForm responds to GET /servers/{slug}/report.
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
