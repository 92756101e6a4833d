package pages

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
	"mcpcensus/web/chart"
	"mcpcensus/web/format"
	"mcpcensus/web/site"
)

type statsPage struct {
	site.Frame
	*census
	Charts []statsChart
	Groups []shareGroup
}

type shareGroup struct {
	ID, Name, Text string
	Shares         []share
}

// A statsChart is a chart with the name of its CSV file, without .csv.
type statsChart struct {
	Title, File string
	SVG         template.HTML
}

// File is the name of the group's CSV file, without .csv.
func (g shareGroup) File() string {
	return cmp.Or(map[string]string{"commits": "lastcommits", "licences": "licenses"}[g.ID], g.ID)
}

// stats responds to GET /stats.
func (p *Pages) stats(_ context.Context, c *gin.Context, v *catalog.View) error {
	n := p.counted(v)
	page := statsPage{Frame: p.NewFrame("State of MCP", "stats"), census: n, Charts: n.charts()}
	page.Description = "How many MCP servers there are, what they can do, how healthy they are, and " +
		"how many are maintained."
	page.Canonical = "/stats"
	page.Groups = []shareGroup{
		{"grades", "Grades", "A from 80, B from 65, C from 50, D from 30.", n.Grades},
		{"categories", "Categories", "One per server.", n.Categories},
		{"commits", "Activity", "Last human commit to the repository.", n.Commits},
		{"sdks", "SDKs", "The MCP SDK that a server uses, from its manifests.", n.SDKs},
		{"languages", "Languages", "The main language of the repository, from the code host.",
			n.Languages},
		{"transports", "Transports", "Several possible, or none known.",
			n.Transports},
		{"types", "Deployment", "A published package, a hosted endpoint, both or neither.",
			n.Types},
		{"licences", "Licenses", "From the repository or manifest.", n.Licenses},
		{"created", "Repositories by year", "When the repositories were created.", n.Created},
	}
	return p.Show(c, http.StatusOK, "stats", site.ByContent, page)
}

// Headlines are the most telling figures as sentences.
func (c *census) Headlines() (all []string) {
	if c.Servers == 0 {
		return nil
	}
	parts := map[string]float64{}
	for _, s := range slices.Concat(c.Effects, c.Grades) {
		parts[s.Value] = s.Part
	}
	active := format.Percent(c.Commits[0].Part) + " had a commit by a person in the last month"
	if last := c.Commits[len(c.Commits)-1]; last.Value == unknownValue {
		active += "; of " + format.Percent(last.Part) + " it is unknown"
	}
	can := func(effect string) string { return format.Percent(parts[effect]) + " " + registry.EffectWords[effect] }
	return []string{
		can(registry.EffectExecute) + ", " + can(registry.EffectDestructive) + ", " + can(registry.EffectWrite) +
			", " + format.Percent(parts[registry.EffectRead]) + " are read-only; of " +
			format.Percent(parts[registry.EffectUnknown]) + " it is unknown. Many effects are guessed from names.",
		active + ".",
		format.Percent(parts["A"]+parts["B"]) + " have grade A or B, " + format.Percent(parts["F"]) + " grade F.",
	}
}

// charts are the distributions of scores and effects, and the size and the mean score by day.
func (c *census) charts() (drawn []statsChart) {
	for _, x := range []struct {
		chart.Columns
		shares []share
	}{
		{chart.Columns{ID: "chart-scores", Title: "Scores", Text: "servers by health score"}, c.Scores},
		{chart.Columns{ID: "chart-effects", Title: "What servers can do",
			Text: "servers by their most severe tool"}, c.Effects},
	} {
		for _, s := range x.shares {
			x.Points = append(x.Points, chart.Point{
				Name: strings.Replace(s.Name, " to ", "–", 1), Value: float64(s.Count)})
		}
		drawn = append(drawn, statsChart{x.Title, strings.TrimPrefix(x.ID, "chart-"), x.SVG()})
	}
	zero, hundred := 0.0, 100.0
	size := chart.Line{ID: "growth", Min: &zero, Title: "Servers listed",
		Text: "at the end of each day"}
	mean := chart.Line{ID: "meanscore", Min: &zero, Max: &hundred, Title: "Mean score",
		Text: "of the servers listed on each day"}
	for _, g := range c.Growth {
		at, err := time.Parse(time.DateOnly, g.Date)
		if err != nil {
			continue
		}
		size.Points = append(size.Points, chart.Point{At: at, Value: float64(g.Servers)})
		if g.Score != nil {
			mean.Points = append(mean.Points, chart.Point{At: at, Value: *g.Score})
		}
	}
	for _, x := range []chart.Line{size, mean} {
		if len(x.Points) > 1 {
			drawn = append(drawn, statsChart{x.Title, x.ID, x.SVG()})
		}
	}
	return drawn
}

