//go:build unix

package search

import (
	"errors"
	"os"
	"syscall"
)

var errLocked = errors.New("another process uses it")

// lockFile holds the file for this process alone until it is closed, which the
// end of the process does as well. It fails with errLocked if another holds
// it.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errLocked
		}
		return nil, err
	}
	return f, nil
}
