package manifest

import (
	"encoding/json"
	"errors"
	"strings"

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
	o, err := decodeJSON(b)
	if err != nil {
		return nil, err
	}
	server := o.obj("server")
	if server == nil || o.str("manifest_version", "dxt_version", "mcpb_version") == "" && server.obj("mcp_config") == nil {
		return nil, errors.New("file is not a bundle's manifest")
	}
	m := &Bundle{
		Name: o.str("name"), DisplayName: o.str("display_name"), Version: concrete(o.str("version")), Description: o.str("description"),
		License: o.str("license"), Homepage: o.str("homepage"), Keywords: o.strs("keywords"), RepositoryURL: o.str("repository"),
		ServerType: server.str("type"), EntryPoint: server.str("entry_point"), ToolsGenerated: o.flag("tools_generated"),
	}
	if r := o.obj("repository"); r != nil {
		m.RepositoryURL = r.str("url")
	}
	if _, ok := o["tools"].([]any); ok {
		m.Tools = []registry.Tool{}
	}
	for _, t := range o.objs("tools") {
		if name := t.str("name"); name != "" {
			m.Tools = append(m.Tools, registry.Tool{Name: name, Description: t.str("description")})
		}
	}
	config := server.obj("mcp_config")
	m.Launch, _ = clientServer(m.Name, config)
	user := o.obj("user_config")
	used := map[string]bool{}
	env := config.obj("env")
	for _, name := range env.keys() {
		if !IsEnvName(name) {
			continue
		}
		v := registry.Variable{Name: name, IsSecret: LooksSecret(name)}
		value := env.str(name)
		if key, ok := strings.CutPrefix(value, "${user_config."); ok {
			key = strings.TrimSuffix(key, "}")
			used[key] = true
			if c := user.obj(key); c != nil {
				v.Description = c.str("description", "title")
				v.IsRequired = c.flag("required")
				v.IsSecret = c.flag("sensitive") || v.IsSecret
				v.Default = c.str("default")
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
	o, err := decodeYAML(b)
	if err != nil {
		return nil, err
	}
	start := o.obj("startCommand")
	s := &Smithery{Type: start.str("type"), Runtime: o.str("runtime")}
	if start == nil && s.Runtime == "" && o["build"] == nil {
		return nil, errors.New("file names neither a start command nor a runtime")
	}
	schema := start.obj("configSchema")
	required := map[string]bool{}
	for _, r := range schema.strs("required") {
		required[r] = true
	}
	function := start.str("commandFunction")
	envs := smitheryEnv(function)
	props := schema.obj("properties")
	for _, key := range props.keys() {
		name := envs[key]
		if name == "" && IsEnvName(key) {
			name = key
		}
		if name == "" {
			continue
		}
		c := props.obj(key)
		s.Variables = append(s.Variables, registry.Variable{Name: name, Description: c.str("description", "title"),
			IsRequired: required[key] && c.str("default") == "", IsSecret: LooksSecret(name)})
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
	o, err := decodeJSON(b)
	if err != nil {
		return nil, err
	}
	var out []registry.Tool
	for _, t := range o.objs("tools") {
		if name := t.str("name"); IsToolName(name) {
			tool := registry.Tool{Name: name, Description: t.str("description")}
			if s := t.obj("inputSchema", "input_schema", "parameters"); s != nil {
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
