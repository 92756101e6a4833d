package census

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// live returns a client of the registry of `make sdk-test`; with the address of its
// fault proxy, if through is set.
func live(t *testing.T, through bool) *Client {
	t.Helper()
	base, key := os.Getenv("CENSUS_SDK_TEST_URL"), os.Getenv("CENSUS_SDK_TEST_KEY")
	if base == "" || key == "" {
		t.Skip("SKIPPED: CENSUS_SDK_TEST_URL and CENSUS_SDK_TEST_KEY, which make sdk-test sets")
	}
	if through {
		if base = os.Getenv("CENSUS_SDK_TEST_PROXY"); base == "" {
			t.Skip("SKIPPED: CENSUS_SDK_TEST_PROXY, which make sdk-test sets")
		}
	}
	return clientOf(t, Config{BaseURL: base, APIKey: key, ETagCacheBytes: 1 << 20})
}

const (
	liveServer = "octo-labs-weather-mcp"
	liveName   = "io.github.octo-labs/weather-mcp"
)

// liveWebhook calls all methods of webhook endpoints.
func liveWebhook(ctx context.Context, c *Client) error {
	request := WebhookEndpointRequest{URL: "https://hooks.example/go",
		Events: []WebhookEventType{WebhookEventTypeServerGone}} // the demo has none
	w, err := c.Webhooks.Create(ctx, request)
	if err != nil {
		return err
	}
	rotated, err1 := c.Webhooks.Rotate(ctx, w.ID)
	if err1 == nil && (rotated.Secret == w.Secret || rotated.Secret == "") {
		err1 = errors.New("the secret is the same")
	}
	_, err2 := c.Webhooks.Replace(ctx, w.ID, request)
	delivery, err := c.Webhooks.Test(ctx, w.ID)
	if err != nil {
		return err
	}
	n := 0
	for d, err := range c.Webhooks.AllDeliveries(ctx, w.ID, DeliveriesParams{}) {
		if err != nil || d.ID != delivery.ID {
			return errors.Join(err, errors.New("another delivery"))
		}
		n++
	}
	if n != 1 {
		err = errors.New(strconv.Itoa(n) + " deliveries")
	}
	_, err3 := c.Webhooks.Resend(ctx, w.ID, delivery.ID)
	_, err4 := c.Webhooks.Retrieve(ctx, w.ID)
	_, err5 := c.Webhooks.List(ctx)
	return errors.Join(err, err1, err2, err3, err4, err5, c.Webhooks.Delete(ctx, w.ID))
}

