package jobs_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpcensus/crawler/github/fakegithub"
	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/registry"
	"mcpcensus/jobs"
)

func npm(name string) registry.PackageKey {
	return registry.PackageKey{RegistryType: "npm", Identifier: name}
}

// packageFacts returns the stored facts of a package.
func (h *fixture) packageFacts(key registry.PackageKey) (registry.PackageFacts, bool) {
	h.t.Helper()
	m, err := h.db.PackageFacts(h.t.Context(), []registry.PackageKey{key})
	h.must(err)
	f, ok := m[key]
	return f, ok && f.ObservedAt != nil
}

func TestPackageFacts(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"), aServer("tram/lines-mcp"))
	h.enqueue("rail/trains-mcp", "tram/lines-mcp")
	h.refresh()
	before, other := h.server("rail/trains-mcp"), h.server("tram/lines-mcp")
	if before.LatestVersion == "1.2.0" && before.ReleasedAt != nil {
		t.Fatal("the package is known before anybody asked")
	}
	h.world.Fail(fakegithub.Fault{Path: "/deps-dev/v3/systems/npm/packages/lines-mcp",
		Status: http.StatusInternalServerError, Body: "down"})
	p := h.packager()
	if _, err := p.Facts(t.Context()); err != nil {
		t.Fatalf("a service that fails ended the run: %v", err)
	}
	after := h.server("rail/trains-mcp")
	if after.LatestVersion != "1.2.0" || after.ReleasedAt == nil || after.Seq <= before.Seq {
		t.Errorf("got version %q of %v, change %d after %d", after.LatestVersion, after.ReleasedAt,
			after.Seq, before.Seq)
	}
	if f, ok := h.packageFacts(npm("lines-mcp")); ok && f.Latest != "" {
		t.Errorf("a service that failed said %+v", f)
	}
	failing := h.status().Failing
	if len(failing) == 0 || failing[0].Of != "package" ||
		!strings.Contains(failing[0].Example, "lines-mcp") {
		t.Errorf("the failure is not told: %+v", failing)
	}

	h.world.ClearFaults()
	h.later(24 * time.Hour)
	if _, err := p.Facts(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := h.server("tram/lines-mcp"); s.LatestVersion != "1.2.0" || s.Seq <= other.Seq {
		t.Errorf("tried again: version %q, change %d after %d", s.LatestVersion, s.Seq, other.Seq)
	}
	if got := h.status().Failing; len(got) != 0 {
		t.Errorf("still failing: %+v", got)
	}
}

func TestUnchangedPackageFacts(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.refresh()
	p := h.packager()
	n, err := p.Facts(t.Context())
	h.must(err)
	if n == 0 {
		t.Fatal("nothing was asked")
	}
	if n, err = p.Facts(t.Context()); n != 0 || err != nil {
		t.Errorf("asked %d again at once, %v", n, err)
	}
	_, known := h.packageFacts(npm("trains-mcp"))
	if !known {
		t.Error("the package is not known")
	}
}

func TestOneServiceFails(t *testing.T) {
	h := newCrawledFixture(t)
	h.world.Fail(fakegithub.Fault{Path: "/osv/", Status: http.StatusServiceUnavailable})
	if _, err := h.packager().Facts(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := h.server("octo-labs/weather-mcp")
	if s.LatestVersion != "1.6.0" {
		t.Errorf("without OSV, deps.dev's version is %q", s.LatestVersion)
	}
	f, ok := h.packageFacts(npm("@octo-labs/weather-mcp"))
	if !ok || f.Latest != "1.6.0" {
		t.Errorf("got %+v", f)
	}
	if s.Health.Score == nil {
		t.Error("no score without OSV")
	}
}

func TestRefusedDownloads(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.refresh()
	p := h.packager()
	retry := h.clock.Now().Add(3 * time.Hour)
	p.RetryAt = func(error) time.Time { return retry }
	h.world.Fail(fakegithub.Fault{Path: "/npm-downloads/", Status: http.StatusTooManyRequests,
		Header: http.Header{"Retry-After": {"60"}}})
	if _, err := p.Downloads(t.Context()); err == nil {
		t.Error("a refusal is not told")
	}
	if s := h.server("rail/trains-mcp"); s.Downloads != nil {
		t.Errorf("refused downloads count %d", *s.Downloads)
	}
	if st := h.status(); st.DownloadsDue != 0 {
		t.Errorf("%d are due before the service may be queried again", st.DownloadsDue)
	}
	h.world.ClearFaults()
	h.later(4 * time.Hour)
	if _, err := p.Downloads(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := h.server("rail/trains-mcp")
	if s.Downloads == nil || *s.Downloads < 700 || *s.Downloads > 1100 {
		t.Fatalf("got downloads %v, want about 900", s.Downloads)
	}
	counted := *s.Downloads
	days, err := h.db.DayDownloads(t.Context(), s.Slug, h.clock.Now().AddDate(0, 0, -31),
		h.clock.Now())
	sum := int64(0)
	for _, d := range days {
		sum += d.Downloads
	}
	if err != nil || len(days) != 30 || sum != counted {
		t.Errorf("%d days with %d downloads, %v; want 30 with %d", len(days), sum, err, counted)
	}

	// A later refusal does not change the counts.
	h.world.Fail(fakegithub.Fault{Path: "/npm-downloads/", Status: http.StatusTooManyRequests})
	h.later(8 * 24 * time.Hour)
	_, _ = p.Downloads(t.Context()) // refused
	if s := h.server("rail/trains-mcp"); s.Downloads == nil || *s.Downloads != counted {
		t.Errorf("a refusal took the count away: %v", s.Downloads)
	}
}

func TestIncompleteFactsBackOff(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.refresh()
	h.world.Fail(fakegithub.Fault{Path: "/deps-dev/v3/systems/npm/packages/trains-mcp/versions/",
		Status: http.StatusInternalServerError})
	p := h.packager()
	asked := func(within, step time.Duration) (times int) {
		for range int(within / step) {
			h.world.ClearRequests()
			if _, err := p.Facts(t.Context()); err != nil {
				t.Fatal(err)
			}
			times += min(1, h.asked("packages/trains-mcp/versions/"))
			h.later(step)
		}
		return times
	}
	if n := asked(24*time.Hour, 15*time.Minute); n < 5 || n > 8 {
		t.Errorf("asked %d times on the first day", n)
	}
	if n := asked(4*24*time.Hour, 3*time.Hour); n < 3 || n > 5 {
		t.Errorf("asked %d times in the four days after", n)
	}
	if f, _ := h.packageFacts(npm("trains-mcp")); f.Latest == "" {
		t.Error("what was answered is not kept")
	}
	// Once it answers it is asked once a day, and a failure starts the delay again.
	h.world.ClearFaults()
	if asked(27*time.Hour, 3*time.Hour) == 0 {
		t.Error("not asked any more")
	}
	h.world.Fail(fakegithub.Fault{Path: "/deps-dev/v3/systems/npm/packages/trains-mcp",
		Status: http.StatusInternalServerError, Times: 1})
	h.later(25 * time.Hour)
	if n, err := p.Facts(t.Context()); n == 0 || err != nil {
		t.Fatal(n, err)
	}
	h.world.ClearRequests()
	h.later(16 * time.Minute)
	if n, err := p.Facts(t.Context()); n != 1 || err != nil {
		t.Errorf("asked %d times a quarter of an hour after the first failure, %v", n, err)
	}
}

func TestPackageLock(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.refresh()
	// A process that was killed left its leases.
	keys, err := h.db.LeasePackages(t.Context(), registry.PackageFactsKind, nil, 10, time.Hour,
		h.clock.Now())
	if err != nil || len(keys) == 0 {
		t.Fatalf("%d leased, %v", len(keys), err)
	}
	release, ok, err := h.db.TryLock(t.Context(), "packages "+registry.PackageFactsKind)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if n, err := h.packager().Facts(t.Context()); n != 0 || err != nil {
		t.Errorf("asked %d while another process is at it, %v", n, err)
	}
	release()
	if n, err := h.packager().Facts(t.Context()); n != len(keys) || err != nil {
		t.Errorf("took over %d of %d, %v", n, len(keys), err)
	}
}

// A slowStore calls before before it stores scores for the first time.
type slowStore struct {
	jobs.PackageStore
	before func()
}

func (s *slowStore) SaveScores(
	ctx context.Context, servers []registry.Scored, now time.Time,
) (int, error) {
	if f := s.before; f != nil {
		s.before = nil
		f()
	}
	return s.PackageStore.SaveScores(ctx, servers, now)
}

func TestFactsAndDownloadsAtOnce(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.refresh()
	counted := make(chan error, 1)
	facts := h.packager()
	facts.Store = &slowStore{PackageStore: facts.Store, before: func() {
		// The facts are read and scored, but not stored.
		go func() {
			_, err := h.packager().Downloads(t.Context())
			counted <- err
		}()
		select {
		case err := <-counted:
			counted <- err
		case <-time.After(300 * time.Millisecond):
		}
	}}
	_, err := facts.Facts(t.Context())
	h.must(err)
	h.must(<-counted)
	if s := h.server("rail/trains-mcp"); s.Downloads == nil || s.LatestVersion != "1.2.0" ||
		s.ReleasedAt == nil {
		t.Errorf("got downloads %v, version %q of %v", s.Downloads, s.LatestVersion, s.ReleasedAt)
	}
}

// slowSaver calls before before it stores the first facts of a package.
type slowSaver struct {
	jobs.PackageStore
	before func()
}

func (s *slowSaver) SavePackage(
	ctx context.Context, f registry.PackageFacts, next time.Time, reason string,
) error {
	if do := s.before; do != nil {
		s.before = nil
		do()
	}
	return s.PackageStore.SavePackage(ctx, f, next, reason)
}

func TestVisitDuringPackageFacts(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.refresh()
	p := h.packager()
	start := h.clock.Now()
	p.Now = func() time.Time { return start } // so that it is not the package's turn again
	visited := false
	p.Store = &slowSaver{PackageStore: p.Store, before: func() {
		// The servers of the package are scored; a visit stores its facts with the earlier
		// package facts, and checks for later responses: none yet.
		h.must(h.world.Push("rail/trains-mcp", map[string]string{"index.js": "// new"}))
		h.later(72 * time.Hour)
		h.refresh()
		visited = h.server("rail/trains-mcp").ReleasedAt == nil
	}}
	_, err := p.Facts(t.Context())
	h.must(err)
	if !visited {
		t.Fatal("the visit did not come in between")
	}
	if s := h.server("rail/trains-mcp"); s.LatestVersion != "1.2.0" || s.ReleasedAt == nil {
		t.Errorf("got version %q of %v: the response was missed", s.LatestVersion, s.ReleasedAt)
	}
}

// A concurrency counts concurrent requests.
type concurrency struct {
	jobs.Enricher
	mu        sync.Mutex
	now, most int
	two       chan struct{} // closed once there are two at a time
}

func (c *concurrency) Facts(ctx context.Context, f registry.PackageFacts) (registry.PackageFacts, error) {
	c.mu.Lock()
	c.now++
	if c.most = max(c.most, c.now); c.most == 2 && c.now == 2 {
		select {
		case <-c.two:
		default:
			close(c.two)
		}
	}
	c.mu.Unlock()
	select { // the first waits for another
	case <-c.two:
	case <-time.After(30 * time.Second):
	}
	defer func() {
		c.mu.Lock()
		c.now--
		c.mu.Unlock()
	}()
	return c.Enricher.Facts(ctx, f)
}

func TestPackageConcurrency(t *testing.T) {
	h := newCrawledFixture(t)
	p := h.packager()
	c := &concurrency{Enricher: p.Enrich, two: make(chan struct{})}
	p.Enrich = c
	n, err := p.Facts(t.Context())
	h.must(err)
	if n < 10 || c.most < 2 || c.most > 6 {
		t.Errorf("%d asked at once, of %d", c.most, n)
	}
	if s := h.server("octo-labs/weather-mcp"); s.LatestVersion != "1.6.0" {
		t.Errorf("version %q", s.LatestVersion)
	}
}

func TestNewPackageUnknownToDepsDev(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.world.Fail(fakegithub.Fault{Path: "/deps-dev/", Status: http.StatusNotFound,
		Body: `{"error":"package not found"}`})
	h.refresh()
	p := h.packager()
	state := func() string {
		for _, c := range h.server("rail/trains-mcp").Health.Categories {
			for _, c := range c.Checks {
				if c.ID == "package_published" {
					return c.State + ", " + c.Result
				}
			}
		}
		return ""
	}
	_, err := p.Facts(t.Context())
	h.must(err)
	if got := state(); got != "unknown, unknown" {
		t.Errorf("at first the package is %s", got)
	}
	h.later(90 * time.Minute)
	if n, err := p.Facts(t.Context()); err != nil || n != 1 {
		t.Errorf("asked about %d packages after an hour and a half, %v", n, err)
	}
	// A listing in the official registry does not outweigh the service.
	h.listAs("rail/trains-mcp",
		registry.Listing{Name: "io.github.rail/trains-mcp", Version: "1.2.0",
			Packages: []registry.Package{{RegistryType: "npm", Identifier: "trains-mcp",
				Version: "1.2.0"}}})
	h.later(24 * time.Hour)
	h.refresh()
	if got := state(); got != "unknown, unknown" {
		t.Errorf("listed, it is %s", got)
	}
	if s := h.server("rail/trains-mcp"); len(s.Packages) != 0 || len(s.Unpublished) != 1 {
		t.Errorf("listed, packages %v, unpublished %v", s.Packages, s.Unpublished)
	}
	for range 6 {
		h.later(24 * time.Hour)
		_, err := p.Facts(t.Context())
		h.must(err)
	}
	h.refresh()
	if s := h.server("rail/trains-mcp"); len(s.Packages) != 0 {
		t.Errorf("listed, and not known for a week: packages %v", s.Packages)
	}
	// Read at last.
	h.world.ClearFaults()
	h.later(25 * time.Hour)
	_, err = p.Facts(t.Context())
	h.must(err)
	if s := h.server("rail/trains-mcp"); s.LatestVersion != "1.2.0" || state() != "ok, pass" {
		t.Errorf("read: %s, version %q", state(), s.LatestVersion)
	}
}

func TestUnknownPackage(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	h.world.Fail(fakegithub.Fault{Path: "/deps-dev/", Status: http.StatusNotFound,
		Body: `{"error":"package not found"}`})
	h.refresh()
	p := h.packager()
	asked := 0
	for range 5 * 24 {
		n, err := p.Facts(t.Context())
		h.must(err)
		asked += n
		if got := h.server("rail/trains-mcp").Packages; len(got) != 0 {
			t.Fatalf("a package is offered that nobody has seen: %v", got)
		}
		h.later(time.Hour)
	}
	f, _ := h.packageFacts(npm("trains-mcp"))
	if f.Found == nil || *f.Found {
		t.Errorf("after five days: %+v", f)
	}
	if asked > 30 {
		t.Errorf("asked %d times in five days", asked)
	}
}

func TestSDKServiceFailureCleared(t *testing.T) {
	h := newFixture(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	c := h.crawler()
	why := "is down"
	c.SDK = func(context.Context, registry.Detection) (*registry.SDKRelease, error) {
		if why != "" {
			return nil, errors.New(why)
		}
		return &registry.SDKRelease{Package: "@modelcontextprotocol/sdk", Used: "1.20.0",
			Latest: "1.22.0", ObservedAt: h.clock.Now()}, nil
	}
	visit := func() registry.Facts {
		if _, err := c.Refresh(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		return pgtest.FactsOf(t, h.db, h.server("rail/trains-mcp").ID)
	}
	if f := visit(); f.Failures["sdk"] != "is down" || f.SDK != nil {
		t.Fatalf("failures %v", f.Failures)
	}
	why = "is slow"
	h.later(9 * 24 * time.Hour)
	if f := visit(); f.Failures["sdk"] != "is slow" {
		t.Errorf("the last reason is not kept: %v", f.Failures)
	}
	why = ""
	h.later(9 * 24 * time.Hour)
	if f := visit(); f.Failures["sdk"] != "" || f.SDK == nil {
		t.Errorf("after a response: failures %v, sdk %v", f.Failures, f.SDK)
	}
}

// A stoppedEnricher is stopped after it has the count of all packages but the
// last.
type stoppedEnricher struct {
	jobs.Enricher
	stop func()
	now  time.Time
}

func (e stoppedEnricher) Downloads(
	ctx context.Context, ps []registry.PackageFacts,
) ([]registry.PackageFacts, error) {
	for i := range ps[:len(ps)-1] {
		n := int64(4711)
		ps[i].Downloads, ps[i].DownloadsObservedAt = &n, &e.now
	}
	e.stop()
	return ps, ctx.Err()
}

func TestDownloadsStoppedEarly(t *testing.T) {
	h := newFixture(t, aServer("rail/a-mcp"), aServer("rail/b-mcp"), aServer("rail/c-mcp"))
	h.enqueue("rail/a-mcp", "rail/b-mcp", "rail/c-mcp")
	h.refresh()
	ctx, stop := context.WithCancel(t.Context())
	p := h.packager()
	p.Enrich = stoppedEnricher{h.enrich, stop, h.clock.Now()}
	if _, err := p.Downloads(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	counted := 0
	for _, name := range []string{"rail/a-mcp", "rail/b-mcp", "rail/c-mcp"} {
		if s := h.server(name); s.Downloads != nil {
			counted++
			if *s.Downloads != 4711 {
				t.Errorf("%s has %d downloads", name, *s.Downloads)
			}
		}
	}
	if counted != 2 {
		t.Errorf("%d counts are kept, want 2", counted)
	}
	for _, f := range h.status().Failing {
		t.Errorf("to be stopped is called a failure: %+v", f)
	}
	// The rest is asked for at the next start.
	p = h.packager()
	if n, err := p.Downloads(t.Context()); err != nil || n != 1 {
		t.Errorf("then asked for %d, %v", n, err)
	}
}

// A popularPackage is a store of one package that many servers publish.
type popularPackage struct {
	jobs.PackageStore
	leased      bool
	stored      registry.PackageFacts
	servers     []registry.Scored
	most, saves int // servers read at a time, and stored
}

func (p *popularPackage) TryLock(context.Context, string) (func(), bool, error) {
	return func() {}, true, nil
}

func (p *popularPackage) FreePackages(context.Context, string) error { return nil }

func (p *popularPackage) LeasePackages(
	context.Context, string, []string, int, time.Duration, time.Time,
) (works []registry.PackageWork, err error) {
	if !p.leased {
		works = []registry.PackageWork{{PackageKey: npm("popular")}}
	}
	p.leased = true
	return works, nil
}

func (p *popularPackage) PackageFacts(
	context.Context, []registry.PackageKey,
) (map[registry.PackageKey]registry.PackageFacts, error) {
	return map[registry.PackageKey]registry.PackageFacts{npm("popular"): p.stored}, nil
}

func (p *popularPackage) SavePackage(
	_ context.Context, f registry.PackageFacts, _ time.Time, _ string,
) error {
	p.stored = f
	return nil
}

func (p *popularPackage) ServersWithPackages(
	context.Context, []registry.PackageKey,
) ([]int64, error) {
	ids := make([]int64, len(p.servers))
	for i := range ids {
		ids[i] = int64(i)
	}
	return ids, nil
}

func (p *popularPackage) FactsOf(
	_ context.Context, ids []int64, f func(registry.Scored) error,
) error {
	p.most = max(p.most, len(ids))
	for _, id := range ids {
		if err := f(p.servers[id]); err != nil {
			return err
		}
	}
	return nil
}

func (p *popularPackage) SaveScores(
	_ context.Context, scored []registry.Scored, _ time.Time,
) (int, error) {
	p.most = max(p.most, len(scored))
	for _, s := range scored {
		p.servers[s.Server.ID] = s
	}
	p.saves += len(scored)
	return len(scored), nil
}

type oneAnswer struct{ jobs.Enricher }

func (oneAnswer) Downloads(
	_ context.Context, ps []registry.PackageFacts,
) ([]registry.PackageFacts, error) {
	ps[0].Downloads, ps[0].DownloadsObservedAt = new(int64(4711)), new(time.Unix(0, 0))
	return ps, nil
}

func TestPackageOfManyServers(t *testing.T) {
	store := &popularPackage{servers: make([]registry.Scored, 1050)}
	for i := range store.servers {
		store.servers[i].Server.ID = int64(i)
		store.servers[i].Facts.Detection.Packages = []registry.Package{{RegistryType: "npm", Identifier: "popular"}}
	}
	p := &jobs.Packager{Store: store, Enrich: oneAnswer{}, Now: time.Now}
	if n, err := p.Downloads(t.Context()); n != 1 || err != nil {
		t.Fatalf("%d downloads, %v", n, err)
	}
	for _, s := range store.servers {
		if n := s.Server.Downloads; n == nil || *n != 4711 {
			t.Fatalf("server %d was not scored again: %v downloads", s.Server.ID, n)
		}
	}
	if store.most > 100 || store.saves != len(store.servers) {
		t.Errorf("%d servers in memory, %d stored", store.most, store.saves)
	}
}
