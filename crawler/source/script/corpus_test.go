package script

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/registry"
)

// corpus holds what published packages answered, and is beside the project. The
// variable CENSUS_MIRROR names a folder with copies of their repositories.
// Without them the test is skipped.
const corpus = "../../../../shared/corpus/tools"

// answer is what a published package answered to tools/list.
type answer struct {
	Package, Version string
	Repository       string `json:"repository_url"`
	Directory        string `json:"repository_directory"`
	Tools            []struct {
		Name, Description string
		InputSchema       json.RawMessage
	}
}

// TestCorpus compares the tools in the sources of repositories with what their
// packages answered. The sources are newer than the packages.
func TestCorpus(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(corpus, "*.json"))
	if len(files) == 0 || os.Getenv("CENSUS_MIRROR") == "" {
		t.Skip("needs the corpus and CENSUS_MIRROR")
	}
	compareAll(t, files, func(a answer) (map[string]string, string) {
		_, repo, _ := strings.Cut(strings.TrimSuffix(a.Repository, ".git"), "github.com")
		return mirror(strings.ReplaceAll(strings.Trim(repo, "/:"), "/", "+")), a.Directory
	})
}

// TestPackages compares the tools in the published packages of the folder
// CENSUS_PACKAGES with what they answered.
func TestPackages(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(corpus, "*.json"))
	folder := os.Getenv("CENSUS_PACKAGES")
	if len(files) == 0 || folder == "" {
		t.Skip("needs the corpus and CENSUS_PACKAGES")
	}
	compareAll(t, files, func(a answer) (map[string]string, string) {
		name := strings.ReplaceAll(strings.TrimPrefix(a.Package, "@"), "/", "-")
		return unpack(t, filepath.Join(folder, name+"-"+a.Version+".tgz")), ""
	})
}

// compareAll reads the tools of the sources that open returns with the folder of
// the server, or nil.
func compareAll(t *testing.T, answers []string, open func(answer) (map[string]string, string)) {
	t.Helper()
	var total score
	only := os.Getenv("ONLY") // a part of a file's name; shows its differences
	for _, f := range answers {
		if !strings.Contains(f, only) {
			continue
		}
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var a answer
		if err := json.Unmarshal(b, &a); err != nil {
			t.Fatal(err)
		}
		sources, folder := open(a)
		if sources == nil {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		start := time.Now()
		r := Tools(ctx, sources, []string{folder})
		cancel()
		s := compare(a, r.Tools)
		t.Logf("%-45s %s  optional %d  %5d ms partial %v", filepath.Base(f), s, len(r.Optional),
			time.Since(start).Milliseconds(), r.Partial)
		if only != "" {
			t.Logf("missing %v\nextra %v\ndescriptions %v\nproperties %v", s.missing, s.extra, s.differ, s.schemas)
		}
		total.add(s)
	}
	t.Logf("%-45s %s", "all", total)
}

// unpack returns the sources of a published package, or nil.
func unpack(t *testing.T, name string) map[string]string {
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		_, p, _ := strings.Cut(h.Name, "/")
		if (IsSource(p) || path.Ext(p) == ".json") && h.Size <= maxPlain {
			b, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			out[p] = string(b)
		}
	}
}

// mirror returns the sources of a mirrored repository, or nil.
func mirror(repo string) map[string]string {
	dir := filepath.Join(os.Getenv("CENSUS_MIRROR"), repo, "repo")
	if _, err := os.Stat(dir); err != nil {
		return nil
	}
	list, err := exec.Command("git", "-C", dir, "ls-tree", "-r", "HEAD").Output()
	if err != nil {
		return nil
	}
	var ids bytes.Buffer
	var paths []string
	for line := range strings.Lines(string(list)) {
		info, p, _ := strings.Cut(strings.TrimSpace(line), "\t")
		fields := strings.Fields(info)
		if len(fields) == 3 && fields[1] == "blob" && (IsSource(p) || path.Ext(p) == ".json") {
			fmt.Fprintln(&ids, fields[2])
			paths = append(paths, p)
		}
	}
	c := exec.Command("git", "-C", dir, "cat-file", "--batch")
	c.Stdin = &ids
	texts, err := c.Output()
	if err != nil {
		return nil
	}
	out := map[string]string{}
	r := bufio.NewReader(bytes.NewReader(texts))
	for _, p := range paths {
		header, _ := r.ReadString('\n') // object, type, size
		size := 0
		if _, err := fmt.Sscanf(header, "%s blob %d", new(string), &size); err != nil {
			continue // not in the mirror
		}
		text := make([]byte, size+1)
		if _, err := io.ReadFull(r, text); err == nil && size <= maxPlain {
			out[p] = string(text[:size])
		}
	}
	return out
}

type score struct {
	found, expected, right      int
	descriptions, described     int
	properties, known, matching int
	missing, extra              []string
	differ, schemas             []string
}

func (s *score) add(t score) {
	s.found += t.found
	s.expected += t.expected
	s.right += t.right
	s.descriptions += t.descriptions
	s.described += t.described
	s.properties += t.properties
	s.known += t.known
	s.matching += t.matching
}

func f1(right, found, expected int) float64 {
	if right == 0 {
		return 0
	}
	return 2 * float64(right) / float64(found+expected)
}

func (s score) String() string {
	return strings.Join([]string{
		ratio("P", s.right, s.found), ratio("R", s.right, s.expected), percent("F1", f1(s.right, s.found, s.expected)),
		ratio("description", s.described, s.descriptions),
		percent("properties F1", f1(s.matching, s.known, s.properties)),
	}, "  ")
}

func compare(a answer, tools []registry.Tool) score {
	found := map[string]registry.Tool{}
	for _, t := range tools {
		found[t.Name] = t
	}
	s := score{found: len(found), expected: len(a.Tools)}
	expected := map[string]bool{}
	for _, w := range a.Tools {
		expected[w.Name] = true
		properties := propertyNames(w.InputSchema)
		s.properties += len(properties)
		s.descriptions++
		g, ok := found[w.Name]
		if !ok {
			s.missing = append(s.missing, w.Name)
			continue
		}
		s.right++
		if strings.TrimSpace(g.Description) == strings.TrimSpace(w.Description) {
			s.described++
		} else {
			s.differ = append(s.differ, fmt.Sprintf("%s: %.200q, not %.200q\n", w.Name, g.Description, w.Description))
		}
		known := propertyNames(g.InputSchema)
		s.known += len(known)
		n := s.matching
		for _, p := range known {
			if slices.Contains(properties, p) {
				s.matching++
			}
		}
		if s.matching-n != len(properties) {
			s.schemas = append(s.schemas, fmt.Sprintf("%s: %v, not %v\n", w.Name, known, properties))
		}
	}
	for n := range found {
		if !expected[n] {
			s.extra = append(s.extra, n)
		}
	}
	slices.Sort(s.extra)
	return s
}

func propertyNames(b []byte) []string {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	_ = json.Unmarshal(b, &s)
	return slices.Sorted(maps.Keys(s.Properties))
}

func ratio(name string, n, of int) string { return fmt.Sprintf("%s %d/%d", name, n, of) }

func percent(name string, x float64) string { return fmt.Sprintf("%s %.3f", name, x) }
