package pages

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"html/template"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/registry"
	"mcpcensus/web/browse"
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
		active += "; for " + format.Percent(last.Part) + " that is unknown"
	}
	can := func(effect string) string { return format.Percent(parts[effect]) + " " + registry.EffectWords[effect] }
	return []string{
		can(registry.EffectExecute) + ", " + can(registry.EffectDestructive) + ", " + can(registry.EffectWrite) +
			", " + format.Percent(parts[registry.EffectRead]) + " are read-only, " +
			format.Percent(parts[registry.EffectUnknown]) + " unknown. " +
			"Many effects are guessed from names and descriptions.",
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

// A census holds the statistics of all servers in one version of the data.
type census struct {
	At          time.Time `json:"at"` // when it was counted
	Servers     int       `json:"servers"`
	Tools       int       `json:"tools"` // with known names
	CheckedDay  int       `json:"checkedLastDay"`
	ScoreMedian *int      `json:"scoreMedian"`
	Scores      []share   `json:"scores"` // by tens: "0 to 9", …, "90 to 100"
	Grades      []share   `json:"grades"`
	Effects     []share   `json:"effects"` // of the most severe tools
	Categories  []share   `json:"categories"`
	SDKs        []share   `json:"sdks"`
	// of the repositories, the most frequent; null while they are being counted
	Languages  []share  `json:"languages"`
	Licenses   []share  `json:"licenses"` // the most frequent
	Transports []share  `json:"transports"`
	Types      []share  `json:"types"`
	Commits    []share  `json:"lastCommits"` // by the age of the last commit of a human
	Created    []share  `json:"created"`     // by the year the repository was created in
	Growth     []growth `json:"growth"`      // null if it is unknown
	tag        string
	home       homeFacts
}

// A share is the number of servers with a value.
type share struct {
	Value string  `json:"value"` // "unknown" for servers without one
	Count int     `json:"count"`
	Part  float64 `json:"share"` // of all servers

	Name    string `json:"-"` // for people
	Address string `json:"-"` // of the list of those servers, "" for none
}

type growth struct {
	Date    string   `json:"date"`
	Servers int      `json:"servers"`
	Score   *float64 `json:"meanScore"`
}

// GrowthAge is the period for which the growth of the registry is shown.
const GrowthAge = 26 * 7 * 24 * time.Hour

const (
	censusTTL    = time.Minute // while the data change
	maxCensusTTL = 10 * time.Minute
	unknownValue = "unknown"

	maxLicenses  = 10
	maxLanguages = 12
)

// censusOf returns the census of a version of the data, or of one up to a
// minute older.
func (p *Pages) censusOf(v *catalog.View) *census {
	now := p.Now()
	if c, ok := p.census.Peek(""); ok && c.tag != v.Tag() && now.Sub(c.At) >= censusTTL {
		p.census.Remove("")
	}
	c, err := p.census.Get("", now,
		func() (*census, time.Duration, error) { return countAll(v, now), maxCensusTTL, nil })
	if err != nil {
		panic(err) // counting does not fail
	}
	return c
}

// countAll counts the servers of a version of the data.
func countAll(v *catalog.View, now time.Time) *census {
	c := &census{At: now.UTC().Truncate(time.Second), tag: v.Tag(), Servers: v.Len()}
	l, counts := v.Select(catalog.Choice{}, catalog.ByQuality)
	c.Tools = l.Tools().Total()
	of := func(param string, values []string) []share {
		f := browse.FilterNamed(param)
		return c.sharesOf(f, values, counts[f.Field])
	}
	c.Grades = c.withRest(of("grade", registry.Grades), "")
	c.Effects = of("effect", browse.FilterNamed("effect").All)
	c.Categories = c.withRest(of("category", registry.Categories), "")
	slices.SortStableFunc(c.Categories, func(a, b share) int { return b.Count - a.Count })
	c.SDKs = c.withRest(of("sdk", mostFrequent(counts["sdk"], len(registry.SDKs))), "")
	c.Licenses = c.withRest(of("license", mostFrequent(counts["license"], maxLicenses)),
		"other or none")
	c.Transports = of("transport", registry.Transports) // servers have several
	c.Types = of("has", browse.FilterNamed("has").All)
	c.countServers(l, now)
	c.home = homeOf(v, now)
	return c
}

func mostFrequent(counts map[string]int, limit int) []string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
	return names[:min(len(names), limit)]
}

