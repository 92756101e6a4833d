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
	Package
	DisplayName    string
	Launch         ClientServer
	Tools          []registry.Tool // nil if unspecified
	ToolsGenerated bool            // more tools are added at run time
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
	launch := []ClientServer{{}}
	launch[0], _ = clientServer(m.Name, config)
	addInputs(launch, o)
	m.Launch = launch[0]
	return m, nil
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
