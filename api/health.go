package api

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/page"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

type healthParams struct {
	Server    string `query:"server,words,max=256"`
	GithubURL string `query:"githubUrl,words"`
}

func (a *API) checkHealth(ctx context.Context, c *gin.Context) error {
	var p healthParams
	if err := page.Read(c.Request, &p); err != nil {
		return err
	}
	v, err := a.View()
	if err != nil {
		return err
	}
	switch {
	case p.Server == "" && p.GithubURL == "":
		return missing(page.Unknown(c.Request.URL.RawQuery, &p))
	case p.Server == "":
		return a.healthByURL(ctx, c, v, p.GithubURL)
	}
	i, err := a.FindServer(ctx, v, p.Server)
	if err != nil {
		return err
	}
	var warnings []string
	if p.GithubURL != "" {
		warnings = append(warnings, "githubUrl is ignored if server is given")
	}
	return a.sendHealth(c, v, i, warnings)
}

// missing returns the error of a request without a server. unknown are its other parameters.
func missing(unknown page.Faults) error {
	msg := "server or githubUrl is required: a slug or the URL of a repository."
	for _, f := range unknown {
		msg += " " + f.Field + " " + f.Message + "."
	}
	required := registry.FieldError{Field: "server", Message: "is required unless githubUrl is given"}
	return &registry.Error{Kind: registry.ErrMissing, Msg: msg,
		Fields: append([]registry.FieldError{required}, unknown...)}
}

// healthByURL responds with the report of the repository at an address: a
// listed one, or one that is checked now.
func (a *API) healthByURL(
	ctx context.Context, c *gin.Context, v *catalog.View, address string,
) error {
	if i := v.ByRegistryName(address); i != nil {
		return a.sendHealth(c, v, i, nil)
	}
	ref, err := registry.ParseRepoRef(address)
	if err != nil {
		return aboutField(err, "githubUrl")
	}
	if items := v.InRepo(ref.Key()); len(items) > 0 {
		return a.sendChosen(c, v, items, ref)
	}
	r, err := a.Checker.Check(httpd.Visiting(ctx, c), ref)
	if err != nil {
		return err
	}
	return a.sendReport(c, v, r)
}

func (a *API) checkStatus(ctx context.Context, c *gin.Context) error {
	if err := page.NoParams(c.Request); err != nil {
		return err
	}
	v, err := a.View()
	if err != nil {
		return err
	}
	r, err := a.Checker.Checked(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	return a.sendReport(c, v, r)
}

// aboutField attributes an error to a parameter.
func aboutField(err error, field string) error {
	e, ok := err.(*registry.Error)
	if !ok {
		return err
	}
	n := *e
	n.Fields = []registry.FieldError{{Field: field, Message: e.Msg}}
	if len(e.Fields) > 0 {
		n.Fields[0].Message = e.Fields[0].Message
		n.Msg = field + " " + e.Fields[0].Message
	}
	return &n
}

// choose returns the server of a repository that a URL stands for (see
// [registry.RepoRef.Among]), nil if there is none in its folder, and warnings.
func choose(items []*catalog.Item, ref registry.RepoRef) (*catalog.Item, []string) {
	at, folder := catalog.Among(items, ref) // at is negative only among several
	var warnings []string
	if folder != "" {
		warnings = append(warnings, "the repository has no separate server at "+folder)
	}
	exact := at >= 0 && items[at].IsFolderOf(ref)
	switch {
	case at < 0:
		return nil, append(warnings, fmt.Sprintf("the repository has %d servers: %s",
			len(items), slugsOf(items, nil)))
	case len(items) < 2 || exact:
		return items[at], warnings
	}
	return items[at], append(warnings,
		fmt.Sprintf("the repository has %d servers; this is %s, others are %s",
			len(items), items[at].Slug(), slugsOf(items, items[at])))
}

// slugsOf lists the slugs of some items but one, at most five.
func slugsOf(items []*catalog.Item, except *catalog.Item) string {
	var slugs []string
	for _, i := range items {
		if i != except {
			slugs = append(slugs, i.Slug())
		}
	}
	if more := len(slugs) - 5; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(slugs[:5], ", "), more)
	}
	return strings.Join(slugs, ", ")
}

