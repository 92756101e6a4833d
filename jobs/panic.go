package jobs

import (
	"fmt"
	"runtime/debug"

	"mcpcensus/internal/registry"
)

// recovered calls f and turns a panic into an error. Repositories are untrusted input:
// a bug that one of them triggers must not end the process.
func recovered(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = registry.Wrap(registry.ErrUnavailable,
				fmt.Errorf("panic: %v\n%s", v,
					debug.Stack()), "The repository could not be processed because of a bug in Census. It "+
					"is retried later.")
		}
	}()
	return f()
}
