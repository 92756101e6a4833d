//go:build !unix

package search

import (
	"errors"
	"os"
)

var errLocked = errors.New("another process uses it")

// lockFile creates the file. A file that can be removed is not in use: an open
// file cannot be removed here.
func lockFile(path string) (*os.File, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, errLocked
	}
	return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
}
