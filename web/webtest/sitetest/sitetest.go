// Package sitetest builds sites for the tests of their parts.
package sitetest

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpcensus/internal/account"
	"mcpcensus/internal/catalog"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/query"
	"mcpcensus/internal/quota"
	"mcpcensus/internal/registry"
	"mcpcensus/web"
	"mcpcensus/web/webtest"
)

// Search responds to searches with Matches, or fails.
type Search struct {
	Matches query.Matches
	Err     error
	Got     []string // the searched texts
	mu      sync.Mutex
}

func (f *Search) Match(_ context.Context, text string) (query.Matches, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Got = append(f.Got, text)
	return f.Matches, f.Err
}

// Checker responds to checks with Report, or fails.
type Checker struct {
	Report registry.CheckResult
	Err    error
	Begun  bool // by somebody before
	Again  []registry.RepoRef
}

func (f *Checker) Recheck(ctx context.Context, ref registry.RepoRef, begin func() error) (registry.CheckResult, error) {
	f.Again = append(f.Again, ref)
	return f.Follow(ctx, ref, begin)
}

func (f *Checker) Follow(_ context.Context, ref registry.RepoRef, begin func() error) (registry.CheckResult, error) {
	r := f.Report
	if !f.Begun {
		if err := begin(); err != nil {
			return registry.CheckResult{}, err
		}
	}
	r.Ref = ref
	return r, f.Err
}

// Exhausted has no requests left for anyone.
type Exhausted struct{}

func (Exhausted) Take(context.Context, quota.Subject, int) (quota.Result, error) {
	return quota.Result{Limit: 1, Reset: webtest.Now.Add(time.Minute), RetryAfter: time.Minute}, nil
}

func (n Exhausted) Peek(ctx context.Context, s quota.Subject, limit int) (quota.Result, error) {
	return n.Take(ctx, s, limit)
}

// Figures are what is stored about servers, beside their records.
type Figures struct {
	Days  []registry.DayStats
	Text  registry.Readme
	Grown []registry.DayGrowth
	Facts map[string]registry.Published
	Tools []registry.ToolList
	Err   error
	Asked int
}

func (f *Figures) History(context.Context, string, time.Time, time.Time) ([]registry.DayStats, error) {
	f.Asked++
	return f.Days, f.Err
}

func (f *Figures) Readme(context.Context, string) (registry.Readme, error) {
	if f.Text.Text == "" && f.Err == nil {
		return f.Text, registry.Errorf(registry.ErrNotFound, "none")
	}
	return f.Text, f.Err
}

func (f *Figures) Published(context.Context, []string) (map[string]registry.Published, error) {
	return f.Facts, f.Err
}

func (f *Figures) ToolLists(context.Context, string, int) ([]registry.ToolList, error) {
	return f.Tools, f.Err
}

func (f *Figures) ToolHistories(_ context.Context, slugs []string, _ int) (map[string][]registry.ToolList, error) {
	all := map[string][]registry.ToolList{}
	for _, s := range slugs {
		all[s] = f.Tools
	}
	return all, f.Err
}

func (f *Figures) Growth(context.Context, time.Time) ([]registry.DayGrowth, error) {
	return f.Grown, f.Err
}

func (f *Figures) Histories(_ context.Context, slugs []string, _, _ time.Time) (map[string][]registry.DayStats, error) {
	all := map[string][]registry.DayStats{}
	for _, s := range slugs {
		all[s] = f.Days
	}
	return all, f.Err
}

func (f *Figures) Readmes(_ context.Context, slugs []string) (map[string]registry.Readme, error) {
	all := map[string]registry.Readme{}
	for _, s := range slugs {
		if f.Text.Text != "" {
			all[s] = f.Text
		}
	}
	return all, f.Err
}

// Year returns the figures of 60 days.
func Year() (days []registry.DayStats) {
	for n := range 60 {
		score, stars, downloads := 60+n/3, 100+n*2, int64(5000+n*n)
		days = append(days, registry.DayStats{
			Date: webtest.Now.AddDate(0, 0, n-60).Truncate(24 * time.Hour), Score: &score,
			Stars: &stars, Downloads: &downloads,
		})
	}
	days[30].Downloads = nil
	return days
}

