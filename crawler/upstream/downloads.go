package upstream

import (
	"context"
	"fmt"
	"slices"
	"time"

	"mcpcensus/internal/registry"
)

// NotBefore returns the time until which downloads of a registry type must not be
// requested; a zero time if they may be.
func (e *Enricher) NotBefore(registryType string) time.Time {
	switch {
	case registryType == "npm" && e.NPM != nil:
		return e.NPM.NotBefore()
	case registryType == "pypi" && e.PyPI != nil:
		return e.PyPI.NotBefore()
	}
	return time.Time{}
}

// Downloads returns ps, all of one registry type, with the download counts
// that are known. Others stay as they were: only npm and PyPI count downloads.
// With an error, the counts before it are filled in.
func (e *Enricher) Downloads(
	ctx context.Context, ps []registry.PackageFacts,
) ([]registry.PackageFacts, error) {
	out := slices.Clone(ps)
	if len(out) == 0 {
		return out, nil
	}
	var names []string
	for _, p := range out {
		if p.RegistryType != out[0].RegistryType {
			return out, registry.Errorf(registry.ErrInvalid,
				"downloads of several registry types in one call")
		}
		names = append(names, p.Identifier)
	}
	var counts map[string]Count
	var err error
	switch {
	case out[0].RegistryType == "npm" && e.NPM != nil:
		counts, err = e.NPM.Counts(ctx, names)
	case out[0].RegistryType == "pypi" && e.PyPI != nil:
		counts, err = e.PyPI.Counts(ctx, names)
	}
	for i := range out {
		if c, ok := counts[out[i].Identifier]; ok {
			out[i].Downloads, out[i].DownloadsPrev, out[i].DownloadsObservedAt = &c.Last30,
				c.Prev30,
				&c.ObservedAt
			out[i].DownloadDays = c.Days
		}
	}
	if err != nil {
		return out, fmt.Errorf("counting downloads: %w", err)
	}
	return out, nil
}
