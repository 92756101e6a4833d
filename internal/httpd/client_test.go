package httpd

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"mcpcensus/internal/quota"
)

func TestAddressOf(t *testing.T) {
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"),
		netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("2001:db8:ffff::/48")}
	for _, tc := range []struct {
		remote string
		xff    []string
		want   string
	}{
		{"192.0.2.1:99", nil, "192.0.2.1"},
		{"192.0.2.1:99", []string{"203.0.113.5"}, "192.0.2.1"}, // not a trusted proxy
		{"127.0.0.1:99", []string{"203.0.113.5"}, "203.0.113.5"},
		{"127.0.0.1:99", []string{"198.51.100.7, 203.0.113.5"}, "203.0.113.5"},
		{"127.0.0.1:99", []string{"198.51.100.7, 203.0.113.5, 10.1.2.3"}, "203.0.113.5"},
		{"127.0.0.1:99", []string{"198.51.100.7", "203.0.113.5,10.1.2.3"}, "203.0.113.5"},
		{"127.0.0.1:99", []string{"10.1.2.3"}, "10.1.2.3"},
		{"127.0.0.1:99", []string{"evil, 10.1.2.3"}, "10.1.2.3"},
		{"127.0.0.1:99", []string{""}, "127.0.0.1"},
		{"127.0.0.1:99", []string{"203.0.113.5:4711"}, "203.0.113.5"},
		{"127.0.0.1:99", []string{"[2001:db8:1:2:3:4:5:6]:4711"}, "2001:db8:1:2::"},
		{"[2001:db8:1:2:3:4:5:6]:99", nil, "2001:db8:1:2::"},
		{"[2001:db8:ffff::1]:99", []string{"2001:db8:9:9::1"}, "2001:db8:9:9::"},
		{"[::ffff:192.0.2.1]:99", nil, "192.0.2.1"},
		{"[::ffff:10.0.0.1]:99", []string{"::ffff:203.0.113.5"}, "203.0.113.5"},
		{"[fe80::1%eth0]:99", nil, "fe80::"},
		{"nonsense", nil, "invalid IP"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = tc.remote
		for _, x := range tc.xff {
			r.Header.Add("X-Forwarded-For", x)
		}
		if got := networkOf(addressOf(r, trusted)).String(); got != tc.want {
			t.Errorf("%s %q: %s, want %s", tc.remote, tc.xff, got, tc.want)
		}
	}
}

func TestAddressOf_defaults(t *testing.T) {
	for remote, want := range map[string]string{
		"127.0.0.1:99": "203.0.113.5", "[::1]:99": "203.0.113.5", "192.0.2.1:99": "192.0.2.1",
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = remote
		r.Header.Set("X-Forwarded-For", "198.51.100.7, 203.0.113.5")
		if got := networkOf(addressOf(r, nil)).String(); got != want {
			t.Errorf("%s: %s, want %s", remote, got, want)
		}
	}
}

