package main

import (
	"context"
	"errors"
	"time"

	"mcpcensus/internal/pgembed"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
)

// stopWithin bounds how long a stop may take.
const stopWithin = 10 * time.Second

// openStore opens the database: that of DATABASE_URL, or else the embedded
// one, started here unless a running census already serves it. The function
// it returns closes what was opened.
func (a *app) openStore(ctx context.Context) (*postgres.DB, func() error, error) {
	if a.config.DatabaseURL != "" {
		db, err := postgres.Open(ctx, a.config.DatabaseURL)
		if err != nil {
			return nil, nil, err
		}
		return db, db.Close, nil
	}
	if url, ok := pgembed.Running(ctx, a.config.DataDir); ok {
		db, err := postgres.Open(ctx, url)
		if err != nil {
			return nil, nil, err
		}
		return db, db.Close, nil
	}
	return a.startEmbedded(ctx)
}

// withStore calls f with the database and closes it afterwards.
func (a *app) withStore(ctx context.Context, f func(*postgres.DB) error) error {
	db, closeStore, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	return join(f(db), closeStore())
}

// withExisting is withStore for commands about what a registry already has:
// where there is none, it says so and makes none.
func (a *app) withExisting(ctx context.Context, f func(*postgres.DB) error) error {
	if a.config.DatabaseURL == "" && !pgembed.Exists(a.config.DataDir) {
		how := "`census serve` makes one. To reach that of another folder or server, set CENSUS_DATA_DIR " +
			"or DATABASE_URL"
		if a.ofDemo {
			how = "`census serve --demo` makes one"
		}
		return registry.Errorf(registry.ErrNotFound, "there is no database in %s: %s",
			a.config.DataDir, how)
	}
	a.recallAddress()
	return a.withStore(ctx, f)
}

// startStore opens the database and never shares an embedded one with
// another census.
func (a *app) startStore(ctx context.Context) (*postgres.DB, func() error, error) {
	if a.config.DatabaseURL != "" {
		return a.openStore(ctx)
	}
	db, closeStore, err := a.startEmbedded(ctx)
	if err == nil {
		a.log.Info("embedded database started", "data", a.config.DataDir)
	}
	return db, closeStore, err
}

func (a *app) startEmbedded(ctx context.Context) (*postgres.DB, func() error, error) {
	embedded, err := pgembed.Start(ctx,
		pgembed.Options{DataDir: a.config.DataDir, Log: a.log, Restart: true})
	if err != nil && ctx.Err() != nil {
		return nil, nil, ctx.Err() // what was stopped halfway complains, but nothing is wrong
	} else if err != nil {
		return nil, nil, err
	}
	stop := func() error {
		ctx, cancel := context.WithTimeout(context.Background(), stopWithin/2)
		defer cancel()
		return embedded.Stop(ctx)
	}
	db, err := postgres.Open(ctx, embedded.URL())
	if err != nil && ctx.Err() != nil {
		return nil, nil, join(ctx.Err(), stop())
	} else if err != nil {
		return nil, nil, errors.Join(err, stop())
	}
	return db, func() error { return errors.Join(db.Close(), stop()) }, nil
}
