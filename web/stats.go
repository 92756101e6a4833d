package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

// A census is what one version of the data says of all servers together.
type census struct {
	At          time.Time `json:"at"` // when it was counted
	Servers     int       `json:"servers"`
	Tools       int       `json:"tools"` // known by name
	CheckedDay  int       `json:"checkedLastDay"`
	ScoreMedian *int      `json:"scoreMedian"`
	Scores      []share   `json:"scores"` // by tens: "0 to 9", …, "90 to 100"
	Grades      []share   `json:"grades"`
	Categories  []share   `json:"categories"`
	SDKs        []share   `json:"sdks"`
	Languages   []share   `json:"languages"` // of the repositories, the most frequent; null while they are being counted
	Licenses    []share   `json:"licenses"`  // the most frequent
	Transports  []share   `json:"transports"`
	Types       []share   `json:"types"`
	Commits     []share   `json:"lastCommits"` // by how long ago the last commit of a human was
	Created     []share   `json:"created"`     // repositories by the year they were created in
	Growth      []growth  `json:"growth"`      // null if it is not known
	tag         string
}

// A share is how many servers have a value.
type share struct {
	Value string  `json:"value"` // "unknown" for those of which it is not known
	Count int     `json:"count"`
	Part  float64 `json:"share"` // of all servers
	name  string  // for people; "" if it is Value
	href  string
}

// Name is the value as people read it.
func (s share) Name() string {
	if s.name != "" {
		return s.name
	}
	return s.Value
}

// Address is the list of those servers, "" if there is none.
func (s share) Address() string { return s.href }

type growth struct {
	Date    string   `json:"date"`
	Servers int      `json:"servers"`
	Score   *float64 `json:"meanScore"`
}

// trends are what the pages keep of the data as a whole.
type trends struct {
	mu     sync.Mutex
	census *census

	climbs, growth, names later
	static                *named // of an export
}

// censusFor is how long a census stands while the data change.
const censusFor = time.Minute

// census returns the census of a version, or of one not much older.
func (s *Site) census(v *catalog.View) *census {
	t := &s.trends
	t.mu.Lock()
	defer t.mu.Unlock()
	now := s.Now()
	if t.census != nil && now.Sub(t.census.At) < 10*time.Minute && (t.census.tag == v.Tag() || now.Sub(t.census.At) < censusFor) {
		return t.census
	}
	t.census = takeCensus(v, now)
	return t.census
}

// unknownValue stands for what is not known.
const unknownValue = "unknown"

