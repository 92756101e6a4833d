package web

import (
	"context"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/registry"
)

// Reports keeps what readers report.
type Reports interface {
	// AddReport stores a report; one that is open already is not stored
	// again.
	AddReport(ctx context.Context, c registry.Report) error
}

type reportPage struct {
	frame
	Slug, Name            string
	Reasons               []registry.ReportReason
	Reason, Text, Contact string // as they were typed
	ReasonProblem         string
	TextProblem           string
	ContactProblem        string
	Most                  int
	Sent                  bool
}

func (s *Site) newReportPage(c *gin.Context) (reportPage, error) {
	v, err := s.view()
	if err != nil {
		return reportPage{}, err
	}
	i, err := find(v, c.Param("slug"))
	if err != nil {
		return reportPage{}, err
	}
	r, err := rowOf(i)
	if err != nil {
		return reportPage{}, err
	}
	p := reportPage{frame: s.frame("Report a problem", "servers"), Slug: i.Slug(), Name: r.Name, Reasons: registry.ReportReasons, Most: registry.MaxReport}
	p.NoIndex = true
	return p, nil
}

// reportForm answers GET /servers/{slug}/report.
func (s *Site) reportForm(_ context.Context, c *gin.Context) error {
	p, err := s.newReportPage(c)
	if err != nil {
		return err
	}
	p.Sent = c.Query("sent") != ""
	return s.show(c, http.StatusOK, "report", byContent, p)
}

// report answers POST /servers/{slug}/report: what a reader says goes to the
// operator's queue.
func (s *Site) report(ctx context.Context, c *gin.Context) error {
	form, err := s.ownForm(c)
	if err != nil {
		return err
	}
	p, err := s.newReportPage(c)
	if err != nil {
		return err
	}
	p.Reason, p.Text, p.Contact = form.Get("reason"), strings.TrimSpace(strings.ReplaceAll(form.Get("text"), "\r\n", "\n")), strings.TrimSpace(form.Get("contact"))
	known := false
	for _, r := range p.Reasons {
		known = known || r.ID == p.Reason
	}
	if !known {
		p.Reason, p.ReasonProblem = "", "Say what it is about."
	}
	switch n := utf8.RuneCountInString(p.Text); {
	case n == 0:
		p.TextProblem = "Say what is wrong, so that it can be looked at."
	case n > p.Most:
		p.TextProblem = "This has " + grouped(int64(n)) + " characters. At most " + grouped(int64(p.Most)) + " are taken."
	}
	if utf8.RuneCountInString(p.Contact) > registry.MaxContact || strings.ContainsAny(p.Contact, "\r\n") {
		p.ContactProblem = "A contact is one line of at most 200 characters."
	}
	if p.ReasonProblem != "" || p.TextProblem != "" || p.ContactProblem != "" {
		p.Text, p.Contact = clipped(p.Text, 2*p.Most), clipped(p.Contact, 2*registry.MaxContact)
		return s.show(c, http.StatusBadRequest, "report", "", p)
	}
	if form.Get("website") == "" { // which only programs see and fill in
		if s.Reports == nil {
			return registry.Errorf(registry.ErrUnavailable, "Problems cannot be reported here at the moment.")
		}
		if err := s.takeForm(ctx, c); err != nil {
			return err
		}
		if err := s.Reports.AddReport(ctx, registry.Report{Slug: p.Slug, Reason: p.Reason, Text: p.Text, Contact: p.Contact, At: s.Now()}); err != nil {
			return err
		}
	}
	c.Redirect(http.StatusSeeOther, "/servers/"+p.Slug+"/report?sent=1")
	return nil
}
