package main

import (
	"fmt"
	"net/url"
	"path/filepath"

	"github.com/spf13/cobra"

	"mcpcensus/internal/pgembed"
	"mcpcensus/internal/registry"
)

func (a *app) databaseURLCommand() *cobra.Command {
	var password bool
	cmd := &cobra.Command{
		Use: "database-url", Short: "Print the address of the database, for psql, pg_dump and DATABASE_URL",
		Args: none,
		Long: "Prints the address of the database: DATABASE_URL, or that of the embedded one while a " +
			"census runs it.\n" +
			"It has no password unless --password is given: then keep it out of logs.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			address := a.config.DatabaseURL
			embedded := address == ""
			if embedded {
				var ok bool
				if address, ok = pgembed.Running(cmd.Context(), a.config.DataDir); !ok {
					return registry.Errorf(registry.ErrUnavailable,
						"no census runs the database in %s: it has an address while `census serve` runs",
						a.config.DataDir)
				}
			}
			if !password {
				var err error
				if address, err = withoutPassword(address); err != nil {
					return err
				}
				if embedded {
					fmt.Fprintf(a.stderr, "The password is in %s, and --password puts it into the address.\n",
						filepath.Join(a.config.DataDir, pgembed.PasswordFile))
				}
			}
			fmt.Fprintln(a.stdout, address)
			return nil
		},
	}
	cmd.Flags().BoolVar(&password, "password", false, "with the password")
	return a.demoFlag(cmd)
}

// withoutPassword returns the address of a database that PGPASSWORD or a
// password file completes.
func withoutPassword(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil { // it says what it could not read, with the password
		return "", registry.Errorf(registry.ErrInvalid,
			"DATABASE_URL is no address such as postgres://user:password@host:5432/database")
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
