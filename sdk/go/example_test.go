package census_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	census "mcpcensus/sdk/go"
)

// TestMain runs the examples against recorded responses.
func TestMain(m *testing.M) {
	server := httptest.NewServer(http.HandlerFunc(recorded))
	os.Setenv("CENSUS_URL", server.URL)
	os.Setenv("CENSUS_API_KEY", "mcp_example")
	status := m.Run()
	server.Close()
	os.Exit(status)
}

// recorded answers with the fixture of a request's path.
func recorded(w http.ResponseWriter, r *http.Request) {
	name := map[string]string{
		"/api/discover": "discover", "/api/servers": "directory_list", "/api/health": "health_github_url",
		"/v1/search": "search", "/v1/servers/octo-labs-weather-mcp": "servers_retrieve",
		"/v1/servers/nobody": "servers_retrieve_not_found", "/v1/account": "account_retrieve",
		"/v0.1/servers/io.github.octo-labs/weather-mcp/versions/latest": "registry_retrieve",
		"/r/healthy/v0.1/servers": "registry_view_list", "/api/changes": "directory_changes",
		"/v1/webhooks": "webhooks_create", "/v1/custom/good-databases/view": "custom_view",
		"/r/0f8fad5bd9cb469fa16570867728950e/v0.1/servers": "registry_view_list",
	}[r.URL.Path]
	if r.URL.Query().Get("format") == "mcp" {
		name = "discover_tools"
	}
	text, err := os.ReadFile(filepath.Join("../fixtures", name+".json"))
	if err != nil {
		panic(err)
	}
	var answer struct {
		Status  int
		Headers map[string]string
		Body    json.RawMessage
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		panic(err)
	}
	for name, value := range answer.Headers {
		w.Header().Set(name, value)
	}
	w.WriteHeader(answer.Status)
	w.Write(answer.Body)
}

