package httpd

import (
	"net/http/httptest"
	"testing"
)

func TestForeign(t *testing.T) {
	o, err := NewOrigins("https://census.example/at")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		method, origin, site string
		want                 bool
	}{
		{"POST", "", "", false}, // a program
		{"POST", "https://census.example", "", false},
		{"POST", "https://census.example", "same-origin", false},
		{"POST", "", "none", false},
		{"POST", "http://census.example", "", true},
		{"POST", "http://census.example", "same-origin", true},
		{"POST", "HTTP://Census.Example", "", true},
		{"POST", "ftp://census.example", "", true},
		{"POST", "https://census.example:8443", "", true},
		{"POST", "https://page.example", "", true},
		{"POST", "null", "", true},
		{"POST", "", "cross-site", true},
		{"POST", "", "same-site", true},
		{"GET", "https://page.example", "cross-site", false},
	} {
		r := httptest.NewRequest(c.method, "https://census.example/add", nil)
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		if c.site != "" {
			r.Header.Set("Sec-Fetch-Site", c.site)
		}
		if got := o.Foreign(r); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
	for _, wrong := range []string{"", "census.example", "/at", ":"} {
		if _, err := NewOrigins(wrong); err == nil {
			t.Errorf("%q is accepted", wrong)
		}
	}
}
