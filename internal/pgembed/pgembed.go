// Package pgembed runs a private PostgreSQL server for installations without a
// database: it finds or downloads the programs, initializes the data folder, and
// starts, watches and stops the server.
package pgembed

import (
	"bytes"
	"errors"
	"log/slog"
	"os"

	"mcpcensus/internal/registry"
)

// Options configure a server.
type Options struct {
	// DataDir holds everything and is created if missing. The database is in its
	// subfolder "postgres".
	DataDir string
	// Log may be nil.
	Log *slog.Logger
	// Settings are additional settings of the server, such as "fsync": "off".
	Settings map[string]string
	// Restart starts the server again, at the same address, when it exits
	// unexpectedly.
	Restart bool

	noSystemBinaries bool   // for tests of the download
	repositoryURL    string // for tests of the download; "": the default of the library
}

// PasswordFile is the file of a data folder that holds the password of its
// embedded database.
const PasswordFile = "postgres.password"

// LoadSecret returns the secret in a file of the data folder, and creates it if missing.
// Only this user can read the file.
func LoadSecret(path string, create func() string) (string, error) {
	if text, err := os.ReadFile(path); err == nil && len(bytes.TrimSpace(text)) > 0 {
		return string(bytes.TrimSpace(text)), nil
	} else if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", registry.Wrap(registry.ErrUnavailable, err,
			"cannot read a secret in the data folder")
	}
	secret := create()
	tmp := path + ".new"
	os.Remove(tmp)
	if err := os.WriteFile(tmp, []byte(secret+"\n"), 0o600); err != nil {
		return "", err
	}
	return secret, os.Rename(tmp, path)
}
