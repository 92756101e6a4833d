//go:build !race

package detect

const race = false
