package main

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

const (
	// gcPercent is the value of GOGC. Most of the heap is the read model, which
	// has few pointers, so collecting it twice as often as by default costs
	// little.
	gcPercent = 50
	// limitShare is the soft memory limit in percent of a container's memory.
	limitShare = 85
	// leastLimit is the smallest limit that is useful.
	leastLimit = 64 << 20
)

// tuneMemory sets the garbage collector's percentage and memory limit, unless
// GOGC or GOMEMLIMIT do. container is the file with the memory limit of the
// process's control group, in bytes or "max". It returns the limit, 0 if it set
// none.
func tuneMemory(lookup func(string) (string, bool), container string) (limit int64) {
	if _, ok := lookup("GOGC"); !ok {
		debug.SetGCPercent(gcPercent)
	}
	if _, ok := lookup("GOMEMLIMIT"); ok {
		return 0
	}
	text, err := os.ReadFile(container)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || n < leastLimit {
		return 0
	}
	limit = n / 100 * limitShare
	debug.SetMemoryLimit(limit)
	return limit
}

// containerMemory is the file with a container's memory limit under cgroup v2.
const containerMemory = "/sys/fs/cgroup/memory.max"
