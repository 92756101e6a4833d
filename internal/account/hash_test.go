package account

import (
	"strings"
	"testing"
)

// reference is a vector of the tests of the reference implementation, for the
// password "password".
const reference = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"

func TestHasher(t *testing.T) {
	h := New(Options{}).hasher
	const password = "zähne putzen hilft"
	phc, err := h.hash(t.Context(), laneSignIn, "", password)
	if err != nil || !strings.HasPrefix(phc, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Fatal(phc, err)
	}
	if again, _ := h.hash(t.Context(), laneSignIn, "", password); again == phc {
		t.Error("no salt")
	}
	other, err := newHasher(Costs{Memory: 64, Passes: 1, Threads: 1}).hash(t.Context(), laneSignIn, "", password)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		phc, password string
		ok, stale     bool
	}{
		"right":            {phc, password, true, false},
		"other normalized": {phc, "za\u0308hne putzen hilft", true, false},
		"wrong":            {phc, "Zähne putzen hilft", false, false},
		"empty":            {phc, "", false, false},
		"other costs":      {other, password, true, true},
		"no hash":          {"", "", false, false},
		"reference":        {reference, "password", true, true},
	} {
		t.Run(name, func(t *testing.T) {
			ok, stale, err := h.verify(t.Context(), laneSignIn, "", tc.phc, tc.password)
			if ok != tc.ok || stale != tc.stale || err != nil {
				t.Errorf("%t %t %v, want %t %t", ok, stale, err, tc.ok, tc.stale)
			}
		})
	}
}

func FuzzParsePHC(f *testing.F) {
	f.Add(reference)
	f.Add("$argon2id$v=19$m=4294967295,t=4294967295,p=255$c29tZXNhbHQ$AA")
	f.Add("$2a$10$abcdefghijklmnopqrstuv")
	f.Fuzz(func(t *testing.T, s string) {
		p, salt, hash, err := parsePHC(s)
		if err == nil && (!p.affordable() || len(salt) < 8 || len(hash) < 16) {
			t.Errorf("%q: %+v", s, p)
		}
	})
}
