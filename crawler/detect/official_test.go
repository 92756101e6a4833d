package detect

import (
	"slices"
	"strings"
	"testing"
	"time"

	"mcpcensus/internal/registry"
)

// made returns the facts of a server by its owner, repository and name.
func made(owner, repo, name string, change ...func(*registry.Facts)) *registry.Facts {
	f := &registry.Facts{
		Repo: registry.Repository{
			Host: registry.GitHub, Owner: owner, Name: repo, OwnerType: "Organization",
			CreatedAt: time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC),
		},
		Detection: registry.Detection{Name: name, Marks: []string{}},
	}
	for _, c := range change {
		c(f)
	}
	return f
}

func listedAs(name string) func(*registry.Facts) {
	return func(f *registry.Facts) {
		f.Listing = &registry.Listing{Name: name, Status: "active", RepoURL: f.Repo.URL()}
	}
}

func homepage(address string) func(*registry.Facts) {
	return func(f *registry.Facts) { f.Repo.Homepage = address }
}

func endpoint(address string) func(*registry.Facts) {
	return func(f *registry.Facts) { f.Detection.Remotes = []registry.Remote{{URL: address}} }
}

func verifiedOwner(f *registry.Facts) { yes := true; f.Repo.OwnerVerified = &yes }
func isUser(f *registry.Facts)        { f.Repo.OwnerType = "User" }
func isFork(f *registry.Facts)        { f.Repo.Fork = true }

func TestOfficial(t *testing.T) {
	missing := func(f *registry.Facts) { at := time.Unix(0, 0); f.Missing = &at }
	otherRepo := func(f *registry.Facts) { f.Listing.RepoURL = "https://github.com/else/where" }
	tests := map[string]struct {
		facts *registry.Facts
		want  string // part of the reason; "" for not official
	}{
		"account in the list":           {made("Stripe", "agent-toolkit", "Stripe"), "organization of Stripe"},
		"account in the list, any name": {made("stripe", "ai", "Agent Toolkit"), "organization of Stripe"},
		"repository in the list": {made("modelcontextprotocol", "servers", "Filesystem"),
			"reference servers"},
		"other repository of that owner": {made("modelcontextprotocol", "servers-archived", "Filesystem"), ""},
		"other vendor's name":            {made("modelcontextprotocol", "servers", "Slack"), ""},
		"listed, other vendor's name":    {made("awslabs", "mcp", "Snowflake"), ""},
		"listed, both names":             {made("awslabs", "mcp", "AWS Snowflake"), "organization of Amazon"},
		"listed, shared name":            {made("microsoft", "mcp", "Azure"), "organization of Microsoft"},
		"listed, fork":                   {made("stripe", "stripe-mcp", "Stripe", isFork), ""},
		"listed, missing":                {made("stripe", "stripe-mcp", "Stripe", missing), ""},

		"stranger":                  {made("octo-labs", "slack", "Slack"), ""},
		"stranger with homepage":    {made("octo-labs", "slack", "Slack", homepage("https://slack.com")), ""},
		"stranger with endpoint":    {made("octo-labs", "slack", "Slack", endpoint("https://mcp.slack.com/mcp")), ""},
		"stranger with namespace":   {made("octo-labs", "slack", "Slack", listedAs("com.octo-labs/slack")), ""},
		"stranger, both names":      {made("octo-labs", "slack", "Octo Labs Slack", listedAs("com.octo-labs/slack")), ""},
		"verified stranger":         {made("octo-labs", "slack", "Octo Labs Slack", verifiedOwner), ""},
		"squatter's organization":   {made("slack", "mcp", "Slack", homepage("https://slack.com"), verifiedOwner), ""},
		"name in capitals":          {made("octo-labs", "x", "SLACK", listedAs("dev.octo-labs/x")), ""},
		"name as in camel case":     {made("octo-labs", "SlackMcp", "Octo", verifiedOwner), ""},
		"vendor without an account": {made("x", "youtube", "YouTube", verifiedOwner), ""},
		"vendor's namespace": {made("octo-labs", "slack", "Slack", listedAs("com.slack/slack")),
			"com.slack belongs to the owner of slack.com"},

		"namespace of a domain": {made("tideworks-dev", "mcp", "Tideworks", listedAs("io.tideworks/tides")),
			"io.tideworks belongs to"},
		"namespace, general name": {made("tideworks", "mcp-server", "Server", listedAs("io.tideworks/mcp")),
			"io.tideworks"},
		"namespace, another product":  {made("octo", "notes", "Keepnotes", listedAs("dev.octo/notes")), ""},
		"namespace of a host's user":  {made("octo", "tides", "Octo Tides", listedAs("io.github.octo/tides")), ""},
		"namespace at a hoster":       {made("x", "tideworks", "Tideworks", listedAs("app.vercel.tideworks/x")), ""},
		"namespace, other repository": {made("x", "tideworks", "Tideworks", listedAs("io.tideworks/x"), otherRepo), ""},

		"verified organization":      {made("tideworks", "tideworks-mcp", "Tideworks", verifiedOwner), "verified the domain"},
		"verified, another product":  {made("tideworks", "keepnotes-mcp", "Keepnotes", verifiedOwner), ""},
		"organization and homepage":  {made("tideworks", "mcp", "Tideworks", homepage("https://www.tideworks.io/ai")), "of tideworks.io"},
		"organization and endpoint":  {made("tideworks-io", "mcp", "Tideworks-io", endpoint("https://mcp.tideworks.io/mcp")), "of tideworks.io"},
		"user and homepage":          {made("tideworks", "mcp", "Tideworks", isUser, homepage("https://tideworks.io")), ""},
		"homepage of another domain": {made("tideworks", "mcp", "Tideworks", homepage("https://harbour.io")), ""},
		"homepage at a hoster":       {made("tideworks", "mcp", "Tideworks", homepage("https://tideworks.vercel.app")), ""},
		"homepage at the code host":  {made("github2", "mcp", "github2", homepage("https://github.com/x")), ""},
		"no proof":                   {made("tideworks", "mcp", "Tideworks"), ""},
	}
	fork := made("stripe", "agent-toolkit", "Stripe", verifiedOwner)
	fork.Repo.CreatedAt = time.Time{}
	if got := Official(fork); got != "" {
		t.Errorf("a repository that may be a fork: %q", got)
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			got := Official(c.facts)
			if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
				t.Errorf("Official = %q, want %q", got, c.want)
			}
		})
	}
}

