package main

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
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
	// limitShare is the soft memory limit in percent of a control group's memory.
	limitShare = 85
	// leastLimit is the smallest limit that is useful.
	leastLimit = 64 << 20
	// mostLimit is more than any machine has: cgroup v1 has no word for no limit.
	mostLimit = 1 << 50
)

// tuneMemory sets the garbage collector's percentage and memory limit, unless
// GOGC or GOMEMLIMIT do. limit is the memory of the process's control group in bytes,
// 0 for no limit.
func tuneMemory(lookup func(string) (string, bool), limit int64) {
	if _, ok := lookup("GOGC"); !ok {
		debug.SetGCPercent(gcPercent)
	}
	if _, ok := lookup("GOMEMLIMIT"); !ok && limit >= leastLimit {
		debug.SetMemoryLimit(limit / 100 * limitShare)
	}
}

// memoryLimit returns the smallest memory limit of this process's control groups, version 2 and 1,
// in bytes; 0 for no limit. Groups outside a container are not visible in it. root is the root of
// the file system.
func memoryLimit(root string) (limit int64) {
	groups, _ := os.ReadFile(filepath.Join(root, "proc/self/cgroup")) // none without cgroups
	for lines := bufio.NewScanner(bytes.NewReader(groups)); lines.Scan(); {
		controllers, group, _ := strings.Cut(lines.Text()[strings.Index(lines.Text(), ":")+1:], ":")
		var file string
		switch controllers {
		case "":
			file = "sys/fs/cgroup/*/memory.max"
		case "memory":
			file = "sys/fs/cgroup/memory/*/memory.limit_in_bytes"
		default:
			continue
		}
		for ; ; group = filepath.Dir(group) {
			text, _ := os.ReadFile(filepath.Join(root, strings.Replace(file, "*", group, 1)))
			n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
			if err == nil && n > 0 && n < mostLimit && (limit == 0 || n < limit) {
				limit = n
			}
			if len(group) <= 1 {
				break
			}
		}
	}
	return limit
}
