package pages

import "testing"

func TestSafeCell(t *testing.T) {
	for _, x := range []string{"=1+1", "@x", "+x", "-x"} {
		if got := safeCell(x); got[0] != '\'' {
			t.Errorf("safeCell(%q) = %q, a formula", x, got)
		}
	}
}
