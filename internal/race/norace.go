//go:build !race

// Package race reports whether the race detector is on, for tests that then use less
// data.
package race

// Enabled reports whether the race detector is on.
const Enabled = false
