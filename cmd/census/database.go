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
