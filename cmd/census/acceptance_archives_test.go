package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mcpcensus/crawler/source"
	"mcpcensus/crawler/source/sourcetest"
	"mcpcensus/crawler/upstream"
	"mcpcensus/internal/registry"
)

// TestAcceptanceArchives compares the tools in archives of published packages with the
// recorded responses of the same versions to tools/list.
//
// CENSUS_TEST_ARCHIVES is the number of packages of the corpus. CENSUS_TEST_ANSWERS is a
// folder with responses of servers that are not in the corpus; with CENSUS_MIRROR, they are
// also compared with the sources of their repositories at that version, if available. Archives
// are in the folder CENSUS_TEST_PACKAGES; npm and pip download missing ones.
func TestAcceptanceArchives(t *testing.T) {
	corpus, unseen := os.Getenv("CENSUS_CORPUS"), os.Getenv("CENSUS_TEST_ANSWERS")
	most, err := strconv.Atoi(os.Getenv("CENSUS_TEST_ARCHIVES"))
	if unseen == "" && (corpus == "" || err != nil) {
		t.Skip("SKIPPED: CENSUS_CORPUS or CENSUS_TEST_ARCHIVES is not set, so archives of packages are not " +
			"measured; run make acceptance CORPUS=dir ARCHIVES=number-of-packages")
	}
	if _, err := os.Stat(filepath.Join(corpus, "tools")); err != nil && !filepath.IsAbs(corpus) {
		corpus = filepath.Join("..", "..", corpus)
	}
	a, read := &acceptance{t: t}, 0
	if corpus != "" {
		files, _ := filepath.Glob(filepath.Join(corpus, "tools", "*.json"))
		read += a.archives(files[:min(most, len(files))], "archive")
	}
	if unseen != "" {
		files, _ := filepath.Glob(filepath.Join(unseen, "*.json"))
		read += a.archives(files, "unseen archive")
		a.mirrored(files)
	}
	if read == 0 {
		t.Skip("SKIPPED: no archive could be downloaded; the package registry cannot be reached")
	}
}

// archives compares answers with the archives of their packages. It returns how many
// archives there were.
func (a *acceptance) archives(answers []string, kind string) int {
	a.t.Helper()
	var tallies toolTallies
	var read, partial tally
	var took []time.Duration
	dir := packages(cmp.Or(os.Getenv("CENSUS_TEST_PACKAGES"), a.t.TempDir()))
	for _, file := range answers {
		var said toolsAnswer
		readJSON(file, &said)
		_, err := dir.archive(a.t.Context(), said.Type, said.Package, said.Version)
		if err != nil {
			a.t.Logf("%s %s: %v", said.Package, said.Version, err)
			continue
		}
		at := time.Now()
		found := dir.tools(a.t, said)
		took = append(took, time.Since(at))
		read.is(found.Problem == "", "%s %s: %s", said.Package, said.Version, found.Problem)
		partial.is(!found.Partial, "%s %s", said.Package, said.Version)
		a.compared(&tallies, said, found.Tools, found.Partial)
	}
	read.report(a.t, kind+"s read", 0)
	partial.report(a.t, kind+"s read whole", 0)
	tallies.report(a, " ("+kind+")")
	if slices.Sort(took); len(took) > 0 {
		a.t.Logf("%ss: %v median, %v longest", kind, took[len(took)/2], took[len(took)-1])
	}
	return read.all
}

// mirrored compares answers with the tools in the sources of their repositories.
func (a *acceptance) mirrored(answers []string) {
	a.t.Helper()
	var tallies toolTallies
	for _, file := range answers {
		var said toolsAnswer
		readJSON(file, &said)
		files, err := sourcetest.Mirror(sourcetest.Response{Package: said.Package,
			Version: said.Version, Repository: said.Repository},
			func(p string) bool { return source.IsSource(p) || path.Ext(p) == ".json" })
		if err != nil {
			a.t.Logf("%s: %v", said.Package, err)
			continue
		}
		read := source.Tools(files, nil, said.Command.Names, nil)
		a.compared(&tallies, said, read.Tools, read.Partial)
	}
	if tallies.found.all > 0 {
		tallies.report(a, " (unseen repository)")
	}
}