func TestVendors(t *testing.T) {
	seen := map[string]bool{}
	for _, v := range vendors {
		if v.site == "" || v.reason == "" || slices.Contains(v.names, "") {
			t.Errorf("incomplete line: %+v", v)
		}
		key := v.owner + "/" + v.repo
		if v.owner != "" && seen[key] {
			t.Errorf("%s twice", key)
		}
		seen[key] = true
		for _, n := range append(v.names, v.owner, v.repo) {
			if n != strings.ToLower(n) {
				t.Errorf("%q is not in lower case", n)
			}
		}
	}
}

func TestVendorOf(t *testing.T) {
	before := vendors
	defer func() { vendors = before }()
	vendors = readVendors([]string{
		"octo | octo | octo.com | organization of Octo", "forge:rail/tools | rail | rail.com | group of Rail",
	})
	defer func(hosts []*registry.Host) { registry.Hosts = hosts }(registry.Hosts)
	registry.Hosts = append(slices.Clone(registry.Hosts), &registry.Host{ID: "forge", Domain: "forge.example"})
	for name, c := range map[string]struct {
		repo registry.Repository
		want string // domain of the vendor
	}{
		"first host": {registry.Repository{Host: registry.GitHub,
			Owner: "Octo", Name: "x"}, "octo.com"},
		"no host":                            {registry.Repository{Owner: "octo", Name: "x"}, "octo.com"},
		"other host":                         {registry.Repository{Host: "forge", Owner: "rail", Name: "Tools"}, "rail.com"},
		"repository of the vendor elsewhere": {registry.Repository{Host: registry.GitHub, Owner: "rail", Name: "tools"}, ""},
		"account of the name elsewhere":      {registry.Repository{Host: "forge", Owner: "octo", Name: "x"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if v := vendorOf(&c.repo); v != nil {
				got = v.site
			}
			if got != c.want {
				t.Errorf("vendor of %s, want %q", got, c.want)
			}
		})
	}
}
