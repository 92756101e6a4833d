package manifest

import (
	"encoding/json"
	"errors"
	"strings"

	"mcpcensus/crawler/serverjson"
	"mcpcensus/crawler/settings"
	"mcpcensus/crawler/untyped"
	"mcpcensus/internal/registry"
)

// A Bundle is the manifest.json of an MCP bundle (.mcpb, formerly .dxt).
type Bundle struct {
	Package
	DisplayName    string
	Launch         ClientServer
	Tools          []registry.Tool // nil if unspecified
	ToolsGenerated bool            // more tools are added at run time
	Variables      []registry.Variable
}

// ParseBundle reads a manifest.json. It fails for the manifests of browsers
// and web apps, which have the same name.
func ParseBundle(b []byte) (*Bundle, error) {
	o, err := untyped.JSON(b)
	if err != nil {
		return nil, err
	}
	server := o.Object("server")
	config := server.Object("mcp_config")
	versioned := o.Text("manifest_version", "dxt_version", "mcpb_version") != ""
	if server == nil || !versioned && config == nil {
		return nil, errors.New("file is not a bundle's manifest")
	}
	m := &Bundle{
		Package: Package{Name: o.Text("name"), Version: o.Text("version"), Description: o.Text("description"),
			License: o.Text("license"), Homepage: o.Text("homepage"), Keywords: o.Texts("keywords")},
		DisplayName: o.Text("display_name"), Tools: toolsOf(o), ToolsGenerated: o.Flag("tools_generated"),
	}
	if serverjson.IsPlaceholder(m.Version) {
		m.Version = ""
	}
	m.Launch, _ = clientServer(m.Name, config)
	m.Variables = bundleVariables(config.Object("env"), o.Object("user_config"))
	return m, nil
}

// bundleVariables returns the variables of a bundle's environment. Variables that refer to a
// member of the user's configuration have its facts.
func bundleVariables(env, user untyped.Object) []registry.Variable {
	var out []registry.Variable
	for _, name := range env.Keys() {
		if !settings.IsEnvName(name) {
			continue
		}
		v := registry.Variable{Name: name, IsSecret: registry.IsSecretName(name)}
		value := env.Text(name)
		if key, ok := strings.CutPrefix(value, "${user_config."); ok {
			c := user.Object(strings.TrimSuffix(key, "}"))
			v.Description = c.Text("description", "title")
			v.IsRequired = c.Flag("required")
			v.IsSecret = c.Flag("sensitive") || v.IsSecret
			v.Default = c.Text("default")
		} else if !strings.Contains(value, "${") {
			v.Default = value
		}
		if v.IsSecret {
			v.Default = ""
		}
		out = append(out, v)
	}
	return out
}

const maxInputSchema = 32 << 10 // bytes

// toolsOf returns the "tools" of a document, nil if it has no such list.
func toolsOf(o untyped.Object) []registry.Tool {
	if o.List("tools") == nil {
		return nil
	}
	out := []registry.Tool{}
	for _, t := range o.Objects("tools") {
		if !IsToolName(t.Text("name")) {
			continue
		}
		description, _ := t["description"].(string) // of any length
		tool := registry.Tool{Name: t.Text("name"), Description: strings.TrimSpace(description)}
		if s := t.Object("inputSchema", "input_schema", "parameters"); s != nil {
			if j, err := json.Marshal(s); err == nil && len(j) <= maxInputSchema {
				tool.InputSchema = j
			}
		}
		out = append(out, tool)
	}
	return out
}

// ParseServerCard reads the tools of a server card, such as .well-known/mcp.json: a JSON object
// with a list of tools.
func ParseServerCard(b []byte) ([]registry.Tool, error) {
	o, err := untyped.JSON(b)
	tools := toolsOf(o)
	if err == nil && len(tools) == 0 {
		err = errors.New("file lists no tools")
	}
	return tools, err
}
