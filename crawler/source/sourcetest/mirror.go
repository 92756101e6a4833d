package sourcetest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A Response identifies the published server that responded to tools/list.
type Response struct{ Package, Version, Repository string }

// maxFile is the maximum size of files that [Mirror] returns.
const maxFile = 4 << 20

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
		if _, err := io.ReadFull(r, text); err == nil && size <= maxFile {
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
