//go:build unix

package folder

import (
	"os"
	"syscall"
)

// Lock locks a file for this process until it is closed or the process ends. It reports whether
// it succeeded.
func Lock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
