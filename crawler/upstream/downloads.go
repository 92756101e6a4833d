package upstream

import (
	"context"
	"fmt"
	"slices"

	"mcpcensus/internal/registry"
)

// Downloads returns ps, all of one registry type, with their known download counts. Only npm and
// PyPI count downloads. On an error, the counts received before it are filled in.
func (e *Enricher) Downloads(
	ctx context.Context, ps []registry.PackageFacts,
) ([]registry.PackageFacts, error) {
	out := slices.Clone(ps)
	names := make([]string, len(out))
	for i, p := range out {
		names[i] = p.Identifier
	}
	var counts map[string]Count
	var err error
	switch {
	case len(out) == 0:
	case out[0].RegistryType == "npm" && e.NPM != nil:
		counts, err = e.NPM.Counts(ctx, names)
	case out[0].RegistryType == "pypi" && e.PyPI != nil:
		counts, err = e.PyPI.Counts(ctx, names)
	}
	for i := range out {
		if c, ok := counts[out[i].Identifier]; ok {
			out[i].Downloads, out[i].DownloadsPrev = &c.Last30, c.Prev30
			out[i].DownloadsObservedAt, out[i].DownloadDays = &c.ObservedAt, c.Days
		}
	}
	if err != nil {
		return out, fmt.Errorf("counting downloads: %w", err)
	}
	return out, nil
}
