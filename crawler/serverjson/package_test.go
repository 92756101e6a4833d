package serverjson

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

var (
	stdio  = registry.PackageTransport{Type: "stdio"}
	digest = "sha256:" + strings.Repeat("ab", 32)
	sum    = strings.Repeat("0f", 32)
)

// parseBoth parses a document as a file and as an entry of the registry. The test fails if the
// results differ.
func parseBoth(t *testing.T, members string) *registry.Listing {
	t.Helper()
	document := `{"name":"io.github.octo/weather","description":"d","version":"1.0.0",` + members + `}`
	file, err := Parse([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range []string{document, `{"server":` + document + `,"_meta":{}}`} {
		e, err := ParseEntry([]byte(entry))
		if err != nil {
			t.Fatal(err)
		}
		e.Listing.Document = nil
		e.Listing.Status = "" // entries without a status are active
		if diff := cmp.Diff(*file, e.Listing); diff != "" {
			t.Errorf("file and entry differ: %s", diff)
		}
	}
	return file
}

func TestPackages(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want *registry.Package // nil: dropped
	}{
		// Generations.
		"registry of documentation": {`{"registryType":"npm","identifier":"weather","registryBaseUrl":"https://npm.example/"}`,
			&registry.Package{RegistryType: "npm", Identifier: "weather", Transport: stdio}},
		"first generation": {`{"registry_name":"npm","name":"@octo/weather","version":"1.0.0"}`,
			&registry.Package{RegistryType: "npm", Identifier: "@octo/weather", Version: "1.0.0", Transport: stdio}},
		"2025-07-09": {`{"registry_type":"pypi","registry_base_url":"https://pypi.octo.dev","identifier":"weather","version":"1.0.0","runtime_hint":"uvx","transport":{"type":"stdio"}}`,
			&registry.Package{RegistryType: "pypi", RegistryBaseURL: "https://pypi.octo.dev",
				Identifier: "weather", Version: "1.0.0", RuntimeHint: "uvx", Transport: stdio}},
		"2025-09-16": {`{"registryType":"nuget","registryBaseUrl":"https://nuget.octo.dev/v3/index.json","identifier":"Octo.Weather","version":"1.0.0","runtimeHint":"dnx","transport":{"type":"stdio"}}`,
			&registry.Package{RegistryType: "nuget",
				RegistryBaseURL: "https://nuget.octo.dev/v3/index.json", Identifier: "Octo.Weather",
				Version: "1.0.0", RuntimeHint: "dnx", Transport: stdio}},
		"2025-10-17, bundle": {`{"registryType":"mcpb","identifier":"https://github.com/octo/weather/releases/download/v1/weather.mcpb","fileSha256":"` + strings.ToUpper(sum) + `","transport":{"type":"stdio"}}`,
			&registry.Package{RegistryType: "mcpb", Identifier: "https://github.com/octo/weather/releases/download/v1/weather.mcpb", FileSHA256: sum, Transport: stdio}},
		"draft, crate": {`{"registryType":"cargo","identifier":"weather","version":"1.0.0","transport":{"type":"stdio"}}`,
			&registry.Package{RegistryType: "cargo", Identifier: "weather", Version: "1.0.0", Transport: stdio}},

		"complete docker command": {`{"registryType":"oci","registryBaseUrl":"https://ghcr.io","identifier":"octo/weather","version":"1.0.0",
			"runtimeArguments":[{"type":"positional","value":"run"},{"type":"named","name":"-i"},{"type":"named","name":"-e"},
			{"type":"positional","value":"W_TOKEN"},{"type":"positional","value":"ghcr.io/octo/weather:1.0.0"}],
			"environmentVariables":[{"name":"W_TOKEN","isRequired":true}]}`,
			&registry.Package{RegistryType: "oci", Identifier: "ghcr.io/octo/weather", Version: "1.0.0", Transport: stdio,
				RuntimeArguments:     []registry.Argument{{Type: "named", Name: "-i"}},
				EnvironmentVariables: []registry.Variable{{Name: "W_TOKEN", IsRequired: true}}}},

		// Registry types.
		"type: docker-hub":         {`{"registryType":"docker-hub","identifier":"octo/weather"}`, &registry.Package{RegistryType: "oci", Identifier: "octo/weather", Transport: stdio}},
		"type: docker":             {`{"registry_name":"docker","name":"octo/weather"}`, &registry.Package{RegistryType: "oci", Identifier: "octo/weather", Transport: stdio}},
		"type: a host":             {`{"registryType":"docker.io","identifier":"octo/weather"}`, &registry.Package{RegistryType: "oci", Identifier: "octo/weather", Transport: stdio}},
		"type: ghcr":               {`{"registryType":"ghcr","identifier":"octo/weather"}`, &registry.Package{RegistryType: "oci", Identifier: "ghcr.io/octo/weather", Transport: stdio}},
		"type: dxt":                {`{"registryType":"dxt","identifier":"https://octo.dev/w.dxt"}`, &registry.Package{RegistryType: "mcpb", Identifier: "https://octo.dev/w.dxt", Transport: stdio}},
		"type: capitals":           {`{"registryType":"NPM","identifier":"weather"}`, &registry.Package{RegistryType: "npm", Identifier: "weather", Transport: stdio}},
		"type: of the hint":        {`{"identifier":"weather","runtimeHint":"npx"}`, &registry.Package{RegistryType: "npm", Identifier: "weather", RuntimeHint: "npx", Transport: stdio}},
		"type: unknown":            {`{"registryType":"brew","identifier":"weather"}`, nil},
		"type: unknown, with hint": {`{"registryType":"unknown","identifier":"weather","runtimeHint":"npx"}`, nil},
		"type: missing":            {`{"identifier":"weather"}`, nil},
		"type: contradicted":       {`{"registryType":"docker-hub","registryBaseUrl":"https://ghcr.io","identifier":"octo/weather"}`, nil},

		// Identifiers.
		"identifier: placeholder": {`{"registryType":"npm","identifier":"<<Name>>"}`, nil},
		"identifier: variable":    {`{"registryType":"npm","identifier":"$NAME"}`, nil},
		"identifier: repository":  {`{"registryType":"npm","identifier":"octo/weather"}`, nil},
		"identifier: two words":   {`{"registryType":"npm","identifier":"npx weather"}`, nil},
		"identifier: control": {`{"registryType":"npm","identifier":"wea\u0007ther"}`,
			&registry.Package{RegistryType: "npm", Identifier: "wea\ather",
				Transport: registry.PackageTransport{Type: "stdio"}}},
		"identifier: too long": {`{"registryType":"npm","identifier":"` + strings.Repeat("a", 600) + `"}`, nil},
		"identifier: missing":  {`{"registryType":"npm"}`, nil},
		"identifier: a number": {`{"registryType":"npm","identifier":7}`, nil},
		"private registry": {
			`{"registryType":"npm","registryBaseUrl":"npm.octo.dev","identifier":"weather"}`,
			&registry.Package{
				RegistryType: "npm", RegistryBaseURL: "npm.octo.dev", Identifier: "weather",
				Transport: stdio,
			},
		},
		"digest: invalid": {
			`{"registryType":"npm","identifier":"weather","fileSha256":"abcd"}`,
			&registry.Package{RegistryType: "npm", Identifier: "weather", Transport: stdio},
		},

		// Versions.
		"version: latest":        {`{"registryType":"npm","identifier":"weather","version":"latest"}`, &registry.Package{RegistryType: "npm", Identifier: "weather", Transport: stdio}},
		"version: range":         {`{"registryType":"npm","identifier":"weather","version":"^1.0.0"}`, &registry.Package{RegistryType: "npm", Identifier: "weather", Version: "^1.0.0", Transport: stdio}},
		"version: $VERSION":      {`{"registryType":"npm","identifier":"weather","version":"$VERSION"}`, &registry.Package{RegistryType: "npm", Identifier: "weather", Transport: stdio}},
		"version: ${VERSION}":    {`{"registryType":"npm","identifier":"weather","version":"v${VERSION}"}`, &registry.Package{RegistryType: "npm", Identifier: "weather", Transport: stdio}},
		"version: {{version}}":   {`{"registryType":"npm","identifier":"weather","version":"{{ version }}"}`, &registry.Package{RegistryType: "npm", Identifier: "weather", Transport: stdio}},
		"version: __VERSION__":   {`{"registryType":"npm","identifier":"weather","version":"__VERSION__"}`, &registry.Package{RegistryType: "npm", Identifier: "weather", Transport: stdio}},
		"version: %VERSION%":     {`{"registryType":"npm","identifier":"weather","version":"%VERSION%"}`, &registry.Package{RegistryType: "npm", Identifier: "weather", Transport: stdio}},
		"version: <version>":     {`{"registryType":"npm","identifier":"weather","version":"<version>"}`, &registry.Package{RegistryType: "npm", Identifier: "weather", Transport: stdio}},
		"version: a number":      {`{"registryType":"npm","identifier":"weather","version":1.10}`, &registry.Package{RegistryType: "npm", Identifier: "weather", Version: "1.10", Transport: stdio}},
		"version: PEP 440, post": {`{"registryType":"pypi","identifier":"weather","version":"1.0.post1"}`, &registry.Package{RegistryType: "pypi", Identifier: "weather", Version: "1.0.post1", Transport: stdio}},

		// Transports.
		"transport: missing":     {`{"registryType":"npm","identifier":"weather"}`, &registry.Package{RegistryType: "npm", Identifier: "weather", Transport: stdio}},
		"transport: empty":       {`{"registryType":"npm","identifier":"weather","transport":{}}`, &registry.Package{RegistryType: "npm", Identifier: "weather", Transport: stdio}},
		"transport: a string":    {`{"registryType":"npm","identifier":"weather","transport":"sse"}`, &registry.Package{RegistryType: "npm", Identifier: "weather", Transport: registry.PackageTransport{Type: "sse"}}},
		"transport: spelling":    {`{"registryType":"npm","identifier":"weather","transport":{"type":"streamable_http","url":"http://localhost:{port}/mcp"}}`, &registry.Package{RegistryType: "npm", Identifier: "weather", Transport: registry.PackageTransport{Type: "streamable-http", URL: "http://localhost:{port}/mcp"}}},
		"transport: unknown":     {`{"registryType":"npm","identifier":"weather","transport":{"type":"carrier-pigeon"}}`, nil},
		"transport: invalid URL": {`{"registryType":"npm","identifier":"weather","transport":{"type":"sse","url":"javascript:alert(1)"}}`, &registry.Package{RegistryType: "npm", Identifier: "weather", Transport: registry.PackageTransport{Type: "sse"}}},

		// Images.
		"image: host in identifier":   {`{"registryType":"oci","identifier":"ghcr.io/octo/weather:1.0.0"}`, &registry.Package{RegistryType: "oci", Identifier: "ghcr.io/octo/weather", Version: "1.0.0", Transport: stdio}},
		"image: base docker.io":       {`{"registry_type":"oci","registry_base_url":"https://docker.io","identifier":"octo/weather","version":"1.0.0"}`, &registry.Package{RegistryType: "oci", Identifier: "octo/weather", Version: "1.0.0", Transport: stdio}},
		"image: base ghcr.io":         {`{"registryType":"oci","registryBaseUrl":"https://ghcr.io","identifier":"octo/weather","version":"1.0.0"}`, &registry.Package{RegistryType: "oci", Identifier: "ghcr.io/octo/weather", Version: "1.0.0", Transport: stdio}},
		"image: base is a host":       {`{"registryType":"oci","registryBaseUrl":"ghcr.io","identifier":"octo/weather"}`, &registry.Package{RegistryType: "oci", Identifier: "ghcr.io/octo/weather", Transport: stdio}},
		"image: private base":         {`{"registryType":"oci","registryBaseUrl":"https://r.octo.dev:5000","identifier":"weather","version":"1.0.0"}`, &registry.Package{RegistryType: "oci", Identifier: "r.octo.dev:5000/weather", Version: "1.0.0", Transport: stdio}},
		"image: base twice":           {`{"registryType":"oci","registryBaseUrl":"https://ghcr.io","identifier":"ghcr.io/octo/weather","version":"1.0.0"}`, &registry.Package{RegistryType: "oci", Identifier: "ghcr.io/octo/weather", Version: "1.0.0", Transport: stdio}},
		"image: two registries":       {`{"registryType":"oci","registryBaseUrl":"https://ghcr.io","identifier":"quay.io/octo/weather","version":"1.0.0"}`, &registry.Package{RegistryType: "oci", RegistryBaseURL: "https://ghcr.io", Identifier: "quay.io/octo/weather", Version: "1.0.0", Transport: stdio}},
		"image: base with a path":     {`{"registryType":"oci","registryBaseUrl":"https://ghcr.io/octo","identifier":"weather"}`, &registry.Package{RegistryType: "oci", RegistryBaseURL: "https://ghcr.io/octo", Identifier: "weather", Transport: stdio}},
		"image: tag":                  {`{"registryType":"oci","identifier":"octo/weather:2.0.0","version":"1.0.0"}`, &registry.Package{RegistryType: "oci", Identifier: "octo/weather", Version: "2.0.0", Transport: stdio}},
		"image: tag latest":           {`{"registryType":"oci","identifier":"octo/weather:latest"}`, &registry.Package{RegistryType: "oci", Identifier: "octo/weather", Transport: stdio}},
		"image: tag is a placeholder": {`{"registryType":"oci","identifier":"ghcr.io/octo/weather:${VERSION}"}`, &registry.Package{RegistryType: "oci", Identifier: "ghcr.io/octo/weather", Transport: stdio}},
		"image: digest":               {`{"registryType":"oci","identifier":"octo/weather@` + digest + `"}`, &registry.Package{RegistryType: "oci", Identifier: "octo/weather@" + digest, Transport: stdio}},
		"image: tag and digest":       {`{"registryType":"oci","registryBaseUrl":"https://ghcr.io","identifier":"octo/weather:2@` + digest + `"}`, &registry.Package{RegistryType: "oci", Identifier: "ghcr.io/octo/weather@" + digest, Version: "2", Transport: stdio}},
		"image: Docker Hub spelt out": {`{"registryType":"oci","identifier":"docker.io/octo/weather:1"}`, &registry.Package{RegistryType: "oci", Identifier: "docker.io/octo/weather", Version: "1", Transport: stdio}},
		"image: of docker run": {`{"registry_name":"docker","name":"octo/weather","version":"1.0.0","package_arguments":[{"type":"named","name":"--rm","value":"--rm"},{"type":"positional","value":"octo/weather:latest"}]}`,
			&registry.Package{RegistryType: "oci", Identifier: "octo/weather", Version: "1.0.0", Transport: stdio}},
		"image: of docker run, another": {`{"registry_name":"docker","name":"octo/weather","version":"1.0.0","package_arguments":[{"type":"named","name":"--rm","value":"--rm"},{"type":"positional","value":"octocat/forecast"}]}`, nil},
		"image: own arguments": {`{"registry_name":"docker","name":"octo/weather","package_arguments":[{"type":"positional","value":"serve"}]}`,
			&registry.Package{RegistryType: "oci", Identifier: "octo/weather", Transport: stdio, PackageArguments: []registry.Argument{{Type: "positional", Value: "serve"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			var want []registry.Package
			if c.want != nil {
				want = []registry.Package{*c.want}
			}
			if diff := cmp.Diff(want, parseBoth(t, `"packages":[`+c.text+`]`).Packages); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRemotes(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want *registry.Remote // nil: dropped
	}{
		"first generation": {`{"transport_type":"sse","url":"https://w.dev/sse"}`, &registry.Remote{Type: "sse", URL: "https://w.dev/sse"}},
		"old transport":    {`{"transport":"sse","url":"https://w.dev/mcp"}`, &registry.Remote{Type: "sse", URL: "https://w.dev/mcp"}},
		"current":          {`{"type":"streamable-http","url":"https://w.dev/mcp"}`, &registry.Remote{Type: "streamable-http", URL: "https://w.dev/mcp"}},
		"without type":     {`{"url":"https://w.dev/mcp"}`, &registry.Remote{Type: "streamable-http", URL: "https://w.dev/mcp"}},
		"unknown type":     {`{"type":"carrier-pigeon","url":"https://w.dev/mcp"}`, nil},
		"stdio":            {`{"type":"stdio","url":"https://w.dev/mcp"}`, nil},
		"without URL":      {`{"type":"sse"}`, nil},
		"user in URL":      {`{"type":"sse","url":"https://a:b@w.dev/"}`, nil},
		"not a web URL":    {`{"type":"sse","url":"javascript:alert(1)"}`, nil},
		"variables": {`{"type":"streamable-http","url":"https://{tenant}.w.dev/mcp","variables":{"tenant":{"description":"Yours","isRequired":true},"x":1}}`,
			&registry.Remote{Type: "streamable-http", URL: "https://{tenant}.w.dev/mcp", Variables: map[string]registry.Variable{"tenant": {Description: "Yours", IsRequired: true}}}},
		"begins with a variable": {`{"type":"streamable-http","url":"{base}/mcp"}`, nil},
		"headers": {`{"type":"sse","url":"https://w.dev/sse","headers":[{"name":"X-Key","required":true,"isSecret":"true"},{"name":"X-Key"},{"name":""}]}`,
			&registry.Remote{Type: "sse", URL: "https://w.dev/sse", Headers: []registry.Variable{{Name: "X-Key", IsRequired: true, IsSecret: true}}}},
	} {
		t.Run(name, func(t *testing.T) {
			var want []registry.Remote
			if c.want != nil {
				want = []registry.Remote{*c.want}
			}
			if diff := cmp.Diff(want, parseBoth(t, `"remotes":[`+c.text+`]`).Remotes); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestArguments(t *testing.T) {
	for name, c := range map[string]struct {
		text string // members of a package
		want registry.Package
	}{
		"first generation, names with values": {
			`"registry_name":"npm","name":"weather","package_arguments":[
				{"type":"named","name":"--key your-key","value":"--key your-key","default":"--key your-key","value_hint":"your-key","is_required":true},
				{"type":"positional","value":"db://a@localhost/x","default":"db://a@localhost/x","value_hint":"db://a@localhost/x","is_required":true}]`,
			registry.Package{RegistryType: "npm", Identifier: "weather", PackageArguments: []registry.Argument{
				{Type: "named", Name: "--key", ValueHint: "your-key", IsRequired: true},
				{Type: "positional", ValueHint: "db://a@localhost/x", IsRequired: true},
			}},
		},
		"first generation, words of the runner": {
			`"registry_name":"pypi","name":"weather-mcp","version":"0.0.1-seed","package_arguments":[
				{"type":"named","name":"--directory","value":"/path","value_hint":"/path"},
				{"type":"named","name":"--with","value":"--with httpx","value_hint":"httpx"},
				{"type":"positional","value":"weather_mcp","value_hint":"weather_mcp"},
				{"type":"positional","value":"start","value_hint":"start"}]`,
			registry.Package{RegistryType: "pypi", Identifier: "weather-mcp", PackageArguments: []registry.Argument{
				{Type: "positional", Value: "start", ValueHint: "start"},
			}},
		},
		"options with their own name, and twice": {
			`"registryType":"npm","identifier":"weather","packageArguments":[
				{"type":"named","name":"--site","value":"--site north"},{"type":"named","name":"--site","value":"north"},
				{"type":"named","name":"--all","value":"--all"}]`,
			registry.Package{RegistryType: "npm", Identifier: "weather", PackageArguments: []registry.Argument{
				{Type: "named", Name: "--site", Value: "north"}, {Type: "named", Name: "--all"},
			}},
		},
		"fixed values of later generations": {
			`"registryType":"npm","identifier":"weather","packageArguments":[{"type":"positional","value":"serve","valueHint":"serve"}]`,
			registry.Package{RegistryType: "npm", Identifier: "weather", PackageArguments: []registry.Argument{
				{Type: "positional", Value: "serve", ValueHint: "serve"},
			}},
		},
		"values to fill in": {
			`"registryType":"oci","identifier":"octo/weather","runtimeArguments":[
				{"type":"named","name":"-v","isRequired":true,"placeholder":"~/notes:/notes","format":"filepath"},
				{"type":"named","name":"-p","value":"{port}:80","choices":[80,"81"],"variables":{"port":{"description":"Port","default":8080},"x":1}},
				{"type":"named"},{"type":"other","isRepeated":true}],
			"environmentVariables":[{"name":"URL","value":"http://{host}/","variables":{"host":{"placeholder":"h.octo.dev"}}},{"name":"DEBUG","default":true},{"name":"URL"}]`,
			registry.Package{RegistryType: "oci", Identifier: "octo/weather",
				RuntimeArguments: []registry.Argument{
					{Type: "named", Name: "-v", IsRequired: true, Placeholder: "~/notes:/notes", Format: "filepath"},
					{Type: "named", Name: "-p", Value: "{port}:80", Choices: []string{"80", "81"}, Variables: map[string]registry.Variable{"port": {Description: "Port", Default: "8080"}}},
					{Type: "positional", IsRepeated: true},
				},
				EnvironmentVariables: []registry.Variable{
					{Name: "URL", Value: "http://{host}/", Variables: map[string]registry.Variable{"host": {Placeholder: "h.octo.dev"}}},
					{Name: "DEBUG", Default: "true"},
				},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.want.Transport = stdio
			if diff := cmp.Diff([]registry.Package{c.want}, parseBoth(t, `"packages":[{`+c.text+`}]`).Packages); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestScrapedArguments(t *testing.T) {
	e, err := ParseEntry([]byte(`{"server":{"name":"io.github.octo/weather","version":"0.0.1-seed","packages":[
		{"registryType":"pypi","identifier":"weather-mcp","packageArguments":[
			{"type":"named","name":"--directory","value":"--directory /clone","default":"--directory /clone","isRequired":true},
			{"type":"positional","value":"-m weather_mcp.cli","default":"-m weather_mcp.cli"},
			{"type":"positional","value":"weather_server.py","default":"weather_server.py","valueHint":"weather_server.py"},
			{"type":"named","name":"--url","value":"--url https://x.dev","default":"--url https://x.dev","isRequired":true}]}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []registry.Argument{{Type: "named", Name: "--url", ValueHint: "https://x.dev", IsRequired: true}}
	if diff := cmp.Diff(want, e.Listing.Packages[0].PackageArguments); diff != "" {
		t.Error(diff)
	}
}

// A scraped command of a bridge to a remote of its entry starts no package.
func TestScrapedBridge(t *testing.T) {
	for argument, want := range map[string]int{"https://w.dev/sse": 0, "https://w.dev/docs": 1} {
		e, err := ParseEntry([]byte(`{"server":{"name":"io.github.octo/weather","version":"0.0.1-seed","packages":[
			{"registryType":"npm","identifier":"weather","packageArguments":[{"type":"positional","value":"` + argument +
			`","valueHint":"` + argument + `"}]}],"remotes":[{"type":"sse","url":"https://w.dev/sse"}]}}`))
		if err != nil || len(e.Listing.Packages) != want {
			t.Errorf("%s: %v, %+v", argument, err, e.Listing.Packages)
		}
	}
}

func TestInvalidPackageNames(t *testing.T) {
	for id, want := range map[string]bool{
		"npm weather": true, "npm @octo/weather": true, "npm octo/weather": false, "npm @octo/weather/cli": false, "npm https://x.dev/y": false,
		"pypi weather.mcp": true, "pypi octo/weather": false, "oci ghcr.io/octo/weather": true, "mcpb https://github.com/octo/weather/releases/download/v1/a.mcpb": true,
	} {
		typ, name, _ := strings.Cut(id, " ")
		if got := canBePackage(typ, name); got != want {
			t.Errorf("%s: %v", id, got)
		}
	}
}
