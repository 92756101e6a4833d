package config

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestLoad(t *testing.T) {
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
		{"CENSUS_MEILI_EMBEDDER", `{"source":"ollama"}`}, // without address
		{"CENSUS_MEILI_EMBEDDER", "ollama"},
		{"CENSUS_BASE_URL", "registry.example"},
		{"CENSUS_TRUSTED_PROXIES", "10.0.0.0/40"},
		{"CENSUS_TRUSTED_PROXIES", "proxy.example"},
		{"CENSUS_TRUSTED_PROXIES", "10.0.0.0/8;127.0.0.1"},
		{"CENSUS_MCP_ORIGINS", "app.example"},
		{"CENSUS_MCP_ORIGINS", "https://app.example,https://b.example/path"},
		{"CENSUS_MCP_ORIGINS", "*"},
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
		_, err := Load([]string{"HOME=/home/x", test.variable + "=" + test.value})
		if err == nil || !strings.Contains(err.Error(), test.variable+":") {
			t.Errorf("%s=%s: got %v, want a refusal that names it", test.variable, test.value, err)
		}
	}
}

func TestLoadStripe(t *testing.T) {
	whole := map[string]string{
		"CENSUS_STRIPE_KEY": "sk_test_1", "CENSUS_STRIPE_WEBHOOK_SECRET": "whsec_1",
		"CENSUS_STRIPE_PRICE_PROFESSIONAL": "price_1, price_0",
		"CENSUS_STRIPE_PRICE_ENTERPRISE":   "price_2",
	}
	load := func(without string) (Config, error) {
		environ := []string{"HOME=/home/x"}
		for k, v := range whole {
			if k != without {
				environ = append(environ, k+"="+v)
			}
		}
		return Load(environ)
	}
	if c, err := load(""); err != nil || len(c.StripePrices()["professional"]) != 2 {
		t.Errorf("whole: %v, %v", c.StripePrices(), err)
	}
	for name := range whole {
		if _, err := load(name); err == nil || !strings.Contains(err.Error(), name+": is not set") {
			t.Errorf("without %s: %v", name, err)
		}
	}
	whole["CENSUS_STRIPE_PRICE_ENTERPRISE"] = "price_0"
	if _, err := load(""); err == nil ||
		!strings.Contains(err.Error(), "CENSUS_STRIPE_PRICE_ENTERPRISE:") {
		t.Errorf("one price for two plans: %v", err)
	}
}

func TestLoadDefaults(t *testing.T) {
	c, err := Load([]string{"HOME=/home/x"})
	if err != nil {
		t.Fatal(err)
	}
	if c.Addr != "127.0.0.1:8080" || c.BaseURL != "http://127.0.0.1:8080" ||
		c.DataDir != "/home/x/.local/share/census" {
		t.Errorf("got address %q, base %q, data %q", c.Addr, c.BaseURL, c.DataDir)
	}
}

func TestLoadCompletesBaseURLs(t *testing.T) {
	c, err := Load([]string{"HOME=/home/x", "CENSUS_GITHUB_URL=http://127.0.0.1:9/github"})
	if err != nil || c.GitHubURL != "http://127.0.0.1:9/github/" {
		t.Errorf("got %q, %v", c.GitHubURL, err)
	}
}

func TestPrintHidesSecrets(t *testing.T) {
	c, err := Load([]string{
		"HOME=/home/x", "GITHUB_TOKEN=ghp_hidden1",
		"DATABASE_URL=postgres://u:hidden2@db/census?password=hidden4",
		"CENSUS_MEILI_URL=http://meili:7700", "CENSUS_MEILI_KEY=hidden3",
		`CENSUS_MEILI_EMBEDDER={"apiKey":"hidden7"}`,
		"CENSUS_STRIPE_KEY=sk_hidden5", "CENSUS_STRIPE_WEBHOOK_SECRET=whsec_hidden6",
		"CENSUS_STRIPE_PRICE_PROFESSIONAL=price_1", "CENSUS_STRIPE_PRICE_ENTERPRISE=price_2",
	})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	c.Print(&b)
	if strings.Contains(b.String(), "hidden") {
		t.Errorf("a secret is printed:\n%s", b.String())
	}
	for _, name := range names() {
		if !strings.Contains(b.String(), "\n"+name+"=") {
			t.Errorf("%s is not printed", name)
		}
	}
}

var update = flag.Bool("update", false, "rewrite generated parts of the documentation")

func TestVariablesInOperationsGuide(t *testing.T) {
	const file, from, to = "../../docs/operations.md", "<!-- variables -->\n", "<!-- /variables -->"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| variable | default | |\n| --- | --- | --- |\n")
	for _, v := range new(Config).Variables() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", v.Name, v.Default, v.Description)
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
		t.Errorf("%s does not match variables.txt; run go test ./internal/config -update", file)
	}
}