// sendChosen responds with the report of the server that a URL stands for among
// those of its repository.
func (a *API) sendChosen(
	c *gin.Context, v *catalog.View, items []*catalog.Item, ref registry.RepoRef,
) error {
	i, warnings := choose(items, ref)
	if i != nil {
		var members []memberBody
		if len(items) > 1 && !i.IsFolderOf(ref) {
			members = a.membersOf(items)
		}
		return a.sendHealth(c, v, i, warnings, members...)
	}
	_, folder := ref.Among([]string{""})
	b := noServer(ref, folder, moment(items[0].CrawledAt()))
	b.Warnings = EmptyList(warnings[1:])
	return Send(c, b)
}

// membersOf describes the servers of a repository that has several.
func (a *API) membersOf(items []*catalog.Item) []memberBody {
	var out []memberBody
	for _, i := range items {
		m := memberOf(i.Summary())
		m.Server = Known(i.Slug())
		m.Health = Known(a.BaseURL + "/api/health?server=" + i.Slug())
		out = append(out, m)
	}
	return out
}

func memberOf(s *registry.Server) memberBody {
	return memberBody{Name: s.Name, Subfolder: Known(s.Subfolder),
		Score: s.Health.Score, Grade: Known(s.Health.Grade), ComputedAt: moment(s.Health.ComputedAt)}
}

// sendHealth responds with the report of a listed server. Members are those of
// its repository, if the request was about the whole of it.
func (a *API) sendHealth(
	c *gin.Context, v *catalog.View, i *catalog.Item, warnings []string, members ...memberBody,
) error {
	a.Counter.Event(meter.EventHealthCheck, i.Slug(), c.Request)
	crawled := i.CrawledAt()
	age := a.Now().Sub(crawled)
	stale := i.Missing() || !crawled.IsZero() && age > a.StaleAfter
	switch {
	case i.Missing():
		warnings = append(warnings,
			"the code host no longer has the repository; this is its last known state")
	case stale:
		warnings = append(warnings, "the code host was last read on "+crawled.Format(time.DateOnly))
	}
	if stale && !crawled.IsZero() {
		c.Header("Age", strconv.Itoa(int(age.Seconds())))
	}
	tag := healthTag(v, i, stale, warnings, members)
	return a.Respond(c, ItemKey(i, tag), func() (*Response, error) {
		s, err := i.Record()
		if err != nil {
			return nil, err
		}
		b := a.encoder.healthOf(s, true)
		b.Stale, b.Warnings, b.Members = stale, EmptyList(warnings), members
		return NewResponse(b, tag)
	})
}

// healthTag returns the entity tag of a report. It follows from the version of
// the record in this catalog, its staleness, the warnings and the members.
func healthTag(
	v *catalog.View, i *catalog.Item, stale bool, warnings []string, members []memberBody,
) string {
	tag := `W/"h` + v.Identity() + strconv.FormatInt(i.Seq(), 36)
	if stale {
		tag += "s"
	}
	if len(warnings) > 0 || len(members) > 0 {
		text := strings.Join(warnings, "\n")
		if raw, err := json.Marshal(members); err == nil {
			text += string(raw)
		}
		sum := crc32.ChecksumIEEE([]byte(text))
		tag += "-" + strconv.FormatUint(uint64(sum), 36)
	}
	return tag + `"`
}

