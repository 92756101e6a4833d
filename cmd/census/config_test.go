package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestWrongValuesAreRefusedByName(t *testing.T) {
	for _, test := range []struct{ variable, value string }{
		{"DATABASE_URL", "mysql://localhost/census"},
		{"DATABASE_URL", "localhost"},
		{"CENSUS_ADDR", "8080"},
		{"CENSUS_ADDR", "localhost"},
		{"CENSUS_METRICS_ADDR", "none"},
		{"CENSUS_GITHUB_URL", "api.github.com"},
		{"CENSUS_GITHUB_URL", "https://user:secret@api.github.com/"},
		{"CENSUS_GITHUB_URL", "ftp://api.github.com/"},
		{"CENSUS_MEILI_URL", "localhost:7700"},
		{"CENSUS_MEILI_KEY", "key without address"},
		{"CENSUS_BASE_URL", "registry.example"},
		{"CENSUS_TRUSTED_PROXIES", "10.0.0.0/40"},
		{"CENSUS_TRUSTED_PROXIES", "proxy.example"},
		{"GITHUB_TOKEN", "two words"},
		{"CENSUS_CONTACT", "a\nb"},
		{"CENSUS_LOG_LEVEL", "loud"},
		{"CENSUS_LOG_FORMAT", "xml"},
		{"CENSUS_NAMESPACE", "Ä b"},
		{"CENSUS_LISTS", "/no/such/file"},
		{"CENSUS_METRICS_ADDR", "127.0.0.1:8080"},
		{"CENSUS_ADRESS", "127.0.0.1:1"},
		{"CENSUS_NAME", strings.Repeat("x", 41)},
		{"CENSUS_LOGO_URL", "http://cdn.example/logo.svg"},
		{"CENSUS_COLORS", "#ffff00"},
		{"CENSUS_COLORS", "blue"},
		{"CENSUS_LINKS", "Imprint=javascript:alert(1)"},
		{"CENSUS_STRIPE_KEY", "pk_test_1"},
		{"CENSUS_STRIPE_PRICE_ENTERPRISE", "499"},
		{"CENSUS_STRIPE_URL", "http://stripe.example/"},
	} {
		_, err := loadConfig([]string{"HOME=/home/x", test.variable + "=" + test.value})
		if err == nil || !strings.Contains(err.Error(), test.variable+":") {
			t.Errorf("%s=%s: got %v, want a refusal that names it", test.variable, test.value, err)
		}
	}
}

func TestHalfOfStripeIsRefused(t *testing.T) {
	whole := map[string]string{
		"CENSUS_STRIPE_KEY": "sk_test_1", "CENSUS_STRIPE_WEBHOOK_SECRET": "whsec_1",
		"CENSUS_STRIPE_PRICE_PROFESSIONAL": "price_1, price_0", "CENSUS_STRIPE_PRICE_ENTERPRISE": "price_2",
	}
	load := func(without string) (config, error) {
		environ := []string{"HOME=/home/x"}
		for k, v := range whole {
			if k != without {
				environ = append(environ, k+"="+v)
			}
		}
		return loadConfig(environ)
	}
	if c, err := load(""); err != nil || len(c.stripePrices()["professional"]) != 2 {
		t.Errorf("whole: %v, %v", c.stripePrices(), err)
	}
	for name := range whole {
		if _, err := load(name); err == nil || !strings.Contains(err.Error(), name+": is not set") {
			t.Errorf("without %s: %v", name, err)
		}
	}
	whole["CENSUS_STRIPE_PRICE_ENTERPRISE"] = "price_0"
	if _, err := load(""); err == nil || !strings.Contains(err.Error(), "CENSUS_STRIPE_PRICE_ENTERPRISE:") {
		t.Errorf("one price for two plans: %v", err)
	}
}

func TestDefaultsAreUsable(t *testing.T) {
	c, err := loadConfig([]string{"HOME=/home/x"})
	if err != nil {
		t.Fatal(err)
	}
	if c.Addr != "127.0.0.1:8080" || c.BaseURL != "http://127.0.0.1:8080" || c.DataDir != "/home/x/.local/share/census" {
		t.Errorf("got address %q, base %q, data %q", c.Addr, c.BaseURL, c.DataDir)
	}
}

func TestUpstreamAddressesEndWithASlash(t *testing.T) {
	c, err := loadConfig([]string{"HOME=/home/x", "CENSUS_GITHUB_URL=http://127.0.0.1:9/github"})
	if err != nil || c.GitHubURL != "http://127.0.0.1:9/github/" {
		t.Errorf("got %q, %v", c.GitHubURL, err)
	}
}

func TestPrintedConfigurationHidesSecrets(t *testing.T) {
	c, err := loadConfig([]string{
		"HOME=/home/x", "GITHUB_TOKEN=ghp_hidden1", "DATABASE_URL=postgres://u:hidden2@db/census?password=hidden4",
		"CENSUS_MEILI_URL=http://meili:7700", "CENSUS_MEILI_KEY=hidden3",
		"CENSUS_STRIPE_KEY=sk_hidden5", "CENSUS_STRIPE_WEBHOOK_SECRET=whsec_hidden6",
		"CENSUS_STRIPE_PRICE_PROFESSIONAL=price_1", "CENSUS_STRIPE_PRICE_ENTERPRISE=price_2",
	})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	c.print(&b)
	if strings.Contains(b.String(), "hidden") {
		t.Errorf("a secret is printed:\n%s", b.String())
	}
	for _, name := range knownVariables() {
		if !strings.Contains(b.String(), "\n"+name+"=") {
			t.Errorf("%s is not printed", name)
		}
	}
}

var update = flag.Bool("update", false, "rewrite generated parts of the documentation")

func TestOperationsGuideListsEveryVariable(t *testing.T) {
	const file, from, to = "../../docs/operations.md", "<!-- variables -->\n", "<!-- /variables -->"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| variable | default | |\n| --- | --- | --- |\n")
	for _, v := range new(config).variables() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", v.Name, v.Default, v.Desc)
	}
	head, rest, ok1 := strings.Cut(string(text), from)
	_, tail, ok2 := strings.Cut(rest, to)
	if !ok1 || !ok2 {
		t.Fatalf("%s has no part between %q and %q", file, from, to)
	}
	want := head + from + b.String() + to + tail
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Errorf("%s does not match config.go; run go test ./cmd/census -run Operations -update", file)
	}
}
