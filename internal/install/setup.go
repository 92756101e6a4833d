package install

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/internal/hosts"
	"mcpcensus/internal/registry"
)

// A Setup is the configuration of one server, parsed from the member mcpServers of [JSON], for
// programs without a registry.Server.
type Setup struct {
	t       target
	w       way
	windows bool
	known   []registry.Variable // of the server
	reads   string              // the first reference in a value to a variable that is not known
}

// A ClientFile is a part of a client's configuration file.
type ClientFile struct {
	Kind string // KindJSON, KindTOML or KindYAML
	Text string
	// Replace are placeholders to replace, Set environment variables to set before the client
	// starts, and Asks values that the client prompts for.
	Replace, Set, Asks []string
}

// KindYAML is the kind of a [ClientFile] in YAML.
const KindYAML = "yaml"

// ClientNames returns the IDs and names of all clients in display order.
func ClientNames() (all [][2]string) {
	for _, c := range clients {
		all = append(all, [2]string{c.id, c.name})
	}
	return all
}

var placeholder = regexp.MustCompile(`YOUR_[A-Z0-9_]+`)

// ErrSetup is the error of an invalid or unsafe configuration.
var ErrSetup = errors.New("the registry returned an unusable configuration")

// ParseSetup parses the object in mcpServers, {key: {command, args, env}} or
// {key: {type, url, headers}}. variables describe the values to fill in. Other environment
// variables, and other values with names such as token, are secret.
func ParseSetup(
	servers []byte, title, description string, variables []registry.Variable,
) (*Setup, error) {
	var all map[string]struct {
		Type    string
		Command string
		Args    []string
		Env     map[string]string
		URL     string
		Headers map[string]string
	}
	if err := json.Unmarshal(servers, &all); err != nil || len(all) != 1 {
		return nil, fmt.Errorf("%w: it must have one server", ErrSetup)
	}
	for key, c := range all {
		texts := append(slices.Collect(maps.Values(c.Env)), c.Args...)
		at := target{key: key, title: cmp.Or(oneLine(title), key), description: oneLine(description)}
		s := &Setup{t: at, known: variables}
		for _, text := range slices.AppendSeq(texts, maps.Values(c.Headers)) {
			if !sound(text) {
				return nil, unusable("value", text)
			}
			s.refersIn(text)
		}
		if s.refersIn(c.URL); !isKey(key) {
			return nil, unusable("name", key)
		}
		d := describer(variables)
		if c.Command != "" {
			l, err := d.launch(c.Command, c.Args, c.Env)
			if err != nil {
				return nil, err
			}
			s.t.stdio, s.w = l, way{via: ViaPackage, stdio: l}
			return s, nil
		}
		r, err := d.remote(c.URL, c.Headers, c.Type == "sse")
		if err != nil {
			return nil, err
		}
		s.t.remotes, s.w = []*remote{r}, way{via: ViaRemote, remote: r}
		return s, nil
	}
	return nil, ErrSetup
}

// reference matches what clients replace: ${NAME}, ${env:NAME}, {env:NAME}, {file:NAME} and $NAME.
var reference = regexp.MustCompile(`\$\{[^{}]*\}|\{(?:env|file):[^{}]*\}|\$[A-Za-z_]\w*`)

// refersIn notes the first reference in a text to what the server does not declare.
func (s *Setup) refersIn(text string) {
	for _, m := range reference.FindAllStringSubmatch(text, -1) {
		if s.reads == "" && !clientFolder.MatchString(m[0]) && !s.knows(strings.Trim(m[0], "${ }")) {
			s.reads = m[0]
		}
	}
}

// clientFolder matches the references that VS Code and Cursor replace with folders.
var clientFolder = regexp.MustCompile(`\$\{(?:workspaceFolder|workspaceFolderBasename|userHome)\}`)

