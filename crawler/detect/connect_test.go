package detect

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/manifest"
	"mcpcensus/crawler/manifest/readme"
	"mcpcensus/crawler/shell"
	"mcpcensus/internal/registry"
)

// snapshotOf returns a snapshot with files that were not read.
func snapshotOf(paths ...string) *registry.Snapshot {
	s := &registry.Snapshot{Repo: registry.Repository{Host: registry.GitHub, Owner: "octo", Name: "tides-mcp"}}
	for _, p := range paths {
		s.Files = append(s.Files, registry.File{Path: p, Size: 100})
	}
	return s
}

func TestRemotes(t *testing.T) {
	for name, tt := range map[string]struct {
		doc  readme.Document
		want []registry.Remote
	}{
		"own host": {readme.Document{Endpoints: []string{"https://tides.dev/mcp", "https://tides.dev/mcp/"}},
			[]registry.Remote{{Type: registry.TransportHTTP, URL: "https://tides.dev/mcp"}}},
		"third-party host": {readme.Document{Endpoints: []string{"https://waves.dev/mcp"}}, nil},
		"own name at a third-party host": {readme.Document{Servers: []manifest.ClientServer{
			{Name: "tides", Entry: shell.Entry{
				URL:     "https://sea.dev/sse",
				Headers: map[string]string{"Authorization": "x", "X-Zone": "y"},
			}},
		}}, []registry.Remote{{Type: registry.TransportSSE, URL: "https://sea.dev/sse", Headers: []registry.Variable{
			{Name: "Authorization", IsRequired: true, IsSecret: true},
			{Name: "X-Zone", IsRequired: true, Value: "y"},
		}, Key: "tides"}}},
		"scheme of a header": {readme.Document{Servers: []manifest.ClientServer{
			{Entry: shell.Entry{
				URL:     "https://tides.dev/mcp",
				Headers: map[string]string{"Authorization": "Tide-Bearer ${TIDES_TOKEN}"},
			}},
		}}, []registry.Remote{{Type: registry.TransportHTTP, URL: "https://tides.dev/mcp", Headers: []registry.Variable{
			{Name: "Authorization", IsRequired: true, IsSecret: true, Value: "Tide-Bearer {TIDES_TOKEN}",
				Variables: map[string]registry.Variable{"TIDES_TOKEN": {IsRequired: true, IsSecret: true}}}}}}},
		"header of a bridge": {readme.Document{Servers: []manifest.ClientServer{
			{Name: "tides", Entry: shell.Entry{Command: "npx", Args: []string{"-y", "mcp-remote",
				"https://{region}.tides.dev/mcp", "--header", "Authorization:${TIDES_AUTH}"},
				Env: map[string]string{"TIDES_AUTH": "Bearer your-token"}}},
		}}, []registry.Remote{{Type: registry.TransportHTTP, URL: "https://{region}.tides.dev/mcp",
			Headers: []registry.Variable{{Name: "Authorization", IsRequired: true, IsSecret: true,
				Value:     "Bearer {TIDES_AUTH}",
				Variables: map[string]registry.Variable{"TIDES_AUTH": {IsRequired: true, IsSecret: true}}}},
			Variables: map[string]registry.Variable{"region": {IsRequired: true}}, Key: "tides"}}},
		"a host of the reader's own": {readme.Document{Servers: []manifest.ClientServer{
			{Name: "tides", Entry: shell.Entry{URL: "http://{name}.tides.dev/mcp"}}}}, nil},
		"settings of OAuth": {readme.Document{Servers: []manifest.ClientServer{
			{Name: "tides", Entry: shell.Entry{URL: "https://tides.dev/mcp", OAuth: true}},
			{Name: "tides", Entry: shell.Entry{URL: "https://tides.dev/sse"}},
		}}, []registry.Remote{{Type: registry.TransportHTTP, URL: "https://tides.dev/mcp", Key: "tides", SignsIn: true},
			{Type: registry.TransportSSE, URL: "https://tides.dev/sse", Key: "tides"}}},
		"unknown bridge": {readme.Document{Servers: []manifest.ClientServer{
			{Entry: shell.Entry{Command: "npx", Args: []string{"@sea/remote", "https://tides.dev/sse", "-H", "X-Key: x"}}},
			{Entry: shell.Entry{Command: "npx", Args: []string{"@sea/other", "--api", "https://tides.dev/v1"}}},
		}}, []registry.Remote{{Type: registry.TransportSSE, URL: "https://tides.dev/sse",
			Headers: []registry.Variable{{Name: "X-Key", IsRequired: true, IsSecret: true}}}}},
		"name in another configuration": {readme.Document{Servers: []manifest.ClientServer{
			{Name: "self-hosted", Entry: shell.Entry{URL: "https://tides.dev/mcp"}, Special: true},
			{Name: "octoTides", Entry: shell.Entry{URL: "https://tides.dev/mcp/"}},
		}}, []registry.Remote{{Type: registry.TransportHTTP, URL: "https://tides.dev/mcp", Key: "octoTides"}}},
		"header in one of two configurations": {readme.Document{Servers: []manifest.ClientServer{
			{Entry: shell.Entry{
				URL:     "https://tides.dev/mcp",
				Headers: map[string]string{"X-Tide-Zone": "north", "X-Key": "x"},
			}},
			{Entry: shell.Entry{
				URL: "https://tides.dev/mcp/", Headers: map[string]string{"x-key": "y"},
			}},
			{Entry: shell.Entry{URL: "https://tides.dev/sse"}},
		}}, []registry.Remote{{Type: registry.TransportHTTP, URL: "https://tides.dev/mcp", Headers: []registry.Variable{
			{Name: "X-Key", IsRequired: true, IsSecret: true},
			{Name: "X-Tide-Zone", Placeholder: "north"},
		}}, {Type: registry.TransportSSE, URL: "https://tides.dev/sse"}}},
		"one of two keys": {readme.Document{Servers: []manifest.ClientServer{
			{Entry: shell.Entry{URL: "https://tides.dev/mcp", Headers: map[string]string{"X-Tide-Key": "<key>"}}},
			{Entry: shell.Entry{URL: "https://tides.dev/mcp", Headers: map[string]string{"X-Sea-Key": "<key>"}}},
		}}, []registry.Remote{{Type: registry.TransportHTTP, URL: "https://tides.dev/mcp", Headers: []registry.Variable{
			{Name: "X-Tide-Key", IsRequired: true, IsSecret: true, Value: "{X_TIDE_KEY}",
				Variables: map[string]registry.Variable{"X_TIDE_KEY": {IsRequired: true, IsSecret: true}}},
			{Name: "X-Sea-Key", IsSecret: true, Value: "{X_SEA_KEY}",
				Variables: map[string]registry.Variable{"X_SEA_KEY": {IsSecret: true}}},
		}}}},
		"header that the text calls optional": {readme.Document{
			Text: "Headers\nX-Tide-Zone (optional): zone of the tides\nX-Key: key, with optional parts of X-Other\nAn optional X-Last\n",
			Servers: []manifest.ClientServer{{Entry: shell.Entry{
				URL:     "https://tides.dev/mcp",
				Headers: map[string]string{"X-Tide-Zone": "north", "X-Last": "x", "X-Key": "y"},
			}}},
		}, []registry.Remote{{Type: registry.TransportHTTP, URL: "https://tides.dev/mcp", Headers: []registry.Variable{
			{Name: "X-Key", IsRequired: true, IsSecret: true}, {Name: "X-Last", IsRequired: true, Value: "x"},
			{Name: "X-Tide-Zone", Placeholder: "north"},
		}}}},
		"OAuth instead of a header": {readme.Document{
			Text: "Remote server\nConnect to it at tides.dev, you sign in with OAuth.\n",
			Servers: []manifest.ClientServer{{Entry: shell.Entry{
				URL:     "https://tides.dev/mcp",
				Headers: map[string]string{"Authorization": "Bearer ${TIDES_TOKEN}"},
			}}},
		}, []registry.Remote{{Type: registry.TransportHTTP, URL: "https://tides.dev/mcp", Headers: []registry.Variable{
			{Name: "Authorization", IsSecret: true, Value: "Bearer {TIDES_TOKEN}",
				Variables: map[string]registry.Variable{"TIDES_TOKEN": {IsSecret: true}}}}, SignsIn: true}}},
		"a secret in the URL instead of OAuth": {readme.Document{
			Text:    "Remote server\nConnect to it at tides.dev, or sign in with OAuth.\n",
			Servers: []manifest.ClientServer{{Entry: shell.Entry{URL: "https://tides.dev/mcp?key={key}"}}},
		}, []registry.Remote{{Type: registry.TransportHTTP, URL: "https://tides.dev/mcp?key={key}",
			Variables: map[string]registry.Variable{"key": {IsRequired: true, IsSecret: true}}}}},
		"other options of a bridge and a client": {readme.Document{Servers: []manifest.ClientServer{
			{Entry: shell.Entry{Command: "npx", Args: []string{"mcp-remote", "https://tides.dev/mcp", "--transport",
				"sse-only", "--resource", "https://tides.dev/", "--static-oauth-client-info", `{"client_secret": "x"}`}}},
			{Entry: shell.Entry{URL: "https://tides.dev/mcp", Beside: []string{"oauth.clientId"}}},
		}}, []registry.Remote{{Type: registry.TransportSSE, URL: "https://tides.dev/mcp",
			Beside: []string{"--resource", "--static-oauth-client-info", "oauth.clientId"}}}},
		"OAuth of something else": {readme.Document{
			Text: "Remote server\nThe server at tides.dev has no OAuth.\nCreate an OAuth application with the redirect URI x\n",
			Servers: []manifest.ClientServer{{Entry: shell.Entry{
				URL: "https://tides.dev/mcp", Headers: map[string]string{"Authorization": "x"},
			}}},
		}, []registry.Remote{{Type: registry.TransportHTTP, URL: "https://tides.dev/mcp", Headers: []registry.Variable{
			{Name: "Authorization", IsRequired: true, IsSecret: true}}}}},
		"own name at an aggregator": {
			readme.Document{Servers: []manifest.ClientServer{{
				Name: "tides", Entry: shell.Entry{URL: "https://x.smithery.ai/mcp"},
			}}}, nil,
		},
		"through a bridge": {readme.Document{Servers: []manifest.ClientServer{
			{Name: "x", Entry: shell.Entry{Command: "npx", Args: []string{
				"-y", "mcp-remote", "https://mcp.tides.dev/sse",
			}}},
		}}, []registry.Remote{{Type: registry.TransportSSE, URL: "https://mcp.tides.dev/sse", Key: "x"}}},
	} {
		t.Run(name, func(t *testing.T) {
			c := &candidate{repo: read(snapshotOf()), unit: &unit{}, readme: &tt.doc, own: true, alone: true}
			var d registry.Detection
			c.remotes(&d)
			if diff := cmp.Diff(tt.want, d.Remotes); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestRemoteOfSeveralSources checks that an endpoint has what each of its sources says about it.
func TestRemoteOfSeveralSources(t *testing.T) {
	d := of(t, map[string]string{
		"package.json": npm(""),
		"README.md": "# Tides MCP server\n\n" +
			clientConfig(`{"url": "https://tides.dev/mcp?sea=YOUR_SEA", "headers": {"X-Key": "YOUR_KEY", "X-Zone": "north"}}`),
		".mcp.json": `{"mcpServers": {"tides": {"url": "https://tides.dev/mcp", "oauth": {"callbackPort": 8080}}}}`,
		"server.json": `{"name": "io.github.octo/tides-mcp", "description": "Tides", "version": "1.0.0", "remotes": [
			{"type": "streamable-http", "url": "https://tides.dev/mcp", "headers": [{"name": "x-zone", "isRequired": true}]}]}`,
	}, nil)
	want := []registry.Remote{{Type: registry.TransportHTTP, URL: "https://tides.dev/mcp", Key: "tides",
		Headers: []registry.Variable{{Name: "x-zone", IsRequired: true},
			{Name: "X-Key", IsRequired: true, IsSecret: true, Value: "{X_KEY}",
				Variables: map[string]registry.Variable{"X_KEY": {IsRequired: true, IsSecret: true}}}},
		Beside: []string{"?sea", "oauth.callbackPort"}}}
	if diff := cmp.Diff(want, d.Remotes); diff != "" {
		t.Error(diff)
	}
}

func TestFixedHeaders(t *testing.T) {
	d := of(t, map[string]string{"package.json": npm(""), "README.md": "# Tides MCP server\n",
		"server.json": `{"name": "io.github.octo/tides-mcp", "description": "Tides", "version": "1.0.0", "remotes": [
			{"type": "streamable-http", "url": "https://tides.dev/mcp", "headers": [{"name": "X-Mode", "value": "ro"},
				{"name": "X-Sea", "value": "YOUR_SEA"}, {"name": "X-Bay", "value": "b{bay}"}]}]}`}, nil)
	want := []registry.Variable{{Name: "X-Mode", Value: "ro"}, {Name: "X-Sea", Placeholder: "YOUR_SEA"},
		{Name: "X-Bay", Placeholder: "b{bay}"}}
	if diff := cmp.Diff(want, d.Remotes[0].Headers); diff != "" {
		t.Error(diff)
	}
}

func TestDeclaredType(t *testing.T) {
	const h, s = registry.TransportHTTP, registry.TransportSSE
	configured := func(written, address string) *readme.Document {
		return &readme.Document{Servers: []manifest.ClientServer{{
			Name: "tides", Entry: shell.Entry{Type: written, URL: address},
		}}}
	}
	for name, tt := range map[string]struct {
		declared registry.Remote
		doc      *readme.Document
		want     string
	}{
		"alone": {registry.Remote{Type: s, URL: "https://tides.dev/mcp"}, nil, s},
		"README as path": {registry.Remote{Type: s, URL: "https://tides.dev/mcp"},
			configured("http", "https://tides.dev/mcp"), h},
		"README with SSE": {registry.Remote{Type: s, URL: "https://tides.dev/mcp"},
			configured("sse", "https://tides.dev/mcp"), s},
		"another host": {registry.Remote{Type: s, URL: "https://tides.dev/mcp"},
			configured("http", "https://waves.dev/mcp"), s},
		"no such path": {registry.Remote{Type: s, URL: "https://tides.dev/x"},
			configured("http", "https://tides.dev/x"), s},
		"path as type": {registry.Remote{Type: s, URL: "https://tides.dev/sse"},
			configured("http", "https://tides.dev/mcp"), s},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.doc == nil {
				tt.doc = &readme.Document{}
			}
			c := &candidate{repo: read(snapshotOf()), unit: &unit{}, readme: tt.doc, own: true, alone: true}
			if got := c.declaredType(tt.declared); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestTransports(t *testing.T) {
	for name, tt := range map[string]struct {
		unit unit
		doc  *readme.Document
		want []string
	}{
		"unknown": {unit{}, &readme.Document{Text: "A server."}, nil},
		"bundle":  {unit{bundle: &manifest.Bundle{}}, nil, []string{"stdio"}},
		"README": {
			unit{}, &readme.Document{Text: "Runs with --transport sse or over stdio."},
			[]string{"stdio", "sse"},
		},
		"command": {
			unit{}, &readme.Document{Servers: []manifest.ClientServer{{
				Entry: shell.Entry{Command: "uvx", Args: []string{"x"}},
			}}}, []string{"stdio"},
		},
		"image":      {unit{docker: &manifest.Dockerfile{Entrypoint: "x --transport=http"}}, nil, []string{"streamable-http"}},
		"dependency": {unit{npm: &manifest.Package{Dependencies: []manifest.Dependency{{Name: "mcp-handler"}}}}, nil, []string{"streamable-http"}},
		"of tests":   {unit{npm: &manifest.Package{Dependencies: []manifest.Dependency{{Name: "mcp-handler", Dev: true}}}}, nil, nil},
		"Maven":      {unit{pom: &manifest.Package{Dependencies: []manifest.Dependency{{Name: "a:quarkus-mcp-server-stdio"}}}}, nil, []string{"stdio"}},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.doc == nil {
				tt.doc = &readme.Document{}
			}
			c := &candidate{repo: read(snapshotOf()), unit: &tt.unit, readme: tt.doc, own: true, alone: true}
			var d registry.Detection
			c.transports(&d)
			if diff := cmp.Diff(tt.want, d.Transports); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWrittenTransports(t *testing.T) {
	const i, h, s = registry.TransportStdio, registry.TransportHTTP, registry.TransportSSE
	for text, want := range map[string][]string{
		"Stdio, SSE and HTTP transports":                                                            {i, h, s},
		"- **Dual transport**: `stdio` and `http`":                                                  {i, h},
		"It runs in HTTP mode on port 8080.":                                                        {h},
		"Supports streamable HTTP.":                                                                 {h},
		"Then connect to http://localhost:3000/mcp.":                                                {h},
		"Then connect to http://127.0.0.1:3000/sse.":                                                {s},
		"It listens on `HTTP://[::1]:80/MCP`.":                                                      {h},
		"It listens on http://0.0.0.0:80/mcp and http://10.1.2.3/sse/":                              {h, s},
		"Open http://localhost:80/docs/mcp or http://localhost/mcps.":                               nil,
		"See https://waves.dev/sse":                                                                 nil,
		"The endpoint sends server-sent events to subscribers.":                                     nil,
		"Legacy SSE transport removed. The SSE endpoint is gone.":                                   nil,
		"| `TIDE_KEEP_ALIVE` | Keep-alive interval for SSE connections | `0` |":                     nil,
		"The `/sse` path is not the deprecated HTTP+SSE transport.":                                 nil,
		"A transport that answers with Server-Sent Events (SSE) streams.":                           nil,
		"| `TIDE_FORMAT` | `\"sse\"` |":                                                             nil,
		"- SSE reconnects of the tide feed":                                                         nil,
		"- **SSE**: for the web":                                                                    {s},
		"- SSE":                                                                                     {s},
		"### Serve via SSE":                                                                         {s},
		"| SSE | `/events` |":                                                                       {s},
		"Transports: stdio, SSE":                                                                    {i, s},
		"It does not support the HTTP transport.":                                                   nil,
		"Results are read over HTTP from the service.":                                              nil,
		"Convert it with a bridge between stdio and HTTP.":                                          nil,
		"| `TIDE_KEEP_ALIVE` | Interval for SSE connections, 30s in most cases and clients | `0` |": nil,
	} {
		d := of(t, map[string]string{"package.json": npm(""), "README.md": "# Tides MCP server\n\n" + text + "\n"}, nil)
		got := slices.DeleteFunc(slices.Clone(d.Transports),
			func(t string) bool { return !slices.Contains([]string{i, h, s}, t) })
		if len(d.Packages) > 0 && !slices.Contains(want, i) { // packages use stdio
			got = slices.DeleteFunc(got, func(t string) bool { return t == i })
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestEndpointsWithoutPages(t *testing.T) {
	text := "# Tides MCP server\n\n"
	for _, address := range []string{"https://docs.tides.dev/guide/mcp",
		"https://tides.dev/blog/mcp", "https://www.tides.dev/mcp",
		"https://github.com/octo/mcp", "https://mcp.tides.dev", "https://mcp.tides.dev/mcp",
		"https://docs.mcp.tides.dev/mcp"} {
		text += "See " + address + " for more.\n\n"
	}
	var got []string
	for _, r := range of(t, map[string]string{"package.json": npm(""), "README.md": text}, nil).Remotes {
		got = append(got, r.URL)
	}
	want := []string{"https://docs.mcp.tides.dev/mcp", "https://mcp.tides.dev/mcp"}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestElsewhere checks that documented endpoints that are not the owner's are kept for a note,
// without private hosts, users and queries.
func TestElsewhere(t *testing.T) {
	const about = "# Tides MCP server\n\nRun `npx tides-mcp`.\n\n"
	for entry, want := range map[string][]string{
		`"x": {"url": "http://localhost:8930/mcp?zone=a", "headers": {"X-Tide-Key": "abc"}}`: {
			"http://localhost:8930/mcp with X-Tide-Key"},
		`"x": {"url": "http://localhost:${PORT}/mcp", "headers": {"X-A": "1", "X-B": "2",
			"X-Key: abc": "", "X-Zm9v1YmFy2MTIz3OTk": "1"}}`: {
			"http://localhost:{PORT}/mcp with X-A, X-B"},
		`"tides": {"url": "https://k3y9Zm9vYmFyMTIz.composio.dev/mcp"}`:                      {"{host_token}.composio.dev"},
		`"x": {"command": "npx", "args": ["mcp-remote", "http://127.0.0.1:8930/sse"]}`:       {"http://127.0.0.1:8930/sse"},
		`"x": {"url": "http://ann:tr0ub4dor@localhost:8930/mcp"}`:                            {"http://localhost:8930/mcp"},
		`"x": {"url": "http://localhost:8930/u/ann@tides/mcp"}`:                              {"http://localhost:8930"},
		`"x": {"url": "http://localhost:8930/home/ann/mcp"}`:                                 {"http://localhost:8930"},
		`"x": {"url": "http://localhost:8930?y=/Users/ann#z"}`:                               {"http://localhost:8930"},
		`"tides": {"url": "https://ann-tides.ngrok.app/mcp"}`:                                {"a private or example host"},
		`"tides": {"url": "http://nas12.lan:8930/mcp"}`:                                      {"a private or example host"},
		`"tides": {"url": "https://your-domain.com/mcp"}`:                                    {"a private or example host"},
		`"x": {"url": "https://server.smithery.ai/@octo/tides-mcp/mcp?api_key=Zm9vYmFyMTI"}`: {"server.smithery.ai"},
		`"tides": {"url": "https://mcp.composio.dev/u/Zm9vYmFyMTI"}`:                         {"mcp.composio.dev"},
		`"waves": {"url": "https://waves.dev/mcp"}`:                                          nil, // another server
		`"tides": {"url": "https://tides.dev/mcp"}`:                                          nil, // the owner's
	} {
		text := about + "```json\n{\"mcpServers\": {" + entry + "}}\n```\n"
		d := of(t, map[string]string{"package.json": npm(""), "README.md": text}, nil)
		if diff := cmp.Diff(want, d.Elsewhere); diff != "" {
			t.Errorf("%s: %s", entry, diff)
		}
	}
	declared := map[string]string{"package.json": npm(""), "README.md": about, "server.json": `{
		"name": "io.github.octo/tides-mcp", "description": "Tides", "version": "1.0.0",
		"remotes": [{"type": "streamable-http", "url": "http://localhost:8930/mcp"}]}`}
	if d := of(t, declared, nil); !slices.Equal(d.Elsewhere, []string{"http://localhost:8930/mcp"}) {
		t.Errorf("declared: %q", d.Elsewhere)
	}
}

// TestConfiguredTransports_member checks that the root's README applies only to members with a
// program.
func TestConfiguredTransports_member(t *testing.T) {
	for name, c := range map[string]struct {
		dir, file string
		own       bool
		want      []string
	}{
		"with a program":    {"src/tides", "src/tides/wrangler.toml", false, []string{registry.TransportStdio}},
		"without a program": {"src/tides", "src/tides/tides.md", false, nil},
		"own README":        {"src/tides", "src/tides/tides.md", true, []string{registry.TransportStdio}},
	} {
		t.Run(name, func(t *testing.T) {
			r := read(snapshotOf(c.file))
			r.unit(c.dir).npm = &manifest.Package{}
			m := &candidate{repo: r, unit: r.unit(c.dir), own: c.own,
				readme: &readme.Document{Servers: []manifest.ClientServer{{
					Name: "tides", Entry: shell.Entry{Command: "tides"},
				}}}}
			if d := cmp.Diff(c.want, m.configuredTransports(nil)); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

// TestInputsOfEndpoints checks that what a file declares of the inputs of an endpoint is kept, and that
// values of its query that no code knows are to be filled in.
func TestInputsOfEndpoints(t *testing.T) {
	const config = `{"inputs": [{"id": "tides-key", "type": "promptString", "description": "Key of the account",
		"password": true}, {"id": "coast", "type": "pickString", "description": "Coast", "options": ["east", "west"],
		"default": "east"}], "servers": {"tides": {"type": "http",
		"url": "https://mcp.tides.dev/${input:coast}/mcp?desk=Elbe&mode=full&limit=5",
		"headers": {"Authorization": "Bearer ${input:tides-key}"}}}}`
	const source = `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
		const server = new McpServer({ name: "tides" })
		server.tool("read_tide", {}, ({ mode, desk }) => read(desk, mode === "full"))`
	d := of(t, map[string]string{"package.json": npm(""), "index.ts": source, "README.md": "# Tides MCP server",
		".vscode/mcp.json": config}, nil)
	want := []registry.Remote{{Type: registry.TransportHTTP, Key: "tides",
		URL: "https://mcp.tides.dev/{coast}/mcp?desk={desk}&mode=full&limit=5",
		Headers: []registry.Variable{{Name: "Authorization", IsRequired: true, IsSecret: true, Value: "Bearer {TIDES_KEY}",
			Variables: map[string]registry.Variable{"TIDES_KEY": {
				IsRequired: true, IsSecret: true, Description: "Key of the account"}}}},
		Variables: map[string]registry.Variable{"desk": {IsRequired: true}, "coast": {IsRequired: true,
			Description: "Coast", Default: "east", Choices: []string{"east", "west"}}}}}
	if diff := cmp.Diff(want, d.Remotes); diff != "" {
		t.Error(diff)
	}
}
