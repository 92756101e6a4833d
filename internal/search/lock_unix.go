//go:build unix

package search

import (
	"errors"
	"os"
	"syscall"
)

var errLocked = errors.New("another process uses it")

// lockFile locks the file for this process until it is closed or the process ends. It fails
// with errLocked if another process holds it.
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
