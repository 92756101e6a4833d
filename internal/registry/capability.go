package registry

import (
	"cmp"
	"slices"
	"strings"

	"mcpcensus/internal/text"
)

// Effects of a tool, as the annotations of MCP define them.
const (
	EffectUnknown     = "unknown"
	EffectRead        = "read"        // changes nothing
	EffectWrite       = "write"       // adds or sends something, and changes nothing that exists
	EffectDestructive = "destructive" // may change, overwrite or delete something that exists
	EffectExecute     = "execute"     // runs commands or code that its caller gives
)

// EffectWords say for people what a tool with an effect can do.
var EffectWords = map[string]string{
	EffectUnknown: "effect unknown", EffectRead: "read-only", EffectWrite: "can add or send",
	EffectDestructive: "can change or delete", EffectExecute: "can run commands or code",
}

// Effects are the effects of tools, the most severe last.
var Effects = []string{EffectUnknown, EffectRead, EffectWrite, EffectDestructive, EffectExecute}

// Worse returns the more severe of two effects.
func Worse(a, b string) string {
	if slices.Index(Effects, b) > slices.Index(Effects, a) {
		return b
	}
	return a
}

// Bases of a [ToolEffect], the most reliable first.
const (
	BasisDeclared = "declared" // the server's annotations
	BasisSource   = "source"   // the code of the tool
	BasisSchema   = "schema"   // the tool's parameters
	BasisName     = "name"     // the verb of its name or description
)

// A ToolEffect is what a tool may do, and how that is known.
type ToolEffect struct {
	Effect string `json:"effect"`          // one of Effects
	Basis  string `json:"basis,omitempty"` // one of the Basis constants; "" if nothing is known
	// Evidence is, by the basis, "annotations", a place in the source code such as
	// "src/tools.ts:40", the name of a parameter, or the word that decided.
	Evidence string `json:"evidence,omitempty"`
}

// IsGuess reports whether the effect is only known from the tool's name, description or parameters.
func (e ToolEffect) IsGuess() bool { return e.Basis == BasisName || e.Basis == BasisSchema }

// Effect returns the effect that the server declares in its annotations, otherwise
// [Tool.Inferred]. That also counts if its source code contradicts a declaration to be read-only,
// and if it executes what its caller gives, unless it is declared to be read-only. Of a tool that is
// only declared not to be, the worse of both counts.
func (t *Tool) Effect() ToolEffect {
	declared := ToolEffect{t.declaredEffect(), BasisDeclared, "annotations"}
	switch is := t.Inferred; {
	case is == nil && declared.Effect == "":
		return ToolEffect{Effect: EffectUnknown}
	case t.Contradicts():
		return *is
	case is == nil || declared.Effect == EffectRead:
		return declared
	case declared.Effect == "" || is.Effect == EffectExecute,
		t.Annotations.Destructive == nil && is.Effect == EffectDestructive:
		return *is
	}
	return declared
}

// declaredEffect returns the effect that the annotations state, "" for none.
func (t *Tool) declaredEffect() string {
	a := t.Annotations
	is := func(hint *bool) bool { return hint != nil && *hint }
	switch {
	case a == nil || a.ReadOnly == nil && a.Destructive == nil:
		return ""
	case is(a.ReadOnly):
		return EffectRead
	case is(a.Destructive):
		return EffectDestructive
	}
	return EffectWrite
}

// Contradicts reports whether the tool is declared to be read-only although its source code does
// more.
func (t *Tool) Contradicts() bool {
	return t.declaredEffect() == EffectRead && t.Inferred != nil && t.Inferred.Basis == BasisSource &&
		Worse(t.Inferred.Effect, EffectRead) != EffectRead
}

// A SourceUse is an operation or a library that the source code of a server uses.
type SourceUse struct {
	Name     string `json:"name"`     // as the code has it: "fs.writeFile", "@sentry/node"
	Evidence string `json:"evidence"` // a place: "src/tools.ts:40"
}

// A HostUse is a host that a server talks to.
type HostUse struct {
	Host string `json:"host"`
	// Evidence is a place in the source code, "" for a host that only the sandbox saw.
	Evidence string `json:"evidence,omitempty"`
	Seen     bool   `json:"seen,omitempty"` // looked up in the sandbox
}

// Values of [Touches.SourceRead].
const (
	SourceReadWhole = "whole"
	SourceReadPart  = "part"
)

// MaxTouches is the maximum number of elements from source code in each list of [Touches].
const MaxTouches = 20

// Touches are the parts of the world that the source code of a server uses outside of its tools'
// protocol, each with one place.
type Touches struct {
	Files     []SourceUse `json:"files,omitempty"`     // operations on files
	Processes []SourceUse `json:"processes,omitempty"` // operations that start processes
	Listens   []SourceUse `json:"listens,omitempty"`   // operations that listen on a port
	Telemetry []SourceUse `json:"telemetry,omitempty"` // libraries that report usage or errors
	Hosts     []HostUse   `json:"hosts,omitempty"`     // with literal names, sorted
	// SourceRead is SourceReadWhole, SourceReadPart, or "" if no source code was read. Only in the
	// first case is something absent that is not listed.
	SourceRead string `json:"sourceRead,omitempty"`
}

