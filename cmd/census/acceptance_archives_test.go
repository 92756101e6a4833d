package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"mcpcensus/crawler/upstream"
	"mcpcensus/internal/registry"
)

// TestAcceptanceArchives compares the tools in archives of published packages with what
// the same versions answered to tools/list. npm downloads the archives.
// CENSUS_TEST_ARCHIVES is the number of packages.
func TestAcceptanceArchives(t *testing.T) {
	corpus := os.Getenv("CENSUS_CORPUS")
	most, err := strconv.Atoi(os.Getenv("CENSUS_TEST_ARCHIVES"))
	if corpus == "" || err != nil {
		t.Skip("SKIPPED: CENSUS_CORPUS or CENSUS_TEST_ARCHIVES is not set, so archives of packages are not " +
			"measured; run make acceptance CORPUS=dir ARCHIVES=number-of-packages")
	}
	if _, err := os.Stat(filepath.Join(corpus, "tools")); err != nil && !filepath.IsAbs(corpus) {
		corpus = filepath.Join("..", "..", corpus)
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("SKIPPED: npm is not installed, which downloads archives of packages")
	}
	a := &acceptance{t: t}
	var tallies toolTallies
	var read, partial tally
	files, _ := filepath.Glob(filepath.Join(corpus, "tools", "*.json"))
	for _, file := range files[:min(most, len(files))] {
		var said toolsAnswer
		readJSON(file, &said)
		pack := exec.CommandContext(t.Context(), npm, "pack", "--silent", "--ignore-scripts",
			said.Package+"@"+said.Version)
		pack.Dir = t.TempDir()
		if out, err := pack.CombinedOutput(); err != nil {
			t.Logf("%s %s: not downloaded: %v: %.200s", said.Package, said.Version, err, out)
			continue
		}
		found := archived(t, said.Package, said.Version, pack.Dir)
		read.is(found.Problem == "", "%s %s: %s", said.Package, said.Version, found.Problem)
		partial.is(!found.Partial, "%s %s", said.Package, said.Version)
		before := tallies.found
		tallies.compare(said, found.Tools)
		t.Logf("%-45s %3d of %3d tools, %3d listed, partial %v", said.Package,
			tallies.found.right-before.right, len(said.Tools), len(found.Tools), found.Partial)
	}
	if read.all == 0 {
		t.Skip("SKIPPED: no archive could be downloaded; the package registry cannot be reached")
	}
	read.report(t, "archives read", 0)
	partial.report(t, "archives read whole", 0)
	tallies.report(a, " (archive)")
}

// archived returns the tools of the archive that npm downloaded into dir.
func archived(t *testing.T, name, version, dir string) *registry.ArchiveTools {
	t.Helper()
	packed, _ := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if len(packed) != 1 {
		t.Fatalf("npm wrote %d archives of %s", len(packed), name)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".tgz") {
			http.ServeFile(w, r, packed[0])
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"version": version,
			"dist": map[string]any{"tarball": "http://" + r.Host + "/archive.tgz"}})
	}))
	defer server.Close()
	deps, err := upstream.NewDepsDev(upstream.Options{Base: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	archives, err := upstream.NewArchives(deps, upstream.Options{Base: server.URL}, upstream.Options{})
	if err != nil {
		t.Fatal(err)
	}
	found, err := archives.Tools(t.Context(),
		registry.PackageKey{RegistryType: "npm", Identifier: name}, version)
	if err != nil {
		t.Fatal(err)
	}
	return found
}