func takeCensus(v *catalog.View, now time.Time) *census {
	c := &census{At: now.UTC().Truncate(time.Second), tag: v.Tag(), Servers: v.Len()}
	l, counts := v.Select(catalog.Choice{}, catalog.ByQuality)
	c.Tools = l.Tools().Total()
	part := func(n int) float64 {
		if c.Servers == 0 {
			return 0
		}
		return float64(int(10_000*float64(n)/float64(c.Servers)+.5)) / 10_000
	}
	shares := func(facet string, values []string, param string, most int) (out []share) {
		of, rest := counts[facet], c.Servers
		if values == nil {
			for v := range of {
				values = append(values, v)
			}
			slices.SortFunc(values, func(a, b string) int {
				if of[a] != of[b] {
					return of[b] - of[a]
				}
				return int(bytes.Compare([]byte(a), []byte(b)))
			})
			values = values[:min(len(values), most)]
		}
		for _, v := range values {
			b := browse{}
			for _, f := range filters {
				if f.param == param {
					*f.values(&b) = []string{v}
				}
			}
			rest -= of[v]
			out = append(out, share{v, of[v], part(of[v]), valueName(param, v), b.address(1)})
		}
		if facet == "transport" || facet == "type" || rest <= 0 {
			return out // servers have several
		}
		name := ""
		if facet == "license" {
			name = "others, none or unknown"
		}
		return append(out, share{unknownValue, rest, part(rest), name, ""})
	}
	c.Grades = shares("grade", registry.Grades, "grade", 0)
	c.Categories = shares("category", registry.Categories, "category", 0)
	slices.SortStableFunc(c.Categories, func(a, b share) int { return b.Count - a.Count })
	c.SDKs = shares("sdk", nil, "sdk", len(registry.SDKs))
	c.Licenses = shares("license", nil, "license", 10)
	c.Transports = shares("transport", registry.Transports, "transport", 0)
	c.Types = shares("type", []string{query.TypePackage, query.TypeRemote}, "has", 0)

	ages := []struct {
		name string
		days int
	}{{"within a month", 30}, {"1 to 3 months ago", 91}, {"3 to 6 months ago", 182}, {"6 to 12 months ago", 365}, {"more than a year ago", 1 << 30}}
	var tens [10]int
	commits := make([]int, len(ages)+1)
	years := map[int]int{}
	scored := 0
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
			commits[len(ages)]++
		} else {
			days := int(now.Sub(at).Hours() / 24)
			commits[slices.IndexFunc(ages, func(a struct {
				name string
				days int
			}) bool {
				return days <= a.days
			})]++
		}
		if at := i.CreatedAt(); !at.IsZero() {
			years[at.Year()]++
		}
	}
	if scored > 0 { // the list is in the order of scores, best first
		m := l.At((scored - 1) / 2).Score()
		c.ScoreMedian = &m
	}
	for n, count := range tens {
		name := strconv.Itoa(n*10) + " to " + strconv.Itoa(n*10+9)
		if n == 9 {
			name = "90 to 100"
		}
		c.Scores = append(c.Scores, share{Value: name, Count: count, Part: part(count)})
	}
	for n, a := range ages {
		c.Commits = append(c.Commits, share{Value: a.name, Count: commits[n], Part: part(commits[n])})
	}
	if n := commits[len(ages)]; n > 0 {
		c.Commits = append(c.Commits, share{Value: unknownValue, Count: n, Part: part(n)})
	}
	for year := range years {
		c.Created = append(c.Created, share{Value: strconv.Itoa(year), Count: years[year], Part: part(years[year])})
	}
	slices.SortFunc(c.Created, func(a, b share) int { return bytes.Compare([]byte(a.Value), []byte(b.Value)) })
	return c
}

// A later is something that is asked for in the background and shown when it
// is there.
type later struct {
	mu    sync.Mutex
	at    time.Time // of the last try
	busy  bool
	value any
}

const (
	laterFor   = 20 * time.Minute
	laterAgain = time.Minute // after a failure
	laterSoon  = 400 * time.Millisecond
	laterMost  = 2 * time.Minute
)