func TestLiveMethods(t *testing.T) {
	c, ctx := live(t, false), t.Context()
	const custom = "go-live"
	steps := []struct {
		name string
		call func() error
	}{
		{
			"discover",
			func() error { _, err := c.Discover(ctx, DiscoverParams{Search: "weather"}); return err },
		},
		{
			"discover tools",
			func() error { _, err := c.DiscoverTools(ctx, DiscoverParams{Level: "tool"}); return err },
		},
		{"categories", func() error { _, err := c.Directory.Categories(ctx); return err }},
		{"tool changes", func() error { _, err := c.Directory.ToolChanges(ctx, liveServer); return err }},
		{"health", func() error { _, err := c.Health(ctx, HealthParams{Server: liveServer}); return err }},
		{"health of a repository", func() error {
			_, err := c.Health(ctx, HealthParams{GithubURL: "https://github.com/octo-labs/weather-mcp"})
			return err
		}},
		{"retrieve", func() error { _, err := c.Servers.Retrieve(ctx, liveServer); return err }},
		{
			"bulk",
			func() error { _, err := c.Servers.Bulk(ctx, BulkRequest{IDs: []string{liveServer}}); return err },
		},
		{"analytics", func() error {
			_, err := c.Servers.Analytics(ctx, liveServer, AnalyticsParams{Period: "7d"})
			return err
		}},
		{"keyed tool changes", func() error { _, err := c.Servers.ToolChanges(ctx, liveServer); return err }},
		{"account", func() error { _, err := c.Account.Retrieve(ctx); return err }},
		{"usage", func() error { _, err := c.Account.Usage(ctx, UsageParams{}); return err }},
		{"plans", func() error { _, err := c.Account.Plans(ctx); return err }},
		{"put custom", func() error {
			_, err := c.Custom.Put(ctx, custom, CustomRequest{Limit: new(int64(7))})
			return err
		}},
		{"custom", func() error { _, err := c.Custom.Retrieve(ctx, custom); return err }},
		{"view of custom", func() error {
			v, err := c.Custom.View(ctx, custom)
			if err != nil {
				return err
			}
			name := v.URL[strings.LastIndexByte(v.URL, '/')+1:]
			_, err = c.Registry.View(name).List(ctx, EntriesParams{Limit: 2})
			return err
		}},
		{"dumps", func() error { _, err := c.Directory.Dumps(ctx); return err }},
		{"customs", func() error { _, err := c.Custom.List(ctx); return err }},
		{"run custom", func() error {
			n := 0
			for _, err := range c.Custom.RunAll(ctx, custom, CustomParams{}) {
				if err != nil {
					return err
				}
				n++
			}
			if n < 40 {
				return errors.New("only " + strconv.Itoa(n) + " servers")
			}
			return nil
		}},
		{"delete custom", func() error { return c.Custom.Delete(ctx, custom) }},
		{"registry", func() error {
			entry, err := c.Registry.Retrieve(ctx, liveName, EntryParams{})
			if err != nil {
				return err
			}
			if meta := entry.RegistryMeta(); meta == nil || meta.ID != liveServer {
				return errors.New("no metadata of this registry")
			}
			_, err = c.Registry.Versions(ctx, liveName, EntryParams{IncludeDeleted: true})
			return err
		}},
		{"validate", func() error {
			result, err := c.Registry.Validate(ctx, map[string]string{"name": "a"})
			if err == nil && (result.Valid || len(result.Issues) == 0) {
				return errors.New("an incomplete document is valid")
			}
			return err
		}},
		{"views", func() error {
			_, err := c.Registry.Views(ctx)
			return err
		}},
		{"a view", func() error {
			view := c.Registry.View("healthy")
			documents, err := view.Documents(ctx)
			if err == nil && len(documents) < 5 {
				return errors.New("few documents")
			}
			_, err2 := view.ManagedSettings(ctx)
			return errors.Join(err, err2)
		}},
		{"changes", func() error {
			n, after := 0, int64(0)
			for page, err := range c.Servers.AllChanges(ctx, RecordChangesParams{Limit: 10}) {
				if err != nil {
					return err
				}
				n, after = n+len(page.Changes), page.Next
			}
			page, err := c.Directory.Changes(ctx, ChangesParams{After: after})
			if err == nil && (n < 40 || len(page.Changes) > 0) {
				return errors.New(strconv.Itoa(n) + " changes")
			}
			return err
		}},
		{"webhooks", func() error { return liveWebhook(ctx, c) }},
	}
	for _, s := range steps {
		if err := s.call(); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
	}
}

func TestLivePages(t *testing.T) {
	c, ctx := live(t, false), t.Context()
	counts := map[string]int{}
	count := func(name string, all func(yield func(Server, error) bool)) {
		seen := map[string]bool{}
		for s, err := range all {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if seen[s.ID] {
				t.Errorf("%s: %s is there twice", name, s.ID)
			}
			seen[s.ID] = true
		}
		counts[name] = len(seen)
	}
	count("discover", c.DiscoverAll(ctx, DiscoverParams{Limit: 9}))
	count("directory", c.Directory.All(ctx, DirectoryParams{Limit: 10}))
	count("servers", c.Servers.All(ctx, ServersParams{Limit: 11}))
	count("search",
		c.SearchAll(ctx, SearchParams{Limit: 12, Facets: new(false), Filters: Filters{Stars: AtLeast(0)}}))
	entries := map[string]bool{}
	for e, err := range c.Registry.All(ctx, EntriesParams{Limit: 7}) {
		if err != nil || entries[e.Server.Name] {
			t.Fatalf("%s: %v", e.Server.Name, err)
		}
		entries[e.Server.Name] = true
	}
	if len(entries) < 20 {
		t.Errorf("%d entries of the registry", len(entries))
	}
	tools := map[string]bool{}
	for tool, err := range c.DiscoverToolsAll(ctx, DiscoverParams{Level: "tool", Limit: 13}) {
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(tool.Name, "/") || tools[tool.Name] {
			t.Errorf("tool %q", tool.Name)
		}
		tools[tool.Name] = true
	}
	if len(tools) < 30 {
		t.Errorf("%d tools", len(tools))
	}
	page, err := c.Directory.List(ctx, DirectoryParams{})
	if err != nil {
		t.Fatal(err)
	}
	for name, n := range counts {
		if n != int(page.Pagination.Total) && name != "search" || n < 20 {
			t.Errorf("%s: %d of %d servers", name, n, page.Pagination.Total)
		}
	}
}

