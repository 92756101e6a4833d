package clientfile

import "golang.org/x/sys/unix"

// swap exchanges two files at once.
func swap(a, b string) error { return unix.RenamexNp(a, b, unix.RENAME_SWAP) }
