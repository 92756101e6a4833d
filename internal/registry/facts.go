package registry

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// Facts are all facts on one server: with a time, the only input of the scorer. Unknown facts
// are nil.
type Facts struct {
	Repo      Repository   `json:"repo"`
	Detection Detection    `json:"detection"`
	Tree      *TreeFacts   `json:"tree,omitempty"`
	Readme    *ReadmeFacts `json:"readme,omitempty"`
	// FormerNames are keys of names that the host redirected to the repository.
	FormerNames []string       `json:"formerNames,omitempty"`
	Activity    *Activity      `json:"activity,omitempty"` // of the subfolder, if there is one
	Issues      *IssueActivity `json:"issues,omitempty"`
	Packages    []PackageFacts `json:"packages,omitempty"` // in the order of Detection.Packages
	Listing     *Listing       `json:"listing,omitempty"`  // in the official registry; nil: not listed, if ListingKnown
	SDK         *SDKRelease    `json:"sdk,omitempty"`
	Scorecard   *Scorecard     `json:"scorecard,omitempty"`
	// Project is what deps.dev counted, while the code host's own counts are unknown.
	Project *Project `json:"project,omitempty"`
	// Endpoints are the probed ones of Detection.Remotes, in their order, with
	// [RemoteType] and a Probe.
	Endpoints []PackageFacts `json:"endpoints,omitempty"`

	ListingKnown bool `json:"listingKnown,omitempty"` // the official registry was read

	// Missing is when the code host first failed to find the repository; nil if it found it.
	// Gone is set after three misses over 72 hours.
	Missing *time.Time `json:"missing,omitempty"`
	Gone    bool       `json:"gone,omitempty"`
	Blocked string     `json:"blocked,omitempty"` // "dmca", "tos": the host withholds it

	// Failures are sources whose last request failed, by name, with the cause for the operator.
	Failures map[string]string `json:"failures,omitempty"`
}

// A Detection describes one server as detected in a repository's files, or why
// none was detected. It is a pure function of a [Snapshot] and a [Listing].
type Detection struct {
	IsServer   bool       `json:"isServer"`
	Confidence float64    `json:"confidence"`         // 0 to 1, of IsServer
	Reason     string     `json:"reason"`             // a displayable sentence
	Kind       string     `json:"kind,omitempty"`     // one of ServerKinds
	Evidence   []Evidence `json:"evidence,omitempty"` // of the decision

	Subfolder   string `json:"subfolder,omitempty"`   // "" for the root
	Members     int    `json:"members,omitempty"`     // servers in the repository; 0 if there is only this one
	Name        string `json:"name,omitempty"`        // for people: "Weather"
	Title       string `json:"title,omitempty"`       // from server.json or manifest.json, if any
	Description string `json:"description,omitempty"` // one sentence, plain text
	// DescriptionFrom is DescriptionComposed, or "" for a sentence of the owner.
	DescriptionFrom string `json:"descriptionFrom,omitempty"`
	// RegistryName is the name in the official registry's form, from
	// server.json, mcpName or an mcp-name mark; "" if none.
	RegistryName string `json:"registryName,omitempty"`
	Version      string `json:"version,omitempty"` // from the manifest

	SDK          string `json:"sdk,omitempty"`      // one of SDKs, "" if unknown
	Language     string `json:"language,omitempty"` // of a server in a subfolder: "Go"; "" if unknown
	SDKPackage   string `json:"sdkPackage,omitempty"`
	SDKVersion   string `json:"sdkVersion,omitempty"`   // as the manifest constrains it
	SDKEcosystem string `json:"sdkEcosystem,omitempty"` // "npm", "pypi", "go", …: the registry of SDKPackage
	SDKLocked    string `json:"sdkLocked,omitempty"`    // as a lock file fixes it
	Framework    string `json:"framework,omitempty"`
	License      string `json:"license,omitempty"`     // SPDX, from the manifest
	LicenseFile  bool   `json:"licenseFile,omitempty"` // a license file exists
	Homepage     string `json:"homepage,omitempty"`

	Packages   []Package  `json:"packages,omitempty"`
	Remotes    []Remote   `json:"remotes,omitempty"`
	Transports []string   `json:"transports,omitempty"`
	Variables  []Variable `json:"variables,omitempty"` // environment variables over all packages
	// ReadsNoVariables reports that all of the server's source code was read, and that none of it
	// reads environment variables.
	ReadsNoVariables bool   `json:"readsNoVariables,omitempty"`
	Tools            []Tool `json:"tools,omitempty"`     // nil: unknown; empty: has none
	ToolsFrom        string `json:"toolsFrom,omitempty"` // "manifest", "readme", "source"
	// ToolsPartial reports that names of Tools are missing: the README that they are from mentions
	// more, the source code registers others that could not be read, or they are less than half of
	// those that the README counts.
	ToolsPartial bool `json:"toolsPartial,omitempty"`
	// Suspicious are parts of Tools, see [SuspiciousText].
	Suspicious []SuspiciousText `json:"suspicious,omitempty"`
	Touches    *Touches         `json:"touches,omitempty"`  // nil: no source code was read
	ReadOnly   *ReadOnlySwitch  `json:"readOnly,omitempty"` // of its command; nil: none is known
	// ReadOnlyEndpoint is the switch of Remotes; nil: none is known.
	ReadOnlyEndpoint *ReadOnlySwitch `json:"readOnlyEndpoint,omitempty"`

	Category           string   `json:"category,omitempty"`
	CategoryConfidence float64  `json:"categoryConfidence,omitempty"`
	CategoryWords      []string `json:"categoryWords,omitempty"` // the words that decided it
	// SecondCategory is the second best category where Category is uncertain.
	SecondCategory string   `json:"secondCategory,omitempty"`
	Tags           []string `json:"tags,omitempty"`

	// Marks are identifiers in the repository's files that distinguish its owner's entries in
	// the official registry from entries of others: "mcp:" and the server's name there,
	// "npm:", "pypi:", … and the identifier of a package that its manifests build, "host:" and
	// the host of an endpoint. Nil: no file was read.
	Marks []string `json:"marks"`

	// Unfounded reports that only the official registry describes the server: the repository's
	// files were read, and do not mention it.
	Unfounded bool `json:"unfounded,omitempty"`
	// ServerJSON means that the repository has a valid server.json.
	ServerJSON bool     `json:"serverJson,omitempty"`
	Manifests  []string `json:"manifests,omitempty"` // paths of the manifests read
	// SourceInstall is a documented command that installs the server from its source or from JSR,
	// such as "uvx --from git+https://…"; "" for none.
	SourceInstall string `json:"sourceInstall,omitempty"`
	// Elsewhere are documented endpoints that are not the owner's: on the user's machine or network,
	// or at a host that runs servers of others, each with the names of its headers.
	Elsewhere []string `json:"elsewhere,omitempty"`
}

