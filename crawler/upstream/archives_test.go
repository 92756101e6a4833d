package upstream

import (
	"crypto/sha1"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/read"
	"mcpcensus/crawler/read/readtest"
	"mcpcensus/crawler/source"
	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
)

var tgz, file, zipped = readtest.Tgz, readtest.File, readtest.Zip

const tideServer = `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
const server = new McpServer({ name: "tides", version: "1.2.0" });
server.registerTool("high_water", { description: "Returns the next high water" }, async () => ({}));
`

const tidePython = `from mcp.server.fastmcp import FastMCP
mcp = FastMCP("tides")

@mcp.tool()
def low_water(port: str) -> str:
    """Returns the next low water."""
    return ""
`

// archives returns archives whose registries are both served by a handler.
func archives(t *testing.T, h http.HandlerFunc, timeout time.Duration) *Archives {
	t.Helper()
	o := Options{Base: serve(t, h), Now: func() time.Time { return testNow }, Timeout: timeout}
	deps, err := NewDepsDev(o)
	if err != nil {
		t.Fatal(err)
	}
	a, err := NewArchives(deps, newReader(t), o, o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// npmAt serves one version of a package and its archive. change alters the record.
func npmAt(content []byte, change func(dist map[string]any, host string)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.EscapedPath() {
		case "/%40octo/tides/1.2.0":
			dist := map[string]any{"tarball": "http://" + r.Host + "/files/tides.tgz"}
			if change != nil {
				change(dist, r.Host)
			}
			record := map[string]any{"name": "@octo/tides", "version": "1.2.0", "dist": dist}
			if name, ok := dist["mcpName"]; ok { // next to dist
				record["mcpName"] = name
			}
			sendJSON(w, record)
		case "/elsewhere":
			http.Redirect(w, r, "http://192.0.2.7/tides.tgz", http.StatusFound)
		case "/files/tides.tgz":
			_, _ = w.Write(content)
		default:
			status(http.StatusNotFound)(w, r)
		}
	}
}

func TestArchiveTools(t *testing.T) {
	content := tgz(t, file("package/package.json", `{"name":"@octo/tides","bin":"index.js"}`),
		file("package/index.js", tideServer))
	with := func(key string, value any) func(map[string]any, string) {
		return func(dist map[string]any, _ string) { dist[key] = value }
	}
	sum, old := sha512.Sum512(content), sha1.Sum(content) //nolint:gosec // see above
	got := registry.ArchiveTools{Version: "1.2.0", Reader: source.Version, At: testNow,
		Tools: []registry.Tool{{Name: "high_water", Description: "Returns the next high water",
			Inferred: &registry.ToolEffect{Effect: registry.EffectRead, Basis: registry.BasisSource, Evidence: "index.js:1"}}}}
	named := got
	named.MCPName = "io.github.octo/tides"
	problem := func(text string) registry.ArchiveTools {
		return registry.ArchiveTools{Version: "1.2.0", Reader: source.Version, At: testNow, Problem: text}
	}
	npm := registry.PackageKey{RegistryType: "npm", Identifier: "@octo/tides"}
	for name, tc := range map[string]struct {
		serve   http.HandlerFunc
		key     registry.PackageKey
		version string
		want    registry.ArchiveTools
	}{
		"registry name":           {npmAt(content, with("mcpName", named.MCPName)), npm, "1.2.0", named},
		"invalid registry name":   {npmAt(content, with("mcpName", "a tide")), npm, "1.2.0", got},
		"registry name, not text": {npmAt(content, with("mcpName", []int{1})), npm, "1.2.0", got},
		"without hash":            {npmAt(content, nil), npm, "1.2.0", got},
		"integrity": {npmAt(content, with("integrity", "sha1-bm90IHVzZWQ= sha512-"+
			base64.StdEncoding.EncodeToString(sum[:]))), npm, "1.2.0", got},
		"SHA-1": {npmAt(content, with("shasum", hex.EncodeToString(old[:]))), npm, "1.2.0", got},
		"wrong integrity": {npmAt(content, with("integrity", "sha512-bm8=")), npm, "1.2.0",
			problem("the hash of the archive does not match the registry's")},
		"wrong SHA-1": {npmAt(content, with("shasum", "00ff")), npm, "1.2.0",
			problem("the hash of the archive does not match the registry's")},
		"other host": {npmAt(content, with("tarball", "http://192.0.2.7/tides.tgz")), npm, "1.2.0",
			problem("the archive is on a host that is not the package registry's")},
		"other scheme": {npmAt(content, with("tarball", "file:///etc/passwd")), npm, "1.2.0",
			problem("the archive is on a host that is not the package registry's")},
		"redirect to another host": {npmAt(content, func(dist map[string]any, host string) {
			dist["tarball"] = "http://" + host + "/elsewhere"
		}), npm, "1.2.0", problem("the archive is on a host that is not the package registry's")},
		"no file": {npmAt(content, func(dist map[string]any, host string) {
			dist["tarball"] = "http://" + host + "/nothing"
		}), npm, "1.2.0", problem("the package registry does not have the archive")},
		"invalid URL": {npmAt(content, with("tarball", "http://[")), npm, "1.2.0",
			problem("the package registry returns an invalid URL of the archive")},
		"no archive": {npmAt(content, with("tarball", "")), npm, "1.2.0",
			problem("the package registry has no archive of this version")},
		"damaged": {npmAt([]byte("no"), nil), npm, "1.2.0",
			problem("the archive cannot be read: not a gzip archive")},
		"too large": {npmAt(make([]byte, read.MaxArchive+1), nil), npm, "1.2.0",
			problem("the archive is larger than 40 MB")},
		"unknown version": {npmAt(content, nil), npm, "1.2.0-unknown", registry.ArchiveTools{
			Version: "1.2.0-unknown", Reader: source.Version, At: testNow,
			Problem: "the package registry does not have this version"}},
		"invalid name": {npmAt(content, nil), registry.PackageKey{RegistryType: "npm", Identifier: "../x"},
			"1.2.0", problem("the package name is invalid")},
		"other kind": {npmAt(content, nil), registry.PackageKey{RegistryType: "cargo", Identifier: "tides"},
			"1.2.0", problem("archives of cargo are not read")},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := archives(t, tc.serve, 0).Tools(t.Context(), tc.key, registry.ArchiveWork{Version: tc.version})
			if err != nil {
				t.Fatal(err)
			}
			for i := range got.Tools {
				if x := &got.Tools[i]; x.Hash == "" || x.Tokens == 0 {
					t.Errorf("%s was not weighed", x.Name)
				}
				got.Tools[i].InputSchema, got.Tools[i].Hash, got.Tools[i].Tokens = nil, "", 0
			}
			if d := cmp.Diff(&tc.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestArchiveToolsOfDependencies(t *testing.T) {
	const manifest = `{"name":"@octo/tides","main":"index.js","repository":"https://github.com/octo/tides",` +
		`"dependencies":{"@octo/core":"^2.0.1","sealed":"1.0.0","@octo/unused":"1.0.0","other":"^1.0.0"}}`
	start := `import { start } from "@octo/core"; import "sealed"; import "other"; start();`
	records := map[string]string{ // repositories by package and version
		"/%40octo/tides/1.2.0": "octo/tides", "/%40octo/core/2.0.1": "octo/core", "/sealed/1.0.0": "evil/core",
	}
	contents := map[string][]byte{
		"/%40octo/tides/1.2.0": tgz(t, file("package/package.json", manifest), file("package/index.js", start)),
		"/%40octo/core/2.0.1": tgz(t, file("package/package.json", `{"name":"@octo/core","main":"main.js"}`),
			file("package/main.js", "export function start() {"+tideServer[strings.Index(tideServer, "const"):]+"}")),
	}
	var requested []string
	a := archives(t, func(w http.ResponseWriter, r *http.Request) {
		name, isFile := strings.CutPrefix(r.URL.EscapedPath(), "/files")
		requested = append(requested, r.URL.Path)
		switch repository, ok := records[name]; {
		case !ok:
			status(http.StatusNotFound)(w, r)
		case isFile:
			_, _ = w.Write(contents[name])
		default:
			sendJSON(w, map[string]any{"version": name[strings.LastIndex(name, "/")+1:],
				"repository": map[string]any{"url": "git+https://github.com/" + repository + ".git"},
				"dist":       map[string]any{"tarball": "http://" + r.Host + "/files" + name}})
		}
	}, 0)
	got, err := a.Tools(t.Context(), registry.PackageKey{RegistryType: "npm", Identifier: "@octo/tides"},
		registry.ArchiveWork{Version: "1.2.0"})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Tools) != 1 || got.Tools[0].Name != "high_water" {
		t.Errorf("tools %v", got.Tools)
	}
	want := []string{"/@octo/tides/1.2.0", "/files/@octo/tides/1.2.0", "/@octo/core/2.0.1", "/files/@octo/core/2.0.1",
		"/sealed/1.0.0"}
	if d := cmp.Diff(want, requested); d != "" {
		t.Errorf("requests (-want +got):\n%s", d)
	}
}

func TestArchiveToolsPython(t *testing.T) {
	wheel := zipped(t, map[string]string{"tides/server.py": tidePython})
	source := tgz(t, file("tides-1/src/tides/server.py", strings.ReplaceAll(tidePython, "low_water", "from_source")))
	files := map[string]any{
		"wheel": map[string]any{"filename": "tides-1-py3-none-any.whl", "packagetype": "bdist_wheel",
			"url": "/wheel"},
		"binary": map[string]any{"filename": "tides-1-cp313-linux.whl", "packagetype": "bdist_wheel",
			"url": "/wheel"},
		"source": map[string]any{"filename": "tides-1.tar.gz", "packagetype": "sdist", "url": "/source"},
		"large": map[string]any{"filename": "tides-1-py3-none-any.whl", "packagetype": "bdist_wheel",
			"url": "/large", "size": read.MaxArchive + 1},
		"egg": map[string]any{"filename": "tides-1.egg", "packagetype": "bdist_egg", "url": "/egg"},
	}
	for name, tc := range map[string]struct {
		files   []string
		tool    string
		problem string
	}{
		"wheel":        {[]string{"source", "binary", "wheel"}, "low_water", ""},
		"source":       {[]string{"binary", "source"}, "from_source", ""},
		"only binary":  {[]string{"binary"}, "low_water", ""},
		"large wheel":  {[]string{"large", "source"}, "from_source", ""},
		"only a large": {[]string{"large"}, "", "the archive is larger than 40 MB"},
		"other":        {[]string{"egg"}, "", "the package registry has no archive of this version"},
	} {
		t.Run(name, func(t *testing.T) {
			a := archives(t, func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/pypi/tide-tables/1/json":
					var urls []any
					for _, f := range tc.files {
						u := map[string]any{}
						for k, v := range files[f].(map[string]any) {
							u[k] = v
						}
						u["url"] = "http://" + r.Host + u["url"].(string)
						urls = append(urls, u)
					}
					sendJSON(w, map[string]any{"urls": urls})
				case "/wheel":
					_, _ = w.Write(wheel)
				case "/source":
					_, _ = w.Write(source)
				}
			}, 0)
			got, err := a.Tools(t.Context(), registry.PackageKey{RegistryType: "pypi", Identifier: "Tide_Tables"},
				registry.ArchiveWork{Version: "1"})
			if err != nil {
				t.Fatal(err)
			}
			name := ""
			if len(got.Tools) == 1 {
				name = got.Tools[0].Name
			}
			if name != tc.tool || got.Problem != tc.problem {
				t.Errorf("tool %q, problem %q", name, got.Problem)
			}
		})
	}
}

// TestArchiveRegistries covers registries that deps.dev names.
func TestArchiveRegistries(t *testing.T) {
	npm := npmAt(tgz(t, file("package/index.js", tideServer)), nil)
	for name, tc := range map[string]struct {
		registries func(host string) []string
		problem    string
	}{
		"named": {func(host string) []string { return []string{"http://" + host + "/"} }, ""},
		"none": {func(string) []string { return nil },
			"deps.dev returns no registry of this package"},
		"no address": {func(string) []string { return []string{"npm"} },
			"deps.dev returns no registry of this package"},
	} {
		t.Run(name, func(t *testing.T) {
			base := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if !strings.HasPrefix(r.URL.Path, "/v3/") {
					npm(w, r)
					return
				}
				sendJSON(w, map[string]any{"versionKey": map[string]any{"version": "1.2.0"},
					"registries": tc.registries(r.Host)})
			})
			deps, err := NewDepsDev(Options{Base: base})
			if err != nil {
				t.Fatal(err)
			}
			a, err := NewArchives(deps, newReader(t), Options{}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			key := registry.PackageKey{RegistryType: "npm", Identifier: "@octo/tides"}
			got, err := a.Tools(t.Context(), key, registry.ArchiveWork{Version: "1.2.0"})
			if err != nil || got.Problem != tc.problem || (len(got.Tools) == 1) != (tc.problem == "") {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

// TestArchiveFailures checks that a registry that fails is an error and not a fact.
func TestArchiveFailures(t *testing.T) {
	key := registry.PackageKey{RegistryType: "npm", Identifier: "@octo/tides"}
	content := tgz(t)
	for name, bad := range badResponses {
		if name == "other" || name == "null" || name == "wrong types" {
			continue // JSON without an archive is a fact
		}
		t.Run(name, func(t *testing.T) {
			a := archives(t, bad, time.Second/2)
			if got, err := a.Tools(t.Context(), key, registry.ArchiveWork{Version: "1.2.0"}); err == nil {
				t.Errorf("got %+v", got)
			}
		})
	}
	for name, bad := range map[string]http.HandlerFunc{
		"503": status(503), "429": status(429), "hang": hang, "cut": badResponses["cut"], "reset": badResponses["reset"],
	} {
		t.Run("file "+name, func(t *testing.T) {
			a := archives(t, func(w http.ResponseWriter, r *http.Request) {
				if strings.HasPrefix(r.URL.Path, "/files/") {
					bad(w, r)
					return
				}
				npmAt(content, nil)(w, r)
			}, time.Second/2)
			got, err := a.Tools(t.Context(), key, registry.ArchiveWork{Version: "1.2.0"})
			if _, ok := errors.AsType[*transport.ResponseError](err); !ok && !errors.Is(err, registry.ErrLimited) {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func TestMain(m *testing.M) {
	read.Init()
	os.Exit(m.Run())
}

func newReader(t testing.TB) *read.Pool {
	p := read.NewPool(read.Options{Children: 1})
	t.Cleanup(p.Close)
	return p
}
