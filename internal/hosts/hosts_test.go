package hosts

import "testing"

// TestKindOf is the table of what is this machine, a private network or the internet.
func TestKindOf(t *testing.T) {
	for host, want := range map[string]Kind{
		"localhost": Loopback, "LOCALHOST": Loopback, "localhost.": Loopback, "localhost:8080": Loopback,
		"a.localhost": Loopback, "A.LocalHost.:80": Loopback, "localhost.localdomain": Loopback,
		"127.0.0.1": Loopback, "127.0.0.2": Loopback, "127.0.0.1:8080": Loopback, "127.0.0.1.": Loopback,
		"::1": Loopback, "[::1]": Loopback, "[::1]:8080": Loopback, "::ffff:127.0.0.1": Loopback,
		"[::ffff:127.0.0.1]:80": Loopback, "0:0:0:0:0:0:0:1": Loopback, "::1%lo": Loopback,
		"2130706433": Loopback, "0x7f000001": Loopback, "0177.0.0.1": Loopback, "0x7f.1": Loopback,
		"127.1": Loopback, "１２７.0.0.1": Loopback, "ⓛocalhost": Loopback, "127。0。0。1": Loopback,

		"0.0.0.0": Private, "0.0.0.0:8080": Private, "0": Private, "::": Private, "[::]:8080": Private,
		"10.0.0.1": Private, "172.16.0.1": Private, "172.31.255.255": Private, "192.168.1.1": Private,
		"0xc0a80101": Private, "::ffff:10.0.0.1": Private, "100.64.0.1": Private, "169.254.169.254": Private,
		"169.254.169.254:80": Private, "fe80::1": Private, "fe80::1%eth0": Private, "[fe80::1%25eth0]": Private,
		"fc00::1": Private, "fd12:3456::1": Private, "192.0.2.1": Private, "2001:db8::1": Private,
		"224.0.0.1": Private, "255.255.255.255": Private, "2002:7f00:1::": Private, "64:ff9b::7f00:1": Private,
		"printer": Private, "db:5432": Private, "printer.local": Private, "PRINTER.LOCAL.": Private,
		"metadata.google.internal": Private, "nas.lan": Private, "router.home.arpa": Private,
		"wiki.corp": Private, "host.docker.internal": Private, "_dmarc": Private,
		"a.example": Private, "MÜNCHEN.example.": Private, "a.test:80": Private, "a.invalid": Private,
		"a.onion": Private, "db.default.svc": Private, "db.default.svc.cluster.local": Private,
		"1.0.0.127.in-addr.arpa": Private, "gateway.docker": Private, "contest": Private,
		"mcp.corp.acme.com": Private, "db7.eu.internal.acme.io": Private,

		"example.com": Public, "EXAMPLE.COM.": Public, "example.com:443": Public, "münchen.de": Public,
		"a_b.example.com": Public, "localhost.example.com": Public, "local.dev": Public,
		"172.32.0.1": Public, "8.8.8.8": Public, "134744072": Public, "2606:4700::1111": Public,
		"[2606:4700::1111]:443": Public, "a.contest": Public, "example.dev": Public,
		"100.128.0.1": Public, "1.dev": Public, "127.0.0.1.nip.io": Public,
		"corp.acme.com": Public, "api.internal.io": Public, "a.corporate.acme.com": Public,

		"": Invalid, ".": Invalid, ":80": Invalid, "a..b": Invalid, "example.com:http": Invalid,
		"example.com:99999": Invalid, "[::1": Invalid, "[127.0.0.1]": Invalid, "[::1]x": Invalid,
		"256.1.1.1": Invalid, "1.2.3.4.5": Invalid, "08.0.0.1": Invalid, "example.1": Invalid,
		"12345::": Invalid, "a b.example": Invalid, "*.example.com": Invalid, "user@example.com": Invalid,
		"example.com/x": Invalid,
	} {
		if got := KindOf(host); got != want {
			t.Errorf("KindOf(%q) = %d, want %d", host, got, want)
		}
	}
}

func TestIsPublicName(t *testing.T) {
	for host, want := range map[string]bool{
		"example.com": true, "example.com:443": true, "8.8.8.8": false, "134744072": false,
		"[2606:4700::1111]": false, "localhost": false, "nas.lan": false, "": false,
	} {
		if got := IsPublicName(host); got != want {
			t.Errorf("IsPublicName(%q) = %t, want %t", host, got, want)
		}
	}
}

func TestIsReserved(t *testing.T) {
	for host, want := range map[string]bool{
		"npm.example": true, "NPM.EXAMPLE.:4873": true, "a.test": true, "a.invalid": true, "localhost": false,
		"npm.local": false, "example.com": false, "example": false, "": false, "10.0.0.1": false,
	} {
		if got := IsReserved(host); got != want {
			t.Errorf("IsReserved(%q) = %t, want %t", host, got, want)
		}
	}
}

func TestIsExample(t *testing.T) {
	for host, want := range map[string]bool{
		"example.com": true, "mcp.EXAMPLE.org.": true, "example.net:443": true, "acme.com": true,
		"mycompany.io": true, "api.your-domain.com": true, "yourdomain.com": true, "a.test": true,
		"tides.example": true, "tides.invalid:80": true,
		"example.dev": false, "my-example.com": false, "counterexample.com": false,
		"example.com.evil.dev": false, "localhost": false, "example": false, "": false,
	} {
		if got := IsExample(host); got != want {
			t.Errorf("IsExample(%q) = %t, want %t", host, got, want)
		}
	}
}

func TestOfTemplate(t *testing.T) {
	for address, want := range map[string]bool{
		"https://tides.dev/mcp": true, "https://{region}.tides.dev/mcp": true, "https://{a}.{b}.tides.dev": true,
		"https://eu-{zone}.tides.co.uk:{port}/mcp?x={y}": true, "https://tides.dev/{host}/mcp": true,
		"https://${REGION}.tides.dev/mcp": true, "https://<region>.tides.dev/mcp": true,
		"https://{host}/mcp": false, "https://{host}:80/mcp": false, "https://{tenant}.com/mcp": false,
		"https://{tenant}.co.uk/mcp": false, "https://mcp.{domain}/mcp": false, "https://tides.{tld}/mcp": false,
		"{url}": false, "https://{a}.tides.local/mcp": false, "https://tides{tld}.dev/mcp": false,
	} {
		if _, ok := OfTemplate(address); ok != want {
			t.Errorf("%s: got %v, want %v", address, ok, want)
		}
	}
	if host, ok := OfTemplate("https://ann:pw@tides.dev/mcp"); host != "tides.dev" || !ok {
		t.Errorf("with a user: %s, %v", host, ok)
	}
}
