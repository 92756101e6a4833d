package catalog

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"mcpcensus/internal/race"
	"mcpcensus/internal/registry"
)

func TestAlike(t *testing.T) {
	c := New()
	var servers []registry.Server
	add := func(slug, name, about, status string, tags ...string) {
		n := int64(len(servers) + 1)
		servers = append(servers, registry.Server{ID: n, Seq: n, Slug: slug, Name: name, Description: about,
			Category: "data", Tags: tags, Status: status, Health: registry.Health{Score: new(int)},
			Repo: registry.Repository{Host: registry.GitHub, Owner: slug, Name: slug}})
	}
	add("self", "Tideworks", "Forecasts the tides of harbours", "active", "tides", "sailing")
	add("same-product", "Tideworks Pro", "Another client of the same service", "active")
	add("same-subject", "Harbourmaster", "When the water is high", "active", "tides", "sailing")
	add("archived", "Tideworks Old", "Forecasts the tides of harbours", "archived", "tides", "sailing")
	add("other", "Invoices", "Writes invoices", "active", "accounting")
	add("sibling", "Tideworks Charts", "Forecasts the tides of harbours", "active", "tides")
	servers[5].Repo = servers[0].Repo
	add("anchors", "Anchors", "Weighs them", "active", "anchors")
	add("sails", "Sails", "Mends them", "active", "sails")
	add("copied", "Tideworks", "Forecasts the tides of harbours", "active", "tides", "sailing")
	servers[8].Copy = &registry.Copy{Of: "self", Kind: registry.CopyOf}
	servers[6].Subfolder, servers[7].Subfolder = "packages/anchors", "packages/sails"
	for _, word := range strings.Fields("red blue green black white brown pink grey gold teal") {
		add(word, "Paint "+word, "Mixes "+word+" paint for walls", "active", "paint")
	}
	if err := c.Apply(servers, nil, 100); err != nil {
		t.Fatal(err)
	}
	v := c.View()
	alike := func(slug string) (got []string) {
		self, _ := v.Find(slug)
		for _, i := range v.Alike(self, 4) {
			got = append(got, i.Slug())
		}
		return got
	}
	for slug, want := range map[string][]string{
		"self":  {"same-product", "same-subject"},
		"other": nil, "anchors": nil,
	} {
		if d := gocmp.Diff(want, alike(slug)); d != "" {
			t.Errorf("%s (-want +got)\n%s", slug, d)
		}
	}
}

// TestCorpusAlike compares suggestions with lists made by people: a suggestion is
// right if the list has both servers under one heading. Pairs of one heading
// whose names share a rare word are for the same product and should be found.
func TestCorpusAlike(t *testing.T) {
	race.Skip(t)
	dir := cmp.Or(os.Getenv("CENSUS_CORPUS"), filepath.Join("..", "..", "..", "shared", "corpus"))
	for _, list := range []string{"docker", "punkpeye", "toolsdk"} {
		data, err := os.ReadFile(filepath.Join(dir, "lists", list+".jsonl"))
		if err != nil && !filepath.IsAbs(dir) {
			data, err = os.ReadFile(filepath.Join("..", "..", dir, "lists", list+".jsonl"))
		}
		if err != nil {
			t.Skip("SKIPPED: no corpus; set CENSUS_CORPUS to a folder with lists/")
		}
		c := New()
		var servers []registry.Server
		heading := map[string]string{}
		words := map[string][]string{}  // by slug: rare words of the name
		having := map[string][]string{} // slugs by word
		for line := range strings.Lines(string(data)) {
			var e struct {
				Name, Repo, Description string
				CategoryHeading         string `json:"category_heading"`
			}
			if json.Unmarshal([]byte(line), &e) != nil || e.CategoryHeading == "" || e.Description == "" {
				continue
			}
			owner, repo, _ := strings.Cut(cmp.Or(e.Repo, e.Name), "/")
			slug := strings.ToLower(strings.ReplaceAll(e.Name, "/", "-"))
			if heading[slug] != "" {
				continue
			}
			name := e.Name[strings.LastIndexByte(e.Name, '/')+1:]
			n := int64(len(servers) + 1)
			servers = append(servers, registry.Server{ID: n, Seq: n, Slug: slug, Status: "active",
				Name: name, Description: e.Description, Category: "tools",
				Repo: registry.Repository{Host: registry.GitHub, Owner: owner, Name: cmp.Or(repo, name)}})
			heading[slug], words[slug] = e.CategoryHeading, wordsOf(name)
			slices.Sort(words[slug])
			words[slug] = slices.Compact(words[slug])
			for _, w := range words[slug] {
				having[w] = append(having[w], slug)
			}
		}
		if err := c.Apply(servers, nil, int64(len(servers))); err != nil {
			t.Fatal(err)
		}
		v := c.View()
		var right, suggested, found, pairs, with int
		for _, s := range servers {
			self, _ := v.Find(s.Slug)
			all := v.Alike(self, 4)
			if len(all) > 0 {
				with++
			}
			for _, o := range all {
				suggested++
				if heading[o.Slug()] == heading[s.Slug] {
					right++
				} else if testing.Verbose() && suggested%97 == 0 {
					t.Logf("%s (%s) -> %s (%s)", s.Slug, heading[s.Slug], o.Slug(), heading[o.Slug()])
				}
			}
			same := map[string]bool{} // the slugs of one product
			for _, w := range words[s.Slug] {
				if len(having[w]) > 5 {
					continue
				}
				for _, o := range having[w] {
					if other, _ := v.Find(o); !sameRepo(self, other) && heading[o] == heading[s.Slug] {
						same[o] = true
					}
				}
			}
			if len(same) > 0 {
				pairs++
				if slices.ContainsFunc(all, func(o *Item) bool { return same[o.Slug()] }) {
					found++
				}
			}
		}
		t.Logf("similar, %-9s same heading  %5.1f %%  (%d of %d), for %d of %d servers", list,
			100*float64(right)/float64(suggested), right, suggested, with, len(servers))
		t.Logf("similar, %-9s same product  %5.1f %%  (%d of %d)", list, 100*float64(found)/float64(pairs), found, pairs)
		if right*3 < suggested || found*3 < pairs*2 {
			t.Errorf("%s: suggestions are not alike", list)
		}
	}
}
