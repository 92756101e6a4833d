//go:build unix

package clientfile

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a file the owner and group of another one, if they differ.
func keepOwner(path string, of fs.FileInfo) error {
	want, ok := of.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if is, ok := info.Sys().(*syscall.Stat_t); ok && is.Uid == want.Uid && is.Gid == want.Gid {
		return nil
	}
	return os.Chown(path, int(want.Uid), int(want.Gid))
}

// hasOtherNames reports whether a file has hard links.
func hasOtherNames(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	is, ok := info.Sys().(*syscall.Stat_t)
	return ok && is.Nlink > 1
}
