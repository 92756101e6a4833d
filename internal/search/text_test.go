package search

import (
	"slices"
	"testing"

	"mcpcensus/internal/registry"
)

// smallRegistry has a server for each kind of text that TestTextMatches
// searches for.
func smallRegistry() []registry.Server {
	servers := []registry.Server{
		{Slug: "gmail", Name: "gmail-reader", Description: "Read and label messages in Gmail"},
		{Slug: "outlook", Name: "outlook", Description: "Reads the inbox of Outlook"},
		{Slug: "trains", Name: "rail-12306", Description: "Search and book a train ticket in China"},
		{Slug: "calendar", Name: "gcal", Description: "Create events", Tags: []string{"calendar"}},
		{Slug: "cluster", Name: "kubernetes", Description: "Inspect pods and deployments"},
		{Slug: "helm", Name: "k8s-charts", Description: "Install charts in a cluster"},
		{Slug: "tables", Name: "postgres-tables", Description: "Query tables and schemas"},
		{Slug: "vectors", Name: "pg-vectors", Description: "Nearest neighbours"},
		{Slug: "bucket", Name: "s3-bucket", Description: "Upload and download objects"},
		{Slug: "lambda", Name: "aws-lambda", Description: "Invoke functions"},
		{Slug: "finder", Name: "elasticsearch", Description: "Indexes and aggregations"},
		{Slug: "versions", Name: "git", Description: "Commits and branches of a repository"},
		{Slug: "coffee", Name: "Café Zürich", Description: "Opening hours of naïve baristas"},
		{Slug: "sky", Name: "getForecast", Description: "Tomorrow's temperature", Tools: []registry.Tool{{Name: "getRainRadar"}}},
		{Slug: "tianqi", Name: "天气预报", Description: "查询中国城市的天气"},
		{Slug: "tenki", Name: "東京の地図", Description: "カフェを検索する"},
		{Slug: "folders", Name: "mcp-file-system", Description: "Folders"},
		{Slug: "disk", Name: "rust-mcp-filesystem", Description: "Directories"},
		{Slug: "ledger", Name: "bookkeeping", Description: "The company's invoices and receipts", Readme: "Needs an accountant."},
		{Slug: "lamps", Name: "hue", Description: "Lights",
			Packages: []registry.Package{{RegistryType: "pypi", Identifier: "smarthome-easy-mcp"}},
			Remotes:  []registry.Remote{{URL: "https://mcp.lumen.example/sse"}}},
	}
	for i := range servers {
		servers[i].ID, servers[i].Seq = int64(i+1), int64(i+1)
	}
	return servers
}

func TestTextMatches(t *testing.T) {
	type row struct {
		text  string
		first string   // the best match
		has   []string // are among the matches
		lacks []string // are not
		none  bool     // nothing matches
	}
	table := []struct {
		subject string
		rows    []row
	}{
		{"stemming", []row{
			{text: "booking tickets", first: "trains"},
			{text: "querying", has: []string{"tables"}},
			{text: "deployed", has: []string{"cluster"}},
		}},
		{"plural", []row{
			{text: "calendars", has: []string{"calendar"}},
			{text: "invoice", first: "ledger"},
			{text: "repositories", first: "versions"},
		}},
		{"possessive", []row{
			{text: "company", first: "ledger"},
			{text: "gmail's", first: "gmail"},
			{text: "tomorrow’s", first: "sky"},
		}},
		{"case and accents", []row{
			{text: "cafe", first: "coffee"},
			{text: "CAFÉ", first: "coffee"},
			{text: "zurich", first: "coffee"},
			{text: "Naive", first: "coffee"},
		}},
		{"Chinese and Japanese", []row{
			{text: "天气", first: "tianqi", lacks: []string{"tenki"}},
			{text: "中国", has: []string{"tianqi"}},
			{text: "東京", first: "tenki", lacks: []string{"tianqi"}},
			{text: "カフェ", first: "tenki"},
		}},
		{"typing errors", []row{
			{text: "giy", none: true}, // of three letters all count
			{text: "outlok", first: "outlook"},
			{text: "invoyces", first: "ledger"},
			{text: "elastcsaearch", first: "finder"}, // two
			{text: "zzzzzzzz", none: true},
		}},
		{"beginning of the last word", []row{
			{text: "forec", first: "sky"},
			{text: "outl", first: "outlook"},
			{text: "train tick", first: "trains"},
			{text: "forec ", none: true}, // a finished word
		}},
		{"synonyms", []row{
			{text: "k8s", has: []string{"cluster", "helm"}},
			{text: "kubernetes", has: []string{"cluster", "helm"}},
			{text: "postgresql", has: []string{"tables", "vectors"}},
			{text: "pg", has: []string{"tables", "vectors"}},
			{text: "google calendar", first: "calendar"},
		}},
		{"wider terms", []row{
			{text: "aws", has: []string{"bucket", "lambda"}},
			{text: "s3", first: "bucket", lacks: []string{"lambda"}},
			{text: "email", has: []string{"gmail"}},
			{text: "database", has: []string{"tables", "vectors"}},
		}},
		{"names", []row{
			{text: "forecast", first: "sky"},
			{text: "rain radar", first: "sky"},
			{text: "filesystem", has: []string{"folders", "disk"}},
			{text: "file system", has: []string{"folders", "disk"}},
		}},
		{"packages and hosts", []row{
			{text: "smarthome-easy-mcp", first: "lamps"},
			{text: "smarthome easy mcp", first: "lamps"},
			{text: "mcp.lumen.example", first: "lamps"},
		}},
		{"README", []row{{text: "accountant", first: "ledger"}}},
		{"sentences", []row{
			{text: "gmail", first: "gmail"},
			{text: "I need to read my gmail", first: "gmail"},
			{text: "Which server lets me book a ticket for the train?", first: "trains"},
			{text: "please find something that can upload objects to a bucket", first: "bucket"},
			{text: "quixotic flurbish gmail blorptang wexlify", first: "gmail"}, // one known word
			{text: "ticket booking train china", first: "trains"},
		}},
		{"stop words", []row{
			{text: "mcp", has: []string{"folders", "disk"}},
			{text: "an mcp server for git", first: "versions"},
		}},
	}
	forEachEngine(t, func(t *testing.T, idx Index) {
		load(t, idx, smallRegistry())
		for _, tt := range table {
			for _, row := range tt.rows {
				t.Run(tt.subject+"/"+row.text, func(t *testing.T) {
					got := match(t, idx, row.text)
					missing := slices.DeleteFunc(slices.Clone(row.has), func(slug string) bool { return slices.Contains(got, slug) })
					wrong := slices.DeleteFunc(slices.Clone(row.lacks), func(slug string) bool { return !slices.Contains(got, slug) })
					_, isMeili := idx.(*Meili)
					switch {
					case isMeili && len(missing) > 0 && row.text == "中国":
						t.Skip("SKIPPED: this Meilisearch was built without its Chinese tokenizer, which official builds have")
					case row.none && len(got) > 0:
						t.Errorf("%v, want nothing", got)
					case row.first != "" && (len(got) == 0 || got[0] != row.first):
						t.Errorf("%v, want %s first", got, row.first)
					case len(missing) > 0 || len(wrong) > 0:
						t.Errorf("%v, missing %v, unwanted %v", got, missing, wrong)
					}
				})
			}
		}
	})
}