// Evidence is where a fact was found.
type Evidence struct {
	// Type is "file", "source", "commit", "package", "registry", "issue", "release", "advisory"
	// or "endpoint".
	Type string `json:"type"`
	Ref  string `json:"ref"` // a path, a commit id, a package name
	URL  string `json:"url,omitempty"`
	Text string `json:"text,omitempty"` // short excerpt
}

// A Package is a published artifact that runs the server, in the shape of
// server.json (schema 2025-12-11).
type Package struct {
	RegistryType         string           `json:"registryType"` // one of RegistryTypes
	Identifier           string           `json:"identifier"`
	Version              string           `json:"version,omitempty"`
	RegistryBaseURL      string           `json:"registryBaseUrl,omitempty"`
	FileSHA256           string           `json:"fileSha256,omitempty"`
	RuntimeHint          string           `json:"runtimeHint,omitempty"` // npx, uvx, docker, dnx
	Transport            PackageTransport `json:"transport"`
	RuntimeArguments     []Argument       `json:"runtimeArguments,omitempty"`
	PackageArguments     []Argument       `json:"packageArguments,omitempty"`
	EnvironmentVariables []Variable       `json:"environmentVariables,omitempty"`

	// Defaults are options of the arguments, here and in Configurations, with values that the source
	// code uses without them: "--transport=stdio".
	Defaults []string `json:"defaults,omitempty"`
	// Script is the executable that is the server, if the package's runner does not start it by
	// the name of the package; "" for the one that it starts.
	Script string `json:"script,omitempty"`
	// Declared is the origin of the arguments and variables: DeclaredInRepo,
	// DeclaredInRegistry or "".
	Declared string `json:"declared,omitempty"`
	// Doubt is why the package may not be the repository's: one of the Doubt constants, "" for
	// none.
	Doubt string `json:"doubt,omitempty"`
	// Inspection is nil in facts, and if the package was not inspected. It has no lists.
	Inspection *Inspection `json:"inspection,omitempty"`
	// Configurations are the README's client configurations for the package, in order of
	// preference.
	Configurations []Configuration `json:"configurations,omitempty"`
}

// The values of [Package.Declared].
const (
	DeclaredInRepo     = "server.json" // of the repository
	DeclaredInRegistry = "registry"    // the entry in the official registry
)

