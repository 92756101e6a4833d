package fakegithub

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
)

// PublishPackage publishes a version of a fixture's package with files, at the server's time.
// system is "npm" or "pypi". Unpublished packages have files only for the latest version: those
// of their repository.
func (w *Server) PublishPackage(system, name, number string, files map[string]string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.packages[system+":"+name]
	if p == nil {
		return fmt.Errorf("fakegithub: no package %s", name)
	}
	p.Versions = append(p.Versions, version{Number: number, at: w.now})
	w.archives[system+":"+name+"@"+number] = maps.Clone(files)
	return nil
}

// archive returns the files of a version, nil if the package has no such version.
func (w *Server) archive(system, name, number string) map[string]string {
	if files := w.archives[system+":"+name+"@"+number]; files != nil {
		return files
	}
	p := w.packages[system+":"+name]
	if p == nil || len(p.Versions) == 0 || p.Versions[len(p.Versions)-1].Number != number {
		return nil
	}
	files := map[string]string{}
	if r := w.find(strings.TrimPrefix(p.Repo, "https://github.com/")); r != nil {
		folder := folderOf(r.files, system, name)
		for file, text := range r.files {
			if rest, inside := strings.CutPrefix(path.Join("/", file), path.Join("/", folder)+"/"); inside {
				files[rest] = text
			} else if folder == "" {
				files[file] = text
			}
		}
	}
	return files
}

// folderOf returns the folder of the manifest that names a package, "" if none does.
func folderOf(files map[string]string, system, name string) string {
	for _, file := range slices.Sorted(maps.Keys(files)) {
		var manifest struct{ Name string }
		switch base := path.Base(file); {
		case system == "npm" && base == "package.json":
			_ = json.Unmarshal([]byte(files[file]), &manifest)
		case system == "pypi" && base == "pyproject.toml" &&
			strings.Contains(files[file], `name = "`+name+`"`):
			manifest.Name = name
		}
		if manifest.Name == name {
			return strings.TrimPrefix(path.Dir(file), ".")
		}
	}
	return ""
}

// npmRegistry serves NAME/VERSION and NAME/-/VERSION.tgz.
func (w *Server) npmRegistry(c *call) reply {
	s := c.segments
	if strings.HasPrefix(s[0], "@") && len(s) > 1 {
		s = append([]string{s[0] + "/" + s[1]}, s[2:]...)
	}
	number := s[len(s)-1]
	isFile := len(s) == 3 && s[1] == "-"
	if isFile {
		number = strings.TrimSuffix(number, ".tgz")
	}
	files := w.archive("npm", s[0], number)
	if files == nil || len(s) != 2 && !isFile {
		return jsonReply(http.StatusNotFound, "version not found: "+number)
	}
	content := tarOf(files)
	if isFile {
		return textReply(http.StatusOK, "application/octet-stream", string(content))
	}
	sum := sha512.Sum512(content)
	return jsonReply(http.StatusOK, map[string]any{"name": s[0], "version": number, "dist": map[string]any{
		"tarball":   c.origin + "/npm/" + s[0] + "/-/" + number + ".tgz",
		"integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:]),
	}})
}

// pypi serves pypi/NAME/VERSION/json and files/NAME/VERSION-py3-none-any.whl.
func (w *Server) pypi(c *call) reply {
	const ending = "-py3-none-any.whl"
	s := c.segments
	if len(s) < 3 {
		return jsonReply(http.StatusNotFound, map[string]any{"message": "Not Found"})
	}
	files := w.archive("pypi", s[1], strings.TrimSuffix(s[2], ending))
	if files == nil {
		return jsonReply(http.StatusNotFound, map[string]any{"message": "Not Found"})
	}
	content := zipOf(files)
	if s[0] == "files" {
		return textReply(http.StatusOK, "binary/octet-stream", string(content))
	}
	sum := sha256.Sum256(content)
	return jsonReply(http.StatusOK, map[string]any{"info": map[string]any{"name": s[1], "version": s[2]},
		"urls": []any{map[string]any{
			"filename": s[1] + "-" + s[2] + ending, "packagetype": "bdist_wheel", "size": len(content),
			"url":     c.origin + "/pypi/files/" + s[1] + "/" + s[2] + ending,
			"digests": map[string]any{"sha256": hex.EncodeToString(sum[:])},
		}}})
}

// tarOf returns files as an npm tarball.
func tarOf(files map[string]string) []byte {
	var b bytes.Buffer
	compressed := gzip.NewWriter(&b)
	entries := tar.NewWriter(compressed)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		must(entries.WriteHeader(&tar.Header{Name: "package/" + name, Typeflag: tar.TypeReg, Mode: 0o644,
			Size: int64(len(files[name]))}))
		_, err := entries.Write([]byte(files[name]))
		must(err)
	}
	must(entries.Close())
	must(compressed.Close())
	return b.Bytes()
}

// zipOf returns files as a wheel without metadata.
func zipOf(files map[string]string) []byte {
	var b bytes.Buffer
	entries := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := entries.Create(strings.TrimPrefix(name, "src/"))
		must(err)
		_, err = f.Write([]byte(files[name]))
		must(err)
	}
	must(entries.Close())
	return b.Bytes()
}

// must panics on an error of a writer to memory, which never fails.
func must(err error) {
	if err != nil {
		panic("fakegithub: " + err.Error())
	}
}
