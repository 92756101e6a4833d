package main

import (
	"bytes"
	stdcmp "cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/pelletier/go-toml/v2"
	posix "mvdan.cc/sh/v3/shell"

	"mcpcensus/internal/cli"
	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
)

// outputs answers what each output of a registry says of a server.
type outputs struct {
	t        *testing.T
	public   http.Handler
	address  string
	key      string
	exported string // the folder of the export
	session  *mcp.ClientSession
	servers  map[string][]*registry.Server // by owner and name of the repository
	entries  map[string]json.RawMessage    // of /v0.1, by repository and subfolder
	viewed   map[string]json.RawMessage    // of /r/all/v0.1
	asked    int
}

// outputs serves and exports what is stored.
func (w *environment) outputs() *outputs {
	t := w.t
	t.Helper()
	o := &outputs{t: t, exported: filepath.Join(t.TempDir(), "export"), servers: map[string][]*registry.Server{}}
	servers, _, _, err := w.db.RecordsAfter(t.Context(), 0, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	for i := range servers {
		name := servers[i].Repo.Owner + "/" + servers[i].Repo.Name
		o.servers[name] = append(o.servers[name], &servers[i])
	}
	w.run("export", o.exported, "--url", "https://copy.example")
	o.key = w.keyOf("ann@example.com")
	o.public, _ = w.handler()
	server := httptest.NewServer(o.public)
	t.Cleanup(server.Close)
	o.address = server.URL
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	o.session, err = client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: server.URL + "/mcp",
		DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.session.Close() })
	o.entries, o.viewed = o.list("/v0.1/servers"), o.list("/r/all/v0.1/servers")
	return o
}

// get returns the body of a response with status 200, "" for 404.
func (o *outputs) get(address string) string {
	o.t.Helper()
	r := httptest.NewRequest("GET", address, nil)
	if strings.HasPrefix(address, "/v1/") {
		r.Header.Set("Authorization", "Bearer "+o.key)
	}
	w := httptest.NewRecorder()
	o.public.ServeHTTP(w, r)
	if w.Code != http.StatusOK && w.Code != http.StatusNotFound {
		o.t.Fatalf("%s: %d %s", address, w.Code, w.Body)
	}
	if w.Code == http.StatusNotFound {
		return ""
	}
	return w.Body.String()
}

// list returns the entries of a subregistry by repository and subfolder.
func (o *outputs) list(address string) map[string]json.RawMessage {
	o.t.Helper()
	out := map[string]json.RawMessage{}
	for cursor := ""; ; {
		var page struct {
			Servers  []json.RawMessage
			Metadata struct{ NextCursor string }
		}
		o.decode(o.get(address+"?limit=100&version=latest&cursor="+url.QueryEscape(cursor)), &page)
		for _, s := range page.Servers {
			var body struct {
				Server struct {
					Name       string
					Repository struct{ URL, Subfolder string }
				}
			}
			o.decode(string(s), &body)
			r := body.Server.Repository
			out[path.Join(strings.TrimPrefix(r.URL, "https://github.com/"), r.Subfolder)] = s
		}
		if cursor = page.Metadata.NextCursor; cursor == "" {
			return out
		}
	}
}

func (o *outputs) decode(text string, v any) {
	o.t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		o.t.Fatalf("%v: %.300s", err, text)
	}
}

// A connection is what a client starts or connects to, with YOUR_NAME for values to fill in.
type connection struct {
	Command []string
	Env     map[string]string
	URL     string
	Headers map[string]string
}

// An answer is what all outputs say of a server.
type answer struct {
	*outputs
	server         *registry.Server
	launch, remote *connection // of the record; nil for none
	reason         string      // why there is no command, in the record
	texts          map[string]string
	decoded        map[string]connection // by the name of the output
	missing        []string              // outputs that lack what the record has
}