// Saw returns what a server touches together with the hosts that it looked up in the sandbox; t may
// be nil.
func (t *Touches) Saw(hosts []string) *Touches {
	if len(hosts) == 0 {
		return t
	}
	out := Touches{}
	if t != nil {
		out = *t
	}
	out.Hosts = slices.Clone(out.Hosts)
	for _, host := range hosts {
		i, found := slices.BinarySearchFunc(out.Hosts, host, func(u HostUse, host string) int {
			return cmp.Compare(u.Host, host)
		})
		if !found {
			out.Hosts = slices.Insert(out.Hosts, i, HostUse{Host: host})
		}
		out.Hosts[i].Seen = true
	}
	return &out
}

// Kinds of a [ReadOnlySwitch].
const (
	SwitchFlag     = "flag"     // an argument without a value: "--read-only"
	SwitchVariable = "variable" // an environment variable with a value
	SwitchArgument = "argument" // an argument with a value: "--access-mode=restricted"
	SwitchQuery    = "query"    // a parameter of the endpoints' URLs: "?read_only=true"
	SwitchPath     = "path"     // the end of the path of the endpoints' URLs: "/readonly"
	SwitchHeader   = "header"   // a header that clients send to the endpoints
)

// A ReadOnlySwitch is the setting that makes a server read-only.
type ReadOnlySwitch struct {
	Kind  string `json:"kind"`            // one of the Switch constants
	Name  string `json:"name"`            // "--read-only", "READ_ONLY"
	Value string `json:"value,omitempty"` // that makes it read-only; "" for flags, paths, or to leave it out
	// Default reports that the server is read-only unless the setting is changed. A flag is then the
	// one that lets it write: "--allow-write".
	Default bool `json:"default,omitempty"`
	// Lifted is how the documented configuration lets the server write: "--access-mode=unrestricted".
	// It is "" if that does not touch the setting, or makes the server read-only.
	Lifted   string `json:"lifted,omitempty"`
	Evidence string `json:"evidence,omitempty"` // a place in the README or the source code
}

// Words says what the setting does, before the setting: "Read-only with".
func (s *ReadOnlySwitch) Words() string {
	switch {
	case s.Default && s.Value == "":
		return "Read-only without"
	case s.Default:
		return "Read-only by default"
	}
	return "Read-only with"
}

// Setting returns the name of the setting with the value that its words are about, as in
// [ReadOnlySwitch.Lifted].
func (s *ReadOnlySwitch) Setting() string {
	switch {
	case s.Value == "":
		return cmp.Or(s.Lifted, s.Name)
	case s.Kind == SwitchQuery:
		return "?" + s.Name + "=" + s.Value
	case s.Kind == SwitchHeader:
		return s.Name + ": " + s.Value
	}
	return s.Name + "=" + s.Value
}

// Restricts reports whether a value of the setting makes the server read-only.
func (s *ReadOnlySwitch) Restricts(value string) bool {
	return strings.EqualFold(value, s.Value) ||
		s.Value != "" && slices.Contains(switchValues, strings.ToLower(value)) &&
			IsOn(value) == IsOn(s.Value)
}

// IsUnknown reports whether a server without the setting may be read-only or not: it is one that
// lets the server write, without a known default.
func (s *ReadOnlySwitch) IsUnknown() bool {
	return !s.Default && Opposite(s.Value) != "" && !IsOn(s.Value)
}

// Full returns the value with which the server has full access, "" if it is unknown.
func (s *ReadOnlySwitch) Full() string {
	if _, value, ok := strings.Cut(s.Lifted, "="); ok {
		return value
	}
	return Opposite(s.Value)
}

// switchValues are the values of switches in lower case, each before or after its opposite.
var switchValues = []string{
	"true", "false", "1", "0", "yes", "no", "on", "off", "enabled", "disabled", "enable", "disable",
}

// IsOn reports whether a value switches a setting on.
func IsOn(value string) bool {
	return slices.Index(switchValues, strings.ToLower(value))%2 == 0
}

// Opposite returns the opposite of the value of a switch in the same form, "" for other values.
func Opposite(value string) string {
	i := slices.Index(switchValues, strings.ToLower(value))
	if i < 0 {
		return ""
	}
	other := switchValues[i^1]
	if first := value[:1]; first != strings.ToLower(first) {
		other = strings.ToUpper(other[:1]) + other[1:]
	}
	return other
}