func Example() {
	ctx := context.Background()
	client, err := census.New(census.Config{})
	if err != nil {
		log.Fatal(err)
	}
	page, err := client.Discover(ctx, census.DiscoverParams{Search: "postgres"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(page.Servers[0].Name)
	// Output: Postgres Navigator
}

func ExampleClient_DiscoverAll() {
	ctx := context.Background()
	client, err := census.New(census.Config{})
	if err != nil {
		log.Fatal(err)
	}
	for server, err := range client.DiscoverAll(ctx, census.DiscoverParams{MinScore: new(80.0)}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(server.ID, *server.QualityScore)
	}
	// Output: harbor-data-postgres-navigator 98
}

func ExampleClient_Search() {
	ctx := context.Background()
	client, err := census.New(census.Config{})
	if err != nil {
		log.Fatal(err)
	}
	results, err := client.Search(ctx, census.SearchParams{
		Q: "weather",
		Filters: census.Filters{
			Category:     census.OneOf(census.CategoryData, census.CategoryTools),
			QualityScore: census.AtLeast(50),
		},
		Sort: "-stars",
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(results.Pagination.Total, results.Servers[0].ID)
	// Output: 1 octo-labs-weather-mcp
}

func ExampleClient_Health() {
	ctx := context.Background()
	client, err := census.New(census.Config{})
	if err != nil {
		log.Fatal(err)
	}
	health, err := client.Health(ctx, census.HealthParams{GithubURL: "https://github.com/octo-labs/weather-mcp"})
	if err != nil {
		log.Fatal(err)
	}
	if health.Score != nil { // nil: not enough data
		fmt.Println(*health.Score, *health.Grade)
	}
	// Output: 98 A
}

func ExampleAPIError() {
	ctx := context.Background()
	client, err := census.New(census.Config{})
	if err != nil {
		log.Fatal(err)
	}
	_, err = client.Servers.Retrieve(ctx, "nobody")
	var missing *census.NotFoundError
	var limit *census.RateLimitError
	var apiError *census.APIError
	switch {
	case errors.As(err, &missing):
		fmt.Println("not listed; did you mean one of", missing.Candidates)
	case errors.As(err, &limit):
		fmt.Println("try again in", limit.RetryAfter)
	case errors.As(err, &apiError):
		fmt.Println(apiError.StatusCode, apiError.Code, apiError.Detail, apiError.RequestID)
	case err != nil:
		fmt.Println("no response:", err)
	}
	// Output: not listed; did you mean one of [octo-labs-weather-mcp]
}

func ExampleConfig() {
	client, err := census.New(census.Config{
		BaseURL:        "https://census.example",
		APIKey:         "mcp_0123456789abcdef",
		Timeout:        20 * time.Second, // of one attempt
		MaxRetries:     5,
		ETagCacheBytes: 10 << 20,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(client)
	// Output: census.Client{BaseURL: "https://census.example", APIKey: "mcp_0123…"}
}

func ExampleWithResponse() {
	ctx := context.Background()
	client, err := census.New(census.Config{})
	if err != nil {
		log.Fatal(err)
	}
	var response census.Response
	account, err := client.Account.Retrieve(ctx, census.WithResponse(&response), census.WithTimeout(5*time.Second))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(account.Plan.Name, response.StatusCode, len(response.Body) > 0)
	// Output: Enterprise 200 true
}

func ExampleClient_DiscoverTools() {
	ctx := context.Background()
	client, err := census.New(census.Config{})
	if err != nil {
		log.Fatal(err)
	}
	page, err := client.DiscoverTools(ctx, census.DiscoverParams{Search: "weather"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(page.Tools[0].Name, "|", *page.Tools[0].Installation)
	// Output: Weather | npx -y @octo-labs/weather-mcp@1.6.0
}

func ExampleUnwrap() {
	http.HandleFunc("POST /webhooks", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil {
			return
		}
		event, err := census.Unwrap(body, r.Header, os.Getenv("CENSUS_WEBHOOK_SECRET"))
		if err != nil {
			http.Error(w, "invalid signature", http.StatusUnauthorized)
			return
		}
		switch data := event.Data.(type) {
		case *census.WebhookVersionData:
			fmt.Println(data.Server.ID, data.Before, data.After)
		case *census.WebhookAdvisoryData:
			fmt.Println(data.Server.ID, data.Count)
		}
	})
}

func ExampleRegistryService() {
	ctx := context.Background()
	client, err := census.New(census.Config{})
	if err != nil {
		log.Fatal(err)
	}
	entry, err := client.Registry.Retrieve(ctx, "io.github.octo-labs/weather-mcp", census.EntryParams{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(entry.Server.Version, *entry.RegistryMeta().Score)

	for entry, err := range client.Registry.View("healthy").All(ctx, census.EntriesParams{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(entry.Server.Name)
	}
	// Output:
	// 1.6.0 98
	// io.github.octo-labs/weather-mcp
}

func ExampleDirectoryService_AllChanges() {
	ctx, after, mirror := context.Background(), int64(0), map[string]census.ServerChange{}
	client, err := census.New(census.Config{})
	if err != nil {
		log.Fatal(err)
	}
	for page, err := range client.Directory.AllChanges(ctx, census.ChangesParams{After: after}) {
		if err != nil {
			log.Fatal(err)
		}
		for _, change := range page.Changes {
			if change.IsDeleted() {
				delete(mirror, change.ID)
			} else {
				mirror[change.ID] = change
			}
		}
		after = page.Next
	}
	fmt.Println(len(mirror), after)
	// Output: 1 48211
}

func ExampleCustomService_View() {
	ctx := context.Background()
	client, err := census.New(census.Config{})
	if err != nil {
		log.Fatal(err)
	}
	view, err := client.Custom.View(ctx, "good-databases")
	if err != nil {
		log.Fatal(err)
	}
	entries, err := client.Registry.View(path.Base(view.URL)).List(ctx, census.EntriesParams{Limit: 10})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(view.URL, len(entries.Servers) > 0)
	// Output: http://127.0.0.1:8080/r/0f8fad5bd9cb469fa16570867728950e true
}

func ExampleWebhooksService_Create() {
	ctx := context.Background()
	client, err := census.New(census.Config{})
	if err != nil {
		log.Fatal(err)
	}
	endpoint, err := client.Webhooks.Create(ctx, census.WebhookEndpointRequest{
		URL:     "https://hooks.example/mcp",
		Events:  []census.WebhookEventType{census.WebhookEventTypeServerAdvisory},
		Servers: []string{"octo-labs-weather-mcp"},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(endpoint.ID, endpoint.Secret[:6])
	// Output: 1 whsec_
}

// TestReadme checks that the code of the README is that of the examples.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	examples, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	words := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	blocks := strings.Split(string(readme), "```go\n")[1:]
	for _, b := range blocks {
		code, _, _ := strings.Cut(b, "```")
		if !strings.Contains(words(string(examples)), words(code)) {
			t.Errorf("no example has this code of the README:\n%s", code)
		}
	}
	if len(blocks) < 8 {
		t.Errorf("the README has %d examples", len(blocks))
	}
}
