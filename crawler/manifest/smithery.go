package manifest

import (
	"errors"
	"regexp"
	"slices"

	"mcpcensus/crawler/settings"
	"mcpcensus/crawler/untyped"
	"mcpcensus/internal/registry"
)

// A Smithery is a smithery.yaml.
type Smithery struct {
	Type      string // "stdio", "http", or ""
	Variables []registry.Variable
}

// ParseSmithery reads a smithery.yaml. Configuration keys that the start function assigns to an
// environment variable are returned as that variable.
func ParseSmithery(b []byte) (*Smithery, error) {
	o, err := untyped.YAML(b)
	if err != nil {
		return nil, err
	}
	start := o.Object("startCommand")
	s := &Smithery{Type: start.Text("type")}
	if start == nil && o.Text("runtime") == "" && o["build"] == nil {
		return nil, errors.New("file has neither a start command nor a runtime")
	}
	schema := start.Object("configSchema")
	if schema == nil {
		schema = o.Object("configSchema")
	}
	required := schema.Texts("required")
	variables := map[string]string{} // by key, as in the object literal of the function
	for _, m := range smitheryPair.FindAllStringSubmatch(start.Text("commandFunction"), 100) {
		variables[m[2]] = m[1]
	}
	properties := schema.Object("properties")
	for _, key := range properties.Keys() {
		name := variables[key]
		if name == "" && settings.IsEnvName(key) {
			name = key
		}
		if name == "" {
			continue
		}
		c := properties.Object(key)
		s.Variables = append(s.Variables, registry.Variable{
			Name: name, Description: c.Text("description", "title"), IsSecret: registry.IsSecretName(name),
			IsRequired: slices.Contains(required, key) && c.Text("default") == "",
		})
	}
	return s, nil
}

// smitheryPair matches a variable and its key: "API_KEY: config.apiKey", "API_KEY: `${config['key']}`".
var smitheryPair = regexp.MustCompile(`['"]?([A-Z][A-Z0-9_]{2,80})['"]?\s*:\s*(?:String\(|\x60\$\{)?` +
	`config(?:\?\.|\.|\??\.?\[['"])([A-Za-z_]\w{0,80})`)