// Capabilities are what a server can do when it is started with its default settings.
type Capabilities struct {
	// Effect is the most severe known effect of the tools; unknown if that is reading and not
	// all tools are known to read only.
	Effect string `json:"effect"`
	// Guessed reports that Effect follows only from names and parameters.
	Guessed bool `json:"guessed"`
	// The numbers of tools by effect.
	Read        int `json:"read"`
	Write       int `json:"write"`
	Destructive int `json:"destructive"`
	Execute     int `json:"execute"`
	Unknown     int `json:"unknown"`
	// Complete reports that all tools are known and counted.
	Complete bool `json:"complete"`
	Touches
	Secrets []string `json:"secrets"` // of [Server.Secrets]
	// The switches of the command and of the endpoints.
	ReadOnly         *ReadOnlySwitch `json:"readOnly,omitempty"`
	ReadOnlyEndpoint *ReadOnlySwitch `json:"readOnlyEndpoint,omitempty"`
	// ReadOnlyDefault reports that the server only reads unless the switch is changed.
	ReadOnlyDefault bool `json:"readOnlyDefault,omitempty"`
}

// Capabilities returns what the server can do.
func (s *Server) Capabilities() Capabilities {
	c := Capabilities{Complete: s.ToolCount != nil, ReadOnly: s.ReadOnly, ReadOnlyEndpoint: s.ReadOnlyEndpoint,
		Effect: EffectRead, Secrets: s.Secrets()}
	c.ReadOnlyDefault = s.ReadOnly != nil && s.ReadOnly.Default
	if s.Touches != nil {
		c.Touches = *s.Touches
	}
	guesses, counts := map[string]int{}, c.counts()
	for i := range s.Tools {
		if !s.Tools[i].IsDefault() {
			continue
		}
		is := s.Tools[i].Effect()
		c.Effect = Worse(c.Effect, is.Effect)
		if is.IsGuess() {
			guesses[is.Effect]++
		}
		if n := counts[is.Effect]; n != nil {
			*n++
		}
	}
	known := c.Read + c.Write + c.Destructive + c.Execute
	if c.Effect == EffectRead && (!c.Complete || c.Unknown > 0 || known < *s.ToolCount) {
		c.Effect = EffectUnknown
	}
	n := guesses[c.Effect]
	c.Guessed = n > 0 && (c.Effect == EffectRead || n >= *counts[c.Effect])
	return c
}

// counts are the numbers of tools by effect.
func (c *Capabilities) counts() map[string]*int {
	return map[string]*int{EffectRead: &c.Read, EffectWrite: &c.Write, EffectDestructive: &c.Destructive,
		EffectExecute: &c.Execute, EffectUnknown: &c.Unknown}
}

// String returns the numbers of tools by effect, such as "can change or delete (1 tool), read-only (8
// tools)", with ", judging by names and descriptions" if the effect is guessed; "" if there is none.
func (c Capabilities) String() string {
	var parts []string
	for _, effect := range slices.Backward(Effects) {
		if n := *c.counts()[effect]; n > 0 {
			parts = append(parts, EffectWords[effect]+" ("+text.Count(n, "tool")+")")
		}
	}
	if c.Guessed && parts != nil {
		parts = append(parts, "judging by names and descriptions")
	}
	return strings.Join(parts, ", ")
}

// EffectIsGuess returns [Capabilities.Guessed], also of a summary.
func (s *Server) EffectIsGuess() bool {
	if s.KnownEffect != "" {
		return s.KnownGuess
	}
	return s.Capabilities().Guessed
}

// Effect returns [Capabilities.Effect], also of a summary.
func (s *Server) Effect() string {
	if s.KnownEffect != "" {
		return s.KnownEffect
	}
	return s.Capabilities().Effect
}

// CanReadOnly reports whether the server can be used without changing anything: it only reads, which
// is not only guessed, or has a switch for that. nil is unknown.
func (s *Server) CanReadOnly() *bool {
	effect, guessed := s.Effect(), s.EffectIsGuess()
	can := s.ReadOnly != nil || s.ReadOnlyEndpoint != nil || effect == EffectRead && !guessed
	if can || effect != EffectUnknown && effect != EffectRead {
		return &can
	}
	return nil
}

// HasSecrets reports whether the server accepts secrets, also of a summary.
func (s *Server) HasSecrets() bool {
	if s.KnownSecrets != nil {
		return *s.KnownSecrets
	}
	return len(s.Secrets()) > 0
}

// Secrets returns the names of the secrets that the server accepts: environment variables,
// arguments of packages and headers of remotes, each once. It is never nil.
func (s *Server) Secrets() []string { return s.secrets(false) }

// RequiredSecrets returns those of [Server.Secrets] that are required. Arguments are not: commands
// may do without them.
func (s *Server) RequiredSecrets() []string { return s.secrets(true) }

func (s *Server) secrets(required bool) []string {
	all := []string{}
	add := func(name string, isSecret, isRequired bool) {
		if name != "" && isSecret && (isRequired || !required) && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	for _, v := range s.Variables {
		add(v.Name, v.IsSecret, v.IsRequired)
	}
	for _, p := range s.Packages {
		for _, a := range p.PackageArguments {
			add(a.Name, a.IsSecret || IsSecretName(a.Name), false)
		}
	}
	for _, r := range s.Remotes {
		for _, h := range r.Headers {
			add(h.Name, h.IsSecret || IsSecretName(h.Name), h.IsRequired)
		}
	}
	return all
}
