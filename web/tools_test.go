package web

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/registry"
)

// weighed is a server with two tools from source code.
func weighed(slug string, tokens int) registry.Server {
	s := plainServer(slug)
	yes := true
	at := now.AddDate(0, 0, -1)
	s.Category = "data"
	s.ToolsFrom, s.ToolsVersion, s.ToolsAt, s.ToolTokens = registry.ToolsFromSource, "1.4.0", &at, &tokens
	s.Tools = []registry.Tool{
		{Name: "get_page", Title: "Get page", Tokens: 10, Annotations: &registry.ToolAnnotations{ReadOnly: &yes}},
		{Name: "drop_all", Title: "Delete everything", Tokens: tokens - 10,
			Annotations: &registry.ToolAnnotations{Destructive: &yes}},
	}
	return s
}

func TestServer_tools(t *testing.T) {
	var servers []registry.Server
	for i := range 8 {
		servers = append(servers, weighed(fmt.Sprint("s", i), 1000*(i+1)))
	}
	servers = append(servers, weighed("big", 24_321))
	servers[2].Suspicious = []registry.SuspiciousText{{Rule: "R1", Tool: "get_page", Field: "description",
		Quote: "a<U+200B>b <script>"}}
	s := newSite(t, servers)
	for path, wants := range map[string][]string{
		"/servers/s2": {
			"Read from the source code of version 1.4.0 on 19 Nov 2026.",
			"About 3,000 tokens, 1.5% of a context window of 200,000; heavier than 25% of the 8 other servers in Data.",
			"Heaviest: <code>drop_all</code> (2,990), <code>get_page</code> (10).",
			`<span class="tag">read-only</span>`, `<span class="tag">destructive</span>`, "Delete everything",
			"Invisible characters", "<q>a&lt;U&#43;200B&gt;b &lt;script&gt;</q>", "A finding, not a verdict",
			`href="/docs/tools#rules"`,
		},
		"/servers/big": {`<span class="status">heavy</span>`, "About 24,000 tokens, 12.2% of"},
	} {
		body := s.page(path, 200)
		for _, want := range wants {
			if !strings.Contains(body, want) {
				t.Errorf("%s lacks %q", path, want)
			}
		}
		if strings.Contains(body, "Get page") {
			t.Errorf("%s: a title repeats the name", path)
		}
		if (path == "/servers/big") == strings.Contains(body, "Suspicious texts") {
			t.Errorf("%s: suspicious texts", path)
		}
	}
	md := s.text("/servers/s2.md")
	for _, want := range []string{
		"Read from the source code of version 1.4.0 on 19 Nov 2026.", "About 3,000 tokens", "`drop_all` (2990)",
		"(Delete everything)", "Stated by the server: destructive.",
		"- Invisible characters (R1), `description` of `get_page`: ",
	} {
		if !strings.Contains(md, want) {
			t.Errorf("the Markdown lacks %q:\n%s", want, md)
		}
	}
	compared := s.page("/compare?s=s2&s=big", 200)
	if !strings.Contains(compared, "24,321") || !strings.Contains(compared, "Tokens (about)") {
		t.Error("the comparison lacks tokens")
	}
	rules := s.page("/docs/tools", 200)
	if !strings.Contains(rules, `id="rules"`) || !strings.Contains(rules, `href="/docs/scoring#hidden_instructions"`) {
		t.Error("the rules")
	}
}

func TestServer_toolChanges(t *testing.T) {
	list := func(from, version string, days int, tools ...registry.Tool) registry.ToolList {
		return registry.ToolList{From: from, Version: version, At: now.AddDate(0, 0, -days), Tools: tools}
	}
	old := registry.Tool{Name: "read", Description: "Reads one file."}
	changed := registry.Tool{Name: "read", Description: "Reads and deletes one <b>file."}
	figures := &fakeFigures{tools: []registry.ToolList{
		list("run", "1.0", 1, changed, registry.Tool{Name: "send"}),
		list("run", "1.0", 2, old),
		list("source", "1.0", 3, changed),
		list("source", "0.9", 4, old, registry.Tool{Name: "gone"}),
	}}
	servers := []registry.Server{plainServer("x")}
	body := newSite(t, servers, func(o *Options) { o.Figures = figures }).page("/servers/x", 200)
	for _, want := range []string{
		"Changes of tools", "19 Nov 2026", "changed without a new version",
		"Changed: <code>read</code>", "Added: <code>send</code>", "Removed: <code>gone</code>",
		"Reads <ins>and deletes</ins> one <del>file.</del> <ins>&lt;b&gt;file.</ins>",
		"The list before was from the source code, so that differences are not changes of the server.",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if n := strings.Count(body, "changed without a new version"); n != 1 {
		t.Errorf("%d changes without a new version", n)
	}
	figures = &fakeFigures{tools: figures.tools[:1]}
	body = newSite(t, servers, func(o *Options) { o.Figures = figures }).page("/servers/x", 200)
	if strings.Contains(body, "Changes of tools") {
		t.Error("a single list is shown as a change")
	}
}

type toolNews struct{ at time.Time }

func (n toolNews) News(context.Context, []string, time.Time, time.Time, int) ([]registry.News, error) {
	return []registry.News{{Slug: "x", At: n.at, Tools: &registry.ToolsChange{
		From: registry.ToolsFromRun, Version: "1.2 & 3", SameVersion: true,
		Added: []string{"a", "b"}, Changed: []string{"<c>"}}}}, nil
}

func TestFeed_toolChanges(t *testing.T) {
	s := newSite(t, []registry.Server{plainServer("x")}, func(o *Options) { o.News = toolNews{now} })
	feed := s.text("/feed.atom")
	for _, want := range []string{
		"tools changed (2 added, 1 changed) without a new version</title>", `term="tools"`,
		"servers/x/tools/2026-11-20T12:00:00Z</id>",
		"Added: a, b. Changed: &lt;c&gt;. Listed by its published package, started in a sandbox, version 1.2 &amp; 3.",
	} {
		if !strings.Contains(feed, want) {
			t.Errorf("the feed lacks %q:\n%s", want, feed)
		}
	}
}