// statsJSON responds to GET /stats.json.
func (p *Pages) statsJSON(_ context.Context, c *gin.Context, v *catalog.View) error {
	b, err := json.Marshal(p.counted(v))
	if err != nil {
		return err
	}
	download(c, "application/json; charset=utf-8", b)
	return nil
}

// CSVGroups are the groups of figures with their own CSV file, in lower case.
var CSVGroups = []string{
	"scores", "effects", "grades", "categories", "sdks", "languages", "licenses", "transports", "types",
	"lastcommits", "created",
	"growth", "meanscore",
}

// statsCSV responds to GET /stats.csv, with a line for each value of each group,
// and to GET /stats/{group}.csv, with the lines of one group.
func (p *Pages) statsCSV(_ context.Context, c *gin.Context, v *catalog.View) error {
	group, ok := strings.CutSuffix(c.Param("file"), ".csv")
	if c.Param("file") != "" && (!ok || !slices.Contains(CSVGroups, group)) {
		return registry.Errorf(registry.ErrNotFound, "Not found. The CSV files are %s.",
			strings.Join(CSVGroups, ".csv, ")+".csv")
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	for i, line := range p.counted(v).lines() {
		if i == 0 || group == "" || strings.ToLower(line[0]) == group {
			_ = w.Write(line) // a bytes.Buffer does not fail
		}
	}
	w.Flush()
	download(c, "text/csv; charset=utf-8", b.Bytes())
	return nil
}

// lines are the lines of the CSV file, the head first.
func (c *census) lines() [][]string {
	lines := [][]string{
		{"group", "value", "count", "share"},
		{"all", "servers", strconv.Itoa(c.Servers), "1"},
		{"all", "tools", strconv.Itoa(c.Tools), ""},
		{"all", "checkedLastDay", strconv.Itoa(c.CheckedDay), ""},
	}
	for _, g := range []struct {
		name   string
		shares []share
	}{
		{"scores", c.Scores}, {"effects", c.Effects}, {"grades", c.Grades}, {"categories", c.Categories}, {"sdks", c.SDKs},
		{"languages", c.Languages}, {"licenses", c.Licenses}, {"transports", c.Transports},
		{"types", c.Types}, {"lastCommits", c.Commits}, {"created", c.Created},
	} {
		for _, x := range g.shares {
			lines = append(lines,
				[]string{g.name, safeCell(x.Value), strconv.Itoa(x.Count),
					strconv.FormatFloat(x.Part, 'f', -1, 64)})
		}
	}
	for _, g := range c.Growth {
		lines = append(lines, []string{"growth", g.Date, strconv.Itoa(g.Servers), ""})
		if g.Score != nil {
			lines = append(lines, []string{"meanScore", g.Date,
				strconv.FormatFloat(*g.Score, 'f', -1, 64), ""})
		}
	}
	return lines
}

// safeCell returns a value that spreadsheets do not read as a formula.
func safeCell(v string) string {
	if v != "" && strings.Contains("=+-@\t\r", v[:1]) {
		return "'" + v
	}
	return v
}

// download responds with a file that pages of other sites may read.
func download(c *gin.Context, kind string, body []byte) {
	c.Writer.Header().Set("Access-Control-Allow-Origin", "*")
	httpd.Write(c, httpd.Response{Type: kind, Tag: httpd.TagOf(body),
		Cache: "public, max-age=300",
		Body:  body, Zipped: httpd.Zip(body)})
}
