//go:build unix

package folder

import (
	"os"
	"syscall"
)

// hold takes the file for this process alone, until it is closed or the
// process ends, and says whether it could.
func hold(f *os.File) bool { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil }
