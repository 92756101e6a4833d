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
		Slug           string
		Packages, Repo []byte
	}
	if err := db.db.SelectContext(ctx, &rows, `
		SELECT slug, facts->'packages' AS packages, (`+wholeFacts+`)::json->'repo' AS repo
		FROM servers s WHERE slug = ANY($1) AND listed
			AND hidden_at IS NULL`, cleanTexts(slugs)); err != nil {
		return nil, fmt.Errorf("versions: %w", err)
	}
	all := make(map[string]registry.Published, len(rows))
	for _, r := range rows {
		var p registry.Published
		var repo registry.Repository
		for _, part := range []struct {
			text []byte
			into any
		}{{r.Packages, &p.Packages}, {r.Repo, &repo}} {
			if part.text == nil {
				continue
			}
			if err := json.Unmarshal(part.text, part.into); err != nil {
				return nil, fmt.Errorf("versions of %s: %w", r.Slug, err)
			}
		}
		p.Releases = repo.LatestReleases
		if len(p.Releases) == 0 && repo.LatestTag != nil {
			p.Releases = []registry.Release{*repo.LatestTag}
		}
		all[r.Slug] = p
	}
	return all, nil
}
