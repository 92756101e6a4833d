//go:build !unix

package pgembed

import (
	"syscall"

	"mcpcensus/internal/registry"
)

// osUser is no user: PostgreSQL is not started on this platform.
type osUser struct {
	name  string
	other bool
}

func serverUser(string) (osUser, error) {
	return osUser{}, registry.Errorf(registry.ErrUnavailable, "there is no embedded database on "+
		"this platform: set DATABASE_URL to a PostgreSQL 15 or newer")
}

func (osUser) attributes() *syscall.SysProcAttr { return nil }

func (osUser) own(string) error { return nil }

func reaches(string, osUser) bool { return false }