// noServer returns the report of a repository, or of a folder of it, without a
// server.
func noServer(ref registry.RepoRef, folder string, at *time.Time) healthBody {
	b := healthBody{
		GithubURL: Known(ref.URL()), IsMCPServer: new(bool), Status: registry.HealthInsufficientData,
		ComputedAt: at, Breakdown: []sectionBody{}, Caps: []capBody{}, Flags: []string{},
		Risks: []registry.Risk{}, SuspiciousTexts: []registry.SuspiciousText{},
		Inspections: []registry.InspectionResult{},
		Improve:     []registry.Improvement{}, Warnings: []string{},
	}
	if folder != "" {
		b.Subfolder, b.Reason = &folder, Known("there is no MCP server at "+folder+" of the repository")
	}
	return b
}

// sendReport responds with a report that was made on demand.
func (a *API) sendReport(c *gin.Context, v *catalog.View, r registry.CheckResult) error {
	switch r.Status {
	case registry.CheckNotFound:
		return &registry.Error{
			Kind: registry.ErrNotFound, Code: "repository_not_found",
			Msg: "There is no public repository " + r.Ref.String() + ".",
		}
	case registry.CheckPending:
		return a.sendPending(c, r)
	}
	// It was listed in the meantime, or renamed to a listed one.
	if items := v.InRepo(cmp.Or(r.ListedAs, r.Ref.Key())); len(items) > 0 {
		return a.sendChosen(c, v, items, r.Ref)
	}
	b := a.reportBody(r)
	b.Stale, b.Warnings = r.Stale, EmptyList(slices.Clone(r.Warnings))
	warn := func(format string, args ...any) {
		b.Warnings = append(b.Warnings, fmt.Sprintf(format, args...))
	}
	switch at, folder := r.Chosen(); {
	case at < 0 && len(r.Servers) > 0:
		warn("the repository has %d servers in other folders", len(r.Servers))
	case len(r.Servers) > 1:
		warn("the repository has %d servers; this is one of them", len(r.Servers))
		if path := b.Subfolder; r.Ref.Path == "" || path == nil || *path == "" {
			for i := range r.Servers {
				b.Members = append(b.Members, memberOf(&r.Servers[i].Server))
			}
		}
	case at >= 0 && folder != "":
		warn("the repository has no separate server at %s", folder)
	}
	if r.Stale && !r.At.IsZero() {
		c.Header("Age", strconv.Itoa(max(0, int(a.Now().Sub(r.At).Seconds()))))
	}
	return Send(c, b)
}

// sendPending responds with 202 and the URL of the future report.
func (a *API) sendPending(c *gin.Context, r registry.CheckResult) error {
	status := "/api/checks/" + r.ID
	body, err := text.JSON(pendingBody{
		Status: "pending", GithubURL: r.Ref.URL(), StatusURL: a.BaseURL + status,
	})
	if err != nil {
		return err
	}
	wait := max(time.Second, r.RetryAfter).Round(time.Second)
	c.Header("Retry-After", strconv.Itoa(int(wait.Seconds())))
	c.Header("Location", status)
	httpd.Write(c, httpd.Response{Status: http.StatusAccepted, Cache: "no-store", Body: body})
	return nil
}

// reportBody returns the report of a repository that is not listed.
func (a *API) reportBody(r registry.CheckResult) healthBody {
	i, folder := r.Chosen()
	if i >= 0 {
		s := r.Servers[i].Server
		if s.Repo.Owner == "" {
			s.Repo.Owner, s.Repo.Name = r.Ref.Owner, r.Ref.Name
		}
		b := a.encoder.healthOf(&s, false)
		b.Server = nil // it has no slug until it is listed
		b.Reason = Known(r.Reason)
		return b
	}
	if len(r.Servers) == 0 {
		folder = ""
	}
	b := noServer(r.Ref, folder, moment(r.At))
	if folder == "" {
		b.Reason, b.Kind = Known(r.Reason), Known(r.Kind)
	}
	if r.Blocked != "" {
		b.IsMCPServer, b.Status = nil, registry.HealthBlocked // its contents cannot be seen
	}
	if r.Empty {
		b.Status = registry.HealthEmpty
	}
	return b
}
