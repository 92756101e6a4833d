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
		name      string
		set       string // variable
		container string // "": no such file
		percent   int
		limit     int64
	}{
		{"no container", "", "", gcPercent, math.MaxInt64},
		{"no limit", "", "max\n", gcPercent, math.MaxInt64},
		{"no limit of cgroup v1", "", "9223372036854771712\n", gcPercent, math.MaxInt64},
		{"nonsense", "", "-5\n", gcPercent, math.MaxInt64},
		{"too little to help", "", "1000000\n", gcPercent, math.MaxInt64},
		{"one gigabyte", "", "1000000000\n", gcPercent, 850_000_000},
		{"GOMEMLIMIT", "GOMEMLIMIT", "1000000000\n", gcPercent, math.MaxInt64},
		{"GOGC", "GOGC", "1000000000\n", 100, 850_000_000},
	} {
		t.Run(tc.name, func(t *testing.T) {
			debug.SetGCPercent(100)
			debug.SetMemoryLimit(math.MaxInt64)
			file := filepath.Join(t.TempDir(), "memory.max")
			if tc.container != "" {
				if err := os.WriteFile(file, []byte(tc.container), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			tuneMemory(func(name string) (string, bool) { return "", name == tc.set }, file+".missing", file)
			if got := debug.SetGCPercent(100); got != tc.percent {
				t.Errorf("%d percent, want %d", got, tc.percent)
			}
			if got := debug.SetMemoryLimit(-1); got != tc.limit {
				t.Errorf("limit %d, want %d", got, tc.limit)
			}
		})
	}
}