// of asks all outputs for a server.
func (o *outputs) of(s *registry.Server) *answer {
	o.t.Helper()
	a := &answer{outputs: o, server: s, reason: install.Missing(s), texts: map[string]string{},
		decoded: map[string]connection{}}
	if p, ok := install.First(s.Packages); ok {
		l, _ := install.Of(p)
		a.launch = &connection{Command: append([]string{l.Command}, l.Args...), Env: l.Env}
	}
	for _, sn := range install.Clients(s) {
		if sn.Via == install.ViaRemote {
			a.remote = &connection{}
		}
	}
	slug := s.Slug
	for name, address := range map[string]string{"page": "/servers/" + slug, "md": "/servers/" + slug + ".md",
		"record": "/v1/servers/" + slug, "health": "/api/health?server=" + slug} {
		a.texts[name] = o.get(address)
	}
	for name, ext := range map[string]string{"exported page": ".html", "exported md": ".md"} {
		b, err := os.ReadFile(filepath.Join(o.exported, "servers", slug+ext))
		if err != nil {
			o.t.Fatal(err)
		}
		a.texts[name] = string(b)
	}
	repository := path.Join(s.Repo.Owner, s.Repo.Name, s.Subfolder)
	a.texts["v0.1"], a.texts["r"] = string(o.entries[repository]), string(o.viewed[repository])
	a.readSnippets()
	a.readEntry("v0.1")
	a.readEntry("r")
	a.readRecord()
	a.asMCP()
	a.install()
	return a
}

// readSnippets decodes the configurations of all clients, and looks for them on the page.
func (a *answer) readSnippets() {
	for i, sn := range install.Clients(a.server) {
		name := fmt.Sprintf("%s %s %s %d", sn.Client, sn.Via, sn.Kind, i)
		a.texts[name] = sn.Text + sn.URL + sn.Note
		c, err := decodeSnippet(sn)
		if err != nil {
			a.t.Errorf("%s: %s: %v: %s", a.server.Slug, name, err, sn.Text+sn.URL)
			continue
		}
		if c != nil {
			a.decoded[name] = *c
		}
		for _, page := range []string{"page", "exported page"} {
			if !strings.Contains(html.UnescapeString(a.texts[page]), strings.TrimSpace(sn.Text+sn.URL)) {
				a.missing = append(a.missing, page+" lacks "+name)
			}
		}
	}
}

// decodeSnippet returns what a client makes of a snippet, nil if it is only instructions.
func decodeSnippet(sn install.Snippet) (*connection, error) {
	switch sn.Kind {
	case install.KindJSON:
		var v any
		err := json.Unmarshal([]byte(sn.Text), &v)
		return clientEntry(v), err
	case install.KindTOML:
		var v any
		err := toml.Unmarshal([]byte(sn.Text), &v)
		return clientEntry(v), err
	case install.KindCommand:
		return clientCommand(sn.Text)
	case install.KindLink:
		return clientLink(sn.URL)
	}
	return nil, nil
}

// clientEntry returns the innermost object of a client's file that starts or reaches a server.
func clientEntry(v any) *connection {
	o, _ := v.(map[string]any)
	text := func(names ...string) (s string) {
		for _, name := range names {
			if t, ok := o[name].(string); ok && s == "" {
				s = t
			}
		}
		return s
	}
	words := func(name string) (out []string) {
		list, _ := o[name].([]any)
		for _, w := range list {
			out = append(out, fmt.Sprint(w))
		}
		return out
	}
	pairs := func(names ...string) map[string]string {
		out := map[string]string{}
		for _, name := range names {
			m, _ := o[name].(map[string]any)
			for k, v := range m {
				out[k] = fmt.Sprint(v)
			}
		}
		return out
	}
	address := text("url", "serverUrl", "httpUrl", "uri")
	switch {
	case address != "":
		c := &connection{URL: address, Headers: pairs("headers", "http_headers")}
		for name, variable := range pairs("env_http_headers") {
			c.Headers[name] = "YOUR_" + variable
		}
		if variable := text("bearer_token_env_var"); variable != "" {
			c.Headers["Authorization"] = "Bearer YOUR_" + variable
		}
		return c
	case len(words("command")) > 0: // OpenCode
		return &connection{Command: words("command"), Env: pairs("environment")}
	case text("command", "cmd") != "":
		c := &connection{Command: append([]string{text("command", "cmd")}, words("args")...), Env: pairs("env", "envs")}
		for _, name := range words("env_keys") { // Goose asks for them
			c.Env[name] = "YOUR_" + name
		}
		return c
	}
	for _, inner := range o {
		if c := clientEntry(inner); c != nil {
			return c
		}
	}
	return nil
}

