//go:build !unix

package clientfile

import "io/fs"

// keepOwner does nothing: a new file has the owner of the process.
func keepOwner(string, fs.FileInfo) error { return nil }

// hasOtherNames reports false: it is not known here.
func hasOtherNames(string) bool { return false }