// knows reports whether the server declares a variable; "env:" may be before its name, a default after
// it.
func (s *Setup) knows(name string) bool {
	name, _, _ = strings.Cut(strings.TrimPrefix(name, "env:"), ":-")
	isIt := func(v registry.Variable) bool { return v.Name == name }
	return slices.ContainsFunc(s.known, isIt)
}

// unusable returns an [ErrSetup] that names a text and, where a character or its length is the
// reason, the reason.
func unusable(what, s string) error {
	fault := faultOf(s)
	if fault != "" {
		fault = " " + fault
	}
	return fmt.Errorf("%w: %s %q%s", ErrSetup, what, excerpt(s), fault)
}

// A describer builds values from texts with placeholders.
type describer []registry.Variable

func (d describer) launch(command string, args []string, env map[string]string) (*launch, error) {
	if !sound(command) || strings.ContainsAny(command, " \t/\\") {
		return nil, unusable("command", command)
	}
	l := &launch{command: command}
	for _, a := range args {
		l.args = append(l.args, d.value(a, ""))
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if !registry.IsVariableName(name) {
			return nil, unusable("variable", name)
		}
		v := d.value(env[name], name)
		if !v.open {
			v.name = name
		}
		l.env = append(l.env, v)
	}
	return l, nil
}

func (d describer) remote(address string, headers map[string]string, sse bool) (*remote, error) {
	u, ok := parseAddress(address)
	if !ok || u.Scheme != "https" && (u.Scheme != "http" || hosts.KindOf(u.Hostname()) != hosts.Loopback) {
		return nil, unusable("address", address)
	}
	r := &remote{via: ViaRemote, sse: sse, url: address, parts: partsOf(address, nil)}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		if !headerName.MatchString(name) {
			return nil, unusable("header", name)
		}
		v := d.value(headers[name], "")
		if len(v.inside) == 1 && strings.HasSuffix(v.fixed, asPlaceholder.of(v.inside[0])) {
			prefix := strings.TrimSuffix(v.fixed, asPlaceholder.of(v.inside[0]))
			v = v.inside[0]
			v.prefix, v.secret = prefix, true
		}
		v.option = name
		r.headers = append(r.headers, header{name, v})
	}
	return r, nil
}

// value returns the value of a text. env is the name of its environment variable, "" for
// other texts.
func (d describer) value(text, env string) value {
	if env != "" && text == asPlaceholder.of(value{name: env}) {
		return d.open(env, true)
	}
	v := value{fixed: text}
	for _, p := range placeholder.FindAllString(text, 20) {
		v.inside = append(v.inside, d.open(strings.TrimPrefix(p, "YOUR_"), env != ""))
	}
	return v
}

// open returns a value to fill in.
func (d describer) open(name string, hidden bool) value {
	v := value{name: name, open: true, secret: hidden || registry.IsSecretName(name)}
	for _, known := range d {
		if known.Name == name {
			v.secret, v.description = known.IsSecret, oneLine(known.Description)
			v.choices = choices(known.Choices)
			v.example, v.preset = oneLine(known.Placeholder), oneLine(known.Default)
		}
	}
	return v
}

// Clients returns the snippets of all clients, like the function [Clients].
func (s *Setup) Clients() []Snippet { return s.t.snippets() }

// Key returns the name under which clients know the server.
func (s *Setup) Key() string { return s.t.key }

// NameFor names the server as a client knows it whose name in the registry is entry.
func (s *Setup) NameFor(clientID, entry string) {
	s.t.entry = entry
	s.t = s.t.of(clientID)
}

// Rename changes the name under which clients know the server. It reports false for a name
// that clients may not accept.
func (s *Setup) Rename(key string) bool {
	if !isKey(key) {
		return false
	}
	s.t.key, s.t.entry = key, ""
	return true
}

// ForWindows makes the files those of clients on Windows.
func (s *Setup) ForWindows() { s.windows = true }

// forClient returns the server as a client starts it.
func (s *Setup) forClient(id string) (target, way) {
	t := s.t.of(id)
	if s.windows {
		t = t.onWindows(id)
	}
	return t, t.ways()[0]
}

