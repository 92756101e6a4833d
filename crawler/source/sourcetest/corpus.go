package sourcetest

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcpcensus/internal/registry"
)

// corpus is a folder next to the project with the responses of servers.
const corpus = "../../../../shared/corpus"

// An Response is the response of a published server to tools/list.
type Response struct {
	Package, Version string
	Repository       string `json:"repository_url"`
	Directory        string `json:"repository_directory"`
	Tools            []struct {
		Name, Description string
		InputSchema       json.RawMessage
	}
}

// Floors are the minimum shares that a test accepts.
type Floors struct{ Names, Descriptions, Properties float64 }

// Compare compares the tools that read finds in sources with the responses in a folder of the
// corpus, each in a subtest, and reports totals below the floors as errors. open returns the
// sources of a server, or an error to skip it. The environment variable ONLY, a part of a
// file's name, selects servers and shows their differences.
func Compare(
	t *testing.T, folder string, floors Floors,
	open func(Response) (map[string]string, error),
	read func(Response, map[string]string) []registry.Tool,
) {
	t.Helper()
	names, _ := filepath.Glob(filepath.Join(corpus, folder, "*.json"))
	if len(names) == 0 {
		t.Skip("SKIPPED: no shared/corpus/" + folder + " next to the project")
	}
	var total score
	only := os.Getenv("ONLY")
	for _, name := range names {
		if !strings.Contains(name, only) {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(name), ".json"), func(t *testing.T) {
			var a Response
			if b, err := os.ReadFile(name); err != nil {
				t.Fatal(err)
			} else if err := json.Unmarshal(b, &a); err != nil {
				t.Fatal(err)
			}
			sources, err := open(a)
			if err != nil {
				t.Skipf("SKIPPED: %v", err)
			}
			s := compare(a, read(a, sources))
			t.Log(s)
			if only != "" {
				t.Logf("%s", strings.Join(s.differences, "\n"))
			}
			total.add(s)
		})
	}
	if total.expected == 0 || only != "" {
		return
	}
	t.Logf("all: %s", total)
	for _, figure := range []struct {
		name         string
		share, floor float64
	}{
		{"names", total.names(), floors.Names},
		{"descriptions", total.descriptions(), floors.Descriptions},
		{"properties", total.properties(), floors.Properties},
	} {
		if figure.share < figure.floor {
			t.Errorf("%s: %.3f, want at least %.3f", figure.name, figure.share, figure.floor)
		}
	}
}

// A score counts tools, and their correct names, descriptions and properties.
type score struct {
	found, expected, right int // tools by their names
	described              int // with the right description
	known, stated, common  int // properties of schemas: read, in the response, both
	differences            []string
}

func (s *score) add(t score) {
	s.found += t.found
	s.expected += t.expected
	s.right += t.right
	s.described += t.described
	s.known += t.known
	s.stated += t.stated
	s.common += t.common
}

func (s score) names() float64        { return f1(s.right, s.found, s.expected) }
func (s score) descriptions() float64 { return float64(s.described) / float64(max(1, s.expected)) }
func (s score) properties() float64   { return f1(s.common, s.known, s.stated) }

func f1(right, found, expected int) float64 {
	return 2 * float64(right) / float64(max(1, found+expected))
}

func (s score) String() string {
	return fmt.Sprintf("names %d of %d found, %d expected, F1 %.3f; descriptions %d/%d; "+
		"properties %d of %d read, %d stated, F1 %.3f", s.right, s.found, s.expected, s.names(),
		s.described, s.expected, s.common, s.known, s.stated, s.properties())
}

