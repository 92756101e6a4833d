package postgres

import (
	"context"
	"encoding/json"
	"fmt"

	"mcpcensus/internal/registry"
)

// Published returns the known versions of the listed servers with the given
// slugs, by slug.
func (db *DB) Published(
	ctx context.Context, slugs []string,
) (map[string]registry.Published, error) {
	var rows []struct {
		Slug  string
		Facts document
	}
	if err := db.db.SelectContext(ctx, &rows, `
		SELECT slug, `+wholeFacts+` AS facts
		FROM servers s WHERE slug = ANY($1) AND listed
			AND hidden_at IS NULL`, cleanTexts(slugs)); err != nil {
		return nil, fmt.Errorf("versions: %w", err)
	}
	all := make(map[string]registry.Published, len(rows))
	for _, r := range rows {
		var facts struct {
			Packages []registry.PackageFacts `json:"packages"`
			Repo     registry.Repository     `json:"repo"`
		}
		if err := json.Unmarshal(r.Facts, &facts); err != nil {
			return nil, fmt.Errorf("versions of %s: %w", r.Slug, err)
		}
		p := registry.Published{Packages: facts.Packages, Releases: facts.Repo.LatestReleases}
		if len(p.Releases) == 0 && facts.Repo.LatestTag != nil {
			p.Releases = []registry.Release{*facts.Repo.LatestTag}
		}
		all[r.Slug] = p
	}
	return all, nil
}
