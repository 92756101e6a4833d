package jobs

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"mcpcensus/crawler/detect"
	"mcpcensus/crawler/inspect/inspecttest"
	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
)

// startedServers is how many servers of the corpus are started.
const startedServers = 40

// TestInstallStarts installs and starts servers of recorded repositories in the sandbox,
// with the command that we print, and reports how many answer. It needs the package
// registries. Packages have no facts here, so that commands run the latest version.
func TestInstallStarts(t *testing.T) {
	corpus := os.Getenv("CENSUS_CORPUS")
	if corpus == "" {
		t.Skip("SKIPPED: CENSUS_CORPUS is not set; run make acceptance-install CORPUS=dir " +
			"HOSTS=hosts-of-the-package-registries")
	}
	if _, err := os.Stat(filepath.Join(corpus, "repos")); err != nil && !filepath.IsAbs(corpus) {
		corpus = filepath.Join("..", corpus)
	}
	inspector := inspecttest.New(t)
	packages := corpusPackages(t, corpus, inspector.Types())
	if n, err := strconv.Atoi(os.Getenv("CENSUS_INSPECT_MAX")); err == nil {
		packages = packages[:min(n, len(packages))]
	}
	var mu sync.Mutex
	outcomes := map[string]int{}
	var group errgroup.Group
	group.SetLimit(2)
	for _, p := range packages {
		group.Go(func() error {
			got, err := inspector.Inspect(t.Context(), p)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			outcomes[got.Outcome]++
			t.Logf("%-17s %3d tools  %s: %s", got.Outcome, len(got.Tools), install.Command(p), got.Detail)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, o := range registry.InspectionOutcomes {
		t.Logf("install: %s: %d/%d", o, outcomes[o], len(packages))
	}
	installed := len(packages) - outcomes[registry.InspectionInstallFailed]
	if installed == 0 {
		t.Skip("SKIPPED: nothing could be installed; the package registries cannot be reached")
	}
}

// corpusPackages returns the first package of each recorded server that can be installed.
func corpusPackages(t *testing.T, corpus string, types []string) (packages []registry.Package) {
	listings := seedListings(t, corpus)
	paths, _ := filepath.Glob(filepath.Join(corpus, "repos", "*.json"))
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var r installRecord
		if err := json.Unmarshal(b, &r); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		snap := r.snapshot()
		all := listings[snap.Repo.Ref().Key()]
		for _, found := range detect.Servers(snap, all).Servers {
			f := registry.Facts{Repo: snap.Repo, Detection: found.Detection, Readme: found.Readme}
			f.Listing = listingOf(all, &f.Repo, f.Detection)
			p, ok := install.First(Score(f, snap.Repo.ObservedAt).Server.Packages)
			if !ok || !slices.Contains(types, p.RegistryType) {
				continue
			}
			p.Version = ""
			if packages = append(packages, p); len(packages) == startedServers {
				return packages
			}
		}
	}
	return packages
}
