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
	// loadPercent is the value while the read model is loaded and all of it is collected again and
	// again.
	loadPercent = 75
	// limitShare is the soft memory limit in percent of a container's memory.
	limitShare = 85
	// leastLimit is the smallest limit that is useful.
	leastLimit = 64 << 20
	// mostLimit is more than any machine has: cgroup v1 has no word for no limit.
	mostLimit = 1 << 50
)

// tuneMemory sets the garbage collector's percentage and memory limit, unless
// GOGC or GOMEMLIMIT do. The first of the files that exists has the memory limit
// of the process's control group, in bytes or "max". It returns the limit, 0 if it
// set none.
func tuneMemory(lookup func(string) (string, bool), containers ...string) (limit int64) {
	if _, ok := lookup("GOGC"); !ok {
		debug.SetGCPercent(gcPercent)
	}
	if _, ok := lookup("GOMEMLIMIT"); ok {
		return 0
	}
	for _, container := range containers {
		text, err := os.ReadFile(container)
		if err != nil {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		if err != nil || n < leastLimit || n > mostLimit {
			return 0
		}
		limit = n / 100 * limitShare
		debug.SetMemoryLimit(limit)
		return limit
	}
	return 0
}

// The files with a container's memory limit under cgroup v2 and v1.
const (
	containerMemory   = "/sys/fs/cgroup/memory.max"
	containerMemoryV1 = "/sys/fs/cgroup/memory/memory.limit_in_bytes"
)
