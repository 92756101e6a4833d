package main

import (
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
)

func TestTuneMemory(t *testing.T) {
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(-1)
	defer func() { debug.SetGCPercent(percent); debug.SetMemoryLimit(limit) }()
	for _, tc := range []struct {
		name    string
		set     string // variable
		group   int64
		percent int
		limit   int64
	}{
		{"no limit", "", 0, gcPercent, math.MaxInt64},
		{"too little to help", "", 1_000_000, gcPercent, math.MaxInt64},
		{"one gigabyte", "", 1_000_000_000, gcPercent, 850_000_000},
		{"GOMEMLIMIT", "GOMEMLIMIT", 1_000_000_000, gcPercent, math.MaxInt64},
		{"GOGC", "GOGC", 1_000_000_000, 100, 850_000_000},
	} {
		t.Run(tc.name, func(t *testing.T) {
			debug.SetGCPercent(100)
			debug.SetMemoryLimit(math.MaxInt64)
			tuneMemory(func(name string) (string, bool) { return "", name == tc.set }, tc.group)
			if got := debug.SetGCPercent(100); got != tc.percent {
				t.Errorf("%d percent, want %d", got, tc.percent)
			}
			if got := debug.SetMemoryLimit(-1); got != tc.limit {
				t.Errorf("limit %d, want %d", got, tc.limit)
			}
		})
	}
}

func TestMemoryLimit(t *testing.T) {
	const self, top = "proc/self/cgroup", "sys/fs/cgroup/"
	for _, tc := range []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"no control groups", nil, 0},
		{"no limit", map[string]string{self: "0::/\n", top + "memory.max": "max\n"}, 0},
		{"container", map[string]string{self: "0::/\n", top + "memory.max": "1000\n"}, 1000},
		{"service", map[string]string{self: "0::/system.slice/census.service\n",
			top + "system.slice/census.service/memory.max": "2000\n"}, 2000},
		{"slice of a service", map[string]string{self: "0::/system.slice/census.service\n",
			top + "system.slice/memory.max":                "1000\n",
			top + "system.slice/census.service/memory.max": "2000\n"}, 1000},
		{"nonsense", map[string]string{self: "::\n\n0::\n0\n", top + "memory.max": "-5\n"}, 0},
		{"version 1", map[string]string{self: "5:cpu:/a\n4:memory:/a/b\n0::/\n",
			top + "memory/a/b/memory.limit_in_bytes": "3000\n"}, 3000},
		{"version 1 in a container", map[string]string{self: "4:memory:/docker/1f\n",
			top + "memory/memory.limit_in_bytes": "4000\n"}, 4000},
		{"no limit of version 1", map[string]string{self: "4:memory:/\n",
			top + "memory/memory.limit_in_bytes": "9223372036854771712\n"}, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			root := t.TempDir()
			for name, text := range tc.files {
				file := filepath.Join(root, name)
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if got := memoryLimit(root); got != tc.want {
				t.Errorf("%d bytes, want %d", got, tc.want)
			}
		})
	}
}