func TestIsLocal(t *testing.T) {
	for name, tt := range map[string]struct {
		remote, host, header string
		minor                int
		want                 bool
	}{
		"IPv4":              {remote: "127.0.0.1:99", host: "127.0.0.1:8080", minor: 1, want: true},
		"IPv6":              {remote: "[::1]:99", host: "[::1]:8080", minor: 1, want: true},
		"mapped":            {remote: "[::ffff:127.0.0.1]:99", host: "localhost", minor: 1, want: true},
		"subdomain":         {remote: "127.0.0.1:99", host: "census.localhost:8080", minor: 1, want: true},
		"another machine":   {remote: "192.0.2.1:99", host: "localhost", minor: 1},
		"another host":      {remote: "127.0.0.1:99", host: "census.example", minor: 1},
		"rebound host":      {remote: "127.0.0.1:99", host: "localhost.evil.example", minor: 1},
		"no host":           {remote: "127.0.0.1:99", minor: 1},
		"HTTP/1.0":          {remote: "127.0.0.1:99", host: "localhost"},
		"X-Forwarded-For":   {remote: "127.0.0.1:99", host: "localhost", minor: 1, header: "X-Forwarded-For"},
		"X-Forwarded-Host":  {remote: "127.0.0.1:99", host: "localhost", minor: 1, header: "X-Forwarded-Host"},
		"Forwarded":         {remote: "127.0.0.1:99", host: "localhost", minor: 1, header: "Forwarded"},
		"Via":               {remote: "127.0.0.1:99", host: "localhost", minor: 1, header: "Via"},
		"X-Real-IP":         {remote: "127.0.0.1:99", host: "localhost", minor: 1, header: "X-Real-IP"},
		"CF-Connecting-IP":  {remote: "127.0.0.1:99", host: "localhost", minor: 1, header: "CF-Connecting-IP"},
		"no remote address": {host: "localhost", minor: 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest("GET", "/", nil)
			r.RemoteAddr, r.Host, r.ProtoMinor = tt.remote, tt.host, tt.minor
			if tt.header != "" {
				r.Header.Set(tt.header, "x")
			}
			if got := isLocal(r); got != tt.want {
				t.Errorf("local: %t", got)
			}
		})
	}
}

func TestWarnForwarded(t *testing.T) {
	proxy := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for name, tt := range map[string]struct {
		remote, forwarded string
		trusted           []netip.Prefix
		want              string
	}{
		"trusted":       {"10.1.2.3:99", "203.0.113.5", proxy, ""},
		"no header":     {"192.0.2.1:99", "", proxy, ""},
		"untrusted":     {"192.0.2.1:99", "203.0.113.5", proxy, "ignored"},
		"unconfigured":  {"172.17.0.1:99", "203.0.113.5", nil, "ignored"},
		"this machine":  {"127.0.0.1:99", "203.0.113.5", nil, "used, because"},
		"loopback left": {"127.0.0.1:99", "203.0.113.5", proxy, "ignored"},
	} {
		t.Run(name, func(t *testing.T) {
			var log strings.Builder
			warn := warnForwarded(slog.New(slog.NewTextHandler(&log, nil)), tt.trusted)
			r := httptest.NewRequest("GET", "/", nil)
			r.RemoteAddr = tt.remote
			if tt.forwarded != "" {
				r.Header.Set("X-Forwarded-For", tt.forwarded)
			}
			for range 3 {
				warn(r)
			}
			got := log.String()
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) || strings.Count(got, "\n") > 1 {
				t.Errorf("logged %q", got)
			}
		})
	}
}

func FuzzAddressOf(f *testing.F) {
	trusted := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	f.Add("203.0.113.5, 10.0.0.1")
	f.Add(",,,[::1]:x")
	f.Fuzz(func(t *testing.T, s string) {
		r := &http.Request{RemoteAddr: "127.0.0.1:1", Header: http.Header{"X-Forwarded-For": {s}}}
		if !networkOf(addressOf(r, trusted)).IsValid() {
			t.Errorf("%q gives no client", s)
		}
	})
}

func TestClientSubject(t *testing.T) {
	subject := func(addr string) quota.Subject {
		r := &http.Request{RemoteAddr: netip.AddrPortFrom(netip.MustParseAddr(addr), 1).String()}
		return networkOf(addressOf(r, nil)).Subject()
	}
	seen := map[quota.Subject]string{}
	for addr, same := range map[string]string{
		"192.0.2.1": "", "192.0.2.2": "", "0.0.0.1": "", "::1": "",
		"2001:db8::1": "2001:db8::2", "2001:db8:0:1::1": "", "2001:db9::": "",
	} {
		s := subject(addr)
		if was, ok := seen[s]; ok {
			t.Errorf("%s and %s have one subject", addr, was)
		}
		seen[s] = addr
		if same != "" && subject(same) != s {
			t.Errorf("%s and %s have two subjects", addr, same)
		}
	}
}