// The values of [Package.Doubt].
const (
	// DoubtUnnamed is for a package that only the official registry names: the
	// repository was read, and its texts do not name it.
	DoubtUnnamed = "unnamed"
	// DoubtEcosystem is for a package of an ecosystem without a manifest in the repository,
	// which has manifests of another one.
	DoubtEcosystem = "ecosystem"
	// DoubtImage is for an image without a registry in its name that is not known to be
	// published: it may exist only on a developer's machine.
	DoubtImage = "image"
	// DoubtManifest is for a package that only a manifest names: the README was read and does
	// not run it, or that a private manifest or a fork names. A stranger may own the name, unless
	// the package names the repository.
	DoubtManifest = "other"
	// DoubtProgram is for a package without executables, or with several, none of which is named
	// like it or known to be the server.
	DoubtProgram = "program"
	// DoubtUsage is for a package with commands, of which the README shows others than the one
	// that starts the server.
	DoubtUsage = "usage"
	// DoubtForeign is for a package that names the repository of another owner, or for another owner's
	// image.
	DoubtForeign = "foreign"
)

// A Configuration is a README's client configuration for a package. Parts that only the user
// knows are {variables} in the values.
type Configuration struct {
	Key     string     `json:"key,omitempty"`     // the name of the server in the client: "weather"
	Command string     `json:"command"`           // "npx", "bunx", "uvx", "docker", "dnx"
	Runtime []Argument `json:"runtime,omitempty"` // options of the command
	Script  string     `json:"script,omitempty"`  // executable of the package, if not named like it
	Args    []Argument `json:"args,omitempty"`    // of the server
	Version string     `json:"version,omitempty"` // of the package, as written: "@latest"
	// Env are its environment variables, except optional ones that the README leaves to the
	// user. A variable without a Value must be filled in; its Placeholder is the README's value.
	Env []Variable `json:"env,omitempty"`
	// Special reports that its section covers a special case, such as a self-hosted instance.
	Special bool `json:"special,omitempty"`
	// Beside are names of what else its source says about the start: "cwd". They are for a note.
	Beside []string `json:"beside,omitempty"`
	// Grants are variables and options without which the server does less: "ALLOW_DELETE=true". They are
	// not in Env and Args.
	Grants []string `json:"grants,omitempty"`
}

// PackageTransport is how a client talks to a package once it runs.
type PackageTransport struct {
	Type    string     `json:"type"` // one of Transports
	URL     string     `json:"url,omitempty"`
	Headers []Variable `json:"headers,omitempty"`
}

// A Remote is an endpoint that the server's owner runs.
type Remote struct {
	Type      string              `json:"type"` // TransportHTTP or TransportSSE
	URL       string              `json:"url"`
	Headers   []Variable          `json:"headers,omitempty"`
	Variables map[string]Variable `json:"variables,omitempty"`
	// Key is the name of the server in the README's configuration of a client, ""
	// if there is none.
	Key string `json:"key,omitempty"`
	// SignsIn reports that the README says that users sign in with OAuth.
	SignsIn bool `json:"signsIn,omitempty"`
	// Beside are as in [Configuration]: "oauth.clientId".
	Beside []string `json:"beside,omitempty"`
	// Liveness is nil in facts, and if the endpoint was not probed.
	Liveness *Liveness `json:"liveness,omitempty"`
}

// A Variable is an environment variable or a header of a server (a KeyValueInput of
// server.json).
type Variable struct {
	Name        string   `json:"name,omitempty"`
	Description string   `json:"description,omitempty"`
	IsRequired  bool     `json:"isRequired,omitempty"`
	IsSecret    bool     `json:"isSecret,omitempty"`
	Format      string   `json:"format,omitempty"`
	Value       string   `json:"value,omitempty"`
	Default     string   `json:"default,omitempty"`
	Placeholder string   `json:"placeholder,omitempty"`
	Choices     []string `json:"choices,omitempty"`
	// Variables are the {names} in Value; they have no Variables.
	Variables map[string]Variable `json:"variables,omitempty"`
}

// OnlyTool begins the description of a variable that only the handler of a tool requires, as read
// from source code.
const OnlyTool = "Only the tool "