// Doubt returns why a command that runs a package of a type with options of its runner, or the
// variables of the server, can do more than to start the package; "" if they cannot.
func (s *Setup) Doubt(registryType string, options []string) string {
	words := make([]value, len(options))
	for i, o := range options {
		words[i] = describer(nil).value(o, "")
	}
	if unsafe := unsafeOption(registryType, words); unsafe != "" {
		return "Its command has the option “" + excerpt(unsafe) + "”."
	}
	if s.w.stdio == nil {
		return ""
	}
	if registryType == "oci" {
		for _, o := range dockerRun(words).Options {
			if o.Name == "env" && !s.gives(o.Value) {
				return refers("-e " + o.Value)
			}
		}
	}
	for _, v := range s.w.stdio.env {
		if !v.open && controlsRuntime(v.name) {
			return "It sets " + excerpt(v.name) + ", which controls which code runs."
		}
	}
	return ""
}

// gives reports whether the value of docker's option -e is a text (NAME=text), or the name of a
// variable that the command sets or the server declares.
func (s *Setup) gives(v string) bool {
	return strings.Contains(v, "=") || s.knows(v) ||
		slices.ContainsFunc(s.w.stdio.env, func(e value) bool { return e.name == v })
}

// Refers returns why the values of the server can be those of other variables of the user; "" if
// they cannot.
func (s *Setup) Refers() string {
	if s.reads == "" {
		return ""
	}
	return refers(s.reads)
}

func refers(reference string) string {
	return "It has “" + excerpt(reference) + "”, a variable that the server does not declare."
}

// Words returns the command of the server, nil for one at a URL.
func (s *Setup) Words() []string {
	if s.w.stdio == nil {
		return nil
	}
	return append([]string{s.w.stdio.command}, texts(s.w.stdio.args, asPlaceholder)...)
}

// CommandLine returns the line for a POSIX shell that starts the server, or its URL.
func (s *Setup) CommandLine() string {
	if s.w.stdio != nil {
		return s.w.stdio.shellLine()
	}
	return s.w.remote.url
}

// A Question is a value to fill in.
type Question struct {
	Name string
	Blank
}

// Questions returns the values to fill in with distinct names.
func (s *Setup) Questions() (all []Question) {
	add := func(vs []value) {
		for _, v := range vs {
			q := Question{v.name, v.blank()}
			if !slices.ContainsFunc(all, func(x Question) bool { return x.Name == q.Name }) {
				all = append(all, q)
			}
		}
	}
	if l := s.w.stdio; l != nil {
		add(opened(l.env))
		add(opened(l.args))
	} else {
		add(s.w.remote.openHeaders())
		add(s.w.remote.parts)
	}
	return all
}

// InFile reports whether the file of a client must contain the value. Other values are
// references to environment variables, or the client prompts for them.
func (s *Setup) InFile(clientID string, q Question) bool {
	f, err := s.ForFile(clientID)
	return err != nil || // some files cannot refer to variables in a part of a value
		slices.Contains(f.Replace, q.Placeholder) || slices.Contains(f.Replace, q.Name)
}

func (s *Setup) Fill(name, text string) {
	if l := s.w.stdio; l != nil {
		for i := range l.env {
			l.env[i].fill(name, text)
		}
		for i := range l.args {
			l.args[i].fill(name, text)
		}
		return
	}
	r := s.w.remote
	for i := range r.headers {
		r.headers[i].fill(name, text)
	}
	for _, part := range r.parts {
		if part.name == name {
			r.url = strings.ReplaceAll(r.url, name, component(text))
		}
	}
	r.parts = partsOf(r.url, nil)
}

func (v *value) fill(name, text string) {
	if v.open && v.name == name {
		v.open, v.fixed = false, v.prefix+text
	}
	for i, in := range v.inside {
		if in.name == name {
			v.fixed = strings.ReplaceAll(v.fixed, asPlaceholder.of(in), text)
			v.inside = slices.Delete(slices.Clone(v.inside), i, i+1)
			return
		}
	}
}

