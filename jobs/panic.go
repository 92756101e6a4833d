package jobs

import (
	"fmt"
	"runtime/debug"

	"mcpcensus/internal/registry"
)

// survive calls f and turns a panic into an error. What repositories hold is
// chosen by anybody: a fault of ours that it brings to light must not end the
// process.
func survive(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = registry.Wrap(registry.ErrUnavailable, fmt.Errorf("panic: %v\n%s", v, debug.Stack()), "What the repository holds could not be read, through a fault of ours. It is tried again later.")
		}
	}()
	return f()
}
