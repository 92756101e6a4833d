package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/klauspost/compress/s2"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/meter"
	"mcpcensus/internal/registry"
)

// maxName is the longest name of a server that is looked up, in bytes.
const maxName = 256

// checkHealth answers GET /api/health.
func (a *API) checkHealth(ctx context.Context, c *gin.Context) error {
	p, err := parseParams(c.Request.URL.RawQuery, "server", "githubUrl")
	if err != nil {
		return err
	}
	v, err := a.view()
	if err != nil {
		return err
	}
	name, address := strings.TrimSpace(p.Get("server")), strings.TrimSpace(p.Get("githubUrl"))
	switch {
	case name != "":
		i, err := find(v, name)
		if err != nil {
			return err
		}
		var warnings []string
		if address != "" {
			warnings = append(warnings, "githubUrl was ignored because server was given too")
		}
		a.writeHealth(c, v, i, warnings)
		return nil
	case address == "":
		return &registry.Error{Kind: registry.ErrMissing, Msg: "Give server (a slug such as octo-weather-mcp) or githubUrl (the address of a repository).",
			Fields: []registry.FieldError{{Field: "server", Message: "or githubUrl is required"}}}
	}
	ref, err := registry.ParseRepoRef(address)
	if err != nil {
		return named(err, "githubUrl")
	}
	if items := v.InRepo(ref.Key()); len(items) > 0 {
		return a.writeChosen(c, v, items, ref)
	}
	if a.Checker == nil {
		return registry.Errorf(registry.ErrUnavailable, "This repository is not in the registry, and checks of others are not available at the moment.")
	}
	r, err := a.Checker.Check(ctx, ref)
	if err != nil {
		return err
	}
	return a.writeReport(c, v, r)
}

// checkStatus answers GET /api/checks/{id}: a check that was pending.
func (a *API) checkStatus(ctx context.Context, c *gin.Context) error {
	if _, err := parseParams(c.Request.URL.RawQuery); err != nil {
		return err
	}
	v, err := a.view()
	if err != nil {
		return err
	}
	id := c.Param("id")
	missing := &registry.Error{Kind: registry.ErrNotFound, Code: "check_not_found", Msg: "There is no such check. Ask /api/health?githubUrl=… again."}
	if a.Checker == nil || id == "" || len(id) > maxName || !clean(id) {
		return missing
	}
	r, err := a.Checker.Checked(ctx, id)
	if err != nil {
		return err
	}
	return a.writeReport(c, v, r)
}