// get returns what was there last, nil if nothing ever was, and asks again
// when that is old. The first time it waits a little.
func (l *later) get(now time.Time, ask func(context.Context) (any, error)) any {
	l.mu.Lock()
	value, due := l.value, !l.busy && now.Sub(l.at) >= laterFor
	if due {
		l.busy, l.at = true, now
	}
	l.mu.Unlock()
	if !due {
		return value
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		ctx, cancel := context.WithTimeout(context.Background(), laterMost)
		defer cancel()
		got, err := ask(ctx)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.busy = false
		if err != nil {
			l.at = now.Add(laterAgain - laterFor)
			return
		}
		l.value = got
	}()
	select {
	case <-done:
	case <-time.After(laterSoon):
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.value
}

// A climb is a server whose score rose.
type climb struct {
	row
	Before, Then int
}

const (
	climbDays  = 14 // over how many a rise counts as recent
	climbsMost = 3 * homeRows
)

func climbsSince(now time.Time) time.Time { return now.AddDate(0, 0, -climbDays) }

// climbs returns the servers whose score rose most lately; none without
// history.
func (s *Site) climbs(v *catalog.View, most int) (out []climb) {
	if s.Figures == nil {
		return nil
	}
	now := s.Now()
	got, _ := s.trends.climbs.get(now, func(ctx context.Context) (any, error) {
		return s.Figures.Climbs(ctx, climbsSince(now), climbsMost)
	}).([]registry.Climb)
	for _, c := range got {
		i, _ := v.Find(c.Slug)
		if i == nil || len(out) == most {
			continue
		}
		if r, err := rowOf(i); err == nil {
			out = append(out, climb{r, c.Before, c.Then})
		}
	}
	return out
}

// growthFor is how far back the growth goes.
const growthFor = 26 * 7 * 24 * time.Hour

// growth returns the registry's size by days, as it was stored then; nil while
// it is not known.
func (s *Site) growth() []growth {
	if s.Figures == nil {
		return nil
	}
	now := s.Now()
	got, _ := s.trends.growth.get(now, func(ctx context.Context) (any, error) {
		return s.Figures.Growth(ctx, now.Add(-growthFor))
	}).([]registry.DayGrowth)
	var out []growth
	for _, g := range got {
		out = append(out, growth{g.Date.Format(time.DateOnly), g.Servers, g.Score})
	}
	return out
}

// counted returns the census with the growth.
func (s *Site) counted() (*census, error) {
	v, err := s.view()
	if err != nil {
		return nil, err
	}
	c := *s.census(v)
	c.Growth = s.growth()
	if words := s.words(v); words != nil {
		c.Languages = languages(words, c.Servers)
	}
	return &c, nil
}

// mostLanguages bounds the languages that are named.
const mostLanguages = 12

// languages are the most frequent, and the rest together.
func languages(words *named, of int) (out []share) {
	part := func(n int) float64 { return math.Round(10_000*float64(n)/float64(max(of, 1))) / 10_000 }
	names := slices.SortedFunc(maps.Keys(words.languages), func(a, b string) int {
		return cmp.Or(words.languages[b]-words.languages[a], strings.Compare(a, b))
	})
	rest := of
	for _, name := range names[:min(len(names), mostLanguages)] {
		n := words.languages[name]
		rest -= n
		out = append(out, share{Value: name, Count: n, Part: part(n)})
	}
	if rest > 0 { // those that changed since they were counted are among them
		out = append(out, share{Value: unknownValue, Count: rest, Part: part(rest), name: "others or unknown"})
	}
	return out
}

type statsPage struct {
	frame
	*census
	Charts []chart
	Groups []shareGroup
}

type shareGroup struct {
	ID, Name, Text string
	Shares         []share
}

// File is the name of the group's file of figures, without .csv.
func (g shareGroup) File() string {
	return cmp.Or(map[string]string{"commits": "lastcommits", "licences": "licenses"}[g.ID], g.ID)
}

// Largest is the share that the bars of a group are measured by.
func (g shareGroup) Largest() float64 {
	most := 0
	for _, s := range g.Shares {
		most = max(most, s.Count)
	}
	return float64(most)
}

// stats answers GET /stats.
func (s *Site) stats(_ context.Context, c *gin.Context) error {
	n, err := s.counted()
	if err != nil {
		return err
	}
	p := statsPage{frame: s.frame("Statistics", "stats"), census: n}
	p.Description = "How many MCP servers there are, how healthy, on what SDKs, under what licences, and how many are looked after."
	p.Canonical = "/stats"
	p.Groups = []shareGroup{
		{"scores", "Scores", "Servers by health score. Those without a score are not among them.", n.Scores},
		{"grades", "Grades", "A from 80, B from 65, C from 50, D from 30.", n.Grades},
		{"categories", "Categories", "Each server has one.", n.Categories},
		{"commits", "Liveliness", "When a human last committed to the repository.", n.Commits},
		{"sdks", "SDKs", "The MCP SDK that a server is built on, by its manifests.", n.SDKs},
		{"languages", "Languages", "What most of the repository is written in, as the code host says.", n.Languages},
		{"transports", "Transports", "A server may have several, or none that is known.", n.Transports},
		{"types", "How they run", "By a published package, hosted by the owner, both or neither.", n.Types},
		{"licences", "Licences", "As the repository or its manifest says.", n.Licenses},
		{"created", "Repositories by year", "When the repositories of the servers were created.", n.Created},
	}
	zero, hundred := 0.0, 100.0
	size := chart{ID: "growth", Min: &zero, Title: "Servers listed", Text: "at the end of each day"}
	mean := chart{ID: "mean", Min: &zero, Max: &hundred, Title: "Mean score", Text: "of the servers listed on each day"}
	for _, g := range n.Growth {
		at, err := time.Parse(time.DateOnly, g.Date)
		if err != nil {
			continue
		}
		size.Points = append(size.Points, point{at, float64(g.Servers)})
		if g.Score != nil {
			mean.Points = append(mean.Points, point{at, *g.Score})
		}
	}
	for _, x := range []chart{size, mean} {
		if len(x.Points) > 1 {
			p.Charts = append(p.Charts, x)
		}
	}
	return s.show(c, http.StatusOK, "stats", byContent, p)
}

// statsJSON answers GET /stats.json.
func (s *Site) statsJSON(_ context.Context, c *gin.Context) error {
	n, err := s.counted()
	if err != nil {
		return err
	}
	b, err := json.Marshal(n)
	if err != nil {
		return err
	}
	s.download(c, "application/json; charset=utf-8", b)
	return nil
}

// csvGroups are the groups of figures that have a file of their own, in lower case.
var csvGroups = []string{"scores", "grades", "categories", "sdks", "languages", "licenses", "transports", "types", "lastcommits", "created", "growth", "meanscore"}

// statsCSV answers GET /stats.csv, a line for each value of each group, and
// GET /stats/{group}.csv, the same of one group.
func (s *Site) statsCSV(_ context.Context, c *gin.Context) error {
	n, err := s.counted()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	only, one := strings.CutSuffix(c.Param("file"), ".csv")
	if one && !slices.Contains(csvGroups, only) || !one && c.Param("file") != "" {
		return registry.Errorf(registry.ErrNotFound, "There are no figures at this address. There are %s, each with .csv.", strings.Join(csvGroups, ", "))
	}
	line := func(cells ...string) {
		if !one || strings.ToLower(cells[0]) == only || cells[0] == "group" {
			_ = w.Write(cells) // to memory
		}
	}
	line("group", "value", "count", "share")
	line("all", "servers", strconv.Itoa(n.Servers), "1")
	line("all", "tools", strconv.Itoa(n.Tools), "")
	line("all", "checkedLastDay", strconv.Itoa(n.CheckedDay), "")
	for _, g := range []struct {
		name   string
		shares []share
	}{
		{"scores", n.Scores}, {"grades", n.Grades}, {"categories", n.Categories}, {"sdks", n.SDKs}, {"languages", n.Languages}, {"licenses", n.Licenses}, {"transports", n.Transports},
		{"types", n.Types}, {"lastCommits", n.Commits}, {"created", n.Created},
	} {
		for _, x := range g.shares {
			line(g.name, safeCell(x.Value), strconv.Itoa(x.Count), strconv.FormatFloat(x.Part, 'f', -1, 64))
		}
	}
	for _, g := range n.Growth {
		line("growth", g.Date, strconv.Itoa(g.Servers), "")
		if g.Score != nil {
			line("meanScore", g.Date, strconv.FormatFloat(*g.Score, 'f', -1, 64), "")
		}
	}
	w.Flush()
	s.download(c, "text/csv; charset=utf-8", b.Bytes())
	return nil
}

// safeCell keeps a text from being a formula to a spreadsheet.
func safeCell(v string) string {
	if v != "" && bytes.IndexByte([]byte("=+-@\t\r"), v[0]) >= 0 {
		return "'" + v
	}
	return v
}

func (s *Site) download(c *gin.Context, kind string, body []byte) {
	c.Writer.Header().Set("Access-Control-Allow-Origin", "*")
	httpd.Write(c, httpd.Answer{Type: kind, Tag: contentTag(body), Cache: "public, max-age=300", Body: body, Zipped: httpd.Zip(body)})
}