// Avatars are PNGs by host/owner.
type Avatars map[string]string

func (a Avatars) Avatar(_ context.Context, host, owner string) ([]byte, error) {
	if image, ok := a[host+"/"+owner]; ok {
		return []byte(image), nil
	}
	return nil, registry.Errorf(registry.ErrNotFound, "none")
}

func (a Avatars) AvatarOwners(context.Context) (owners []registry.OwnerAvatar, err error) {
	for name := range a {
		host, owner, _ := strings.Cut(name, "/")
		owners = append(owners, registry.OwnerAvatar{Host: host, Owner: owner})
	}
	return owners, nil
}

// NoNews is that nothing happened.
type NoNews struct{}

func (NoNews) News(
	context.Context, []string, time.Time, time.Time, int,
) ([]registry.News, error) {
	return nil, nil
}

// Options returns the required options of a site, without data.
func Options() (o web.Options) {
	o.Pages.Figures, o.Pages.Offer = new(Figures), func() account.Offer { return account.Offer{} }
	o.Feeds.News, o.Feeds.Avatars = NoNews{}, Avatars{}
	return o
}

// A Site is a whole site, whose searches and checks a test answers.
type Site struct {
	T       *testing.T
	Web     *web.Site
	Handler http.Handler
	Search  *Search
	Checker *Checker
	Catalog *catalog.Catalog
}

// New returns a site with the servers, and a deleted one, "was-here".
func New(t *testing.T, servers []registry.Server, more ...func(*web.Options)) *Site {
	t.Helper()
	cat := catalog.New()
	for i := range servers {
		servers[i].ID, servers[i].Seq = int64(i+1), int64(i+1)
	}
	gone := registry.Change{Seq: 1000, ID: 1000, Slug: "was-here", Deleted: true, Gone: true}
	if err := cat.Apply(servers, []registry.Change{gone}, 1000); err != nil {
		t.Fatal(err)
	}
	cat.SetReady()
	s := &Site{T: t, Search: new(Search), Catalog: cat,
		Checker: &Checker{Report: registry.CheckResult{Status: registry.CheckDone, At: webtest.Now}}}
	o := Options()
	o.Site.Catalog, o.Site.BaseURL = cat, "https://census.example"
	o.Site.Now = func() time.Time { return webtest.Now }
	o.Pages.Search, o.Pages.Checker = s.Search, s.Checker
	for _, f := range more {
		f(&o)
	}
	w, err := web.New(o)
	if err != nil {
		t.Fatal(err)
	}
	e := httpd.NewEngine(httpd.Config{Missing: w.Missing})
	w.Register(e)
	s.Web, s.Handler = w, e
	return s
}

// Get returns the response to a request for a page.
func (s *Site) Get(path string, header ...string) (*http.Response, string) {
	s.T.Helper()
	r := httptest.NewRequest("GET", path, nil)
	r.Header.Set("Accept", "text/html,*/*;q=0.8")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.Handler.ServeHTTP(w, r)
	b, err := io.ReadAll(w.Result().Body)
	if err != nil {
		s.T.Fatal(err)
	}
	return w.Result(), string(b)
}

// Page gets a path, and fails unless it is a page that can do no harm.
func (s *Site) Page(path string, want int) string {
	s.T.Helper()
	res, body := s.Get(path)
	if res.StatusCode != want {
		s.T.Fatalf("GET %s: %d, want %d\n%.600s", path, res.StatusCode, want, body)
	}
	webtest.Harmless(s.T, path, res, body)
	return body
}

// Text gets what is no page.
func (s *Site) Text(path string) string {
	s.T.Helper()
	r, body := s.Get(path)
	if r.StatusCode != 200 {
		s.T.Fatalf("%s: %d", path, r.StatusCode)
	}
	return body
}
