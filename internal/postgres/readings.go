package postgres

import "context"

// BeginReading adds a strike to a repository or a package before it is read, and returns how many
// it had. of names what is read and by which rules: strikes of something else are forgotten.
func (db *DB) BeginReading(ctx context.Context, what, of string) (int, error) {
	var before int
	err := db.db.GetContext(ctx, &before, `
		INSERT INTO readings (what, of, strikes) VALUES ($1, $2, 1)
		ON CONFLICT (what) DO UPDATE SET of = excluded.of,
			strikes = CASE WHEN readings.of = excluded.of THEN least(readings.strikes + 1, 100) ELSE 1 END
		RETURNING strikes - 1`, cleanText(what), cleanText(of))
	return before, Wrapped(err, "strike of %s", what)
}

// EndReading sets the number of strikes.
func (db *DB) EndReading(ctx context.Context, what string, strikes int) error {
	query := `UPDATE readings SET strikes = $2 WHERE what = $1`
	if strikes == 0 {
		query = `DELETE FROM readings WHERE what = $1 AND $2 = 0`
	}
	_, err := db.db.ExecContext(ctx, query, cleanText(what), strikes)
	return Wrapped(err, "strikes of %s", what)
}
