package race

import "testing"

// Skip skips a test that the race detector slows down and that cannot find races: it runs no
// code concurrently that other tests of the package do not. make test runs the packages whose
// tests call it also without the race detector.
func Skip(t testing.TB) {
	t.Helper()
	if Enabled {
		t.Skip("with the race detector")
	}
}
