package lint

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// file returns a valid file with other members, which replace those of the same name.
func file(members string) string {
	return `{"$schema": "` + SchemaURL(CurrentVersion) + `", "name": "com.example/weather",
"description": "Weather of all places", "version": "1.2.0", ` + members + `}`
}

// npm returns a file with one npm package of which nothing is to be said, with more
// members.
func npm(members string) string {
	return file(`"packages": [{"registryType": "npm", "identifier": "weather-mcp", "version": "1.2.0",
"transport": {"type": "stdio"}` + members + `}]`)
}

const yes = `, "runtimeArguments": [{"type": "named", "name": "-y"}]`

// remote returns a file with one remote.
func remote(members string) string { return file(`"remotes": [{` + members + `}]`) }

// references returns the severity, the path and the reference of each issue.
func references(r Result) (all []string) {
	for _, i := range r.Issues {
		all = append(all, strings.TrimSpace(i.Severity+" "+i.Path)+" "+i.Reference)
	}
	return all
}

func TestCheck(t *testing.T) {
	const oci = `"packages": [{"registryType": "oci", "identifier": "ghcr.io/octo/weather:1.2.0",
"transport": {"type": "stdio"}`
	for name, c := range map[string]struct {
		file string
		want []string
	}{
		"package":            {npm(yes), []string{"info packages toolhive-no-image"}},
		"image":              {file(oci + `}]`), nil},
		"remote":             {remote(`"type": "streamable-http", "url": "https://weather.dev/mcp"`), nil},
		"nothing to install": {file(`"title": "Weather"`), []string{"warning nothing-to-install"}},
		"registry's response": {`{"server": ` + file(oci+`}]`) + `, "_meta": {}}`,
			[]string{"info registry-response"}},

		// JSON
		"empty":        {" \n", []string{"error empty"}},
		"not JSON":     {`{"name": }`, []string{"error json-syntax"}},
		"two values":   {`{} {}`, []string{"error json-syntax"}},
		"array":        {`[]`, []string{"error not-an-object"}},
		"number":       {`1e999999999`, []string{"error not-an-object"}},
		"not UTF-8":    {"{\"name\": \"\xff\"}", []string{"error not-utf8"}},
		"byte order":   {"\uFEFF{}", []string{"error byte-order-mark"}},
		"half a pair":  {`{"name": "\ud800x"}`, []string{"error unpaired-surrogate"}},
		"other half":   {`{"name": "\\\udc00"}`, []string{"error unpaired-surrogate"}},
		"whole pair":   {file(oci + `}], "title": "\\u \ud83c\udf27"`), nil},
		"too deep":     {strings.Repeat("[", 65) + strings.Repeat("]", 65), []string{"error too-deep"}},
		"far too deep": {strings.Repeat("[", 500_000), []string{"error json-syntax"}},
		"too large":    {`"` + strings.Repeat("x", MaxSize) + `"`, []string{"error too-large"}},
		"too many":     {`[` + strings.Repeat("0,", maxValues) + `0]`, []string{"error too-many-values"}},
		"twice":        {file(oci + `}], "version": "1.2.1"`), []string{"warning version duplicate-member"}},
		"twice, nested": {file(oci + `, "version": "", "version": ""}]`), []string{
			"error packages[0].version #/definitions/Package/properties/version/minLength",
			"warning packages[0].version duplicate-member"}},

		// generations
		"no schema": {strings.Replace(file(oci+`}]`), "$schema", "schema", 1),
			[]string{"error schema schema-field-required"}},
		"empty schema": {strings.Replace(file(oci+`}]`), SchemaURL(CurrentVersion), "", 1),
			[]string{"error schema schema-field-required"}},
		"draft": {strings.Replace(file(oci+`}]`), CurrentVersion, "draft", 1), []string{
			"error schema schema-version-not-available", "warning schema schema-version-deprecated"}},
		"other schema": {strings.Replace(file(oci+`}]`), "server.schema.json", "x.json", 1), []string{
			"error schema schema-version-extraction-error"}},

		// schema
		"required": {`{"$schema": "` + SchemaURL(CurrentVersion) + `"}`, []string{
			"error #/definitions/ServerDetail/required", "error #/definitions/ServerDetail/required",
			"error #/definitions/ServerDetail/required", "warning nothing-to-install"}},
		"transport": {file(`"packages": [{"registryType": "oci", "identifier": "octo/weather:1",
"transport": {"type": "http"}}]`), []string{
			"error packages[0].transport.type #/definitions/StdioTransport/properties/type/enum",
			"warning packages[0] vscode-transport"}},
		"transport without url": {file(`"packages": [{"registryType": "oci", "identifier": "octo/weather:1",
"transport": {"type": "sse"}}], "remotes": []`), []string{
			"error packages[0].transport #/definitions/SseTransport/required",
			"warning packages[0] vscode-transport"}},
		"argument": {npm(`, "runtimeArguments": [{"type": "named", "name": "-y"}, {"type": "other"}]`), []string{
			"error packages[0].runtimeArguments[1].type " +
				"#/definitions/PositionalArgument/allOf/1/properties/type/enum",
			"info packages toolhive-no-image"}},
		"positional": {npm(yes + `, "packageArguments": [{"type": "positional"}]`), []string{
			"error packages[0].packageArguments[0] #/definitions/PositionalArgument/allOf/1/anyOf",
			"warning packages[0].packageArguments[0] vscode-literal-hint",
			"info packages toolhive-no-image"}},
		"named": {npm(`, "runtimeArguments": [{"type": "named"}]`), []string{
			"error packages[0].runtimeArguments[0] #/definitions/NamedArgument/allOf/1/required",
			"warning packages[0].runtimeArguments vscode-npx-prompt",
			"info packages toolhive-no-image"}},
		"misspelled": {npm(yes + `, "enviromentVariables": [], "registry_base_url": ""`), []string{
			"warning packages[0].enviromentVariables unknown-member",
			"warning packages[0].registry_base_url unknown-member",
			"info packages toolhive-no-image"}},
		"meta": {file(oci + `}], "_meta": {"com.example/x": 1, "` + publisherMeta + `": {"anything": {}}}`),
			[]string{"warning _meta.com.example/x unknown-meta"}},

		// official registry
		"one character": {strings.Replace(file(oci+`}]`), "com.example/weather", "io.github.octo/x", 1),
			[]string{"error name invalid-server-name"}},
		"range": {npm(yes + `, "version": "^1.2.0"`), []string{
			"error packages[0].version version-looks-like-range", "warning packages[0] census-no-command",
			"warning packages[0].version duplicate-member", "info packages toolhive-no-image"}},
		"repository": {file(oci + `}], "repository": {"url": "https://x.example/a/b", "source": "github"}`),
			[]string{"error repository.url invalid-repository-url"}},
		"repository's source": {file(oci + `}], "repository": {"url": "https://x.example/a/b", "source": "x"}`),
			[]string{"error repository.url invalid-repository-url"}},
		"subfolder": {file(oci + `}], "repository": {"url": "https://github.com/a/b", "source": "github",
"subfolder": "src/../x"}`), []string{"error repository.subfolder invalid-subfolder-path"}},
		"website": {file(oci + `}], "websiteUrl": "http://weather.dev/"`),
			[]string{"error websiteUrl website-url-invalid-scheme"}},
		"title": {file(oci + `}], "title": "  "`), []string{"error title title-whitespace-only"}},
		"icon": {file(oci + `}], "icons": [{"src": "data:image/png,x"}]`),
			[]string{"error icons[0].src icon-src-invalid-scheme"}},
		"stdio with url": {file(`"packages": [{"registryType": "oci", "identifier": "octo/weather:1",
"transport": {"type": "stdio", "url": "https://weather.dev"}}]`),
			[]string{"error packages[0].transport.url stdio-transport-url-not-empty"}},
		"remote on this machine": {remote(`"type": "sse", "url": "https://localhost/mcp"`),
			[]string{"error remotes[0].url invalid-remote-url"}},
		"http remote": {remote(`"type": "sse", "url": "http://weather.dev/mcp"`),
			[]string{"error remotes[0].url invalid-remote-url"}},
		"undefined variable": {remote(`"type": "sse", "url": "https://weather.dev/{place}"`), []string{
			"error remotes[0].url invalid-templated-url", "warning remotes[0].url vscode-remote-variables"}},
		"argument's value": {npm(`, "runtimeArguments": [{"type": "named", "name": "-y", "value": "-y"}]`),
			[]string{"error packages[0].runtimeArguments[0].value argument-value-starts-with-name",
				"info packages toolhive-no-image"}},
		"argument's name": {npm(yes + `, "packageArguments": [{"type": "named", "name": "--in <dir>"}]`),
			[]string{"error packages[0].packageArguments[0].name invalid-named-argument-name",
				"info packages toolhive-no-image"}},
		"much meta": {file(oci + `}], "_meta": {"` + publisherMeta + `": {"x": "` +
			strings.Repeat("x", 4096) + `"}}`), []string{"warning _meta." + publisherMeta + " publish-meta-size"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := references(Check([]byte(c.file)))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestHiddenCharacters checks texts with characters that people do not see.
func TestHiddenCharacters(t *testing.T) {
	const link = `"type": "sse", "url": "https://tides.dev/mcp`
	for name, c := range map[string]struct {
		file, want string
		code       string
	}{
		"title": {remote(link + `"}], "title": "Ti\u200bdes", "icons": [{"src":"https://tides.dev/x"`),
			"warning title hidden-character", "U+200B"},
		"description": {remote(link + `"}], "description": "Ti\u202edes",
"icons": [{"src":"https://tides.dev/x"`),
			"warning description hidden-character", "U+202E"},
		"URL":            {remote(link + `\u200b"`), "error remotes[0].url unsafe-character", "U+200B"},
		"no-break space": {remote(link + `\u00a0"`), "error remotes[0].url unsafe-character", "U+00A0"},
		"header": {remote(link + `", "headers": [{"name": "X\u200b", "value": "x"}]`),
			"error remotes[0].headers[0].name unsafe-character", "U+200B"},
		"value of a header": {remote(link + `", "headers": [{"name": "X", "value": "x\u200b"}]`),
			"error remotes[0].headers[0].value unsafe-character", "U+200B"},
		"what a header means": {remote(link + `", "headers": [{"name": "X", "value": "x",
"description": "\u200b"}]`),
			"warning remotes[0].headers[0].description hidden-character", "U+200B"},
		"argument": {npm(yes + `, "packageArguments": [{"type": "positional", "value": "/da\u200bta"}]`),
			"error packages[0].packageArguments[0].value unsafe-character", "U+200B"},
		"choice": {npm(yes + `, "environmentVariables": [{"name": "A", "description": "A",
"choices": ["a", "b\u200b"]}]`),
			"error packages[0].environmentVariables[0].choices[1] unsafe-character", "U+200B"},
		"name of a variable": {npm(yes + `, "environmentVariables": [{"name": "A\u200b", "value": "x"}]`),
			"error packages[0].environmentVariables[0].name unsafe-character", "U+200B"},
		"name in variables": {remote(link + `", "variables": {"a\u200b": {}}`),
			"error remotes[0].variables.a\u200b unsafe-character", "U+200B"},
		"identifier": {npm(yes + `, "identifier": "tides\u200b"`),
			"error packages[0].identifier unsafe-character", "U+200B"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []Issue
			for _, i := range Check([]byte(c.file)).Issues {
				if strings.HasSuffix(i.Reference, "-character") {
					got = append(got, i)
				}
			}
			if want := []string{c.want}; !slices.Equal(references(Result{Issues: got}), want) ||
				!strings.Contains(got[0].Message, c.code) {
				t.Errorf("got %+v, want %q", got, want)
			}
		})
	}
	for name, text := range map[string]string{
		"lines of a value": npm(yes + `, "environmentVariables": [{"name": "A", "default": "a\n\tb"}]`),
		"prose":            remote(link + `", "headers": [{"name": "X", "description": "a\nb\u00a0c"}]`),
		"publisher": remote(link + `"}], "_meta": {"` + publisherMeta + `": {"a": "\u200b"}},
"icons": [{"src":"https://tides.dev/x"`),
	} {
		if got := strings.Join(references(Check([]byte(text))), "\n"); strings.Contains(got, "-character") {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

func TestClients(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		want []string
	}{
		"cargo first": {file(`"packages": [
{"registryType": "cargo", "identifier": "weather", "version": "1.2.0", "transport": {"type": "stdio"}},
{"registryType": "oci", "identifier": "ghcr.io/octo/weather:1.2.0", "transport": {"type": "stdio"}}]`),
			[]string{"packages[0] census-no-command", "packages[0].registryType vscode-first-package"}},
		"two images": {file(`"packages": [
{"registryType": "oci", "identifier": "ghcr.io/octo/weather:1.2.0", "transport": {"type": "stdio"}},
{"registryType": "oci", "identifier": "ghcr.io/octo/climate:1.2.0", "transport": {"type": "stdio"}}]`),
			[]string{"packages[1] vscode-second-package"}},
		"HTTP first": {file(`"packages": [
{"registryType": "oci", "identifier": "ghcr.io/octo/weather:1.2.0",
 "transport": {"type": "streamable-http", "url": "http://localhost:8080/mcp"}},
{"registryType": "npm", "identifier": "weather-mcp", "version": "1.2.0",
 "transport": {"type": "stdio"}` + yes + `}]`), []string{"packages[0] vscode-transport"}},
		"two tags": {file(`"packages": [{"registryType": "oci", "identifier": "ghcr.io/octo/weather:1.2.0",
"version": "1.2.0", "transport": {"type": "stdio"}}]`), []string{
			"packages[0].version publish-oci-members", "packages[0].version vscode-oci-version"}},
		"index of PyPI": {file(`"packages": [{"registryType": "pypi", "identifier": "weather", "version": "1.2.0",
"registryBaseUrl": "https://pypi.example", "transport": {"type": "stdio"}}]`), []string{
			"packages toolhive-no-image", "packages[0].registryBaseUrl vscode-index"}},
		"npx": {npm(``), []string{"packages toolhive-no-image",
			"packages[0].runtimeArguments vscode-npx-prompt"}},
		"variables": {npm(yes + `, "environmentVariables": [
{"name": "NONE"}, {"name": "DESCRIBED", "description": "A key"}, {"name": "PRESET", "default": ""},
{"name": "CHOSEN", "choices": ["a"]}, {"name": "FIXED", "value": "x"}, {"name": "OPEN", "value": "{key}"},
{"name": "DECLARED", "value": "{key}", "variables": {"key": {"description": "A key"}}}]`), []string{
			"packages toolhive-no-image", "packages[0].environmentVariables[0] vscode-empty-variable",
			"packages[0].environmentVariables[5].value vscode-undeclared-variable"}},
		"arguments": {npm(yes + `, "packageArguments": [
{"type": "positional", "valueHint": "folder"},
{"type": "positional", "valueHint": "folder", "description": "A folder", "isRequired": true},
{"type": "named", "name": "--folder", "valueHint": "folder"},
{"type": "named", "name": "--verbose"},
{"type": "named", "name": "--quiet", "description": "Says nothing"}]`), []string{
			"packages toolhive-no-image", "packages[0].packageArguments[0] vscode-literal-hint",
			"packages[0].packageArguments[2] vscode-option-without-value",
			"packages[0].packageArguments[4] vscode-optional-argument"}},
		"no version": {file(`"packages": [{"registryType": "pypi", "identifier": "weather-mcp",
"transport": {"type": "stdio"}}]`), []string{"packages toolhive-no-image",
			"packages[0].version copilot-identity", "packages[0].version publish-version-required"}},
		"remotes": {file(`"remotes": [{"type": "sse", "url": "https://weather.dev/sse",
"headers": [{"name": "X-Key"}]}, {"type": "streamable-http", "url": "https://weather.dev/mcp"}]`),
			[]string{"remotes[0] sse-first", "remotes[0].headers[0] vscode-empty-variable",
				"remotes[1] vscode-second-remote"}},
		"private registry": {npm(yes + `, "registryBaseUrl": "https://packages.weather.dev"`), []string{
			"packages toolhive-no-image", "packages[0] census-no-command",
			"packages[0].registryBaseUrl publish-registry-base"}},
		"secret in the file": {npm(yes + `, "environmentVariables": [{"name": "KEY", "description": "Key",
"isSecret": true, "value": "sk-1"}, {"name": "OTHER", "description": "Key", "isSecret": true}]`), []string{
			"packages toolhive-no-image", "packages[0].environmentVariables[0] published-secret"}},
		"secrets that are not declared": {remote(`"type": "sse", "url": "https://weather.dev/mcp", "headers": [
{"name": "Authorization", "value": "Bearer 8f14e45fceea167a5a36"}, {"name": "X-Zone", "value": "sk-live0123456789ab"},
{"name": "X-Unit", "value": "metric"}, {"name": "X-Idempotency-Key", "value": "auto"}, {"name": "Cookie", "value": "consent=yes"},
{"name": "X-Model", "value": "sk-xxxxxxxxxxxx"}, {"name": "X-Token", "value": "Bearer YOUR_TOKEN"},
{"name": "X-Key", "value": "{key}", "variables": {"key": {"isSecret": true}}}]`), []string{
			"remotes[0].headers[0] published-secret", "remotes[0].headers[1] published-secret"}},
		"private endpoint": {remote(`"type": "sse", "url": "https://weather.corp.internal/mcp"`),
			[]string{"remotes[0] census-no-endpoint"}},
		"address of an endpoint": {remote(`"type": "sse", "url": "https://10.0.0.1/mcp"`),
			[]string{"remotes[0] census-no-endpoint"}},
		"no name of a package": {file(`"packages": [{"registryType": "npm", "identifier": "a/b",
"version": "1.2.0", "transport": {"type": "stdio"}` + yes + `}]`), []string{
			"packages toolhive-no-image", "packages[0] census-ignored-package"}},
		"bundle": {file(`"packages": [{"registryType": "mcpb", "identifier": "https://x.example/a.mcpb",
"transport": {"type": "stdio"}}]`), []string{
			"packages toolhive-no-image", "packages[0] census-no-command",
			"packages[0].fileSha256 publish-file-sha256", "packages[0].identifier publish-mcpb-url",
			"packages[0].registryType vscode-first-package"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := Check([]byte(c.file))
			var got []string
			for _, i := range r.Issues {
				if _, known := severities[i.Reference]; i.Type == TypeLinter && !known {
					t.Errorf("no rule %s", i.Reference)
				}
				got = append(got, i.Path+" "+i.Reference)
			}
			slices.Sort(got)
			if diff := cmp.Diff(c.want, got); diff != "" || !r.Valid {
				t.Errorf("valid %t\n%s\n%+v", r.Valid, diff, r.Issues)
			}
		})
	}
}

// TestGenerations checks that a file of each generation is valid.
func TestGenerations(t *testing.T) {
	const first = `{"$schema": %q, "name": "com.example/weather", "description": "Weather", "version": "1.2.0",
"packages": [{"registry_type": "npm", "identifier": "weather-mcp", "version": "1.2.0",
"transport": {"type": "stdio"}, "runtime_arguments": [{"type": "named", "name": "-y"}],
"environment_variables": [{"name": "KEY", "description": "A key", "is_required": true}]}]}`
	for _, version := range Versions() {
		text := fmt.Sprintf(first, SchemaURL(version))
		if version != "2025-07-09" {
			text = strings.NewReplacer("registry_type", "registryType", "runtime_a", "runtimeA",
				"environment_v", "environmentV", "is_r", "isR").Replace(text)
		}
		want := []string{"warning schema schema-version-deprecated", "info packages toolhive-no-image"}
		switch version {
		case CurrentVersion:
			want = want[1:]
		case "2025-07-09":
			want = slices.Insert(want, 1, "warning packages[0] format-2025-07")
		}
		if diff := cmp.Diff(want, references(Check([]byte(text)))); diff != "" {
			t.Errorf("%s: %s", version, diff)
		}
	}
	if got := Versions(); got[len(got)-1] != CurrentVersion {
		t.Errorf("current version %s of %v", CurrentVersion, got)
	}
}

func TestForeignSchema(t *testing.T) {
	const text = `{"$schema": "https://mirror.example/schemas/` + CurrentVersion + `/server.schema.json"}`
	var got []string
	for _, i := range Check([]byte(text)).Issues {
		if i.Reference == "schema-version-deprecated" {
			got = append(got, i.Severity+": "+i.Message)
		}
	}
	want := []string{`warning: $schema must be ` + SchemaURL(CurrentVersion) +
		`, got "https://mirror.example/schemas/` + CurrentVersion + `/server.schema.json"`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestExactVersion has the versions of the official registry's comments and tests.
func TestExactVersion(t *testing.T) {
	for version, want := range map[string]bool{
		"1.2.3": true, "v1.2": true, "1.0.0-beta.1": true, "0.0.0-20261101.g3f2a1bc": true, "1.2.3.4.5": true,
		"2026 edition": true, "1": true, "snapshot": true,
		"latest": false, "^1.2.3": false, "~1.2.3": false, ">=1.2.3": false, "< 2": false, "=1.0.0": false,
		"1.x": false, "1.2.*": false, "1.X": false, "x.1": false, "1 - 2": false, "1.2.3 - 2.0.0": false,
		"1.2 || 1.3": false, "1.0.0-next.1": false,
	} {
		c := &checker{}
		c.exactVersion(place{node: &node{kind: str, text: version}})
		if got := len(c.found) == 0; got != want {
			t.Errorf("%q: exact %t", version, got)
		}
	}
}

func TestPositions(t *testing.T) {
	const text = "{\n  \"$schema\": \"x\",\n\t\"title\": \"Größe\", \"name\": \"a b\"}"
	got := map[string][2]int{}
	for _, i := range Check([]byte(text)).Issues {
		got[i.Path] = [2]int{i.Line, i.Column}
	}
	want := map[string][2]int{"schema": {2, 14}, "name": {3, 28}, "": {1, 1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for text, want := range map[string][2]int{"{\n \"a\": 1,\n}": {3, 1}, "{\"ä\": \"\xff\"}": {1, 8}} {
		i, ok := Check([]byte(text)).Unreadable()
		if !ok || [2]int{i.Line, i.Column} != want {
			t.Errorf("%q: %v", text, i)
		}
	}
}

// hostile are files of nearly the largest size that are slow to check.
func hostile() map[string]string {
	wrong := `{"type":"x"},`
	return map[string]string{
		"wrong packages": file(`"packages": [` + strings.Repeat(wrong, 3000) + `{}]`),
		"wrong arguments": npm(`, "packageArguments": [` + strings.Repeat(wrong, 3000) +
			`{}], "environmentVariables": [` + strings.Repeat("1,", 2000) + `1]`),
		"many packages": file(`"packages": [` + strings.Repeat(
			`{"registryType":"npm","identifier":"a b","version":"x","transport":{"type":"stdio"}},`, 1500) + `{}]`),
		"many names":  `{` + strings.Repeat(`"aa":1,`, 9000) + `"a":1}`,
		"other names": `{` + many(9000, func(i int) string { return fmt.Sprintf(`"n%d":{},`, i) }) + `"a":1}`,
		"long text":   file(`"title": "` + strings.Repeat("ä", 400_000) + `"`),
		"long URL":    remote(`"type": "sse", "url": "https://x.example/` + strings.Repeat("{a}", 300_000) + `"`),
		"long range":  file(`"version": "` + strings.Repeat("1 || ", 200_000) + `"`),
		"numbers":     `[` + strings.Repeat("1e99999999,", 9000) + `1]`,
		"deep":        strings.Repeat(`{"a":`, 64) + `{}` + strings.Repeat("}", 64),
		"spaces":      strings.Repeat(" ", MaxSize-2) + "{}",
	}
}

func many(n int, text func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(text(i))
	}
	return b.String()
}

func TestHostileFiles(t *testing.T) {
	for name, text := range hostile() {
		start := time.Now()
		r := Check([]byte(text))
		t.Logf("%s: %d bytes, %d issues, %v", name, len(text), len(r.Issues), time.Since(start))
		size := 0
		for _, i := range r.Issues {
			size += len(i.Message) + len(i.Path)
		}
		if r.Valid || len(r.Issues) > maxIssues+1 || size > 200_000 {
			t.Errorf("%s: valid %t, %d issues of %d bytes", name, r.Valid, len(r.Issues), size)
		}
	}
}

func FuzzCheck(f *testing.F) {
	for _, s := range []string{`{}`, file(`"a": 1`), npm(yes), `{"a": "\ud800", "a": [1, {}]}`,
		remote(`"type": "sse", "url": "{a}://{b}"`)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := Check(data)
		if r.Valid != (r.Count(Error) == 0) || r.Issues == nil {
			t.Errorf("%+v", r)
		}
		for _, i := range r.Issues {
			if i.Message == "" || i.Reference == "" || order[i.Severity] == 0 && i.Severity != Error {
				t.Errorf("%+v", i)
			}
		}
	})
}
