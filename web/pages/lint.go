package pages

import (
	"context"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/lint"
	"mcpcensus/internal/text"
	"mcpcensus/web/format"
	"mcpcensus/web/site"
)

// maxFile is the maximum size in bytes of a pasted file. The limit of forms is larger,
// because their encoding makes texts longer.
const maxFile = 32 << 10

type lintPage struct {
	site.Frame
	Text    string // as it was pasted
	Problem string
	Most    int
	Result  *lint.Result // nil without a file
	Issues  []lintIssue
	Rules   []lint.Rule
}

// A lintIssue is an issue with the address of its explanation.
type lintIssue struct {
	lint.Issue
	Href string
	// Rule is the title of the rule; "" for issues that are explained elsewhere.
	Rule string
}

func (p *Pages) newLintPage() lintPage {
	page := lintPage{Frame: p.NewFrame("Check a server.json", "lint"), Most: maxFile, Rules: lint.Rules()}
	page.Description = "Check a server.json against its schema and the official registry's rules, " +
		"and see where clients would misread it."
	page.Canonical = "/lint"
	return page
}

func (p *Pages) lintForm(_ context.Context, c *gin.Context) error {
	return p.Show(c, http.StatusOK, "lint", site.ByContent, p.newLintPage())
}

// lint responds to POST /lint with the issues of a file.
func (p *Pages) lint(ctx context.Context, c *gin.Context) error {
	form, err := p.OwnForm(c)
	if err != nil {
		return err
	}
	page := p.newLintPage()
	page.NoIndex = true
	// browsers send the ends of lines as CR LF, which would count as two characters
	file := strings.ReplaceAll(form.Get("file"), "\r\n", "\n")
	switch {
	case strings.TrimSpace(file) == "":
		page.Problem = "Paste the text of a server.json."
	case len(file) > maxFile:
		page.Problem = "The file is too large for this form. Use census lint, or the API."
	}
	if page.Problem != "" {
		page.Text = format.Clip(file, maxFile)
		return p.Show(c, http.StatusBadRequest, "lint", "", page)
	}
	if err := p.mayCheck(ctx, c); err != nil {
		return err
	}
	titles := map[string]string{}
	for _, r := range page.Rules {
		titles[r.ID] = r.Title
	}
	result := lint.Check([]byte(file))
	for _, i := range result.Issues {
		page.Issues = append(page.Issues,
			lintIssue{i, strings.TrimPrefix(lint.Docs(i), "/lint"), titles[i.Reference]})
	}
	page.Text, page.Result = file, &result
	return p.Show(c, http.StatusOK, "lint", "", page)
}

// Summary counts the issues.
func (p lintPage) Summary() string {
	return strings.Join([]string{
		text.Count(p.Result.Count(lint.Error), "error"),
		text.Count(p.Result.Count(lint.Warning), "warning"),
		text.Count(p.Result.Count(lint.Info), "note"),
	}, ", ")
}