func (c *census) share(value string, count int) share {
	return share{Value: value, Name: value, Count: count,
		Part: math.Round(10_000*float64(count)/float64(max(c.Servers, 1))) / 10_000}
}

func (c *census) sharesOf(f browse.Filter, values []string, counts map[string]int) (all []share) {
	for _, v := range values {
		s := c.share(v, counts[v])
		s.Name, s.Address = f.ValueName(v), f.Only(v).URL(1)
		all = append(all, s)
	}
	return all
}

// withRest adds the servers with another value or none to disjoint shares.
func (c *census) withRest(shares []share, name string) []share {
	rest := c.Servers
	for _, s := range shares {
		rest -= s.Count
	}
	if rest <= 0 {
		return shares
	}
	s := c.share(unknownValue, rest)
	s.Name = cmp.Or(name, s.Value)
	return append(shares, s)
}

// commitAges are the groups of the ages of last commits.
var commitAges = []struct {
	name string
	days int
}{
	{"within a month", 30}, {"1 to 3 months ago", 91}, {"3 to 6 months ago", 182},
	{"6 to 12 months ago", 365},
	{"more than a year ago", math.MaxInt},
}

// countServers computes the values that need a pass over all servers. The list must be sorted
// by score, best first.
func (c *census) countServers(l catalog.List, now time.Time) {
	var tens [10]int
	commits := make([]int, len(commitAges))
	unknownCommits, scored := 0, 0
	years := map[string]int{}
	for n := range l.Total() {
		i := l.At(n)
		if at := i.CrawledAt(); !at.IsZero() && now.Sub(at) < 24*time.Hour {
			c.CheckedDay++
		}
		if score := i.Score(); score >= 0 {
			tens[min(9, score/10)]++
			scored++
		}
		if at := i.LastCommitAt(); at.IsZero() {
			unknownCommits++
		} else {
			days := int(now.Sub(at).Hours() / 24)
			age := 0
			for days > commitAges[age].days {
				age++
			}
			commits[age]++
		}
		if at := i.CreatedAt(); !at.IsZero() {
			years[strconv.Itoa(at.Year())]++
		}
	}
	if scored > 0 {
		c.ScoreMedian = new(l.At((scored - 1) / 2).Score())
	}
	for n, count := range tens {
		name := strconv.Itoa(n*10) + " to " + strconv.Itoa(n*10+9)
		if n == 9 {
			name = "90 to 100"
		}
		c.Scores = append(c.Scores, c.share(name, count))
	}
	for n, a := range commitAges {
		c.Commits = append(c.Commits, c.share(a.name, commits[n]))
	}
	if unknownCommits > 0 {
		c.Commits = append(c.Commits, c.share(unknownValue, unknownCommits))
	}
	for _, year := range slices.Sorted(maps.Keys(years)) {
		c.Created = append(c.Created, c.share(year, years[year]))
	}
}

// languages are the most frequent languages, and the others together.
func (c *census) languages(names *site.Names) []share {
	var all []share
	for _, name := range mostFrequent(names.Languages, maxLanguages) {
		all = append(all, c.share(name, names.Languages[name]))
	}
	return c.withRest(all, "other or unknown")
}

// counted returns the census with growth and languages.
func (p *Pages) counted(v *catalog.View) *census {
	c := *p.censusOf(v)
	c.Growth = p.growthByDay()
	if names := p.Names(v); names != nil {
		c.Languages = c.languages(names)
	}
	return &c
}

// growthByDay returns the size of the registry by day, nil if it is unknown.
func (p *Pages) growthByDay() []growth {
	now := p.Now()
	var all []growth
	for _, g := range site.Loaded(p.Site, &p.growth, func(ctx context.Context) ([]registry.DayGrowth, error) {
		return p.Figures.Growth(ctx, now.Add(-GrowthAge))
	}) {
		all = append(all, growth{g.Date.Format(time.DateOnly), g.Servers, g.Score})
	}
	return all
}
