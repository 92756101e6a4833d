package jobs

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"mcpcensus/crawler/detect"
	"mcpcensus/crawler/inspect/inspecttest"
	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
)

// TestInstallStarts installs and starts servers of recorded repositories in the sandbox with each
// command that we print, and made-up values, and reports how many answer tools/list. It needs the
// package registries. Packages have no facts here, so that commands run the latest version.
func TestInstallStarts(t *testing.T) {
	corpus := os.Getenv("CENSUS_CORPUS")
	if corpus == "" {
		t.Skip("SKIPPED: CENSUS_CORPUS is not set; run make acceptance-install CORPUS=dir " +
			"HOSTS=hosts-of-the-package-registries")
	}
	if _, err := os.Stat(filepath.Join(corpus, "repos")); err != nil && !filepath.IsAbs(corpus) {
		corpus = filepath.Join("..", corpus)
	}
	inspector := inspecttest.New(t, true)
	packages := corpusPackages(t, corpus, inspector.Types())
	var mu sync.Mutex
	outcomes, own := map[string]int{}, 0
	var group errgroup.Group
	group.SetLimit(2)
	for _, p := range packages {
		group.Go(func() error {
			got, err := inspector.Inspect(t.Context(), p.Package)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			outcomes[got.Outcome]++
			fault := ""
			if got.OwnFault {
				own++
				fault = "its own fault: "
			}
			t.Logf("%-17s %3d tools  %s: %s: %s%s", got.Outcome, len(got.Tools), p.of,
				install.Command(p.Package), fault, got.Detail)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, o := range registry.InspectionOutcomes {
		t.Logf("install: %s: %d/%d", o, outcomes[o], len(packages))
	}
	t.Logf("install: fault of the package: %d/%d", own, len(packages))
	installed := len(packages) - outcomes[registry.InspectionInstallFailed]
	if installed == 0 {
		t.Skip("SKIPPED: nothing could be installed; the package registries cannot be reached")
	}
}

// A printed package is one with a command on the page of a server.
type printed struct {
	of string // the server
	registry.Package
}

// corpusPackages returns the packages of recorded servers that can be installed, each command once.
func corpusPackages(t *testing.T, corpus string, types []string) (packages []printed) {
	listings, seen := seedListings(t, corpus), map[string]bool{}
	paths, _ := filepath.Glob(filepath.Join(corpus, "repos", "*.json"))
	for _, file := range paths {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var r installRecord
		if err := json.Unmarshal(b, &r); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		snap := r.snapshot()
		all := listings[snap.Repo.Ref().Key()]
		for _, found := range detect.Servers(snap, all).Servers {
			f := registry.Facts{Repo: snap.Repo, Detection: found.Detection, Readme: found.Readme}
			f.Listing = listingOf(all, &f.Repo, f.Detection)
			for _, p := range Score(f, snap.Repo.ObservedAt).Server.Packages {
				p.Version = ""
				command := install.Command(p)
				if command == "" || seen[command] || !slices.Contains(types, p.RegistryType) ||
					p.RegistryType == "oci" {
					continue
				}
				seen[command] = true
				packages = append(packages, printed{path.Join(r.Owner, r.Name, found.Detection.Subfolder), p})
			}
		}
	}
	return packages
}
