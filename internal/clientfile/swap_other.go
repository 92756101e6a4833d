//go:build !linux && !darwin

package clientfile

import "errors"

// swap always fails: the system cannot exchange two files at once.
func swap(string, string) error { return errors.ErrUnsupported }
