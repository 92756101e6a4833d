package postgres

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/lib/pq"

	"mcpcensus/internal/registry"
)

// wrapped returns err with what failed, nil for nil.
func wrapped(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err)
}

// affected returns how many rows a statement has changed.
func affected(done sql.Result, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	n, err := done.RowsAffected()
	return int(n), err
}

// isUnique reports whether an error is about a value that must be unique and is not.
func isUnique(err error) bool {
	pqErr, ok := errors.AsType[*pq.Error](err)
	return ok && pqErr.Code == "23505"
}

// failed wraps err with what failed, nil for nil. The error is of kind
// [registry.ErrUnavailable] if the database does not respond.
func failed(what string, err error) error {
	if err == nil {
		return nil
	}
	_, said := errors.AsType[*registry.Error](err)
	err = fmt.Errorf("%s: %w", what, err)
	if said {
		return err // may be from another service
	}
	var dial *net.OpError
	var pqErr *pq.Error
	down := errors.As(err, &dial) || errors.Is(err, driver.ErrBadConn) ||
		errors.Is(err, sql.ErrConnDone) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF)
	if errors.As(err, &pqErr) {
		// Connection exceptions, too many connections, and being shut down or
		// starting.
		down = pqErr.Code.Class() == "08" || pqErr.Code == "53300" ||
			strings.HasPrefix(string(pqErr.Code), "57P")
	}
	if down {
		return registry.Wrap(registry.ErrUnavailable, err,
			"The database is unavailable. Try again in a moment.")
	}
	return err
}
