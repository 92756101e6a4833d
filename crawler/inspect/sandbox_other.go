//go:build !linux || !(amd64 || arm64)

package inspect

import (
	"context"
	"runtime"
)

// A sandbox needs Linux.
type sandbox struct {
	dir    string
	static bool
}

func newSandbox(context.Context, string, string) (*sandbox, error) {
	return nil, errWeak(nil, "this is "+runtime.GOOS+"/"+runtime.GOARCH)
}

func (s *sandbox) start(context.Context, command) (*process, error) {
	return nil, errWeak(nil, "this is "+runtime.GOOS+"/"+runtime.GOARCH)
}

func (s *sandbox) close() error { return nil }

func (s *sandbox) chown(...string) error { return nil }

// Init does nothing on this platform.
func Init() {}
