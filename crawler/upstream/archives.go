package upstream

import (
	"cmp"
	"context"
	"crypto/sha1" //nolint:gosec // the only hash of old npm packages
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"mcpcensus/crawler/source"
	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
)

// Addresses of the package registries. PyPI has its files on a host of their own.
const (
	PublicNPM   = "https://registry.npm.example"
	PublicPyPI  = "https://pypi.example"
	pythonFiles = "https://files.pypi.example"
)

const (
	archiveInterval = 250 * time.Millisecond // between two requests to one host
	archivesAtOnce  = 2                      // each takes up to about 100 MB of memory
)

// Archives reads the tools of published packages from their archives. Nothing is
// executed or written to disk. Its methods are safe for concurrent use.
type Archives struct {
	npm, pypi, pythonFiles *service
	slots                  chan struct{}
}

// NewArchives returns the archives of the package registries at the bases of the
// options, or the public ones. Files of PyPI at another base are on the same host.
func NewArchives(npm, pypi Options) (*Archives, error) {
	limits := transport.Options{
		Interval: archiveInterval, MaxWait: time.Minute, Timeout: 30 * time.Second, MaxBody: maxArchive,
	}
	a := &Archives{slots: make(chan struct{}, archivesAtOnce)}
	files := PublicPyPI
	if base := strings.TrimRight(pypi.Base, "/"); base == "" || base == PublicPyPI {
		files = pythonFiles
	}
	for _, s := range []struct {
		service      **service
		name, public string
		options      Options
	}{
		{&a.npm, "npm", PublicNPM, npm},
		{&a.pypi, "pypi", PublicPyPI, pypi},
		{&a.pythonFiles, "pypi-files", files, pypi},
	} {
		limits.Upstream = s.name
		if s.public == pythonFiles {
			s.options.Base = ""
		}
		var err error
		if *s.service, err = newService(s.public, nil, s.options, limits); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// An unreadableError is why an archive cannot be read, at this attempt and at others.
type unreadableError string

func (e unreadableError) Error() string { return string(e) }

// Tools returns the tools that a version of an npm or PyPI package registers. If its
// archive cannot be read, the result has a Problem. The error is one of package
// transport.
func (a *Archives) Tools(
	ctx context.Context, p registry.PackageKey, version string,
) (*registry.ArchiveTools, error) {
	select {
	case a.slots <- struct{}{}:
		defer func() { <-a.slots }()
	case <-ctx.Done():
		return nil, a.npm.failed(ctx, ctx.Err())
	}
	found := &registry.ArchiveTools{Version: version, Reader: source.Version, At: a.npm.now().UTC()}
	files, partial, err := a.files(ctx, p, version)
	if problem, ok := errors.AsType[unreadableError](err); ok {
		found.Problem = problem.Error()
		return found, nil
	}
	if err != nil {
		return nil, err
	}
	read := source.Tools(ctx, files, nil)
	if ctx.Err() != nil { // the list ends where the time ended
		return nil, a.npm.failed(ctx, ctx.Err())
	}
	found.Tools, found.Partial = read.Tools, partial || read.Partial
	return found, nil
}

// files returns the source files of a version of a package.
func (a *Archives) files(
	ctx context.Context, p registry.PackageKey, version string,
) (files source.Files, partial bool, err error) {
	var r release
	var from *service
	switch p.RegistryType {
	case "npm":
		from = a.npm
		r, err = a.npmRelease(ctx, p.Identifier, version)
	case "pypi":
		from = a.pythonFiles
		r, err = a.pypiRelease(ctx, p.Identifier, version)
	default:
		err = unreadableError("archives of " + p.RegistryType + " are not read")
	}
	if errors.Is(err, errNoEntry) {
		err = unreadableError("the package registry does not have this version")
	}
	if err != nil {
		return nil, false, err
	}
	content, err := from.download(ctx, r.url)
	if err != nil {
		return nil, false, err
	}
	if !r.matches(content) {
		return nil, false, unreadableError("the archive does not have the hash that the registry names")
	}
	if files, partial, err = unpack(r.name, content); err != nil {
		return nil, false, unreadableError("the archive cannot be read: " + err.Error())
	}
	return files, partial, nil
}

// A release is the archive of a version as a package registry describes it.
type release struct {
	name, url string
	// integrity are hashes as in Subresource Integrity: "sha512-" and the digest in
	// base64; none if the registry names none.
	integrity []string
}

// matches reports whether the archive has one of the hashes of the strongest algorithm,
// or the registry names none.
func (r release) matches(content []byte) bool {
	for _, algorithm := range []struct {
		name string
		sum  func([]byte) []byte
	}{
		{"sha512", func(b []byte) []byte { s := sha512.Sum512(b); return s[:] }},
		{"sha384", func(b []byte) []byte { s := sha512.Sum384(b); return s[:] }},
		{"sha256", func(b []byte) []byte { s := sha256.Sum256(b); return s[:] }},
		{"sha1", func(b []byte) []byte { s := sha1.Sum(b); return s[:] }}, //nolint:gosec // see above
	} {
		var named []string
		for _, i := range r.integrity {
			if digest, ok := strings.CutPrefix(i, algorithm.name+"-"); ok {
				digest, _, _ = strings.Cut(digest, "?") // options
				named = append(named, digest)
			}
		}
		if len(named) > 0 {
			return slices.Contains(named, base64.StdEncoding.EncodeToString(algorithm.sum(content)))
		}
	}
	return true
}

// integrityOf returns a hash in hexadecimal digits in the form of release.integrity.
func integrityOf(algorithm, digits string) []string {
	digest, err := hex.DecodeString(digits)
	if err != nil || len(digest) == 0 {
		return nil
	}
	return []string{algorithm + "-" + base64.StdEncoding.EncodeToString(digest)}
}

func (a *Archives) npmRelease(ctx context.Context, name, version string) (r release, err error) {
	if len(name) > 214 || !npmName.MatchString(name) {
		return r, unreadableError("the package has no valid name")
	}
	path := "/" + escape(name)
	if scope, rest, ok := strings.Cut(name, "/"); ok {
		path = "/" + escape(scope) + "/" + escape(rest)
	}
	var body struct {
		Version string `json:"version"`
		Dist    struct {
			Tarball   string `json:"tarball"`
			Integrity string `json:"integrity"`
			SHA1      string `json:"shasum"`
		} `json:"dist"`
	}
	if err := a.npm.get(ctx, path+"/"+escape(version), nil, &body); err != nil {
		return r, err
	}
	if body.Version != version || body.Dist.Tarball == "" {
		return r, unreadableError("the package registry names no archive of this version")
	}
	r = release{name: "package.tgz", url: body.Dist.Tarball,
		integrity: strings.Fields(body.Dist.Integrity)}
	if len(r.integrity) == 0 {
		r.integrity = integrityOf("sha1", body.Dist.SHA1)
	}
	return r, nil
}

// A pypiFile is one of the files of a version.
type pypiFile struct {
	Filename    string `json:"filename"`
	PackageType string `json:"packagetype"`
	URL         string `json:"url"`
	Size        int64  `json:"size"`
	Digests     struct {
		SHA256 string `json:"sha256"`
	} `json:"digests"`
}

// rank puts wheels for all platforms first, then source distributions, which have the
// code that wheels for one platform may have compiled.
func (f pypiFile) rank() int {
	switch {
	case f.PackageType == "bdist_wheel" && strings.HasSuffix(f.Filename, "-none-any.whl"):
		return 0
	case f.PackageType == "sdist":
		return 1
	case f.PackageType == "bdist_wheel":
		return 2
	}
	return 3
}

func (a *Archives) pypiRelease(ctx context.Context, name, version string) (r release, err error) {
	if len(name) > 200 || !pypiName.MatchString(name) {
		return r, unreadableError("the package has no valid name")
	}
	var body struct {
		URLs []pypiFile `json:"urls"`
	}
	path := "/pypi/" + escape(registry.PyPIName(name)) + "/" + escape(version) + "/json"
	if err := a.pypi.get(ctx, path, nil, &body); err != nil {
		return r, err
	}
	files := slices.DeleteFunc(body.URLs, func(f pypiFile) bool { return f.rank() > 2 || f.URL == "" })
	if len(files) == 0 {
		return r, unreadableError("the package registry names no archive of this version")
	}
	small := slices.DeleteFunc(slices.Clone(files), func(f pypiFile) bool { return f.Size > maxArchive })
	if len(small) == 0 {
		return r, errArchiveTooLarge
	}
	f := slices.MinFunc(small, func(a, b pypiFile) int {
		return cmp.Or(a.rank()-b.rank(), cmp.Compare(a.Size, b.Size))
	})
	return release{name: f.Filename, url: f.URL, integrity: integrityOf("sha256", f.Digests.SHA256)}, nil
}

const errArchiveTooLarge = unreadableError("the archive is larger than 10 MB")

// download returns a file of the service's host. The error is an unreadableError or one
// of package transport.
func (s *service) download(ctx context.Context, address string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, unreadableError("the package registry names no valid address of the archive")
	}
	// The archive is compressed already, and its hash is that of the compressed file.
	req.Header.Set("Accept-Encoding", "identity")
	res, err := s.api.HTTP().Do(req)
	switch {
	case errors.Is(err, transport.ErrForeignHost):
		return nil, unreadableError("the archive is on another host than those of the package registry")
	case err != nil:
		return nil, s.failed(ctx, err)
	}
	defer res.Body.Close()
	switch res.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound, http.StatusGone, http.StatusUnavailableForLegalReasons:
		return nil, unreadableError("the package registry does not have the archive")
	default:
		return nil, s.api.StatusError(res)
	}
	if res.ContentLength > maxArchive {
		return nil, errArchiveTooLarge
	}
	content, err := io.ReadAll(res.Body)
	switch {
	case errors.Is(err, transport.ErrBodyTooLarge):
		return nil, errArchiveTooLarge
	case ctx.Err() != nil:
		return nil, s.failed(ctx, ctx.Err())
	case err != nil:
		return nil, s.unusable("the archive was cut off")
	}
	return content, nil
}