// clientCommand returns what a command line adds to a client.
func clientCommand(line string) (*connection, error) {
	words, err := posix.Fields(line, func(name string) string { return "YOUR_" + name })
	if err != nil {
		return nil, err
	}
	c := &connection{Env: map[string]string{}, Headers: map[string]string{}}
	for i := 3; i < len(words); i++ {
		next := func() string { i++; return words[i] }
		switch w := words[i]; {
		case words[1] == "--add-mcp" || words[2] == "--add-mcp":
		case w == "-e" || w == "--env":
			name, value, _ := strings.Cut(next(), "=")
			c.Env[name] = value
		case w == "-H" || w == "--header":
			name, value, _ := strings.Cut(next(), ": ")
			c.Headers[name] = value
		case w == "--bearer-token-env-var":
			c.Headers["Authorization"] = "Bearer YOUR_" + next()
		case w == "--transport" || w == "--scope" || w == "-s":
			i++
		case w == "--":
			c.Command = words[i+1:]
			return c, nil
		case strings.Contains(w, "://"):
			c.URL = w
		}
	}
	if words[1] == "--add-mcp" { // of VS Code
		var v any
		err := json.Unmarshal([]byte(words[2]), &v)
		return clientEntry(v), err
	}
	return c, nil
}

// clientLink returns what a link adds to a client.
func clientLink(address string) (*connection, error) {
	_, query, _ := strings.Cut(address, "?")
	if strings.HasPrefix(query, "%7B") {
		text, err := url.PathUnescape(query)
		if err != nil {
			return nil, err
		}
		var v any
		err = json.Unmarshal([]byte(text), &v)
		return clientEntry(v), err
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, err
	}
	if command := values.Get("cmd"); command != "" { // Goose asks for the variables in its settings
		return &connection{Command: append([]string{command}, values["arg"]...)}, nil
	}
	if address := values.Get("url"); address != "" {
		return &connection{URL: address}, nil
	}
	config := []byte(values.Get("config"))
	if raw, err := base64.StdEncoding.DecodeString(string(config)); err == nil {
		config = raw
	}
	var v any
	err = json.Unmarshal(config, &v)
	return clientEntry(v), err
}

// readEntry maps an entry of a subregistry as its clients do.
func (a *answer) readEntry(name string) {
	var body struct {
		Server struct {
			Packages []registry.Package
			Remotes  []registry.Remote
		}
	}
	if a.texts[name] == "" {
		if a.launch != nil || a.remote != nil {
			a.missing = append(a.missing, name+" has no entry")
		}
		return
	}
	a.decode(a.texts[name], &body)
	if p := body.Server.Packages; len(p) > 0 && registry.Programs[p[0].RegistryType] != "" {
		a.decoded[name] = packageConnection(body.Server.Packages[0])
	}
	if len(body.Server.Remotes) > 0 {
		r := body.Server.Remotes[0]
		a.decoded[name+" remote"] = connection{URL: substitutedAll(withDefaults(r.URL, r.Variables), r.Variables), Headers: inputValues(r.Headers)}
	}
}

func packageConnection(p registry.Package) connection {
	spec := p.Identifier
	if p.Version != "" {
		spec += map[string]string{"pypi": "==", "oci": ":"}[p.RegistryType]
		if p.RegistryType == "npm" || p.RegistryType == "nuget" {
			spec += "@"
		}
		spec += p.Version
	}
	runtime, args := inputWords(p.RuntimeArguments), inputWords(p.PackageArguments)
	c := connection{Env: inputValues(p.EnvironmentVariables)}
	switch p.RegistryType {
	case "oci":
		c.Command = slices.Concat([]string{"docker", "run", "-i", "--rm"}, runtime)
		for _, v := range p.EnvironmentVariables {
			c.Command = append(c.Command, "-e", v.Name)
		}
		c.Command = slices.Concat(c.Command, []string{spec}, args)
	case "nuget":
		c.Command = slices.Concat([]string{"dnx"}, runtime, []string{spec, "--yes"})
		if len(args) > 0 {
			c.Command = slices.Concat(c.Command, []string{"--"}, args)
		}
	default:
		program := map[string]string{"npm": "npx", "pypi": "uvx"}[p.RegistryType]
		c.Command = slices.Concat([]string{program}, runtime, []string{spec}, args)
	}
	return c
}

