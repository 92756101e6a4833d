//go:build unix

package folder

import (
	"os"
	"syscall"
)

// hold locks the file for this process until it is closed or the process ends.
// It reports whether it succeeded.
func hold(f *os.File) bool {
	return syscall.Flock(int(f.Fd()),
		syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
