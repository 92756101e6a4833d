package detect

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mcpcensus/crawler"
	"mcpcensus/crawler/paths"
	"mcpcensus/crawler/source"
	"mcpcensus/internal/registry"
)

// mirrorOf returns the git directory of a mirrored repository, "" if there is none.
func mirrorOf(repo string) string {
	dir := os.Getenv("CENSUS_MIRROR")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", ".mirror")
	}
	found, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, f := range found {
		if strings.EqualFold(filepath.Base(f), strings.ReplaceAll(repo, "/", "+")) {
			if _, err := os.Stat(filepath.Join(f, "repo")); err == nil {
				return filepath.Join(f, "repo")
			}
		}
	}
	return ""
}

// crawled returns the snapshot of a mirrored repository as crawled: the listing and the selected
// texts.
func crawled(t *testing.T, r *record, mirror string) *registry.Snapshot {
	t.Helper()
	s := r.snapshot()
	s.Files = nil
	list, err := exec.Command("git", "-C", mirror, "ls-tree", "-r", "-l", "-z", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(string(list), "\x00") {
		about, p, _ := strings.Cut(line, "\t")
		if f := strings.Fields(about); len(f) == 4 {
			size, _ := strconv.ParseInt(f[3], 10, 64)
			s.Files = append(s.Files, registry.File{Path: p, Mode: f[0], OID: f[2], Size: size})
		}
	}
	s.Texts = map[string]string{}
	readBlobs(t, mirror, s.Texts, crawler.SelectFiles(registry.HostOf(""), s.Files, true))
	for n := -1; n < len(s.Texts); {
		n = len(s.Texts)
		readBlobs(t, mirror, s.Texts, crawler.SelectImports(s.Files, s.Texts, importer))
	}
	return s
}

func readBlobs(t *testing.T, mirror string, texts map[string]string, files []registry.File) {
	t.Helper()
	var in strings.Builder
	for _, f := range files {
		in.WriteString(f.OID + "\n")
	}
	cmd := exec.Command("git", "-C", mirror, "cat-file", "--batch")
	cmd.Stdin = strings.NewReader(in.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(strings.NewReader(string(out)))
	for _, f := range files {
		var oid, kind string
		var size int
		line, _ := r.ReadString('\n')
		if n, _ := fmt.Sscan(line, &oid, &kind, &size); n != 3 {
			continue // a partial mirror
		}
		b := make([]byte, size+1)
		io.ReadFull(r, b)
		if text, ok := crawler.Text(string(b[:size])); ok {
			texts[f.Path] = text
		}
	}
}

// minServers is the number of servers with a mirror above which the results have floors.
const minServers = 20

// A toolScore compares lists of tools with the responses of servers.
type toolScore struct {
	found, wanted, right        int // names
	described                   int // descriptions that are equal
	properties, known, matching int // of input schemas
}

func (s *toolScore) add(o toolScore) {
	s.found, s.wanted, s.right = s.found+o.found, s.wanted+o.wanted, s.right+o.right
	s.described += o.described
	s.properties, s.known, s.matching = s.properties+o.properties, s.known+o.known, s.matching+o.matching
}

func (s toolScore) String() string {
	return fmt.Sprintf("names P %.3f (%d/%d) R %.3f (%d/%d) F1 %.3f; descriptions %.3f (%d/%d); properties F1 %.3f (%d known, %d wanted, %d right)",
		share(s.right, s.found), s.right, s.found, share(s.right, s.wanted), s.right, s.wanted,
		share(2*s.right, s.found+s.wanted), share(s.described, s.wanted), s.described, s.wanted,
		share(2*s.matching, s.known+s.properties), s.known, s.properties, s.matching)
}

func share(a, b int) float64 { return float64(a) / float64(max(b, 1)) }

// A response is the response of a package to tools/list.
type response struct {
	Package    string
	Repository string `json:"repository_url"`
	Tools      []struct {
		Name, Description string
		InputSchema       json.RawMessage
	}
}

// mirror returns the git directory of the mirrored repository of the package, "" for none.
func (a *response) mirror() string {
	_, repo, found := strings.Cut(strings.TrimSuffix(a.Repository, ".git"), "github.com")
	if !found {
		return ""
	}
	return mirrorOf(strings.Trim(repo, "/:"))
}

func (a *response) compare(tools []registry.Tool) (s toolScore, missing, extra []string) {
	found := map[string]registry.Tool{}
	for _, t := range tools {
		if t.IsDefault() {
			found[t.Name] = t
		}
	}
	s.found, s.wanted = len(found), len(a.Tools)
	for _, w := range a.Tools {
		properties := propertiesOf(w.InputSchema)
		s.properties += len(properties)
		g, ok := found[w.Name]
		delete(found, w.Name)
		if !ok {
			missing = append(missing, w.Name)
			continue
		}
		s.right++
		if strings.TrimSpace(g.Description) == strings.TrimSpace(w.Description) {
			s.described++
		}
		for p := range propertiesOf(g.InputSchema) {
			s.known++
			if properties[p] {
				s.matching++
			}
		}
	}
	for n := range found {
		extra = append(extra, n)
	}
	return s, missing, extra
}

func propertiesOf(schema []byte) map[string]bool {
	var s struct{ Properties map[string]json.RawMessage }
	json.Unmarshal(schema, &s)
	out := map[string]bool{}
	for p := range s.Properties {
		out[p] = true
	}
	return out
}

// TestCorpusTools compares the tools of servers, as crawled from their mirrored repositories,
// with the responses of their packages. The sources are newer than the packages.
func TestCorpusTools(t *testing.T) {
	dir := corpusDir(t)
	for _, r := range readRecords(t, filepath.Join(dir, "repos_negative")) {
		snap := r.snapshot()
		if mirror := mirrorOf(r.full()); mirror != "" {
			snap = crawled(t, r, mirror)
		}
		for _, s := range Servers(snap, nil).Servers {
			t.Errorf("%s: a server with %d tools", r.full(), len(s.Detection.Tools))
		}
	}
	records := map[string]*record{}
	for _, r := range readRecords(t, filepath.Join(dir, "repos")) {
		records[strings.ToLower(r.full())] = r
	}
	var total, before toolScore
	files, _ := filepath.Glob(filepath.Join(dir, "evidence", "*.json"))
	servers := 0
	for _, f := range files {
		var e struct{ Repo string }
		b, _ := os.ReadFile(f)
		json.Unmarshal(b, &e)
		r := records[strings.ToLower(e.Repo)]
		a := readAnswer(dir, filepath.Base(f))
		if r == nil || a == nil {
			continue
		}
		mirror := a.mirror()
		if mirror == "" {
			mirror = mirrorOf(e.Repo)
		}
		if mirror == "" {
			continue
		}
		servers++
		snap := crawled(t, r, mirror)
		d := serverOf(Servers(snap, nil), a.Package)
		s, missing, extra := a.compare(d.Tools)
		t.Logf("%-40s %-8s %s", filepath.Base(f), d.ToolsFrom, s)
		if testing.Verbose() {
			t.Logf("  missing %.12q\n  extra %.12q", missing, extra)
		}
		total.add(s)
		for p := range snap.Texts {
			if source.IsSource(p) || paths.Language(p) != "" {
				delete(snap.Texts, p)
			}
		}
		s, _, _ = a.compare(serverOf(Servers(snap, nil), a.Package).Tools)
		before.add(s)
	}
	if servers == 0 {
		t.Skip("SKIPPED: no mirrors; set CENSUS_MIRROR")
	}
	t.Logf("%d servers, READMEs and manifests alone: %s", servers, before)
	t.Logf("%d servers: %s", servers, total)
	if servers < minServers {
		t.Skipf("SKIPPED: %d of the servers have a mirror, %d are needed to compare results", servers, minServers)
	}
	for _, f := range []struct {
		name  string
		share float64
		least float64
	}{
		{"F1 of names", share(2*total.right, total.found+total.wanted), .66},
		{"equal descriptions", share(total.described, total.wanted), .52},
		{"F1 of properties", share(2*total.matching, total.known+total.properties), .70},
		{"F1 of names in READMEs and manifests", share(2*before.right, before.found+before.wanted), .58},
	} {
		if f.share < f.least {
			t.Errorf("%s: %.3f, want at least %.2f", f.name, f.share, f.least)
		}
	}
}

// serverOf returns the detection of the server that publishes a package, or of the
// only one.
func serverOf(r Result, pkg string) registry.Detection {
	for i := range r.Servers {
		d := r.Servers[i].Detection
		if slices.ContainsFunc(d.Packages, func(p registry.Package) bool { return p.Identifier == pkg }) {
			return d
		}
	}
	if len(r.Servers) > 0 {
		return r.Servers[0].Detection
	}
	return registry.Detection{}
}

func readAnswer(dir, file string) *response {
	for _, sub := range []string{"tools", "tools_go"} {
		if b, err := os.ReadFile(filepath.Join(dir, sub, file)); err == nil {
			var a response
			if json.Unmarshal(b, &a) == nil && len(a.Tools) > 0 {
				return &a
			}
		}
	}
	return nil
}

// importer is a [crawler.Importer].
func importer(files map[string]string, paths []string) []string {
	return source.Imports(files, paths)
}
