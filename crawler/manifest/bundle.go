package manifest

import (
	"encoding/json"
	"errors"
	"strings"

	"mcpcensus/crawler/serverjson"
	"mcpcensus/crawler/untyped"
	"mcpcensus/internal/registry"
)

// A Bundle is the manifest.json of an MCP bundle (.mcpb, formerly .dxt).
type Bundle struct {
	Name, DisplayName, Version, Description, License string
	RepositoryURL, Homepage                          string
	Keywords                                         []string
	ServerType, EntryPoint                           string // "node", "python", "binary", "uv"
	Launch                                           ClientServer
	Tools                                            []registry.Tool // nil if it does not say
	ToolsGenerated                                   bool            // the list is not complete: more come at run time
	Variables                                        []registry.Variable
}

// ParseBundle reads a manifest.json. It fails for the manifests of browsers
// and web apps, which have the same name.
func ParseBundle(b []byte) (*Bundle, error) {
	o, err := untyped.JSON(b)
	if err != nil {
		return nil, err
	}
	server := o.Object("server")
	if server == nil || o.Text("manifest_version", "dxt_version", "mcpb_version") == "" && server.Object("mcp_config") == nil {
		return nil, errors.New("file is not a bundle's manifest")
	}
	m := &Bundle{
		Name: o.Text("name"), DisplayName: o.Text("display_name"), Version: o.Text("version"), Description: o.Text("description"),
		License: o.Text("license"), Homepage: o.Text("homepage"), Keywords: o.Texts("keywords"), RepositoryURL: o.Text("repository"),
		ServerType: server.Text("type"), EntryPoint: server.Text("entry_point"), ToolsGenerated: o.Flag("tools_generated"),
	}
	if serverjson.IsPlaceholder(m.Version) {
		m.Version = ""
	}
	if r := o.Object("repository"); r != nil {
		m.RepositoryURL = r.Text("url")
	}
	if _, ok := o["tools"].([]any); ok {
		m.Tools = []registry.Tool{}
	}
	for _, t := range o.Objects("tools") {
		if name := t.Text("name"); name != "" {
			m.Tools = append(m.Tools, registry.Tool{Name: name, Description: t.Text("description")})
		}
	}
	config := server.Object("mcp_config")
	m.Launch, _ = clientServer(m.Name, config)
	user := o.Object("user_config")
	used := map[string]bool{}
	env := config.Object("env")
	for _, name := range env.Keys() {
		if !IsEnvName(name) {
			continue
		}
		v := registry.Variable{Name: name, IsSecret: LooksSecret(name)}
		value := env.Text(name)
		if key, ok := strings.CutPrefix(value, "${user_config."); ok {
			key = strings.TrimSuffix(key, "}")
			used[key] = true
			if c := user.Object(key); c != nil {
				v.Description = c.Text("description", "title")
				v.IsRequired = c.Flag("required")
				v.IsSecret = c.Flag("sensitive") || v.IsSecret
				v.Default = c.Text("default")
			}
		} else if !strings.Contains(value, "${") {
			v.Default = value
		}
		if v.IsSecret {
			v.Default = ""
		}
		m.Variables = append(m.Variables, v)
	}
	return m, nil
}

// A Smithery is a smithery.yaml.
type Smithery struct {
	Type      string // "stdio", "http", or ""
	Runtime   string // "typescript", "python", "container", or ""
	Variables []registry.Variable
}

// ParseSmithery reads a smithery.yaml. Configuration keys whose environment
// variable the start function names are returned as that variable.
func ParseSmithery(b []byte) (*Smithery, error) {
	o, err := untyped.YAML(b)
	if err != nil {
		return nil, err
	}
	start := o.Object("startCommand")
	s := &Smithery{Type: start.Text("type"), Runtime: o.Text("runtime")}
	if start == nil && s.Runtime == "" && o["build"] == nil {
		return nil, errors.New("file names neither a start command nor a runtime")
	}
	schema := start.Object("configSchema")
	required := map[string]bool{}
	for _, r := range schema.Texts("required") {
		required[r] = true
	}
	function := start.Text("commandFunction")
	envs := smitheryEnv(function)
	props := schema.Object("properties")
	for _, key := range props.Keys() {
		name := envs[key]
		if name == "" && IsEnvName(key) {
			name = key
		}
		if name == "" {
			continue
		}
		c := props.Object(key)
		s.Variables = append(s.Variables, registry.Variable{Name: name, Description: c.Text("description", "title"),
			IsRequired: required[key] && c.Text("default") == "", IsSecret: LooksSecret(name)})
	}
	return s, nil
}

// smitheryEnv maps configuration keys to environment variables, as the object
// literal of a start function does: {API_KEY: config.apiKey}.
func smitheryEnv(function string) map[string]string {
	out := map[string]string{}
	for _, m := range smitheryPair.FindAllStringSubmatch(function, 100) {
		out[m[2]] = m[1]
	}
	return out
}

// ParseServerCard reads the tools of a server card (.well-known/mcp.json and
// the like): a JSON object with a list of tools.
func ParseServerCard(b []byte) ([]registry.Tool, error) {
	o, err := untyped.JSON(b)
	if err != nil {
		return nil, err
	}
	var out []registry.Tool
	for _, t := range o.Objects("tools") {
		if name := t.Text("name"); IsToolName(name) {
			tool := registry.Tool{Name: name, Description: t.Text("description")}
			if s := t.Object("inputSchema", "input_schema", "parameters"); s != nil {
				if j, err := json.Marshal(s); err == nil && len(j) <= 32<<10 {
					tool.InputSchema = j
				}
			}
			out = append(out, tool)
		}
	}
	if out == nil {
		return nil, errors.New("file lists no tools")
	}
	return out, nil
}
