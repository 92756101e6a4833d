package pages_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"mcpcensus/internal/registry"
	"mcpcensus/web/record"
	"mcpcensus/web/webtest"
	"mcpcensus/web/webtest/sitetest"
)

func heads(t *testing.T, body, kind string) (all []map[string]string) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && n.Data == kind && n.Parent.Data == "head" {
			m := map[string]string{}
			for _, a := range n.Attr {
				m[a.Key] = a.Val
			}
			if n.FirstChild != nil {
				m["text"] = n.FirstChild.Data
			}
			all = append(all, m)
		}
	}
	return all
}

func TestMeta(t *testing.T) {
	servers := webtest.Generated(40)
	x := &servers[7]
	x.Description, x.License, x.LatestVersion, x.Downloads, x.Stars = `Says "so" & </script><b>`, "MIT", "2.0.0", new(int64(12)), nil
	s := sitetest.New(t, servers)
	body := s.Page("/servers/"+x.Slug, 200)
	metas := map[string]string{}
	for _, m := range heads(t, body, "meta") {
		if k := m["property"] + m["name"]; metas[k] == "" {
			metas[k] = m["content"]
		} else {
			t.Errorf("%s twice", k)
		}
	}
	for k, want := range map[string]string{
		"og:type": "website", "og:url": "https://census.example/servers/" + x.Slug,
		"og:title": record.New(x).PageTitle(), "og:description": x.Description,
		"og:image":     "https://census.example/social/" + x.Slug + ".png",
		"twitter:card": "summary_large_image", "og:site_name": "Census",
	} {
		if metas[k] != want {
			t.Errorf("%s is %q, want %q", k, metas[k], want)
		}
	}
	links := map[string]string{}
	for _, l := range heads(t, body, "link") {
		links[l["rel"]+" "+l["type"]] = l["href"]
	}
	for k, want := range map[string]string{
		"canonical ":                     "https://census.example/servers/" + x.Slug,
		"alternate application/atom+xml": "/feed.atom",
		"alternate text/markdown":        "/servers/" + x.Slug + ".md",
	} {
		if links[k] != want {
			t.Errorf("%s is %q, want %q", k, links[k], want)
		}
	}
	found := 0
	for _, script := range heads(t, body, "script") {
		if script["type"] != "application/ld+json" {
			continue
		}
		found++
		var d map[string]any
		if err := json.Unmarshal([]byte(script["text"]), &d); err != nil {
			t.Fatal(err, script["text"])
		}
		for k, want := range map[string]any{
			"@context": "https://schema.org", "@type": "SoftwareApplication", "name": x.Name, "description": x.Description,
			"license": "https://spdx.org/licenses/MIT.html", "softwareVersion": "2.0.0",
			"url": "https://census.example/servers/" + x.Slug,
		} {
			if d[k] != want {
				t.Errorf("%s is %v, want %v", k, d[k], want)
			}
		}
		if got := fmt.Sprint(
			d["interactionStatistic"],
		); strings.Contains(got, "LikeAction") || !strings.Contains(
			got, "userInteractionCount:12",
		) {
			t.Errorf("stars are not known, downloads are: %s", got)
		}
		if d["aggregateRating"] != nil {
			t.Error("a score that no user gave is shown as a rating")
		}
	}
	if found != 1 {
		t.Errorf("%d data blocks", found)
	}
	for path, feed := range map[string]string{"/categories/" + x.Category: "/categories/" + x.Category + "/feed.atom"} {
		if !slices.ContainsFunc(heads(t, s.Page(path, 200), "link"), func(l map[string]string) bool {
			return l["type"] == "application/atom+xml" && l["href"] == feed
		}) {
			t.Errorf("%s does not name its feed", path)
		}
	}
	if !strings.Contains(s.Page("/", 200), `"@type":"WebSite"`) {
		t.Error("the home page has no data")
	}
	if body := s.Page("/servers/nothing", 404); strings.Contains(body, "og:") {
		t.Error("a page that is missing is to be shared")
	}
}

func TestMeta_hostile_texts(t *testing.T) {
	t.Parallel()
	for n, x := range webtest.Attacks {
		s := sitetest.New(t, []registry.Server{webtest.Hostile(fmt.Sprintf("evil-%d", n), x)})
		body := s.Page(fmt.Sprintf("/servers/evil-%d", n), 200)
		count := 0
		for _, script := range heads(t, body, "script") {
			if script["type"] == "application/ld+json" {
				count++
				if !json.Valid([]byte(script["text"])) || strings.ContainsAny(script["text"], "<>") {
					t.Errorf("%q: %s", x, script["text"])
				}
			}
		}
		if count != 1 {
			t.Errorf("%q: %d data blocks", x, count)
		}
	}
}