// ForFile returns the part of a client's configuration file for the server. Values that are
// not filled in are references to environment variables or prompts if the client supports
// them, otherwise placeholders, as are references to folders. It fails if the client cannot use the
// server from a file.
func (s *Setup) ForFile(clientID string) (*ClientFile, error) {
	f, err := s.forFile(clientID)
	if err == nil && clientID != "vscode" && clientID != "cursor" {
		f.Replace = slices.Concat(f.Replace, clientFolder.FindAllString(f.Text, -1))
	}
	return f, err
}

func (s *Setup) forFile(clientID string) (*ClientFile, error) {
	if clientID == "goose" {
		return s.forGoose()
	}
	for _, c := range clients {
		if c.id != clientID {
			continue
		}
		var manual string
		for _, snippet := range c.snippets(s.forClient(c.id)) {
			switch snippet.Kind {
			case KindJSON, KindTOML:
				return &ClientFile{
					Kind: snippet.Kind, Text: strings.TrimRight(snippet.Text, "\n") + "\n",
					Replace: snippet.replace, Set: snippet.set, Asks: snippet.asks,
				}, nil
			case KindManual:
				manual = fmt.Sprintf(": add %s in its settings (%s)", snippet.Text,
					strings.TrimSuffix(snippet.Note, "."))
			}
		}
		return nil, fmt.Errorf("%s cannot use this server from a file%s", c.name, manual)
	}
	return nil, fmt.Errorf("unknown client %q", clientID)
}

// forGoose returns an extension of Goose, which reads the variables in env_keys from its
// keyring or the environment.
func (s *Setup) forGoose() (*ClientFile, error) {
	f := &ClientFile{Kind: KindYAML}
	var b strings.Builder
	line := func(key, value string) { fmt.Fprintf(&b, "    %s: %s\n", key, value) }
	fmt.Fprintf(&b, "extensions:\n  %s:\n", tomlString(s.t.key))
	line("name", tomlString(s.t.title))
	line("enabled", "true")
	var open []value
	_, w := s.forClient("") // a file of Goose needs the shell that its links do not
	if l := w.stdio; l != nil {
		line("type", "stdio")
		line("cmd", tomlString(l.command))
		b.WriteString("    args:\n")
		for _, a := range texts(l.args, asPlaceholder) {
			fmt.Fprintf(&b, "      - %s\n", tomlString(a))
		}
		var written []value
		for _, e := range l.env {
			if e.open && e.prefix == "" {
				open = append(open, e)
			} else {
				written = append(written, e)
			}
		}
		pairs(&b, "envs", written,
			func(v value) (string, string) { return v.name, v.text(asPlaceholder) })
		f.Replace = placeholders(opened(slices.Concat(l.args, written)))
	} else {
		r := w.remote
		line("type", r.either("streamable_http", "sse"))
		line("uri", tomlString(r.url))
		pairs(&b, "headers", r.headers,
			func(h header) (string, string) { return h.name, h.text(asPlaceholder) })
		f.Replace = append(names(r.parts), placeholders(r.openHeaders())...)
	}
	if len(open) > 0 {
		b.WriteString("    env_keys:\n")
		for _, v := range open {
			fmt.Fprintf(&b, "      - %s\n", tomlString(v.name))
		}
		f.Set = names(open)
	}
	line("timeout", "300")
	f.Text = b.String()
	return f, nil
}

// pairs writes a mapping unless it is empty.
func pairs[T any](b *strings.Builder, key string, all []T, of func(T) (string, string)) {
	if len(all) > 0 {
		fmt.Fprintf(b, "    %s:\n", key)
	}
	for _, x := range all {
		name, text := of(x)
		fmt.Fprintf(b, "      %s: %s\n", tomlString(name), tomlString(text))
	}
}

func placeholders(open []value) (all []string) {
	for _, v := range open {
		all = append(all, asPlaceholder.of(v))
	}
	return all
}