func TestLiveErrors(t *testing.T) {
	c, ctx := live(t, false), t.Context()
	_, err := c.Discover(ctx, DiscoverParams{Limit: 500})
	bad, ok := errors.AsType[*BadRequestError](err)
	if !ok || len(bad.Fields) != 1 || bad.Fields[0].Field != "limit" || bad.RequestID == "" {
		t.Errorf("got %v", err)
	}
	_, err = c.Servers.Retrieve(ctx, "octo-labs-wether-mcp")
	if missing, ok := errors.AsType[*NotFoundError](err); !ok || missing.Code != "server_not_found" {
		t.Errorf("got %v", err)
	}
	wrong := clientOf(t, Config{BaseURL: c.BaseURL(), APIKey: testKey})
	if _, err = wrong.Account.Retrieve(ctx); !isA[*AuthenticationError](err) {
		t.Errorf("got %v", err)
	}
	if key := os.Getenv("CENSUS_SDK_TEST_FREE_KEY"); key != "" {
		free := clientOf(t, Config{BaseURL: c.BaseURL(), APIKey: key})
		_, err := free.Servers.Analytics(ctx, liveServer, AnalyticsParams{})
		if denied, ok := errors.AsType[*PermissionDeniedError](err); !ok || len(denied.RequiredPlans) == 0 {
			t.Errorf("got %v", err)
		}
	}
	var first, second Response
	for _, r := range []*Response{&first, &second} {
		if _, err := c.Directory.Categories(ctx, WithResponse(r)); err != nil {
			t.Fatal(err)
		}
	}
	if first.Cached || !second.Cached || string(first.Body) != string(second.Body) {
		t.Errorf("the second response is %+v", second)
	}
}

func isA[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}

func TestLiveFaults(t *testing.T) {
	tests := []struct {
		fault    string
		times    int
		attempts int
		min, max time.Duration
		fails    func(error) bool
	}{
		{fault: "500", times: 2, attempts: 3},
		{fault: "500", times: 9, fails: isA[*InternalServerError]},
		{fault: "reset", times: 2, attempts: 3},
		{fault: "short-body", times: 1, attempts: 2},
		{fault: "slow", times: 1, attempts: 2, max: 2900 * time.Millisecond},
		{fault: "retry-after-seconds", times: 1, attempts: 2, min: time.Second},
		{fault: "retry-after-date", times: 1, attempts: 2},
		{fault: "retry-after-long", times: 1, fails: isA[*RateLimitError], max: time.Second},
		{fault: "garbage", times: 1, fails: isA[*DecodeError]},
	}
	for _, tt := range tests {
		t.Run(tt.fault+"/"+strconv.Itoa(tt.times), func(t *testing.T) {
			t.Parallel()
			c := live(t, true)
			var r Response
			start := time.Now()
			_, err := c.Directory.Categories(t.Context(), WithResponse(&r), WithTimeout(time.Second),
				WithHeader("X-Fault", tt.fault), WithHeader("X-Fault-Times", strconv.Itoa(tt.times)),
				WithHeader("X-Fault-Id", t.Name()+start.String()))
			if tt.fails != nil {
				if !tt.fails(err) {
					t.Errorf("got %v", err)
				}
			} else if err != nil || r.Attempts != tt.attempts {
				t.Errorf("%d attempts, want %d: %v", r.Attempts, tt.attempts, err)
			}
			if d := time.Since(start); d < tt.min || tt.max > 0 && d > tt.max {
				t.Errorf("it took %v", d)
			}
		})
	}
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		_, err := live(t, true).Directory.Categories(ctx, WithHeader("X-Fault", "slow"),
			WithHeader("X-Fault-Id", t.Name()))
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

// TestLiveFirstCall reports how long a program waits for its first response.
func TestLiveFirstCall(t *testing.T) {
	base, key := live(t, false).BaseURL(), os.Getenv("CENSUS_SDK_TEST_KEY")
	start := time.Now()
	c := clientOf(t,
		Config{BaseURL: base, APIKey: key, HTTPClient: &http.Client{Transport: &http.Transport{}}})
	if _, err := c.Directory.Categories(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Logf("first call: %v", time.Since(start))
}