func substitutedAll(text string, variables map[string]registry.Variable) string {
	for name := range variables {
		text = strings.ReplaceAll(text, "{"+name+"}", "YOUR_"+strings.TrimPrefix(name, "YOUR_"))
	}
	return text
}

func inputWords(list []registry.Argument) (words []string) {
	for _, a := range list {
		if a.Type == "named" {
			words = append(words, a.Name)
		}
		if a.Value != "" {
			words = append(words, substitutedAll(a.Value, a.Variables))
		}
	}
	return words
}

func inputValues(list []registry.Variable) map[string]string {
	out := map[string]string{}
	for _, v := range list {
		if out[v.Name] = substitutedAll(v.Value, v.Variables); v.Value == "" {
			out[v.Name] = "YOUR_" + strings.TrimPrefix(v.Name, "YOUR_")
		}
	}
	return out
}

// readRecord decodes the configuration in the API's record.
func (a *answer) readRecord() {
	var body struct {
		Install struct {
			Command, Reason string
			Clients         map[string]json.RawMessage
		}
	}
	a.decode(a.texts["record"], &body)
	for name, raw := range body.Install.Clients {
		if name == "windows" {
			continue // see internal/install
		}
		var v any
		a.decode(string(raw), &v)
		var c *connection
		if text, ok := v.(string); ok {
			kind := install.KindCommand
			if strings.Contains(text[:20], ":") {
				kind = install.KindLink
			}
			var err error
			if c, err = decodeSnippet(install.Snippet{Kind: kind, Text: text, URL: text}); err != nil {
				a.t.Errorf("%s: %s: %v", a.server.Slug, name, err)
			}
		} else {
			c = clientEntry(v)
		}
		if c != nil {
			a.decoded["record "+name] = *c
		}
	}
	for _, output := range []string{"page", "md", "exported page", "exported md"} {
		text := html.UnescapeString(a.texts[output])
		if body.Install.Command != "" && !strings.Contains(text, body.Install.Command) {
			a.missing = append(a.missing, output+" lacks the command "+body.Install.Command)
		}
		_, reason, _ := strings.Cut(body.Install.Reason, "). ") // pages mark up the name of the package
		reason = stdcmp.Or(reason, body.Install.Reason)
		if a.remote == nil && !strings.Contains(unescapedMarkdown(text), unescapedMarkdown(reason)) {
			a.missing = append(a.missing, output+" lacks the reason: "+reason)
		}
	}
	if a.launch != nil && body.Install.Command == "" || a.launch == nil && body.Install.Command != "" {
		a.missing = append(a.missing, "record has the command "+body.Install.Command)
	}
	if a.reason != "" && body.Install.Reason == "" && a.remote == nil {
		a.missing = append(a.missing, "record lacks the reason")
	}
}