// named gives an error about an address the name of the parameter it came in.
func named(err error, field string) error {
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

// find returns the listed server with that slug or official name.
func find(v *catalog.View, name string) (*catalog.Item, error) {
	if len(name) > maxName {
		return nil, registry.Invalid("server", "must be at most %d bytes long", maxName)
	}
	i, gone := v.Find(name)
	if i == nil && !gone {
		if lower := strings.ToLower(name); lower != name {
			i, gone = v.Find(lower)
		}
	}
	switch {
	case i != nil:
		return i, nil
	case gone:
		return nil, &registry.Error{Kind: registry.ErrGone, Code: "server_deleted",
			Msg: "The repository of the server " + printable(name) + " " + v.WhyGone(name) + "."}
	}
	e := &registry.Error{Kind: registry.ErrNotFound, Code: "server_not_found",
		Msg: "There is no server " + printable(name) + " in the registry.", Candidates: v.Similar(name, 5)}
	if len(e.Candidates) > 0 {
		e.Msg += " Did you mean " + strings.Join(e.Candidates, ", ") + "?"
	}
	return nil, e
}

// choose returns the server of a repository that an address means (see
// [registry.RepoRef.Among]), nil if none is in its folder, and what there is to
// say about that.
func choose(items []*catalog.Item, ref registry.RepoRef) (*catalog.Item, []string) {
	folders := make([]string, len(items))
	for n, i := range items {
		folders[n] = i.Subfolder()
	}
	at, folder := ref.Among(folders)
	var warnings []string
	if folder != "" {
		warnings = append(warnings, fmt.Sprintf("there is no server of its own at %s of the repository", folder))
	}
	if len(items) < 2 || at >= 0 && folders[at] != "" && ref.Path != "" && folder == "" {
		if at < 0 {
			return nil, warnings
		}
		return items[at], warnings
	}
	others := make([]string, 0, 5)
	for n, i := range items {
		if n != at && len(others) < 5 {
			others = append(others, i.Slug())
		}
	}
	left := len(items) - len(others)
	if at >= 0 {
		left--
	}
	more := ""
	if left > 0 {
		more = fmt.Sprintf(" and %d more", left)
	}
	if at < 0 {
		return nil, append(warnings, fmt.Sprintf("the repository holds %d servers: %s%s", len(items), strings.Join(others, ", "), more))
	}
	return items[at], append(warnings, fmt.Sprintf("the repository holds %d servers; this is %s, others are %s%s",
		len(items), items[at].Slug(), strings.Join(others, ", "), more))
}

// writeChosen answers with the report of the server that an address means
// among those of its repository.
func (a *API) writeChosen(c *gin.Context, v *catalog.View, items []*catalog.Item, ref registry.RepoRef) error {
	i, warnings := choose(items, ref)
	if i != nil {
		a.writeHealth(c, v, i, warnings)
		return nil
	}
	_, folder := ref.Among([]string{""})
	return writeBody(c, noServer(ref, folder, moment(items[0].CrawledAt())), false, warnings[1:])
}

// noServer returns the report of a repository, or of a folder of it, without a
// server.
func noServer(ref registry.RepoRef, folder string, at *time.Time) healthBody {
	address := ref.URL()
	b := healthBody{
		GithubURL: &address, IsMCPServer: new(bool), Status: registry.HealthInsufficientData,
		ComputedAt: at, Breakdown: []sectionBody{}, Caps: []capBody{}, Flags: []string{}, Improve: []improveBody{},
	}
	if folder != "" {
		reason := "there is no MCP server at " + folder + " of the repository"
		b.Subfolder, b.Reason = &folder, &reason
	}
	return b
}

// writeBody answers with a report that is not kept ready.
func writeBody(c *gin.Context, b healthBody, stale bool, warnings []string) error {
	body, err := encode(b)
	if err != nil {
		return err
	}
	body = appendTail(body[:len(body)-1], stale, warnings)
	(&answer{tag: tagOf(body), body: func() []byte { return body }}).write(c)
	return nil
}

// writeHealth answers with the report of a listed server.
func (a *API) writeHealth(c *gin.Context, v *catalog.View, i *catalog.Item, warnings []string) {
	a.Counter.Event(meter.EventHealthCheck, i.Slug(), c.Request)
	crawled := i.CrawledAt()
	age := a.Now().Sub(crawled)
	stale := i.Missing() || !crawled.IsZero() && age > a.StaleAfter
	if i.Missing() {
		warnings = append(warnings, "the code host no longer has the repository; this is what was known before")
	}
	if stale && !crawled.IsZero() {
		c.Header("Age", strconv.Itoa(int(age.Seconds())))
	}
	// What ends the report follows from the record's version in this catalog, from whether it is
	// stale, and from what there is to say about this request.
	t := append(append(make([]byte, 0, 40), `W/"h`...), v.Identity()...)
	t = strconv.AppendInt(t, i.Seq(), 36)
	if stale {
		t = append(t, 's')
	}
	if len(warnings) > 0 {
		t = append(t, '-')
		t = strconv.AppendUint(t, uint64(crc32.ChecksumIEEE([]byte(strings.Join(warnings, "\n")))), 36)
	}
	tag, key := string(append(t, '"')), ""
	if len(warnings) == 0 {
		key = i.Slug() + tag
	}
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	(&answer{cache: a.health, key: key, tag: tag, body: func() []byte {
		if stale && !i.Missing() {
			warnings = append(warnings, "the code host was last asked on "+crawled.Format(time.DateOnly)+"; this is what was known then")
		}
		b := a.report((*buf)[:0], i)
		b = appendTail(b[:len(b)-1], stale, warnings)
		*buf = b
		return b
	}}).write(c)
}

// report appends the report of a listed server. One that is asked for again is
// kept in a form that takes a fifth of its size and is three times quicker to
// read than the catalog's, which is smaller yet. The few that are asked for all
// the time are kept as they are: they get in by chance, which a report that is
// asked for once in a while hardly has.
func (a *API) report(dst []byte, i *catalog.Item) []byte {
	key := strconv.AppendInt(append(make([]byte, 0, 64), 'r'), i.Seq(), 36)
	name := string(append(append(key, ' '), i.Slug()...))
	if b, _ := a.hot.Get(name); b != nil {
		return append(dst, b...)
	}
	kept, asked := a.health.Get(name)
	if kept != nil {
		if n, err := s2.DecodedLen(kept); err == nil {
			dst = slices.Grow(dst, n+tailSize)
			if b, err := s2.Decode(dst[len(dst):len(dst)+n], kept); err == nil {
				if rand.IntN(hotChance) == 0 {
					a.hot.Put(name, bytes.Clone(b))
				}
				return dst[:len(dst)+len(b)]
			}
		}
	}
	b := i.AppendHealth(dst)
	if asked {
		kept = bytes.Clone(s2.Encode(nil, b[len(dst):]))
	}
	a.health.Put(name, kept)
	return b
}

// hotChance is how seldom asking for a report makes it one of the hot.
const hotChance = 16

// tailSize is room for most ends of reports.
const tailSize = 256

// appendTail appends the end of a report, a [healthTail], which is put in place
// of its brace.
func appendTail(b []byte, stale bool, warnings []string) []byte {
	b = strconv.AppendBool(append(b, `,"stale":`...), stale)
	b = append(b, `,"warnings":[`...)
	for n, w := range warnings {
		b = appendString(comma(b, n), w)
	}
	return append(b, `]}`...)
}

// writeReport answers with a report that was made on demand.
func (a *API) writeReport(c *gin.Context, v *catalog.View, r registry.CheckResult) error {
	h := c.Writer.Header()
	switch r.Status {
	case registry.CheckNotFound:
		return &registry.Error{Kind: registry.ErrNotFound, Code: "repository_not_found",
			Msg: "There is no public repository " + r.Ref.String() + "."}
	case registry.CheckPending:
		wait := max(time.Second, r.RetryAfter)
		h.Set("Retry-After", strconv.Itoa(int(wait.Round(time.Second).Seconds())))
		body, err := encode(pendingBody{Status: "pending", GithubURL: r.Ref.URL(), StatusURL: a.BaseURL + "/api/checks/" + r.ID})
		if err != nil {
			return err
		}
		h.Set("Location", "/api/checks/"+r.ID)
		httpd.Write(c, httpd.Answer{Status: http.StatusAccepted, Cache: "no-store", Body: body})
		return nil
	}
	if items := v.InRepo(cmp.Or(r.ListedAs, r.Ref.Key())); len(items) > 0 { // listed meanwhile, or renamed to a listed one
		return a.writeChosen(c, v, items, r.Ref)
	}
	b, warnings := a.reportBody(r), list(r.Warnings)
	switch at, folder := chosen(r); {
	case at < 0 && len(r.Servers) > 0:
		warnings = append(warnings, fmt.Sprintf("the repository holds %d servers in other folders", len(r.Servers)))
	case len(r.Servers) > 1:
		warnings = append(warnings, fmt.Sprintf("the repository holds %d servers; this is one of them", len(r.Servers)))
	case at >= 0 && folder != "":
		warnings = append(warnings, fmt.Sprintf("there is no server of its own at %s of the repository", folder))
	}
	if r.Stale && !r.At.IsZero() {
		h.Set("Age", strconv.Itoa(max(0, int(a.Now().Sub(r.At).Seconds()))))
	}
	return writeBody(c, b, r.Stale, warnings)
}

// reportBody returns the report of a repository that is not listed.
func (a *API) reportBody(r registry.CheckResult) healthBody {
	i, folder := chosen(r)
	if i >= 0 {
		s := r.Servers[i].Server
		if s.Repo.Owner == "" {
			s.Repo.Owner, s.Repo.Name = r.Ref.Owner, r.Ref.Name
		}
		b := a.encoder.healthOf(&s, false)
		b.Server = nil // it has no slug until it is listed
		b.Reason = known(r.Reason)
		return b
	}
	if len(r.Servers) == 0 {
		folder = ""
	}
	b := noServer(r.Ref, folder, moment(r.At))
	if folder == "" {
		b.Reason = known(r.Reason)
	}
	if r.Blocked != "" {
		b.IsMCPServer, b.Status = nil, registry.HealthBlocked // what it holds cannot be seen
	}
	if r.Empty {
		b.Status = registry.HealthEmpty
	}
	return b
}

// chosen returns the index of the server that a report's address means, -1 if
// it has none there, and the folder of the address if it is none of theirs.
func chosen(r registry.CheckResult) (int, string) {
	folders := make([]string, len(r.Servers))
	for i := range r.Servers {
		folders[i] = r.Servers[i].Server.Subfolder
	}
	return r.Ref.Among(folders)
}

// tagOf returns an entity tag of b's content.
func tagOf(b []byte) string {
	return `W/"` + strconv.FormatUint(uint64(crc32.ChecksumIEEE(b)), 36) + `-` + strconv.FormatUint(uint64(crc32.Checksum(b, castagnoli)), 36) + `"`
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// categoryTexts say what belongs in each category.
var categoryTexts = map[string][2]string{
	"database":      {"Database", "Servers that query, manage or administer databases and data warehouses."},
	"tools":         {"Tools", "Developer tools, file systems, shells, and what fits nowhere else."},
	"communication": {"Communication", "Mail, chat, calls and social networks."},
	"integration":   {"Integration", "Bridges to other products and platforms, and gateways to several of them."},
	"api":           {"API", "Access to particular web services and their data."},
	"security":      {"Security", "Scanning, identity, secrets and the analysis of threats."},
	"analytics":     {"Analytics", "Metrics, monitoring, reports and business intelligence."},
	"automation":    {"Automation", "Browsers, workflows, devices and infrastructure that act on command."},
	"data":          {"Data", "Sources of knowledge and data sets, their retrieval and their conversion."},
	"productivity":  {"Productivity", "Notes, documents, calendars, tasks and projects."},
}

// categories answers GET /api/categories.
func (a *API) categories(_ context.Context, c *gin.Context) error {
	if _, err := parseParams(c.Request.URL.RawQuery); err != nil {
		return err
	}
	v, err := a.view()
	if err != nil {
		return err
	}
	(&answer{cache: v.Cache(), key: "categories", plain: true, tag: v.Tag(), body: func() []byte {
		body := categoriesBody{Total: v.Len()}
		for i, n := range v.CategoryCounts() {
			id := registry.Categories[i]
			body.Categories = append(body.Categories, categoryBody{ID: id, Name: categoryTexts[id][0], Description: categoryTexts[id][1], Count: n})
		}
		b, err := json.Marshal(body)
		if err != nil {
			panic("api: " + err.Error()) // strings and numbers always encode
		}
		return b
	}}).write(c)
	return nil
}
