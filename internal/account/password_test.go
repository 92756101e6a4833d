package account

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"mcpcensus/internal/registry"
)

func TestCheckPassword(t *testing.T) {
	ada, err := ParseAddress("Ada.Lovelace@analytical.example.com")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i := range 40 {
		b.WriteString(strconv.Itoa(7919*i*i) + "é ")
	}
	long := string([]rune(b.String())[:MaxPassword])
	for name, tc := range map[string]struct {
		passwords []string
		want      error
	}{
		"missing":       {[]string{""}, registry.ErrMissing},
		"short":         {[]string{"short-one", "eleven-char"}, registry.ErrInvalid},
		"long":          {[]string{long + "y"}, registry.ErrInvalid},
		"not UTF-8":     {[]string{"bad \xff utf-8 here"}, registry.ErrInvalid},
		"length limits": {[]string{"twelve-char!", "zwölf Zähne!", long}, nil},
		"common": {[]string{
			"password1234", "Password1234!", "passwordpassword", "123456789012",
			"qwertyuiop[]12", "qwerty123456", "1q2w3e4r5t6y", "1qaz2wsx3edc", "aaaaaaaaaaaa", "121212121212",
			"abcabcabcabc", "iloveyou12345", "letmein123456", "administrator", "football2024", "Welcome2024!",
			"changeme1234", "correcthorsebatterystaple", "correct horse battery staple", "princess1234",
			"!!!!password", "dragon12345678", "abcdefghijkl", "asdfghjkl123", "mcpservers12", "census123456",
			"trustno1trustno1", "sunshine!!!!", "q1w2e3r4t5y6", "------------", "ＰＡＳＳＷＯＲＤ1234",
			"monkeymonkey", "liverpoolfc1", "manchesterunited", "1234qwerasdf", "shadow-shadow-shadow",
		}, registry.ErrInvalid},
		"own words": {[]string{
			"ada.lovelace1", "ada.lovelace12345678", "AdaLovelace", "ada.lovelace@analytical.example.com",
			"Ada.Lovelace@Analytical.Example.com", "Analytical1843", "analytical.example.com",
			"lovelace-ada-1815", "2026lovelace2026", "my-lovelace-99", "LovelaceAnalytical",
		}, registry.ErrInvalid},
		"good": {[]string{
			"violet-kettle-orbit-93", "granite-teapot-lagoon-17", "kx9#Lq2vTz!8", "das Wetter in Bergen", "пароль-на-горе-42",
			"🍋🍋🥝🍇🍉🍓🫐🍒🍑🥭🍋🥝", "zebra crossing at noon", "hunter-of-77-snarks", "u7Hq0ZpLw3Xe", "\x00\x01 binary is fine",
			"734091825361",
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			for _, p := range tc.passwords {
				if err := CheckPassword("password", p, ada); !errors.Is(err, tc.want) || tc.want == nil && err != nil {
					t.Errorf("%q: %v", p, err)
				}
			}
		})
	}
	if err := CheckPassword("password", "ada.lovelace1", Address{}); err != nil {
		t.Errorf("without an address: %v", err)
	}
}

func TestCommonPasswords(t *testing.T) {
	last, n := "", 0
	for line := range strings.Lines(commonText()) {
		word := strings.TrimSpace(line)
		if word <= last || word != normalWord(word) {
			t.Errorf("%q is out of order or not normal", word)
		}
		if n++; n%997 == 1 && (!isCommon(word) || isCommon(word+"\x00") || isCommon(word[:len(word)-1]+"\x00")) {
			t.Errorf("%q is not found, or what is beside it is", word)
		}
		last = word
	}
	if n < 90_000 || !isCommon(last) || isCommon("") || isCommon("zzzzzzzzzzzzzzzzzzzzzz~") {
		t.Errorf("%d words", n)
	}
}
