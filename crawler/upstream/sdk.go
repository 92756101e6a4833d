package upstream

import (
	"context"
	"errors"
	"slices"
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

// Releases is Versions with a cache of six hours, because many servers use the same few SDKs. The
// result is empty for a package that deps.dev does not have.
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

// SDK compares the SDK version that users of a detected server get with the latest one. It
// returns nil without an error if the server has no known SDK package, or if the version cannot
// be resolved.
func (e *Enricher) SDK(ctx context.Context, d registry.Detection) (*registry.SDKRelease, error) {
	if e.DepsDev == nil || d.SDKPackage == "" || !slices.Contains(systems, d.SDKEcosystem) {
		return nil, nil
	}
	all, err := e.DepsDev.Releases(ctx, d.SDKEcosystem, d.SDKPackage)
	if err != nil || all.Default == "" {
		return nil, err
	}
	used, err := sdkInUse(d, all)
	if err != nil {
		return nil, nil
	}
	out := &registry.SDKRelease{Package: d.SDKPackage, Used: used, Latest: all.Default,
		ObservedAt: e.DepsDev.now().UTC()}
	if v := all.at(all.Default); v != nil {
		out.LatestAt = v.PublishedAt
	}
	if v := all.same(d.SDKEcosystem, used); v != nil {
		out.UsedAt = v.PublishedAt
	} else if d.SDKEcosystem == "go" {
		out.UsedAt = pseudoVersionTime(used)
	}
	// A prerelease above the current version is not outdated.
	if version.Compare(d.SDKEcosystem, out.Used, out.Latest) > 0 {
		out.Latest, out.LatestAt = out.Used, out.UsedAt
	}
	return out, nil
}

// sdkInUse returns the version that users get. When installing from a package registry, only
// Cargo and Go respect lock files; other packages get the version that their constraint allows.
func sdkInUse(d registry.Detection, all PackageVersions) (string, error) {
	published := slices.ContainsFunc(d.Packages, func(p registry.Package) bool {
		return p.RegistryType == d.SDKEcosystem
	})
	locked := untyped.Cut(d.SDKLocked, version.MaxLength)
	if locked != "" && (!published || d.SDKEcosystem == "cargo" || d.SDKEcosystem == "go") {
		return locked, nil
	}
	versions := make([]string, len(all.Versions))
	for i, v := range all.Versions {
		versions[i] = v.Version
	}
	used, err := version.Resolve(d.SDKEcosystem, d.SDKVersion, versions, all.Default)
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
