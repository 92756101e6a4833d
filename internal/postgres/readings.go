package postgres

import "context"

// BeginReading adds a strike to a repository before its files are read, and returns how many it
// had. of names what is read and by which rules: strikes of something else are forgotten.
func (db *DB) BeginReading(ctx context.Context, repoID int64, of string) (int, error) {
	var strikes []int
	err := db.db.SelectContext(ctx, &strikes, `
		UPDATE repositories SET reading_of = $2,
			reading_strikes = CASE WHEN reading_of = $2 THEN least(reading_strikes + 1, 100) ELSE 1 END
		WHERE id = $1 RETURNING reading_strikes - 1`, repoID, cleanText(of))
	if err != nil || len(strikes) == 0 {
		return 0, Wrapped(err, "strike of a repository")
	}
	return strikes[0], nil
}

// EndReading sets the number of strikes of a repository.
func (db *DB) EndReading(ctx context.Context, repoID int64, strikes int) error {
	_, err := db.db.ExecContext(ctx,
		`UPDATE repositories SET reading_strikes = $2 WHERE id = $1`, repoID, strikes)
	return Wrapped(err, "strikes of a repository")
}