func TestLoadMailAndOAuth(t *testing.T) {
	for name, c := range map[string]struct {
		environ []string
		wrong   string // "": nothing
	}{
		"mail": {[]string{"CENSUS_SMTP_URL=smtp://u:p@mail.example:587",
			"CENSUS_MAIL_FROM=Census <census@example.com>"}, ""},
		"mail from nobody": {[]string{"CENSUS_SMTP_URL=smtp://mail.example"},
			"CENSUS_MAIL_FROM: is not set"},
		"mail through nothing": {[]string{"CENSUS_MAIL_FROM=census@example.com"},
			"CENSUS_MAIL_FROM: is set"},
		"mail from no address": {[]string{"CENSUS_SMTP_URL=smtp://mail.example",
			"CENSUS_MAIL_FROM=Census"}, "CENSUS_MAIL_FROM: must be"},
		"no mail server": {[]string{"CENSUS_SMTP_URL=https://mail.example",
			"CENSUS_MAIL_FROM=census@example.com"}, "CENSUS_SMTP_URL: must look like"},
		"a password in the clear": {[]string{"CENSUS_SMTP_URL=smtp://u:hidden@mail.example?tls=off",
			"CENSUS_MAIL_FROM=census@example.com"}, "CENSUS_SMTP_URL: would send"},
		"GitHub": {[]string{"CENSUS_GITHUB_OAUTH_ID=a",
			"CENSUS_GITHUB_OAUTH_SECRET=b"}, ""},
		"GitHub without a secret": {[]string{"CENSUS_GITHUB_OAUTH_ID=a"},
			"CENSUS_GITHUB_OAUTH_SECRET: is not set"},
		"GitHub without an ID": {[]string{"CENSUS_GITHUB_OAUTH_SECRET=b"},
			"CENSUS_GITHUB_OAUTH_ID: is not set"},
		"a secret with a blank": {[]string{"CENSUS_GITHUB_OAUTH_ID=a",
			"CENSUS_GITHUB_OAUTH_SECRET=hidden b"}, "CENSUS_GITHUB_OAUTH_SECRET: contains an invalid character"},
		"the secret in the clear": {[]string{"CENSUS_GITHUB_OAUTH_ID=a",
			"CENSUS_GITHUB_OAUTH_SECRET=b", "CENSUS_GITHUB_OAUTH_URL=http://github.example/"},
			"CENSUS_GITHUB_OAUTH_URL: must be https"},
		"GitHub at another port": {[]string{"CENSUS_GITHUB_OAUTH_URL=http://127.0.0.1:9/"}, ""},
		"GitHub at no address": {[]string{"CENSUS_GITHUB_OAUTH_URL=github.com"},
			"CENSUS_GITHUB_OAUTH_URL: must be"},
		"both wrong at once": {[]string{"CENSUS_SMTP_URL=x", "CENSUS_GITHUB_OAUTH_ID=a"},
			"CENSUS_GITHUB_OAUTH_SECRET: is not set"},
		"GitHub Enterprise, whole": {[]string{"CENSUS_GITHUB_URL=https://ghe.example/api/v3/",
			"CENSUS_GITHUB_OAUTH_URL=https://ghe.example", "CENSUS_GITHUB_OAUTH_ID=a",
			"CENSUS_GITHUB_OAUTH_SECRET=b"}, ""},
	} {
		cfg, err := Load(append([]string{"HOME=/home/x"}, c.environ...))
		switch {
		case c.wrong == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong) ||
			strings.Contains(err.Error(), "hidden")):
			t.Errorf("%s: %v", name, err)
		}
		var printed strings.Builder
		cfg.Print(&printed)
		if err == nil && (strings.Contains(printed.String(), "u:p@") ||
			strings.Contains(printed.String(), "SECRET=b")) {
			t.Errorf("%s: a secret is printed", name)
		}
	}
}

func TestVariablesAreDescribed(t *testing.T) {
	for _, v := range new(Config).Variables() {
		if v.Description == "" {
			t.Errorf("variables.txt has no description of %s", v.Name)
		}
	}
	for line := range strings.Lines(descriptions) {
		name, _, _ := strings.Cut(line, ":")
		if !strings.HasPrefix(line, "#") && !slices.Contains(names(), name) {
			t.Errorf("variables.txt describes %s, which is not a variable", name)
		}
	}
}

var variableName = regexp.MustCompile(`\bCENSUS_[A-Z][A-Z_]*[A-Z]\b`)