// Programs are the programs that run packages, by registry type.
var Programs = map[string]string{"npm": "npx", "pypi": "uvx", "nuget": "dnx", "oci": "docker"}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,99}$`)

// IsVariableName reports whether a command can set an environment variable with a name.
func IsVariableName(name string) bool { return variableName.MatchString(name) }

// Optional returns v as an optional variable, with the variables in its value.
func (v Variable) Optional() Variable {
	v.IsRequired = false
	v.Variables = maps.Clone(v.Variables)
	for name, in := range v.Variables {
		in.IsRequired = false
		v.Variables[name] = in
	}
	return v
}

func Required(list []Variable) (names []string) {
	for _, v := range list {
		if v.IsRequired {
			names = append(names, v.Name)
		}
	}
	return names
}

// An Argument is a command-line argument of a package (server.json).
type Argument struct {
	Type        string   `json:"type"` // "positional" or "named"
	Name        string   `json:"name,omitempty"`
	Value       string   `json:"value,omitempty"`
	ValueHint   string   `json:"valueHint,omitempty"`
	Description string   `json:"description,omitempty"`
	Default     string   `json:"default,omitempty"`
	IsRequired  bool     `json:"isRequired,omitempty"`
	IsRepeated  bool     `json:"isRepeated,omitempty"`
	IsSecret    bool     `json:"isSecret,omitempty"`
	Format      string   `json:"format,omitempty"`
	Placeholder string   `json:"placeholder,omitempty"`
	Choices     []string `json:"choices,omitempty"`
	// Variables are the {names} in Value.
	Variables map[string]Variable `json:"variables,omitempty"`
}

// A Tool is one tool of a server.
type Tool struct {
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	// InputSchema is a JSON Schema of its parameters; nil if unknown. A schema from a README
	// has a "$comment".
	InputSchema []byte `json:"inputSchema,omitempty"`
	// DescriptionFrom and SchemaFrom are the ToolsFrom constants of the sources of
	// Description and InputSchema, where these are not the source of the list.
	DescriptionFrom string `json:"descriptionFrom,omitempty"`
	SchemaFrom      string `json:"schemaFrom,omitempty"`
	// DescriptionUnread reports that the source code states a description that could not be read.
	DescriptionUnread bool `json:"descriptionUnread,omitempty"`
	// Annotations are the server's own statements; nil if it makes none or
	// they are not known.
	Annotations *ToolAnnotations `json:"annotations,omitempty"`
	// Conditional is set if the source code registers the tool only under a condition that may
	// not hold in a start with the default settings and the required variables.
	Conditional *ToolCondition `json:"conditional,omitempty"`
	// Inferred is what the source code, the parameters or the name say that the tool does,
	// whatever Annotations say; nil if they say nothing. See [Tool.Effect].
	Inferred *ToolEffect `json:"inferred,omitempty"`
	// Hash identifies name, description, input schema and annotations; Tokens is the tool's
	// part of [Server.ToolTokens]. Both are empty in lists stored by versions before 2.1.
	Hash   string `json:"hash,omitempty"`
	Tokens int    `json:"tokens,omitempty"`
}

// A ToolCondition is the condition under which a server registers a tool.
type ToolCondition struct {
	// Setting is the setting it depends on, such as "FEATURE_X=true" or "--feature-x"; "" if
	// unknown.
	Setting string `json:"setting,omitempty"`
	// Off reports that such a start does not register the tool; otherwise that is undecided.
	Off bool `json:"off,omitempty"`
}

// String describes the condition: "only with FEATURE_X=true".
func (c *ToolCondition) String() string {
	if c.Setting == "" {
		return "only under a condition"
	}
	return "only with " + c.Setting
}

// IsDefault reports whether a start with the default settings may register the tool.
func (t *Tool) IsDefault() bool { return t.Conditional == nil || !t.Conditional.Off }

// DefaultTools returns the tools that a start with the default settings may register.
func DefaultTools(tools []Tool) (all []Tool) {
	for _, t := range tools {
		if t.IsDefault() {
			all = append(all, t)
		}
	}
	return all
}

// CertainTools returns the tools that every start of the server registers.
func CertainTools(tools []Tool) (all []Tool) {
	for _, t := range tools {
		if t.Conditional == nil {
			all = append(all, t)
		}
	}
	return all
}

// NumberOfTools returns the number of the server's tools: "6"; "at least 6" if only that many are
// certain; "" if it is unknown.
func (s *Server) NumberOfTools() string {
	if s.ToolCount != nil {
		return strconv.Itoa(*s.ToolCount)
	}
	if n := len(CertainTools(s.Tools)); n > 0 {
		return "at least " + strconv.Itoa(n)
	}
	return ""
}

// Sources of a list of tools, from the least to the most reliable.
const (
	ToolsFromReadme   = "readme"   // lists and tables of the README
	ToolsFromSource   = "source"   // registrations in the source code
	ToolsFromManifest = "manifest" // a bundle's manifest or a server card
	ToolsFromRun      = "run"      // the published package, started in a sandbox
	ToolsFromProbe    = "probe"    // a remote endpoint
)

// ToolSources are the ToolsFrom constants, the most reliable first.
var ToolSources = []string{
	ToolsFromProbe, ToolsFromRun, ToolsFromManifest, ToolsFromSource, ToolsFromReadme,
}

// MaxToolLists is how many lists of tools of a server are stored; the oldest are
// deleted.
const MaxToolLists = 50

// A ToolList is the list of a server's tools as one source has it.
type ToolList struct {
	Tools   []Tool `json:"tools"`
	From    string `json:"from"`              // one of the ToolsFrom constants
	Version string `json:"version,omitempty"` // of the server that has these tools; "" if unknown
	// Package is the published package whose archive was read; zero for a list that
	// was not read from an archive.
	Package PackageKey `json:"package,omitzero"`
	// Endpoint is the URL of the endpoint that listed the tools; "" for other sources, and
	// in the history of a server.
	Endpoint string `json:"endpoint,omitempty"`
	Partial  bool   `json:"-"` // names are missing; false in the history of a server
	// Stale reports that the endpoint with these tools has been down so long that they may be
	// outdated; false in the history of a server.
	Stale bool `json:"-"`
	// LastVersion is the last version that had these tools, in the history of a
	// server; "" if that is Version or unknown.
	LastVersion string    `json:"-"`
	At          time.Time `json:"at"` // when the source was read; in the history, when it was stored
	// Suspicious are parts of Tools.
	Suspicious []SuspiciousText `json:"suspicious,omitempty"`
}

// IsIncomplete reports whether the tools of a start with the default settings are not known: names
// are missing, or the condition of a tool is undecided.
func (l *ToolList) IsIncomplete() bool {
	return l.Partial || slices.ContainsFunc(l.Tools, func(t Tool) bool {
		return t.Conditional != nil && !t.Conditional.Off
	})
}

// SuspiciousTexts returns the findings in all lists of tools, each once.
func (f *Facts) SuspiciousTexts() (found []SuspiciousText) {
	for _, l := range f.ToolLists() {
		for _, s := range l.Suspicious {
			if !slices.ContainsFunc(found, s.same) {
				s.Source, s.ReadAt = l.From, dateOf(l.At)
				found = append(found, s)
			}
		}
	}
	return found
}

// A SilentChange is a change of the tools that a source lists without a new version.
type SilentChange struct {
	Source  string    `json:"source"` // one of the ToolsFrom constants
	Version string    `json:"version"`
	At      time.Time `json:"at"`
}

// SilentChange returns the latest change of an endpoint's tools without a new version; nil if
// there is none in the current version.
func (f *Facts) SilentChange() (last *SilentChange) {
	for i := range f.Endpoints {
		p := f.Endpoints[i].Probe
		if p != nil && p.ToolsChangedAt != nil && (last == nil || p.ToolsChangedAt.After(last.At)) {
			last = &SilentChange{ToolsFromProbe, p.ToolsVersion, *p.ToolsChangedAt}
		}
	}
	return last
}

// staleAfter is how long an endpoint is down before its last list of tools is stale.
const staleAfter = 30 * 24 * time.Hour

// DeprecatedPackage returns the first package if all published ones are deprecated, otherwise
// nil: a repository may also name a former package.
func (f *Facts) DeprecatedPackage() (first *PackageFacts) {
	for i := range f.Packages {
		p := &f.Packages[i]
		if p.Found != nil && !*p.Found || p.RegistryType == ProjectType {
			continue
		}
		if p.Deprecated == nil || *p.Deprecated == "" {
			return nil
		}
		first = cmp.Or(first, p)
	}
	return first
}

// ToolLists returns the lists of tools that sources of the facts have.
func (f *Facts) ToolLists() []ToolList {
	d := &f.Detection
	at := f.Repo.ObservedAt
	if f.Tree != nil {
		at = f.Tree.ObservedAt
	}
	lists := []ToolList{
		{Tools: d.Tools, From: d.ToolsFrom, Version: d.Version, At: at, Partial: d.ToolsPartial,
			Suspicious: d.Suspicious},
	}
	for _, p := range f.Packages {
		if a := p.Archive; a != nil && len(a.Tools) > 0 && !f.Doubtful(p) {
			lists = append(lists, ToolList{Tools: a.Tools, From: ToolsFromSource, Version: a.Version,
				Package: PackageKey{RegistryType: p.RegistryType, Identifier: p.Identifier},
				Partial: a.Partial, At: a.At, Suspicious: a.Suspicious})
		}
		// A package without tools may have listed none because its values were made up.
		if i := p.Inspection; i != nil && len(i.Tools) > 0 && !f.Doubtful(p) {
			lists = append(lists, ToolList{Tools: i.Tools, From: ToolsFromRun, Version: i.Version,
				At: i.At, Suspicious: i.Suspicious})
		}
	}
	for i := range f.Endpoints {
		if p := f.Endpoints[i].Probe; p != nil && p.ToolsAt != nil {
			lists = append(lists, ToolList{Tools: p.Tools, From: ToolsFromProbe,
				Version: cmp.Or(p.ToolsVersion, p.ServerVersion),
				At:      *p.ToolsAt, Suspicious: p.Suspicious, Endpoint: f.Endpoints[i].Identifier,
				Stale: p.Down() && p.At.Sub(p.History.Since) > staleAfter})
		}
	}
	return lists
}

// Doubtful reports whether a package may not be the repository's.
func (f *Facts) Doubtful(p PackageFacts) bool {
	for _, d := range f.Detection.Packages {
		if d.RegistryType == p.RegistryType && d.Identifier == p.Identifier {
			return f.DoubtOf(d) != "" || p.Malware != ""
		}
	}
	return true
}

// A SuspiciousText is a part of a tool's texts that may hide something from
// users or instruct the model behind their back.
type SuspiciousText struct {
	Rule  string `json:"rule"`  // "R1" to "R8", see docs/tools.md
	Tool  string `json:"tool"`  // name, with invisible characters made visible
	Field string `json:"field"` // "name", "title", "description" or a path in the input schema
	Quote string `json:"quote"` // the part, with invisible characters made visible
	// Source is the source of the list with the tool, one of the ToolsFrom constants, and ReadAt
	// when it was read. They are set by [Facts.SuspiciousTexts].
	Source string     `json:"source,omitempty"`
	ReadAt *time.Time `json:"readAt,omitempty"`
}

// same reports whether two findings are equal, apart from the list.
func (t SuspiciousText) same(u SuspiciousText) bool {
	return t.Rule == u.Rule && t.Tool == u.Tool && t.Field == u.Field && t.Quote == u.Quote
}

// SuspiciousRules returns the rules that texts break, sorted, each once.
func SuspiciousRules(texts []SuspiciousText) []string {
	rules := make([]string, len(texts))
	for i, t := range texts {
		rules[i] = t.Rule
	}
	slices.Sort(rules)
	return slices.Compact(rules)
}

// ToolAnnotations are the hints of a tool's definition in MCP. A nil hint is
// not stated.
type ToolAnnotations struct {
	ReadOnly    *bool `json:"readOnlyHint,omitempty"`
	Destructive *bool `json:"destructiveHint,omitempty"`
	Idempotent  *bool `json:"idempotentHint,omitempty"`
	OpenWorld   *bool `json:"openWorldHint,omitempty"`
}

// TreeFacts are facts on engineering from the listing and the small files of a
// server's subfolder and of the root.
type TreeFacts struct {
	TestFiles int      `json:"testFiles"`
	CI        []string `json:"ci,omitempty"` // files that run something on push or pull request
	// CIStep is the step that runs tests, otherwise a build, when the code changes; nil if
	// none was found.
	CIStep *CIStep `json:"ciStep,omitempty"`
	// CIRead reports that every text was read that may contain such a step.
	CIRead           bool      `json:"ciRead,omitempty"`
	Workflows        int       `json:"workflows"`                 // GitHub workflow files
	WorkflowsRead    int       `json:"workflowsRead"`             // of which the text was read
	WithPermissions  int       `json:"withPermissions"`           // number of read ones that set permissions
	UnsafeCheckout   string    `json:"unsafeCheckout,omitempty"`  // path of a workflow that runs a pull request's code with secrets
	Lockfile         string    `json:"lockfile,omitempty"`        // path
	HasDependencies  bool      `json:"hasDependencies,omitempty"` // a manifest names at least one
	LintOrTypes      string    `json:"lintOrTypes,omitempty"`     // path or language that shows it
	Changelog        string    `json:"changelog,omitempty"`       // path
	SecurityFile     string    `json:"securityFile,omitempty"`    // path
	UpdateBot        string    `json:"updateBot,omitempty"`       // path of a Dependabot or Renovate configuration
	Dockerfile       string    `json:"dockerfile,omitempty"`      // path
	CompiledLanguage bool      `json:"compiledLanguage,omitempty"`
	ObservedAt       time.Time `json:"observedAt"`
}

// A CIStep is a step of a continuous integration.
type CIStep struct {
	Path    string `json:"path"`           // of the file that has the step
	Job     string `json:"job,omitempty"`  // "" if unnamed
	Name    string `json:"name,omitempty"` // of the step, "" for none
	Command string `json:"command"`        // verbatim, or the name of an action
	Tests   bool   `json:"tests,omitempty"`
	On      string `json:"on"` // "push", "pull_request" or "push and pull_request"
}

// ReadmeFacts are facts from the README of the server or, without one, of the
// root.
type ReadmeFacts struct {
	Path       string `json:"path"`
	Characters int    `json:"characters"` // of text, without badges, HTML and code
	// ClientConfig is the form of the README's client configuration: "json", "command",
	// "link", or "".
	ClientConfig   string `json:"clientConfig,omitempty"`
	InstallCommand string `json:"installCommand,omitempty"` // the first runnable launch command
	// InstallNames are the packages named by launch commands.
	InstallNames []string `json:"installNames,omitempty"`
	ToolHeading  bool     `json:"toolHeading,omitempty"` // a heading announces tools
	ToolEntries  int      `json:"toolEntries,omitempty"` // entries under it
	// ToolsNamed is the number of tools in the server's own README, and ToolsExplained how
	// many of them it describes.
	ToolsNamed     int `json:"toolsNamed,omitempty"`
	ToolsExplained int `json:"toolsExplained,omitempty"`
	// Deprecation is "declared" (this repository is no longer maintained),
	// "soft" (may be sunset), or "".
	Deprecation     string    `json:"deprecation,omitempty"`
	DeprecationText string    `json:"deprecationText,omitempty"` // the sentence, as written
	Successor       string    `json:"successor,omitempty"`       // URL it points to instead
	ObservedAt      time.Time `json:"observedAt"`
}

// PackageFacts are the facts of package services on one package. Unknown facts are nil; Found
// is false if the package does not exist.
type PackageFacts struct {
	RegistryType string `json:"registryType"`
	Identifier   string `json:"identifier"`
	Found        *bool  `json:"found,omitempty"`
	// MissingSince is when the service first failed to find the package; nil if it found it. A
	// first release takes days to appear: until then Found is unchanged.
	MissingSince *time.Time `json:"missingSince,omitempty"`
	Latest       string     `json:"latest,omitempty"` // the version a client gets
	LatestAt     *time.Time `json:"latestAt,omitempty"`
	FirstAt      *time.Time `json:"firstAt,omitempty"`
	Versions     *int       `json:"versions,omitempty"`
	Deprecated   *string    `json:"deprecated,omitempty"` // the notice; "" is "not deprecated"
	Malware      string     `json:"malware,omitempty"`    // id of a malware advisory
	License      string     `json:"license,omitempty"`
	RepoURL      string     `json:"repoUrl,omitempty"` // the repository in the package's metadata
	RepoURLKnown bool       `json:"repoUrlKnown,omitempty"`
	Attested     *bool      `json:"attested,omitempty"` // provenance or attestation on Latest
	SDKVersion   string     `json:"sdkVersion,omitempty"`

	// Tags are all tags of a container image, sorted; nil is not known.
	Tags []string `json:"tags,omitempty"`

	Advisories      []Advisory `json:"advisories,omitempty"` // open on Latest and its direct runtime dependencies
	AdvisoriesKnown bool       `json:"advisoriesKnown,omitempty"`

	Downloads     *int64 `json:"downloads,omitempty"`     // last 30 days
	DownloadsPrev *int64 `json:"downloadsPrev,omitempty"` // of the previous 30 days
	Dependents    *int   `json:"dependents,omitempty"`
	// DownloadDays are the downloads of single UTC days, by date, that came
	// with a response; they are stored separately. Absent days are unknown.
	DownloadDays map[string]int64 `json:"-"`

	// Scorecard and Project are for RegistryType "project": the identifier is then a
	// repository such as "github.com/octo/weather-mcp".
	Scorecard *Scorecard `json:"scorecard,omitempty"`
	Project   *Project   `json:"project,omitempty"`

	// Inspection is the result of running the package in a sandbox; nil if it was not run.
	Inspection *Inspection `json:"inspection,omitempty"`

	// Archive has the tools in the source code of a published version; nil if its archive was
	// not read.
	Archive *ArchiveTools `json:"archive,omitempty"`

	// Probe is for RegistryType "remote": the identifier is then a URL.
	Probe *Probe `json:"probe,omitempty"`

	ObservedAt          *time.Time `json:"observedAt,omitempty"`
	DownloadsObservedAt *time.Time `json:"downloadsObservedAt,omitempty"`
}

// ArchiveWork is what to read of a package's archive: a version, and the environment variables that
// a start sets.
type ArchiveWork struct {
	Version  string
	Required []string
}

// ArchivedTypes are the registry types of packages whose archives are read.
var ArchivedTypes = []string{"npm", "pypi"}

// ArchiveTools are the tools that the source code in the archive of a published version
// of a package registers.
type ArchiveTools struct {
	Version string `json:"version"`
	// MCPName is the official registry's name in the version's metadata, "" for none. Only
	// npm's records have it.
	MCPName string `json:"mcpName,omitempty"`
	// Reader is the version of the source code readers. Archives read by earlier versions are
	// re-read.
	Reader     int              `json:"reader"`
	At         time.Time        `json:"at"`
	Tools      []Tool           `json:"tools,omitempty"`
	Partial    bool             `json:"partial,omitempty"` // there are tools that could not be read
	Ended      bool             `json:"ended,omitempty"`   // by a limit; to be read again
	Suspicious []SuspiciousText `json:"suspicious,omitempty"`
	// Problem is why the archive could not be read, and would not be at another
	// attempt; "" if it was.
	Problem string `json:"problem,omitempty"`
}

// MCPName returns [ArchiveTools.MCPName], "" if it is not known.
func (f *PackageFacts) MCPName() string {
	if f.Archive == nil {
		return ""
	}
	return f.Archive.MCPName
}

// Missing reports whether the package's service has never had the package. For the first days
// [PackageFacts.Found] is nil.
func (f *PackageFacts) Missing() bool {
	if f.Found != nil {
		return !*f.Found
	}
	return f.MissingSince != nil && f.Latest == ""
}

// PlaceholderVersion is the version of a package that only reserves a name.
const PlaceholderVersion = "0.0.0"

// Released returns the latest version, "" for [PlaceholderVersion].
func (f *PackageFacts) Released() string {
	if f.Latest == PlaceholderVersion {
		return ""
	}
	return f.Latest
}

// An Advisory is a known vulnerability.
type Advisory struct {
	ID       string     `json:"id"`
	Severity string     `json:"severity"`          // "critical", "high", "moderate", "low", "unknown"
	Package  string     `json:"package,omitempty"` // "" if it is the server's own package
	Version  string     `json:"version,omitempty"`
	Fixed    string     `json:"fixed,omitempty"` // first fixed version; "" for none
	FixedAt  *time.Time `json:"fixedAt,omitempty"`
	Title    string     `json:"title,omitempty"`
	URL      string     `json:"url,omitempty"`
}

// MaxDocument is the size of the largest [Listing.Document], in bytes.
const MaxDocument = 64 << 10

// A Listing is a server's entry in the official MCP registry, latest version.
type Listing struct {
	Name        string     `json:"name"` // reverse DNS: io.github.owner/repo
	Title       string     `json:"title,omitempty"`
	Description string     `json:"description,omitempty"`
	Version     string     `json:"version,omitempty"`
	RepoURL     string     `json:"repoUrl,omitempty"`
	RepoSource  string     `json:"repoSource,omitempty"`
	RepoID      string     `json:"repoId,omitempty"`
	Subfolder   string     `json:"subfolder,omitempty"`
	WebsiteURL  string     `json:"websiteUrl,omitempty"`
	IconURL     string     `json:"iconUrl,omitempty"`
	Packages    []Package  `json:"packages,omitempty"`
	Remotes     []Remote   `json:"remotes,omitempty"`
	Status      string     `json:"status"` // "active", "deprecated", "deleted"
	StatusText  string     `json:"statusText,omitempty"`
	PublishedAt *time.Time `json:"publishedAt,omitempty"`
	UpdatedAt   *time.Time `json:"updatedAt,omitempty"`
	SchemaURL   string     `json:"schemaUrl,omitempty"`
	ObservedAt  time.Time  `json:"observedAt"`
	// Document is the server.json as the registry returns it, at most MaxDocument
	// bytes; nil if it is not known.
	Document json.RawMessage `json:"document,omitempty"`

	// AddressKnown reports that RepoURL is a current or former URL of the repository that it
	// was looked up for; otherwise only RepoID matched.
	AddressKnown bool `json:"-"`
}

// deprecatedMark finds the mark that publishers put into a description.
var deprecatedMark = regexp.MustCompile(
	`(?i)[\[(]deprecated[\])]|^[^\pL]*deprecated\s*[:.!\x{2013}\x{2014}-]|^[^\pL]*(?-i:DEPRECATED)\b`)

// Deprecation returns why the entry is deprecated, "" if it is not: by its
// status, or by a mark in its description such as "[DEPRECATED]".
func (l *Listing) Deprecation() string {
	switch {
	case l == nil:
		return ""
	case l.Status == StatusDeprecated:
		return cmp.Or(l.StatusText, "Deprecated in the official registry.")
	case deprecatedMark.MatchString(l.Description):
		return l.Description
	}
	return ""
}

// An SDKRelease compares the SDK version that a consumer gets with the latest.
type SDKRelease struct {
	Package    string     `json:"package"`
	Used       string     `json:"used"`
	UsedAt     *time.Time `json:"usedAt,omitempty"`
	Latest     string     `json:"latest"`
	LatestAt   *time.Time `json:"latestAt,omitempty"`
	ObservedAt time.Time  `json:"observedAt"`
}

// A Project is what deps.dev counted of a repository.
type Project struct {
	Stars      *int      `json:"stars,omitempty"`
	Forks      *int      `json:"forks,omitempty"`
	ObservedAt time.Time `json:"observedAt"`
}

// Counts returns the stars and forks of the repository, from deps.dev if the code host's are not
// known: then at is when it returned them, otherwise nil.
func (f *Facts) Counts() (stars, forks *int, at *time.Time) {
	stars, forks = f.Repo.Stars, f.Repo.Forks
	if p := f.Project; p != nil && stars == nil && p.Stars != nil {
		return p.Stars, cmp.Or(forks, p.Forks), &p.ObservedAt
	}
	return stars, forks, nil
}

// A Scorecard is a repository's OpenSSF Scorecard result. It is shown, not
// scored.
type Scorecard struct {
	Score float64   `json:"score"` // 0 to 10
	Date  time.Time `json:"date"`
}
