package main

import (
	"context"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
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
	place, found := a.config.DataDir, a.config.DatabaseURL == "" && pgembed.Exists(a.config.DataDir)
	if a.config.DatabaseURL != "" {
		var err error
		place = "DATABASE_URL"
		if found, err = postgres.Holds(ctx, a.config.DatabaseURL); err != nil {
			return err
		}
	}
	if !found {
		how := "`census serve` creates one. To use one in another folder or server, set " +
			"CENSUS_DATA_DIR or DATABASE_URL"
		if a.ofDemo {
			how = "`census serve --demo` creates one"
		}
		return registry.Errorf(registry.ErrNotFound, "no registry in %s: %s", place, how)
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

// addressFile, in the data folder, holds the public URL of the registry that was last served
// from it. Commands that print links read it, because they do not have a port that was set
// only for serve.
const addressFile = "address"

// noteAddress stores the public address of the registry.
func (a *app) noteAddress() {
	if err := os.WriteFile(filepath.Join(a.config.DataDir, addressFile),
		[]byte(a.config.BaseURL+"\n"), 0o644); err != nil {
		a.log.Debug("public address not stored for other commands", "err", err)
	}
}

// recallAddress sets the base URL to the stored public address, unless the
// environment sets one.
func (a *app) recallAddress() {
	if a.getenv("CENSUS_BASE_URL")+a.getenv("CENSUS_ADDR") != "" {
		return
	}
	text, err := os.ReadFile(filepath.Join(a.config.DataDir, addressFile))
	if err != nil {
		return
	}
	address := strings.TrimSpace(string(text))
	if u, err := url.Parse(address); err == nil && (u.Scheme == "http" || u.Scheme == "https") &&
		u.Host != "" && u.User == nil && u.RawQuery == "" && u.Fragment == "" {
		a.config.BaseURL = address
	}
}

// A secretKey is the key of an installation, of 32 bytes, which is not in its database. All
// processes have the same one.
type secretKey []byte

func (k secretKey) derive(purpose string) []byte {
	b, _ := hkdf.Key(sha256.New, k, nil, "census "+purpose, 32) // fails for longer keys only
	return b
}

// secretKey returns the key of the installation: CENSUS_SECRET_KEY, or that in the data folder, which
// the first start creates. It fails if the database had another key.
func (a *app) secretKey(ctx context.Context, db *postgres.DB) (secretKey, error) {
	encoded, from, isNew := a.config.SecretKey, "CENSUS_SECRET_KEY", false
	if encoded == "" {
		from = filepath.Join(a.config.DataDir, "secret.key")
		err := os.MkdirAll(a.config.DataDir, 0o700)
		if err == nil {
			encoded, err = pgembed.LoadSecret(from, func() string { isNew = true; return newKey() })
		}
		if errors.Is(err, fs.ErrPermission) {
			return nil, registry.Wrap(registry.ErrInvalid, err, from+" cannot be read or created: it must belong "+
				"to the user that runs census, with mode 0600, or set CENSUS_SECRET_KEY to what it contains")
		}
		if err != nil {
			return nil, registry.Wrap(registry.ErrInvalid, err, "CENSUS_SECRET_KEY is not set, and "+
				"the data folder keeps no key: print one with `openssl rand -base64 32`, and set it "+
				"for all processes of this database")
		}
	}
	key, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(key) != 32 {
		return nil, registry.Errorf(registry.ErrInvalid, "%s does not contain 32 bytes in base64: restore it from "+
			"a backup. docs/operations.md says what to do if it is lost", from)
	}
	fits, err := db.FitsKey(ctx, secretKey(key).derive("check"))
	if err == nil && !fits {
		if isNew {
			os.Remove(from)
		}
		err = registry.Errorf(registry.ErrInvalid, "%s is missing or not the key of this database: "+
			"all processes need the one of its first start. docs/operations.md says what to do if it is lost",
			from)
	}
	return key, err
}

func newKey() string {
	var key [32]byte
	_, _ = rand.Read(key[:]) // never fails
	return base64.StdEncoding.EncodeToString(key[:])
}

func (a *app) databaseURLCommand() *cobra.Command {
	var password bool
	cmd := &cobra.Command{
		Use: "database-url", Short: "Print the database URL for psql, pg_dump and DATABASE_URL",
		Args: none,
		Long: "Prints DATABASE_URL, or the URL of the embedded database while census runs it.\n" +
			"The password is included only with --password: keep that output out of logs.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			address := a.config.DatabaseURL
			embedded := address == ""
			if embedded {
				var ok bool
				if address, ok = pgembed.Running(cmd.Context(), a.config.DataDir); !ok {
					return registry.Errorf(registry.ErrUnavailable,
						"the database in %s is not running: it has a URL only while `census "+
							"serve` runs",
						a.config.DataDir)
				}
			}
			if !password {
				var err error
				if address, err = withoutPassword(address); err != nil {
					return err
				}
				if embedded {
					fmt.Fprintf(a.stderr, "The password is in %s; --password includes it in "+
						"the URL.\n",
						filepath.Join(a.config.DataDir, pgembed.PasswordFile))
				}
			}
			fmt.Fprintln(a.stdout, address)
			return nil
		},
	}
	cmd.Flags().BoolVar(&password, "password", false, "include the password")
	return a.demoFlag(cmd)
}

// withoutPassword removes the password from a database URL. Clients then read
// it from PGPASSWORD or a password file.
func withoutPassword(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil { // the error contains the URL with its password
		return "", registry.Errorf(registry.ErrInvalid,
			"DATABASE_URL must be a URL such as postgres://user:password@host:5432/database")
	}
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	if q := u.Query(); q.Has("password") || q.Has("sslpassword") {
		q.Del("password")
		q.Del("sslpassword")
		u.RawQuery = q.Encode()
	}
	return u.String(), nil
}
