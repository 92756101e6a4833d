//go:build !race

// Package race says whether the race detector is on. Tests that are only slower
// with it use less data then.
package race

// Enabled says that the race detector is on.
const Enabled = false
