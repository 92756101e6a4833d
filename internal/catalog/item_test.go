package catalog

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
)

func TestItem(t *testing.T) {
	score, stars, count, downloads := 71, 12, 1, int64(900)
	at := time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC)
	want := registry.Server{
		ID: 7, Seq: 9, Slug: "octo-weather", OldSlugs: []string{"octo-wx"},
		Name: "Weather", Title: "The weather", Description: "Forecasts.", RegistryName: "io.github.octo/weather",
		Category: "data", Tags: []string{"weather"}, SDK: "go", Language: "Go", License: "MIT",
		Stars: &stars, Downloads: &downloads, Transports: []string{"stdio"}, Status: "active",
		Kind: registry.KindProxy, Verified: true,
		Tools: []registry.Tool{{Name: "forecast", Description: "Tells it."}}, ToolCount: &count,
		LatestVersion: "1.2.0", ReleasedAt: &at, LastCommitAt: &at, CreatedAt: at, UpdatedAt: at, ListedAt: at,
		InstallCommand: "npx -y weather@1.2.0", LastCrawledAt: &at,
	}
	want.Health.Flags = []string{"not_mcp"}
	want.Health.Score, want.Health.Grade, want.Health.Commit = &score, "B", "abc"
	want.Repo.Host, want.Repo.Owner, want.Repo.Name, want.Repo.Fork = "github.com", "octo", "weather", true
	c := New()
	if err := c.Apply([]registry.Server{want}, nil, 9); err != nil {
		t.Fatal(err)
	}
	i, _ := c.View().Find("octo-weather")
	t.Run("record", func(t *testing.T) {
		got, err := i.Record()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&want, got); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("summary", func(t *testing.T) {
		light := want
		light.KnownRisks, light.KnownEffect = want.Risks(), want.Effect()
		light.KnownSecrets = new(want.HasSecrets())
		if len(light.KnownRisks) != 1 {
			t.Fatal(light.KnownRisks)
		}
		light.LatestVersion, light.InstallCommand, light.Health.Commit = "", "", ""
		light.Health.Flags = nil
		light.Tools, light.ListedAt = []registry.Tool{{Name: "forecast"}}, time.Time{}
		if diff := cmp.Diff(&light, i.Summary()); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("texts", func(t *testing.T) {
		for got := range c.View().Texts() {
			short := registry.Server{Slug: want.Slug, Name: want.Name, Title: want.Title,
				Description: want.Description, Category: want.Category, Tags: want.Tags,
				Tools: []registry.Tool{{Name: "forecast"}}, Remotes: want.Remotes}
			short.Repo.Owner, short.Repo.Name = want.Repo.Owner, want.Repo.Name
			if diff := cmp.Diff(&short, got); diff != "" {
				t.Error(diff)
			}
		}
	})
}

func TestRecord_tags(t *testing.T) {
	c := New()
	stored := registry.Server{ID: 1, Seq: 1, Slug: "a", Tags: []string{"postgresql", "k8s", "tides", "pg"}}
	if err := c.Apply([]registry.Server{stored}, nil, 1); err != nil {
		t.Fatal(err)
	}
	i, _ := c.View().Find("a")
	record, err := i.Record()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"postgres", "kubernetes", "tides"}
	if diff := cmp.Diff([][]string{want, want}, [][]string{record.Tags, i.Summary().Tags}); diff != "" {
		t.Error(diff)
	}
	for _, tag := range []string{"postgresql", "postgres", "PG", "kubernetes", "k8s", "tides"} {
		filters, err := query.ParseFilters([]byte(`{"tags": "` + tag + `"}`))
		if err != nil {
			t.Fatal(err)
		}
		found, _ := c.View().Search(query.Query{Filters: filters, Limit: 10}, nil)
		if diff := cmp.Diff([]string{"a"}, found.Slugs); diff != "" {
			t.Errorf("filter by tag %s: %s", tag, diff)
		}
	}
}