func compare(a Response, tools []registry.Tool) score {
	found := map[string]registry.Tool{}
	for _, t := range tools {
		if t.IsDefault() {
			found[t.Name] = t
		}
	}
	s := score{found: len(found), expected: len(a.Tools)}
	note := func(format string, args ...any) {
		s.differences = append(s.differences, fmt.Sprintf(format, args...))
	}
	for _, want := range a.Tools {
		stated := propertyNames(want.InputSchema)
		s.stated += len(stated)
		got, ok := found[want.Name]
		if !ok {
			note("%s: missing", want.Name)
			continue
		}
		delete(found, want.Name)
		s.right++
		if strings.TrimSpace(got.Description) == strings.TrimSpace(want.Description) {
			s.described++
		} else {
			note("%s: description %.200q, want %.200q", want.Name, got.Description, want.Description)
		}
		known := propertyNames(got.InputSchema)
		s.known += len(known)
		for _, p := range known {
			if slices.Contains(stated, p) {
				s.common++
			}
		}
		if !slices.Equal(known, stated) {
			note("%s: properties %v, want %v", want.Name, known, stated)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		note("%s: not in the response", name)
	}
	return s
}

func propertyNames(b []byte) []string {
	var s struct{ Properties map[string]json.RawMessage }
	_ = json.Unmarshal(b, &s)
	return slices.Sorted(maps.Keys(s.Properties))
}

// MaxFile is the maximum size of files that [Mirror] and [Archive] return.
const MaxFile = 4 << 20

// Mirror returns the files of a server's repository that isWanted selects, at the version of the
// response if known, otherwise at the latest commit. The environment variable CENSUS_MIRROR names
// the folder with the repositories.
func Mirror(a Response, isWanted func(path string) bool) (map[string]string, error) {
	folder := os.Getenv("CENSUS_MIRROR")
	if folder == "" {
		return nil, errors.New("CENSUS_MIRROR is not set to a folder with repositories")
	}
	_, repo, _ := strings.Cut(strings.TrimSuffix(a.Repository, ".git"), "github.com")
	repo = strings.ReplaceAll(strings.Trim(repo, "/:"), "/", "+")
	if repo == "" {
		return nil, errors.New("the package names no repository")
	}
	dir := filepath.Join(folder, repo, "repo")
	list, err := exec.Command("git", "-C", dir, "ls-tree", "-r", revision(dir, a)).Output()
	if err != nil {
		return nil, fmt.Errorf("no mirror of %s", a.Repository)
	}
	var ids bytes.Buffer
	var paths []string
	for line := range strings.Lines(string(list)) {
		info, p, _ := strings.Cut(strings.TrimSpace(line), "\t")
		fields := strings.Fields(info) // mode, type, object
		if len(fields) == 3 && fields[1] == "blob" && isWanted(p) {
			fmt.Fprintln(&ids, fields[2])
			paths = append(paths, p)
		}
	}
	c := exec.Command("git", "-C", dir, "cat-file", "--batch")
	c.Stdin = &ids
	texts, err := c.Output()
	if err != nil {
		return nil, err
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
		if _, err := io.ReadFull(r, text); err == nil && size <= MaxFile {
			out[p] = string(text[:size])
		}
	}
	return out, nil
}

// revision returns the commit with the version of the response: the tag of the version, or the
// commit that first sets it in a manifest, HEAD if there is neither.
func revision(dir string, a Response) string {
	if a.Version == "" {
		return "HEAD"
	}
	base := a.Package[strings.LastIndexByte(a.Package, '/')+1:]
	tags, _ := exec.Command("git", "-C", dir, "tag", "--list", "*"+a.Version).Output()
	known := strings.Fields(string(tags))
	for _, tag := range []string{a.Package + "@" + a.Version, base + "@" + a.Version,
		base + "-v" + a.Version, base + "/v" + a.Version, "v" + a.Version, a.Version} {
		if slices.Contains(known, tag) {
			return tag + "^{commit}"
		}
	}
	for _, states := range []string{`"version": "`, `version = "`} {
		log, _ := exec.Command("git", "-C", dir, "log", "--reverse", "--format=%H",
			"-S"+states+a.Version+`"`, "--", ":(glob)**/package.json", ":(glob)**/pyproject.toml").Output()
		if commits := strings.Fields(string(log)); len(commits) > 0 {
			return commits[0]
		}
	}
	return "HEAD"
}

// Archive returns the files of a server's published package that isWanted selects. The
// environment variable CENSUS_TEST_PACKAGES names the folder with the archives, named as by npm
// pack.
func Archive(a Response, isWanted func(path string) bool) (map[string]string, error) {
	folder := os.Getenv("CENSUS_TEST_PACKAGES")
	if folder == "" {
		return nil, errors.New("CENSUS_TEST_PACKAGES is not set to a folder with archives of npm pack")
	}
	base := strings.ReplaceAll(strings.TrimPrefix(a.Package, "@"), "/", "-")
	f, err := os.Open(filepath.Join(folder, base+"-"+a.Version+".tgz"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if _, p, _ := strings.Cut(h.Name, "/"); isWanted(p) && h.Size <= MaxFile {
			b, err := io.ReadAll(r)
			if err != nil {
				return nil, err
			}
			out[p] = string(b)
		}
	}
}
