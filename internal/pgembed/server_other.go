//go:build !unix

package pgembed

import (
	"context"

	"mcpcensus/internal/registry"
)

// A Server cannot be started on this platform.
type Server struct{}

// Start returns an error that names another database.
func Start(context.Context, Options) (*Server, error) {
	return nil, registry.Errorf(registry.ErrUnavailable, "there is no embedded database on this "+
		"platform: set DATABASE_URL to a PostgreSQL 15 or newer")
}

// URL returns "".
func (*Server) URL() string { return "" }

// Stop does nothing.
func (*Server) Stop(context.Context) error { return nil }

// Exists returns false.
func Exists(string) bool { return false }

// Running finds no server.
func Running(context.Context, string) (url string, ok bool) { return "", false }
