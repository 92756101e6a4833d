package manifest

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/settings"
	"mcpcensus/crawler/untyped"
	"mcpcensus/internal/registry"
)

// A Smithery is a smithery.yaml.
type Smithery struct {
	Type      string // "stdio", "http", or ""
	Variables []registry.Variable
	Launch    ClientServer // without a command if the start function is not one literal
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
	function, required := start.Text("commandFunction"), schema.Texts("required")
	variables := map[string]string{} // by key, as in the object literal of the function
	for _, m := range smitheryPair.FindAllStringSubmatch(function, 100) {
		variables[m[2]] = m[1]
	}
	s.Launch = literalServer(function)
	s.Launch.Inputs = map[string]registry.Variable{}
	properties := schema.Object("properties")
	for _, key := range properties.Keys() {
		c, name := properties.Object(key), variables[key]
		v := registry.Variable{Description: c.Text("description", "title"), Default: c.Scalar("default"),
			IsRequired: slices.Contains(required, key) && c.Text("default") == ""}
		s.Launch.Inputs[key] = v
		if name == "" && settings.IsEnvName(key) {
			name = key
		}
		if name != "" {
			v.Name, v.Default, v.IsSecret = name, "", registry.IsSecretName(name)
			s.Variables = append(s.Variables, v)
		}
	}
	return s, nil
}

// smitheryPair matches a variable and its key: "API_KEY: config.apiKey", "API_KEY: `${config['key']}`".
var smitheryPair = regexp.MustCompile(`['"]?([A-Z][A-Z0-9_]{2,80})['"]?\s*:\s*(?:String\(|\x60\$\{)?` +
	`config(?:\?\.|\.|\??\.?\[['"])([A-Za-z_]\w{0,80})`)

// literalServer returns the server in the object that a start function returns, which must be a
// literal of texts and of members of its argument: (config) => ({command: "x", args: [config.y]}).
func literalServer(function string) (c ClientServer) {
	_, object, isArrow := strings.Cut(strings.TrimRight(function, "; \n"), "=>")
	object = strings.TrimSpace(object)
	if !isArrow || !strings.HasPrefix(object, "({") || !strings.HasSuffix(object, ")") {
		return c
	}
	o, err := untyped.JSON([]byte(literalToken.ReplaceAllStringFunc(object[1:len(object)-1], func(token string) string {
		m := literalToken.FindStringSubmatch(token)
		text := m[3]
		switch {
		case m[1] != "":
			text = "${user_config." + m[1] + "}"
		case strings.HasPrefix(token, "'"):
			text = m[2]
		case text == "":
			return token
		}
		quoted, _ := json.Marshal(text) // strings have no errors
		return string(quoted) + token[len(strings.TrimRight(token, ":")):]
	})))
	if err == nil {
		c, _ = clientServer("", o)
	}
	return c
}

// literalToken matches a member of the argument, texts, and the name of a member.
var literalToken = regexp.MustCompile(`(?:\bString\()?\bconfig\??\.([A-Za-z_]\w*)\)?|'([^'\\]*)'|` +
	`"(?:[^"\\]|\\.)*"|([A-Za-z_]\w*)\s*:`)
