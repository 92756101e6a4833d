package upstream

import (
	"context"
	"errors"
	"strings"
	"time"

	"mcpcensus/crawler/transport"
	"mcpcensus/crawler/untyped"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/version"
)

const (
	releasesTTL = 6 * time.Hour
	maxReleases = 256
)

// Releases is Versions with a cache of six hours, because many servers use the
// same few SDKs. A package that deps.dev does not know has none.
func (d *DepsDev) Releases(ctx context.Context, ecosystem, name string) (PackageVersions, error) {
	v, err := d.releases.GetContext(ctx, ecosystem+" "+packageName(ecosystem, name), d.now(),
		func(ctx context.Context) (PackageVersions, time.Duration, error) {
			v, err := d.Versions(ctx, ecosystem, name)
			if errors.Is(err, registry.ErrNotFound) {
				err = nil
			}
			return v, releasesTTL, err
		})
	if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return PackageVersions{}, &transport.ResponseError{
			Upstream: d.name, Reason: "no response in time", Cause: err,
		}
	}
	return v, err
}

// An SDKUse is how a server depends on its SDK.
type SDKUse struct {
	Ecosystem  string // of Package: "npm", "pypi", "go", …
	Package    string
	Constraint string // in the manifest, "" for any version
	Locked     string // in a lock file, "" for none
	// Published says that the server is installed from a package registry,
	// which ignores lock files: the consumer gets what the constraint allows.
	Published bool
}

// SDK compares the SDK version that a consumer of a server gets with the
// latest one. It fails if the version is unknown.
func (d *DepsDev) SDK(ctx context.Context, use SDKUse) (*registry.SDKRelease, error) {
	all, err := d.Releases(ctx, use.Ecosystem, use.Package)
	if err != nil {
		return nil, err
	}
	if all.Default == "" {
		return nil, registry.Errorf(registry.ErrNotFound,
			"deps.dev names no current version of %s", untyped.Cut(use.Package, 100))
	}
	used, err := use.version(all)
	if err != nil {
		return nil, registry.Wrap(registry.ErrNotFound, err, "the SDK version in use is unknown")
	}
	out := &registry.SDKRelease{Package: use.Package, Used: used, Latest: all.Default,
		ObservedAt: d.now().UTC()}
	if v := all.at(all.Default); v != nil {
		out.LatestAt = v.PublishedAt
	}
	if v := all.same(use.Ecosystem, used); v != nil {
		out.UsedAt = v.PublishedAt
	} else if use.Ecosystem == "go" {
		out.UsedAt = pseudoVersionTime(used)
	}
	// A prerelease above the current version is not behind it.
	if version.Compare(use.Ecosystem, out.Used, out.Latest) > 0 {
		out.Latest, out.LatestAt = out.Used, out.UsedAt
	}
	return out, nil
}

// version returns the version that a consumer gets.
func (use SDKUse) version(all PackageVersions) (string, error) {
	locked := untyped.Cut(use.Locked, version.MaxLength)
	if locked != "" && (!use.Published || use.Ecosystem == "cargo" || use.Ecosystem == "go") {
		return locked, nil
	}
	versions := make([]string, len(all.Versions))
	for i, v := range all.Versions {
		versions[i] = v.Version
	}
	used, err := version.Resolve(use.Ecosystem, use.Constraint, versions, all.Default)
	if err != nil && locked != "" {
		return locked, nil
	}
	return used, err
}

// pseudoVersionTime returns the commit time in a Go pseudo-version.
func pseudoVersionTime(v string) *time.Time {
	parts := strings.Split(strings.TrimSuffix(v, "+incompatible"), "-")
	if len(parts) < 3 {
		return nil
	}
	stamp := parts[len(parts)-2]
	stamp = stamp[strings.LastIndexByte(stamp, '.')+1:]
	t, err := time.Parse("20060102150405", stamp)
	if err != nil {
		return nil
	}
	return &t
}
