package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"mcpcensus/internal/pgembed"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
)

// stopWithin bounds the time to shut down.
const stopWithin = 10 * time.Second

// openStore opens the database at DATABASE_URL, otherwise the embedded one, which it starts
// unless a running census already serves it. The returned function closes them.
func (a *app) openStore(ctx context.Context) (*postgres.DB, func() error, error) {
	url := a.config.DatabaseURL
	if url == "" {
		var ok bool
		if url, ok = pgembed.Running(ctx, a.config.DataDir); !ok {
			return a.startEmbedded(ctx)
		}
	}
	db, err := postgres.Open(ctx, url)
	if err != nil {
		return nil, nil, err
	}
	return db, db.Close, nil
}

// withStore calls f with the database and closes it afterwards.
func (a *app) withStore(ctx context.Context, f func(*postgres.DB) error) error {
	db, closeStore, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	return errors.Join(f(db), closeStore())
}

// onExisting returns a function that runs a command with the database of an existing registry.
func (a *app) onExisting(
	do func(ctx context.Context, db *postgres.DB, args []string) error,
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		return a.withExisting(cmd.Context(),
			func(db *postgres.DB) error { return do(cmd.Context(), db, args) })
	}
}

// withExisting is withStore for commands on an existing registry: it returns an
// error instead of creating a database.
func (a *app) withExisting(ctx context.Context, f func(*postgres.DB) error) error {
	if a.config.DatabaseURL == "" && !pgembed.Exists(a.config.DataDir) {
		how := "`census serve` creates one. To use one in another folder or server, set " +
			"CENSUS_DATA_DIR or DATABASE_URL"
		if a.ofDemo {
			how = "`census serve --demo` creates one"
		}
		return registry.Errorf(registry.ErrNotFound, "no database in %s: %s",
			a.config.DataDir, how)
	}
	a.recallAddress()
	return a.withStore(ctx, f)
}

// startStore opens the database. An embedded one is not shared with other
// processes.
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
		return nil, nil, ctx.Err() // a start that was interrupted is not a failure
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
		return nil, nil, errors.Join(ctx.Err(), stop())
	} else if err != nil {
		return nil, nil, errors.Join(err, stop())
	}
	return db, func() error { return errors.Join(db.Close(), stop()) }, nil
}
