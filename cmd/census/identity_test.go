package main

import (
	"encoding/json"
	"html"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/account"
	"mcpcensus/internal/postgres/people"
	"mcpcensus/internal/registry"
	"mcpcensus/jobs"
)

// identity is the data that identifies a server to users, and how it is used.
type identity struct {
	Name, Owner, Status, Category string
	Official                      bool
	Why                           string // it is official
	Score                         int

	Description, Licence, Language string
	Command                        string // that installs it
	Transports, Tags               []string
	Tools                          int
}

// in returns the part of an identity in a place: tool entries have no reasons and properties,
// lists have no commands.
func (i identity) in(place string) identity {
	switch {
	case strings.Contains(place, "format=mcp"):
		i.Why, i.Licence, i.Language, i.Tags, i.Tools = "", "", "", nil, 0
	case place != "the export's record":
		i.Command = ""
	}
	return i
}

// TestIdentityEverywhere compares an official server and a stranger's deprecated one in the
// APIs, the page, its Markdown and the export.
func TestIdentityEverywhere(t *testing.T) {
	w := newEnvironment(t)
	now := time.Now().UTC().Truncate(time.Second)
	store := func(id int64, repo registry.Repository, d registry.Detection, deprecated bool) {
		repo.Host, repo.ID, repo.ObservedAt, repo.CreatedAt = registry.GitHub, id, now, now.AddDate(-1, 0, 0)
		repo.PushedAt, repo.Commit = now, "c1"
		c := registry.Candidate{Ref: repo.Ref(), HostID: id, Source: "manual"}
		if _, err := w.db.Enqueue(t.Context(), []registry.Candidate{c}, now); err != nil {
			t.Fatal(err)
		}
		works, err := w.db.Lease(t.Context(), 1, time.Hour, now)
		if err != nil || len(works) != 1 {
			t.Fatal(works, err)
		}
		f := registry.Facts{Repo: repo, Detection: d, Tree: &registry.TreeFacts{ObservedAt: now}}
		if deprecated {
			f.Readme = &registry.ReadmeFacts{Deprecation: "declared", DeprecationText: "Use another.", ObservedAt: now}
		}
		err = w.db.SaveResult(t.Context(), registry.Result{
			Visit: registry.Visit{Work: works[0], Outcome: registry.Fetched, Snapshot: &registry.Snapshot{Repo: repo}},
			Now:   now, NextAt: now.AddDate(0, 0, 1), State: "server", Scored: []registry.Scored{jobs.Score(f, now)},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	detection := func(name string) registry.Detection {
		return registry.Detection{IsServer: true, Name: name, Description: "Takes payments", Category: "api",
			License: "MIT", Language: "TypeScript", Tags: []string{"payment", "refund"},
			Transports: []string{registry.TransportStdio, registry.TransportHTTP},
			Tools:      []registry.Tool{{Name: "create_refund"}, {Name: "list_refunds"}},
			Variables:  []registry.Variable{{Name: "PAYMENT_KEY", IsRequired: true, IsSecret: true}},
			Remotes:    []registry.Remote{{Type: registry.TransportHTTP, URL: "https://mcp.payments.dev/mcp"}},
			Packages: []registry.Package{{RegistryType: "npm", Identifier: "payments-mcp", Version: "1.2.0",
				PackageArguments: []registry.Argument{{Type: "positional", Value: "start"}}}}}
	}
	store(1, registry.Repository{Owner: "stripe", Name: "toolkit", OwnerType: "Organization"}, detection("Stripe"), false)
	store(2, registry.Repository{Owner: "octo-labs", Name: "stripe-mcp", OwnerType: "User"}, detection("Stripe"), true)

	if _, _, err := people.New(w.db).SignUp(t.Context(), account.Login{Account: account.Account{Email: "a@example.com"}},
		"a@example.com", account.ByOwner, "", now); err != nil {
		t.Fatal(err)
	}
	key := strings.TrimSpace(w.run("key", "make", "a@example.com", "--name", "test"))
	key = key[strings.LastIndexByte(key, '\n')+1:]
	dir := filepath.Join(t.TempDir(), "out")
	w.run("export", dir, "--url", "https://copy.example")
	s := w.serve("api,pages")

	for slug, owner := range map[string]string{"stripe-toolkit": "stripe", "octo-labs-stripe-mcp": "octo-labs"} {
		t.Run(slug, func(t *testing.T) {
			req, _ := http.NewRequest(http.MethodGet, s.url+"/v1/servers/"+slug, nil)
			req.Header.Set("Authorization", "Bearer "+key)
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			want := identityOf(t, body)
			if want.Command != "npx -y payments-mcp@1.2.0 start" || want.Tools != 2 ||
				want.Name != "Stripe" || want.Owner != owner ||
				want.Official != (owner == "stripe") {
				t.Fatalf("/v1/servers/%s: %+v\n%.300s", slug, want, body)
			}
			file, err := os.ReadFile(filepath.Join(dir, "servers", slug+".json"))
			if err != nil {
				t.Fatal(err)
			}
			for place, got := range map[string]identity{
				"/api/servers":              identityIn(t, s, "/api/servers?limit=100", "servers", slug),
				"/api/discover":             identityIn(t, s, "/api/discover", "servers", slug),
				"/api/discover?format=mcp":  identityIn(t, s, "/api/discover?format=mcp", "tools", slug),
				"the export's record":       identityOf(t, file),
				"the export's list as JSON": exported(t, dir, slug),
			} {
				if d := cmp.Diff(want.in(place), got); d != "" {
					t.Errorf("%s (-/v1 +%s)\n%s", place, place, d)
				}
			}
			_, page := s.get("/servers/" + slug)
			_, markdown := s.get("/servers/" + slug + ".md")
			copied, _ := os.ReadFile(filepath.Join(dir, "servers", slug+".html"))
			copiedMarkdown, _ := os.ReadFile(filepath.Join(dir, "servers", slug+".md"))
			for place, text := range map[string]string{"page": page, "Markdown": markdown,
				"exported page": string(copied), "exported Markdown": string(copiedMarkdown)} {
				text = strings.ReplaceAll(html.UnescapeString(text), `\`, "")
				official := strings.Contains(text, `id="official"`) || strings.Contains(text, "- Official: ")
				deprecated := strings.Contains(text, "says that the server is deprecated: ")
				if !strings.Contains(text, owner) || official != want.Official ||
					!strings.Contains(text, want.Why) || deprecated != (want.Status == "deprecated") {
					t.Errorf("%s: official %v, deprecated %v, want %+v", place, official, deprecated, want)
				}
				for _, fact := range append([]string{want.Description, want.Command, want.Licence, want.Language,
					"PAYMENT_KEY", "https://mcp.payments.dev/mcp", "create_refund", "list_refunds"}, want.Tags...) {
					if !strings.Contains(text, fact) {
						t.Errorf("%s does not say %q", place, fact)
					}
				}
			}
		})
	}
}

// identityOf reads the identity from a record or a tool entry.
func identityOf(t *testing.T, data []byte) identity {
	t.Helper()
	var r struct {
		Name, Status, Category string
		Official               bool
		OfficialReason         *string
		QualityScore           *int
		Score                  *int `json:"quality_score"`
		Repository             struct{ Owner string }
		Description            string
		License, Language      string
		Installation           string
		Install                struct{ Command string }
		Transports, Tags       []string
		ToolCount              int
		Meta                   map[string]struct {
			Owner, Status, Category string
			Official                bool
			Transports              []string
		} `json:"_meta"`
	}
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatalf("%v\n%.300s", err, data)
	}
	out := identity{Name: r.Name, Owner: r.Repository.Owner, Status: r.Status, Category: r.Category, Official: r.Official,
		Description: r.Description, Licence: r.License, Language: r.Language, Transports: r.Transports, Tags: r.Tags,
		Command: r.Installation + r.Install.Command, Tools: r.ToolCount}
	for _, m := range r.Meta {
		out.Transports = m.Transports
		out.Owner, out.Status, out.Category, out.Official = m.Owner, m.Status, m.Category, m.Official
	}
	if r.OfficialReason != nil {
		out.Why = *r.OfficialReason
	}
	for _, n := range []*int{r.QualityScore, r.Score} {
		if n != nil {
			out.Score = *n
		}
	}
	return out
}

// identityIn returns the identity of a server in a list of the API.
func identityIn(t *testing.T, s *served, path, member, slug string) identity {
	t.Helper()
	status, body := s.get(path)
	if status != http.StatusOK {
		t.Fatalf("%s: %d %s", path, status, body)
	}
	return entryOf(t, []byte(body), member, slug)
}

// exported returns the identity of a server in the list of an export.
func exported(t *testing.T, dir, slug string) identity {
	t.Helper()
	body, err := os.ReadFile(filepath.Join(dir, "api", "servers", "1.json"))
	if err != nil {
		t.Fatal(err)
	}
	return entryOf(t, body, "servers", slug)
}

func entryOf(t *testing.T, body []byte, member, slug string) identity {
	t.Helper()
	var all map[string]json.RawMessage
	var entries []json.RawMessage
	if err := json.Unmarshal(body, &all); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(all[member], &entries); err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.Contains(string(e), `"id":"`+slug+`"`) || strings.Contains(string(e), `"id": "`+slug+`"`) {
			return identityOf(t, e)
		}
	}
	t.Fatalf("no %s in %.500s", slug, body)
	return identity{}
}
