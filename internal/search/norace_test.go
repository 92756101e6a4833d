//go:build !race

package search

// racing says that the race detector is on, which makes everything slow.
const racing = false