func (a *acceptance) compared(c *toolTallies, said toolsAnswer, tools []registry.Tool, partial bool) {
	before := *c
	c.compare(said, tools)
	a.t.Logf("%-45s %3d of %3d tools, %3d listed, %3d descriptions, %4d of %4d parameters, partial %v",
		said.Package, c.found.right-before.found.right, len(said.Tools), len(tools),
		c.descriptions.right-before.descriptions.right, c.parameters.right-before.parameters.right,
		c.parameters.all-before.parameters.all, partial)
}

// packages is the folder of archives and records of packages.
type packages string

// archive returns the path of the archive of a version, downloaded if it is not there.
func (dir packages) archive(ctx context.Context, registryType, name, version string) (string, error) {
	base := strings.ReplaceAll(strings.TrimPrefix(name, "@"), "/", "-") + "-" + version + ".tgz"
	download := []string{"npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", string(dir),
		name + "@" + version}
	if registryType == "pypi" {
		base = strings.ReplaceAll(registry.PyPIName(name), "-", "_") + "-" + version + "-*.whl"
		download = []string{"pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest",
			string(dir), name + "==" + version}
	}
	there := func() string {
		found, _ := filepath.Glob(filepath.Join(string(dir), base))
		return strings.Join(found, " ")
	}
	if there() == "" {
		if out, err := exec.CommandContext(ctx, download[0], download[1:]...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("not downloaded: %w: %.200s", err, out)
		}
	}
	return there(), nil
}

// record returns npm's metadata of a version: its repository.
func (dir packages) record(ctx context.Context, name, version string) []byte {
	file := filepath.Join(string(dir), strings.ReplaceAll(name, "/", "__")+"-"+version+".json")
	b, err := os.ReadFile(file)
	if err != nil {
		b, err = exec.CommandContext(ctx, "npm", "view", "--json", name+"@"+version, "repository.url").Output()
		if err == nil {
			_ = os.WriteFile(file, b, 0o644) // read again next time
		}
	}
	return b
}

// ServeHTTP is the registry of the packages, for [upstream.Archives].
func (dir packages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if name, ok := strings.CutPrefix(r.URL.Path, "/files/"); ok {
		registryType, name, _ := strings.Cut(name, "/")
		archive, err := dir.archive(r.Context(), registryType, path.Dir(name), path.Base(name))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		http.ServeFile(w, r, archive)
		return
	}
	name, version := path.Dir(r.URL.Path)[1:], path.Base(r.URL.Path)
	answer := map[string]any{"version": version,
		"dist": map[string]any{"tarball": "http://" + r.Host + "/files/npm/" + name + "/" + version}}
	var repository string
	if rest, ok := strings.CutPrefix(name, "pypi/"); ok {
		name, version = path.Dir(rest), path.Base(rest)
		answer["urls"] = []any{map[string]any{"filename": name + "-none-any.whl", "packagetype": "bdist_wheel",
			"url": "http://" + r.Host + "/files/pypi/" + name + "/" + version}}
	} else if json.Unmarshal(dir.record(r.Context(), name, version), &repository) == nil {
		answer["repository"] = repository
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

// tools returns the tools of the archive of a package.
func (dir packages) tools(t *testing.T, said toolsAnswer) *registry.ArchiveTools {
	t.Helper()
	server := httptest.NewServer(dir)
	defer server.Close()
	base := upstream.Options{Base: server.URL, Timeout: 2 * time.Minute}
	deps, err := upstream.NewDepsDev(base)
	if err != nil {
		t.Fatal(err)
	}
	archives, err := upstream.NewArchives(deps, newReader(t), base, base)
	if err != nil {
		t.Fatal(err)
	}
	found, err := archives.Tools(t.Context(),
		registry.PackageKey{RegistryType: cmp.Or(said.Type, "npm"), Identifier: said.Package},
		registry.ArchiveWork{Version: said.Version, Required: said.Command.Names})
	if found == nil {
		t.Fatal(err)
	}
	return found
}
