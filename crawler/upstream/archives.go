package upstream

import (
	"cmp"
	"context"
	"crypto/sha1" //nolint:gosec // the only hash of old npm packages
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"mcpcensus/crawler/read"
	"mcpcensus/crawler/serverjson"
	"mcpcensus/crawler/source"
	"mcpcensus/crawler/transport"
	"mcpcensus/internal/registry"
)

const (
	archiveInterval = 250 * time.Millisecond // between two requests to one host
	archivesAtOnce  = 2                      // each uses up to about 130 MB of memory
	archiveHosts    = 10                     // maximum number of hosts
)

// Archives reads the tools of published packages from their archives. Nothing is
// executed or written to disk. Its methods are safe for concurrent use.
type Archives struct {
	// Guard calls f, which reads a package, or returns a [read.Failure]. A nil Guard always
	// calls f.
	Guard func(ctx context.Context, what, of string, f func() error) error

	deps    *DepsDev
	reader  *read.Pool
	options map[string]Options // by registry type
	slots   chan struct{}

	mu       sync.Mutex
	services map[string]*service // by URL
}

// NewArchives returns the archives of the package registries at the bases of the options, by
// default at the addresses that deps.dev returns.
func NewArchives(deps *DepsDev, reader *read.Pool, npm, pypi Options) (*Archives, error) {
	a := &Archives{deps: deps, reader: reader, options: map[string]Options{"npm": npm, "pypi": pypi},
		slots: make(chan struct{}, archivesAtOnce), services: map[string]*service{}}
	for registryType, o := range a.options {
		if o.Base == "" {
			continue
		}
		if _, err := a.service(registryType, o.Base); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// service returns the client of a host of archives. Requests to hosts that deps.dev or a registry
// names are paced.
func (a *Archives) service(registryType, base string) (*service, error) {
	base = strings.TrimRight(base, "/")
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.services[base]; s != nil {
		return s, nil
	}
	if len(a.services) >= archiveHosts {
		return nil, unreadableError("archives are on too many hosts")
	}
	o, public := a.options[registryType], base
	if strings.TrimRight(o.Base, "/") == base {
		public = ""
	}
	o.Base = base
	s, err := newService(public, nil, o, transport.Options{
		Upstream: registryType + " archives", Interval: archiveInterval, MaxWait: time.Minute,
		Timeout: 30 * time.Second, MaxBody: read.MaxArchive,
	})
	if err != nil {
		return nil, err
	}
	a.services[base] = s
	return s, nil
}

// registry returns the package registry that has a version of a package.
func (a *Archives) registry(
	ctx context.Context, p registry.PackageKey, version string,
) (*service, error) {
	base := a.options[p.RegistryType].Base
	if base == "" {
		detail, err := a.deps.Version(ctx, p.RegistryType, p.Identifier, version)
		if errors.Is(err, registry.ErrNotFound) {
			return nil, unreadableError("deps.dev does not have this version")
		}
		if err != nil {
			return nil, err
		}
		u, err := url.Parse(detail.Registry)
		isFake := strings.HasPrefix(a.deps.base, "http://") // returns http URLs
		if err != nil || u.Scheme != "https" && !isFake || u.Host == "" {
			return nil, unreadableError("deps.dev returns no registry of this package")
		}
		base = u.Scheme + "://" + u.Host
	}
	return a.service(p.RegistryType, base)
}

// An unreadableError is a permanent reason why an archive cannot be read.
type unreadableError string

func (e unreadableError) Error() string { return string(e) }

// Tools returns the tools that a version of an npm or PyPI package registers. If its
// archive cannot be read, the result has a Problem. The error is one of package
// transport or a [read.Failure]; an incomplete one has a result.
func (a *Archives) Tools(
	ctx context.Context, p registry.PackageKey, of registry.ArchiveWork,
) (*registry.ArchiveTools, error) {
	select {
	case a.slots <- struct{}{}:
		defer func() { <-a.slots }()
	case <-ctx.Done():
		return nil, a.deps.failed(ctx, ctx.Err())
	}
	found := &registry.ArchiveTools{Version: of.Version, Reader: source.Version, At: a.deps.now().UTC()}
	from, r, err := a.release(ctx, p, of.Version)
	found.MCPName = r.mcpName
	if err == nil {
		err = a.guarded(ctx, p, of.Version, func() error {
			return a.tools(ctx, p, of.Required, from, r, found)
		})
	}
	failure, failed := errors.AsType[*read.Failure](err)
	problem, unreadable := errors.AsType[unreadableError](err)
	switch {
	case unreadable:
		found.Problem = problem.Error()
		return found, nil
	case failed && failure.Incomplete():
		found.Ended = failure.Strikes < read.MaxStrikes
		return found, err
	case err != nil:
		return nil, err
	}
	return found, nil
}

// guarded calls f, which reads a version of a package. If it is no longer read, because of its
// strikes, the error is an unreadableError.
func (a *Archives) guarded(
	ctx context.Context, p registry.PackageKey, version string, f func() error,
) error {
	if a.Guard == nil {
		return f()
	}
	err := a.Guard(ctx, "package "+p.RegistryType+" "+p.Identifier,
		fmt.Sprintf("%s %d", version, source.Version), f)
	if failure, ok := errors.AsType[*read.Failure](err); ok && failure == read.ErrBlocked {
		return unreadableError("its files could not be read in several attempts")
	}
	return err
}

// tools adds the tools of an archive to found. The error is as that of read.
func (a *Archives) tools(
	ctx context.Context, p registry.PackageKey, required []string, from *service, r release,
	found *registry.ArchiveTools,
) error {
	files, partial, err := a.read(ctx, from, r)
	if err != nil {
		return err
	}
	tools, suspicious, err := a.reader.Tools(ctx, files, required)
	if err == nil && len(tools.Tools) == 0 {
		if all := a.withDependencies(ctx, p, files); all != nil {
			tools, suspicious, err = a.reader.Tools(ctx, all, required)
		}
	}
	if ctx.Err() != nil { // the list is incomplete
		return a.deps.failed(ctx, ctx.Err())
	}
	found.Tools, found.Suspicious, found.Partial = tools.Tools, suspicious, partial || tools.Partial
	if err == nil && tools.Ended {
		err = &read.Failure{Reason: read.Steps}
	}
	return err
}

// release returns the archive of a version of a package, and its host.
func (a *Archives) release(
	ctx context.Context, p registry.PackageKey, version string,
) (from *service, r release, err error) {
	if _, ok := a.options[p.RegistryType]; !ok {
		return nil, r, unreadableError("archives of " + p.RegistryType + " are not read")
	}
	if from, err = a.registry(ctx, p, version); err != nil {
		return nil, r, err
	}
	if p.RegistryType == "npm" {
		r, err = from.npmRelease(ctx, p.Identifier, version)
	} else {
		r, err = from.pypiRelease(ctx, p.Identifier, version)
	}
	if errors.Is(err, errNoEntry) {
		err = unreadableError("the package registry does not have this version")
	}
	if err == nil && p.RegistryType == "pypi" {
		from, err = a.filesOf(from, r)
	}
	return from, r, err
}

// read returns the source files of an archive. The error may be a [read.Failure].
func (a *Archives) read(
	ctx context.Context, s *service, r release,
) (files source.Files, partial bool, err error) {
	content, err := s.download(ctx, r.url)
	if err != nil {
		return nil, false, err
	}
	if !r.matches(content) {
		return nil, false, unreadableError("the hash of the archive does not match the registry's")
	}
	files, partial, err = a.reader.Unpack(ctx, r.name, content)
	if problem, ok := errors.AsType[read.Problem](err); ok {
		return nil, false, unreadableError("the archive cannot be read: " + problem.Error())
	}
	return files, partial, err
}

// filesOf returns the host of a release. PyPI stores files on a different host than records; the
// hash in the record identifies the contents.
func (a *Archives) filesOf(from *service, r release) (*service, error) {
	u, err := url.Parse(r.url)
	switch {
	case err != nil || u.Host == "":
		return nil, unreadableError("the package registry returns an invalid URL of the archive")
	case strings.HasPrefix(r.url, from.base+"/"):
		return from, nil
	case u.Scheme != "https" || len(r.integrity) == 0:
		return nil, unreadableError("the archive is on another host and has no hash")
	}
	return a.service("pypi", u.Scheme+"://"+u.Host)
}

// A release is the archive of a version as a package registry describes it.
type release struct {
	name, url string
	// integrity are hashes as in Subresource Integrity: "sha512-" and the digest in
	// base64; empty if the registry has no hash.
	integrity  []string
	repository string // of an npm package; "" if its record has none
	mcpName    string // as in [registry.ArchiveTools]
}

// matches reports whether the archive has one of the hashes of the strongest algorithm. It is
// true without a hash.
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

// integrityOf returns a hexadecimal hash in the form of release.integrity.
func integrityOf(algorithm, digits string) []string {
	digest, err := hex.DecodeString(digits)
	if err != nil || len(digest) == 0 {
		return nil
	}
	return []string{algorithm + "-" + base64.StdEncoding.EncodeToString(digest)}
}

func (s *service) npmRelease(ctx context.Context, name, version string) (r release, err error) {
	if !registry.IsPackageName("npm", name) {
		return r, unreadableError("the package name is invalid")
	}
	var body struct {
		Version    string          `json:"version"`
		MCPName    json.RawMessage `json:"mcpName"`
		Repository json.RawMessage `json:"repository"`
		Dist       struct {
			Tarball   string `json:"tarball"`
			Integrity string `json:"integrity"`
			SHA1      string `json:"shasum"`
		} `json:"dist"`
	}
	if err := s.get(ctx, "/"+npmPath(name)+"/"+escape(version), nil, &body); err != nil {
		return r, err
	}
	if body.Version != version && version != latest || body.Dist.Tarball == "" {
		return r, unreadableError("the package registry has no archive of this version")
	}
	r = release{name: "package.tgz", url: body.Dist.Tarball,
		integrity: strings.Fields(body.Dist.Integrity), repository: addressOf(body.Repository)}
	if json.Unmarshal(body.MCPName, &r.mcpName) != nil || !serverjson.IsName(r.mcpName) {
		r.mcpName = ""
	}
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

// rank puts wheels for all platforms first, then source distributions: wheels for one platform
// may contain compiled code instead.
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

func (s *service) pypiRelease(ctx context.Context, name, version string) (r release, err error) {
	if !registry.IsPackageName("pypi", name) {
		return r, unreadableError("the package name is invalid")
	}
	var body struct {
		URLs []pypiFile `json:"urls"`
	}
	path := "/pypi/" + escape(registry.PyPIName(name)) + "/" + escape(version) + "/json"
	if err := s.get(ctx, path, nil, &body); err != nil {
		return r, err
	}
	files := slices.DeleteFunc(body.URLs, func(f pypiFile) bool { return f.rank() > 2 || f.URL == "" })
	if len(files) == 0 {
		return r, unreadableError("the package registry has no archive of this version")
	}
	small := slices.DeleteFunc(slices.Clone(files), func(f pypiFile) bool { return f.Size > read.MaxArchive })
	if len(small) == 0 {
		return r, errArchiveTooLarge
	}
	f := slices.MinFunc(small, func(a, b pypiFile) int {
		return cmp.Or(a.rank()-b.rank(), cmp.Compare(a.Size, b.Size))
	})
	return release{name: f.Filename, url: f.URL, integrity: integrityOf("sha256", f.Digests.SHA256)}, nil
}

const errArchiveTooLarge = unreadableError("the archive is larger than 40 MB")

// download returns a file of the service's host. The error is an unreadableError or one
// of package transport.
func (s *service) download(ctx context.Context, address string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, unreadableError("the package registry returns an invalid URL of the archive")
	}
	// The archive is already compressed, and the hash applies to the compressed file.
	req.Header.Set("Accept-Encoding", "identity")
	res, err := s.api.HTTP().Do(req)
	switch {
	case errors.Is(err, transport.ErrForeignHost):
		return nil, unreadableError("the archive is on a host that is not the package registry's")
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
	if res.ContentLength > read.MaxArchive {
		return nil, errArchiveTooLarge
	}
	content, err := io.ReadAll(res.Body)
	switch {
	case errors.Is(err, transport.ErrBodyTooLarge):
		return nil, errArchiveTooLarge
	case ctx.Err() != nil:
		return nil, s.failed(ctx, ctx.Err())
	case err != nil:
		return nil, s.unusable("the archive was truncated")
	}
	return content, nil
}
