package main

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

const (
	// gcPercent is how much of what is held may be garbage. Most of what is held
	// is the read model, which has few pointers, so collecting it twice as often
	// as Go does costs little.
	gcPercent = 50
	// limitShare is how much of a container's memory the program uses before it
	// collects garbage as often as it must, in percent.
	limitShare = 85
	// leastLimit is below what any limit can help.
	leastLimit = 64 << 20
)

// tuneMemory sets what GOGC and GOMEMLIMIT would set, where they do not.
// container is the file with the memory limit of the process's control group,
// in bytes or "max". It returns the limit, 0 if it set none.
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

// containerMemory has the limit of a container's memory under cgroup v2.
const containerMemory = "/sys/fs/cgroup/memory.max"
