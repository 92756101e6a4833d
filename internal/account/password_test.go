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
		"short":         {[]string{"short-one"}, registry.ErrInvalid},
		"long":          {[]string{long + "y"}, registry.ErrInvalid},
		"not UTF-8":     {[]string{"bad \xff utf-8 here"}, registry.ErrInvalid},
		"length limits": {[]string{"ten-chars!", "zehn Zähne", long}, nil},
		"common": {[]string{
			"password123", "Password123!", "passwordpassword", "1234567890", "12345678910", "0987654321", "qwertyuiop",
			"qwerty12345", "1q2w3e4r5t6y", "1qaz2wsx3edc", "aaaaaaaaaa", "1212121212", "abcabcabcabc", "iloveyou123",
			"letmein1234", "administrator", "football2024", "Welcome2024!", "changeme123", "correcthorsebatterystaple",
			"correct horse battery staple", "princess12", "!!!password", "dragon12345", "abcdefghij", "asdfghjkl123",
			"mcpservers1", "census12345", "trustno1trustno1", "sunshine!!", "123456789012", "q1w2e3r4t5y6", "----------",
			"ＰＡＳＳＷＯＲＤ123",
		}, registry.ErrInvalid},
		"own words": {[]string{
			"ada.lovelace1", "ada.lovelace12345678", "AdaLovelace", "ada.lovelace@analytical.example.com",
			"Ada.Lovelace@Analytical.Example.com", "Analytical1843", "analytical.example.com",
		}, registry.ErrInvalid},
		"good": {[]string{
			"violet-kettle-orbit-93", "granite-teapot-lagoon-17", "kx9#Lq2vTz!8", "das Wetter in Bergen", "пароль-на-горе-42",
			"🍋🍋🥝🍇🍉🍓🫐🍒🍑🥭", "zebra crossing at noon", "hunter-of-77-snarks", "u7Hq0ZpLw3", "\x00\x01 binary is fine",
			"7340918253", strings.Repeat("\u2026x", 100),
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
	last := ""
	for line := range strings.Lines(commonText) {
		word := strings.TrimSpace(line)
		if word <= last || word != normalWord(word) {
			t.Errorf("%q is out of order or not normal", word)
		}
		last = word
	}
}