func unescapedMarkdown(s string) string { return strings.NewReplacer(`\`, "").Replace(s) }

// asMCP asks the tools of /mcp, for one client after the other.
func (a *answer) asMCP() {
	clients := install.ClientNames()
	id := clients[a.asked%len(clients)][0]
	access := install.AccessFull // of the usual configuration
	if s, ok := install.With(a.server, install.AccessReadOnly); ok &&
		reflect.DeepEqual(install.Clients(s), install.Clients(a.server)) {
		access = install.AccessReadOnly
	}
	for tool, arguments := range map[string]map[string]any{"get_server": {"id": a.server.Slug},
		"get_install_config": {"id": a.server.Slug, "client": id, "access": access}} {
		res, err := a.session.CallTool(a.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil {
			a.t.Fatal(err)
		}
		b, err := json.Marshal(res.StructuredContent)
		if err != nil {
			a.t.Fatal(err)
		}
		a.texts["mcp "+tool] = string(b)
		if tool != "get_install_config" {
			continue
		}
		var body struct{ Snippet, Command, DeepLink, Format, Reason *string }
		a.decode(string(b), &body)
		add := func(name string, sn install.Snippet) {
			c, err := decodeSnippet(sn)
			if err != nil {
				a.t.Errorf("%s: mcp %s: %v", a.server.Slug, name, err)
			} else if c != nil {
				a.decoded["mcp "+name] = *c
			}
		}
		if body.Snippet != nil {
			add(id, install.Snippet{Kind: *body.Format, Text: *body.Snippet})
		}
		if body.Command != nil {
			add(id+" command", install.Snippet{Kind: install.KindCommand, Text: *body.Command})
		}
		if body.DeepLink != nil {
			add(id+" link", install.Snippet{Kind: install.KindLink, URL: *body.DeepLink})
		}
		if body.Snippet == nil && body.Command == nil && body.DeepLink == nil && body.Reason == nil {
			a.missing = append(a.missing, "mcp has neither a configuration nor a reason")
		}
	}
}

// install adds the server to a client with mcpcensus, one client after the other.
func (a *answer) install() {
	places := install.Places()
	p := places[a.asked%len(places)]
	a.asked++
	home := a.t.TempDir()
	var out, errs bytes.Buffer
	program := cli.Program{Name: "mcpcensus", Version: "1", Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
		Home: home, Dir: home, OS: "linux", Now: time.Now,
		Getenv: func(name string) string {
			return map[string]string{"CENSUS_URL": a.address, "CENSUS_API_KEY": a.key}[name]
		}}
	status := program.Run(context.Background(), []string{"install", a.server.Slug, "--client", p.Client, "--yes", "--anyway"})
	a.texts["install"] = out.String() + errs.String()
	if status != 0 {
		usable := slices.ContainsFunc(install.Clients(a.server), func(sn install.Snippet) bool {
			return sn.Client == p.Client && (sn.Kind == install.KindJSON || sn.Kind == install.KindTOML)
		})
		if usable || errs.Len() == 0 {
			a.missing = append(a.missing, fmt.Sprintf("install --client %s ends with %d: %s", p.Client, status, &errs))
		}
		return
	}
	files, _ := filepath.Glob(filepath.Join(home, "*"))
	hidden, _ := filepath.Glob(filepath.Join(home, ".*"))
	for _, dir := range slices.Concat(files, hidden) {
		_ = filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
			if err != nil || info.IsDir() || strings.Contains(path, "census") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			var v any
			switch filepath.Ext(path) {
			case ".toml":
				err = toml.Unmarshal(text, &v)
			case ".yaml":
				err = yaml.Unmarshal(text, &v)
			default:
				err = json.Unmarshal(text, &v)
			}
			a.texts["installed "+p.Client] = string(text)
			if c := clientEntry(v); err != nil || c == nil {
				a.missing = append(a.missing, fmt.Sprintf("install --client %s wrote %v %s", p.Client, err, text))
			} else {
				a.decoded["installed "+p.Client] = *c
			}
			return nil
		})
	}
}

// A difference is one between an output and the record.
type difference struct{ output, text string }

// references are the ways in which clients refer to a value of the user.
var references = regexp.MustCompile(`\$\{(?:input:|env:)?([A-Za-z0-9_]+)\}|\{env:([A-Za-z0-9_]+)\}|\$([A-Z][A-Z0-9_]+)|` +
	`YOUR_([A-Za-z0-9_]+)|\{([A-Za-z0-9_]+)\}`)

// plainValues returns a connection with one form of reference, and without empty maps.
func plainValues(c connection) connection {
	value := func(s string) string {
		return references.ReplaceAllStringFunc(s, func(m string) string {
			for _, name := range references.FindStringSubmatch(m)[1:] {
				if name != "" {
					return "YOUR_" + strings.TrimPrefix(strings.ToUpper(name), "YOUR_")
				}
			}
			return m
		})
	}
	out := connection{URL: value(c.URL)}
	if c.Env != nil {
		out.Env = map[string]string{}
	}
	if c.Headers != nil {
		out.Headers = map[string]string{}
	}
	for _, w := range c.Command {
		out.Command = append(out.Command, value(w))
	}
	for name, v := range c.Env {
		out.Env[name] = value(v)
	}
	for name, v := range c.Headers {
		out.Headers[name] = value(v)
	}
	return out
}

// differences compares all outputs with the record.
func (a *answer) differences() (all []difference) {
	for _, m := range a.missing {
		all = append(all, difference{strings.Join(strings.Fields(m)[:3], " "), m})
	}
	remote := a.firstRemote()
	for _, name := range slices.Sorted(maps.Keys(a.decoded)) {
		got, want := plainValues(a.decoded[name]), connection{URL: "nothing"}
		switch {
		case got.URL != "" && remote != nil:
			want = *remote
			if got.Headers == nil { // a link to a page without headers
				want.Headers = nil
			}
		case got.URL == "" && a.launch != nil:
			want = plainValues(*a.launch)
			if got.Env == nil { // its note names them
				want.Env = nil
			}
		}
		if isEntry := strings.HasPrefix(name, "v0.1") || name == "r" || name == "r remote"; isEntry && a.server.Published != nil {
			want = withAsked(want, got) // the owner's own names of values, with defaults
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			output, _, _ := strings.Cut(name, " ")
			all = append(all, difference{output, name + " (-record +output):\n" + diff})
		}
	}
	return all
}

// firstRemote returns the remote of the record that clients use, nil for none: the first over
// streamable HTTP, else the first.
func (a *answer) firstRemote() *connection {
	for _, kind := range []string{registry.TransportHTTP, registry.TransportSSE} {
		for _, r := range a.server.Remotes {
			if r.Type != kind || a.remote == nil {
				continue
			}
			c := plainValues(connection{URL: withDefaults(r.URL, r.Variables), Headers: inputValues(r.Headers)})
			for _, h := range r.Headers {
				if isBlank(c.Headers[h.Name]) || h.IsSecret {
					c.Headers[h.Name] = a.headerOf(h.Name) // named after the server or the variable
				}
				if !h.IsRequired && a.headerOf(h.Name) == "" { // optional: in the record only
					delete(c.Headers, h.Name)
				}
			}
			return &c
		}
	}
	return nil
}

// headerOf returns the value of a header in the configuration of a client, "" if it has none.
func (a *answer) headerOf(name string) string {
	for _, output := range slices.Sorted(maps.Keys(a.decoded)) {
		if value, ok := a.decoded[output].Headers[name]; ok && strings.HasPrefix(output, "claude") {
			return plainValues(connection{URL: value}).URL
		}
	}
	return ""
}

// withAsked returns a connection with the values that another one leaves to the user, or that it has
// beside those of c.
func withAsked(c, other connection) connection {
	fill := func(values, others map[string]string) map[string]string {
		values = maps.Clone(values)
		for name, value := range others {
			if isBlank(value) {
				values[name] = value
			}
		}
		return values
	}
	c.Env, c.Headers = fill(c.Env, other.Env), fill(c.Headers, other.Headers)
	return c
}

// withDefaults returns a URL with the defaults of its variables.
func withDefaults(address string, variables map[string]registry.Variable) string {
	for name, v := range variables {
		if text := stdcmp.Or(v.Value, v.Default); text != "" {
			address = strings.ReplaceAll(address, "{"+name+"}", text)
		}
	}
	return address
}

// copies returns the outputs that have a private text.
func (a *answer) copies(private string) (where []string) {
	for _, name := range slices.Sorted(maps.Keys(a.texts)) {
		if private != "" && strings.Contains(a.texts[name], private) {
			where = append(where, name)
		}
	}
	for name, c := range a.decoded {
		if private != "" && strings.Contains(fmt.Sprint(c), private) {
			where = append(where, name)
		}
	}
	return where
}

// carries reports whether the result has a part, as itself, as a value to fill in, or in a note.
func (a *answer) carries(p part) bool {
	noted := p.name != "" && a.mentions(p.name)
	switch p.kind {
	case "variable":
		value, ok := "", false
		if a.launch != nil {
			value, ok = a.launch.Env[p.name]
			for _, w := range a.launch.Command {
				if v, found := strings.CutPrefix(w, p.name+"="); found {
					value, ok = v, true
				}
			}
		}
		return ok && p.accepts(value) || !ok && noted
	case "argument":
		if p.kept {
			return a.hasWord(func(w string) bool { return w == p.name }) || noted
		}
		return a.hasWord(isBlank) || noted
	case "option":
		return a.hasOption(p) || noted || a.mentions(variableOf(p.name)) || a.declares(p)
	case "docker":
		if i := strings.IndexAny(p.value, ":"); p.name == "--volume" {
			target, _, _ := strings.Cut(p.value[i+1:], ":")
			return a.hasWord(func(w string) bool { return strings.Contains(w, ":"+target) })
		}
		if p.name == "--mount" {
			return a.hasWord(func(w string) bool { return strings.Contains(w, "dst=/work") || strings.HasSuffix(w, ":/work") })
		}
		return a.hasOption(p) || noted
	case "header":
		for _, c := range a.decoded {
			if value, ok := c.Headers[p.name]; ok && p.accepts(value) {
				return true
			}
		}
		return false
	case "member":
		return noted
	case "address":
		return noted || strings.Contains(a.url(), p.name)
	case "place":
		return strings.Contains(a.url(), "YOUR_"+strings.ToUpper(p.name))
	case "transport":
		return slices.Contains(a.server.Transports, p.value)
	}
	return p.kind == "beside"
}

// declares reports whether a package of the record has an optional argument.
func (a *answer) declares(p part) bool {
	return slices.ContainsFunc(a.server.Packages, func(x registry.Package) bool {
		return slices.ContainsFunc(x.PackageArguments, func(arg registry.Argument) bool { return arg.Name == p.name })
	})
}

// mentions reports whether the page for models has a word.
func (a *answer) mentions(word string) bool {
	return regexp.MustCompile(`(^|[^\w-])` + regexp.QuoteMeta(word) + `([^\w-]|$)`).
		MatchString(unescapedMarkdown(a.texts["md"]))
}

// url is the URL that clients connect to, "" for none.
func (a *answer) url() string {
	if remote := a.firstRemote(); remote != nil {
		return remote.URL
	}
	return ""
}

// accepts reports whether a value may stand for the one that the author wrote.
func (p part) accepts(value string) bool {
	return p.value == "" || p.kept && value == p.value || !p.kept && isBlank(value)
}

func isBlank(w string) bool { return strings.Contains(w, "YOUR_") }

// variableOf is the name of a variable for an option.
func variableOf(option string) string {
	return strings.ToUpper(strings.ReplaceAll(strings.Trim(option, "-"), "-", "_"))
}

func (a *answer) hasWord(is func(string) bool) bool {
	return a.launch != nil && slices.ContainsFunc(a.launch.Command, is)
}

// hasOption reports whether the command has an option with its value or one to fill in.
func (a *answer) hasOption(p part) bool {
	if a.launch == nil {
		return false
	}
	names := []string{p.name, shortOptions[p.name]}
	for i, w := range a.launch.Command {
		name, value, joined := strings.Cut(w, "=")
		if !slices.Contains(names, name) || name == "" {
			continue
		}
		if p.value == "" || joined && p.accepts(value) ||
			!joined && i+1 < len(a.launch.Command) && p.accepts(a.launch.Command[i+1]) {
			return true
		}
	}
	return false
}

// givesReason reports whether the refusal says why, other than that nothing is known.
func (a *answer) givesReason() bool {
	return a.reason != "" && !strings.HasPrefix(a.reason, "No published package or hosted endpoint is known.")
}

// result is what the record has, for messages.
func (a *answer) result() string {
	switch {
	case a.launch != nil:
		return fmt.Sprint(a.launch.Command, a.launch.Env)
	case a.remote != nil:
		return fmt.Sprint(a.server.Remotes)
	}
	return a.reason
}
