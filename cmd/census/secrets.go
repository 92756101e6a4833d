package main

import (
	"context"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"os"
	"path/filepath"

	"mcpcensus/internal/pgembed"
	"mcpcensus/internal/postgres"
	"mcpcensus/internal/registry"
)

// A secretKey is the key of an installation, of 32 bytes, which is not in its database. All
// processes have the same one.
type secretKey []byte

// derive returns the key for a purpose.
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
		if err != nil {
			return nil, registry.Wrap(registry.ErrInvalid, err, "CENSUS_SECRET_KEY is not set, and "+
				"the data folder keeps no key: print one with `openssl rand -base64 32`, and set it "+
				"for all processes of this database")
		}
	}
	key, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(key) != 32 {
		return nil, registry.Errorf(registry.ErrInvalid, "%s does not contain 32 bytes in base64", from)
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
