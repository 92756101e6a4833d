package account

import (
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"

	"mcpcensus/internal/registry"
)

func TestCommonPasswordsAreRefused(t *testing.T) {
	ada, err := ParseAddress("Ada.Lovelace@example.com")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{
		"password123", "Password123!", "P@ssw0rd123", "passwordpassword", "1234567890", "12345678910", "0987654321", "qwertyuiop", "qwerty12345",
		"1q2w3e4r5t6y", "1qaz2wsx3edc", "aaaaaaaaaa", "1212121212", "abcabcabcabc", "iloveyou123", "letmein1234", "administrator", "football2024", "Welcome2024!",
		"changeme123", "correcthorsebatterystaple", "princess12", "!!!password", "dragon12345", "monkey12345", "ada.lovelace1", "ada.lovelace12345678", "AdaLovelace",
		"abcdefghij", "zxcvbnmasdf", "asdfghjkl123", "superman1234", "liverpool1", "minecraft123", "11112222333344445555", "mcpservers1", "census12345",
		"password12345678", "trustno1trustno1", "qwertyqwerty", "abc1234567", "sunshine!!", "123456789a", "aa12345678", "q1w2e3r4t5y6",
		"ada.lovelace@example.com", "Ada.Lovelace@Example.com",
	} {
		if err := CheckPassword("password", p, ada); !errors.Is(err, registry.ErrInvalid) {
			t.Errorf("%q is taken: %v", p, err)
		}
	}
	for _, p := range []string{
		"violet-kettle-orbit-93", "granite-teapot-lagoon-17", "kx9#Lq2vTz!8", "das Wetter in Bergen", "пароль-на-горе-42", "🍋🍋🥝🍇🍉🍓🫐🍒🍑🥭", "zebra crossing at noon", "hunter-of-77-snarks",
		"u7Hq0ZpLw3", "\x00\x01 binary is fine",
	} {
		if err := CheckPassword("password", p, ada); err != nil {
			t.Errorf("%q is refused: %v", p, err)
		}
	}
}

func TestLengthOfPasswords(t *testing.T) {
	var b strings.Builder
	for i := range 40 {
		b.WriteString(strconv.Itoa(7919*i*i) + "é ")
	}
	long := string([]rune(b.String())[:256])
	for p, want := range map[string]error{
		"": registry.ErrMissing, "short-one": registry.ErrInvalid, "ten-chars!": nil, "zehn Zähne": nil,
		long: nil, long + "y": registry.ErrInvalid, "bad \xff utf-8 here": registry.ErrInvalid,
	} {
		if err := CheckPassword("password", p, Address{}); !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("%q: %v", p, err)
		}
	}
}

// To take a password to pieces costs the square of its length, and characters
// may become many when they are normalized.
func TestLongPasswordsAreNotTakenToPieces(t *testing.T) {
	for _, p := range []string{
		strings.Repeat("!", 100) + "password" + strings.Repeat("$", 100), // three pieces
		"password" + strings.Repeat("\u2026", 42),                        // 134 bytes, "..." each
	} {
		if n := pieces(strings.ToLower(norm.NFKC.String(p)), ""); n <= maxPieces {
			t.Errorf("%q is taken to %d pieces", p, n)
		}
	}
	for _, p := range []string{strings.Repeat("a", 256), strings.Repeat("12ab", 64)} {
		if CheckPassword("password", p, Address{}) == nil {
			t.Errorf("%q is taken", p)
		}
	}
	if err := CheckPassword("password", strings.Repeat("\u2026", 160)+strings.Repeat("\ufdfa", 96), Address{}); err != nil {
		t.Error(err)
	}
}

func TestHashes(t *testing.T) {
	h := newHasher(current)
	phc, err := h.hash(t.Context(), "zähne putzen hilft")
	if err != nil || !strings.HasPrefix(phc, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Fatal(phc, err)
	}
	again, _ := h.hash(t.Context(), "zähne putzen hilft")
	if again == phc {
		t.Error("no salt")
	}
	for password, want := range map[string]bool{"zähne putzen hilft": true, "za\u0308hne putzen hilft": true, "Zähne putzen hilft": false, "": false} {
		ok, stale, err := h.verify(t.Context(), phc, password)
		if ok != want || stale || err != nil {
			t.Errorf("%q: %t %t %v", password, ok, stale, err)
		}
	}
	weak := newHasher(params{memory: 64, time: 1, threads: 1})
	old, err := weak.hash(t.Context(), "zähne putzen hilft")
	if err != nil {
		t.Fatal(err)
	}
	if ok, stale, err := h.verify(t.Context(), old, "zähne putzen hilft"); !ok || !stale || err != nil {
		t.Errorf("a hash of other costs: %t %t %v", ok, stale, err)
	}
	if ok, _, err := h.verify(t.Context(), "", ""); ok || err != nil {
		t.Errorf("no hash: %t %v", ok, err)
	}
	// A vector of the reference implementation's own tests, in PHC form.
	if ok, _, err := h.verify(t.Context(), "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc", "password"); !ok || err != nil {
		t.Errorf("reference: %t %v", ok, err)
	}
}

func FuzzParsePHC(f *testing.F) {
	f.Add("$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc")
	f.Add("$argon2id$v=19$m=4294967295,t=4294967295,p=255$c29tZXNhbHQ$AA")
	f.Add("$2a$10$abcdefghijklmnopqrstuv")
	f.Fuzz(func(t *testing.T, s string) {
		p, salt, hash, err := parsePHC(s)
		if err == nil && (p.memory > 1<<20 || p.time > 20 || p.threads > 16 || p.threads == 0 || p.time == 0 || len(salt) < 8 || len(hash) < 16) {
			t.Errorf("%q: %+v", s, p)
		}
	})
}

// A burst of sign-ins does not take more memory than a few at a time do.
func TestHashesAreMadeAFewAtATime(t *testing.T) {
	h := newHasher(params{memory: 64, time: 1, threads: 1})
	var running, most atomic.Int32
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if err := h.run(t.Context(), func() {
				n := running.Add(1)
				for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
				}
				time.Sleep(time.Millisecond)
				running.Add(-1)
			}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if int(most.Load()) > cap(h.slots) {
		t.Errorf("%d at a time, %d slots", most.Load(), cap(h.slots))
	}
}

func TestTooManyWaitingAreRefused(t *testing.T) {
	h := newHasher(params{memory: 64, time: 1, threads: 1})
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range cap(h.slots) {
		h.slots <- struct{}{}
	}
	var refused atomic.Int32
	for range maxWaiting + 20 {
		wg.Go(func() {
			err := h.run(t.Context(), func() { <-stop })
			if errors.Is(err, registry.ErrUnavailable) {
				refused.Add(1)
			}
		})
	}
	for refused.Load() < 20 {
		time.Sleep(time.Millisecond)
	}
	close(stop)
	for range cap(h.slots) {
		<-h.slots
	}
	wg.Wait()
	if refused.Load() != 20 {
		t.Errorf("%d refused", refused.Load())
	}
}