// Documents and deployments name only variables that exist.
func TestVariablesInDocuments(t *testing.T) {
	ours := slices.Concat(names(), testVariables, clientVariables)
	seen := map[string]bool{}
	look := func(path string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range variableName.FindAllString(string(text), -1) {
			seen[name] = true
			if !slices.Contains(ours, strings.TrimSuffix(name, "_FILE")) && !strings.HasPrefix(name, "CENSUS_TEST_") &&
				!strings.HasPrefix(name, "CENSUS_BENCH_") && !strings.HasPrefix(name, "CENSUS_SCALE") {
				t.Errorf("%s names %s, which census does not know", path, name)
			}
		}
	}
	for _, file := range []string{"../../README.md", "../../docker-compose.yml", "../../Makefile",
		"../../api/openapi.yaml"} {
		look(file)
	}
	for _, dir := range []string{"../../docs", "../../deploy"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && !strings.HasSuffix(path, ".png") {
				look(path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if !seen["CENSUS_MEILI_URL"] || !seen["CENSUS_ADDR"] {
		t.Errorf("the search finds nothing: %v", seen)
	}
}

// docker-compose.yml passes every variable on, except for those that the image sets.
func TestVariablesInCompose(t *testing.T) {
	b, err := os.ReadFile("../../docker-compose.yml")
	if err != nil {
		t.Fatal(err)
	}
	image, err := os.ReadFile("../../deploy/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names() {
		if !strings.Contains(string(b), "\n  "+name+": ") &&
			!strings.Contains(string(b), "\n  "+name+"_FILE: ") &&
			!strings.Contains(string(image), name+"=") {
			t.Errorf("%s is not passed on", name)
		}
	}
}

func TestTrustedProxies(t *testing.T) {
	c := Config{Proxies: "10.1.0.0/8, 127.0.0.1,2001:db8:ffff::/48,::ffff:192.0.2.1"}
	got, err := c.TrustedProxies()
	want := "[10.0.0.0/8 127.0.0.1/32 2001:db8:ffff::/48 192.0.2.1/32]"
	if fmt.Sprint(got) != want || err != nil {
		t.Errorf("%v, %v; want %s", got, err, want)
	}
}

func TestMCPOrigins(t *testing.T) {
	c, err := Load([]string{"HOME=/home", "CENSUS_MCP_ORIGINS=https://a.example/, http://127.0.0.1:3000"})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(c.MCPOriginList(), " "); got != "https://a.example http://127.0.0.1:3000" {
		t.Errorf("got %s", got)
	}
	if c.MCPOrigins = ""; c.MCPOriginList() != nil {
		t.Errorf("got %v, want nil", c.MCPOriginList())
	}
}

func TestConfig_Offer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plans.txt")
	for _, test := range []struct{ file, want, fault string }{
		{"# ours\n\nenterprise: Support: by phone\nbasic: Forum\n", "map[basic:[Forum] enterprise:[Support: by phone]]", ""},
		{"gold: Support\n", "", "line 1 must be the ID of a plan"},
		{"basic:\n", "", "line 1 must be the ID of a plan"},
		{"basic: " + strings.Repeat("x", 121), "", "more than 120 characters"},
	} {
		if err := os.WriteFile(path, []byte(test.file), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Load([]string{"HOME=/home/x", "CENSUS_PLANS_TEXTS=" + path})
		switch {
		case test.fault != "":
			if err == nil || !strings.Contains(err.Error(), "CENSUS_PLANS_TEXTS: "+test.fault) &&
				!strings.Contains(err.Error(), test.fault) {
				t.Errorf("%q: %v", test.file, err)
			}
		case err != nil || fmt.Sprint(c.Offer().Texts) != test.want || c.Offer().Online:
			t.Errorf("%q: %v, %+v", test.file, err, c.Offer())
		}
	}
}

func TestLoadOIDC(t *testing.T) {
	whole := []string{"HOME=/home/x", "CENSUS_OIDC_ISSUER=https://login.example.com", "CENSUS_OIDC_CLIENT_ID=census",
		"CENSUS_OIDC_CLIENT_SECRET=s", "CENSUS_OIDC_DOMAINS=Corp.example, x.example"}
	if c, err := Load(whole); err != nil || fmt.Sprint(Hosts(c.OIDCDomains)) != "[corp.example x.example]" {
		t.Errorf("%v, %v", Hosts(c.OIDCDomains), err)
	}
	for i := 1; i < len(whole); i++ {
		name, _, _ := strings.Cut(whole[i], "=")
		part := slices.Delete(slices.Clone(whole), i, i+1)
		if _, err := Load(part); err == nil || !strings.Contains(err.Error(), name+": is not set") {
			t.Errorf("without %s: %v", name, err)
		}
	}
	whole[1] = "CENSUS_OIDC_ISSUER=http://login.example.com"
	if _, err := Load(whole); err == nil || !strings.Contains(err.Error(), "must be https") {
		t.Errorf("over http: %v", err)
	}
}
