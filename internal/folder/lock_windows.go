package folder

import (
	"os"

	"golang.org/x/sys/windows"
)

// Lock locks a file for this process until it is closed or the process ends. It reports whether
// it succeeded.
func Lock(f *os.File) bool {
	return windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0,
		new(windows.Overlapped)) == nil
}
