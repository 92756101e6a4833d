package mcp

import (
	"testing"

	"mcpcensus/internal/registry"

	"github.com/google/go-cmp/cmp"
)

// TestConfigure_windows checks that a configuration is that of the system, and says without a
// system where it differs.
func TestConfigure_windows(t *testing.T) {
	tides := &registry.Server{Slug: "tides", Packages: []registry.Package{{
		RegistryType: "npm", Identifier: "tides",
		Transport: registry.PackageTransport{Type: registry.TransportStdio},
	}}}
	const differs = `On Windows it differs: pass os "windows".`
	const plain, shell = "claude mcp add tides --scope user -- npx -y tides",
		"claude mcp add tides --scope user -- cmd /c npx -y tides"
	for system, want := range map[string][2]string{
		"": {plain, differs}, "linux": {plain, ""}, "windows": {shell, ""},
	} {
		var out getInstallConfigOutput
		configure(&out, tides, getInstallConfigInput{Client: "claude-code", OS: system})
		got := [2]string{*out.Command, ""}
		if out.Note != nil {
			got[1] = *out.Note
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q: %s", system, d)
		}
	}
}

// TestConfigureAccess checks that a configuration is read-only, unless full access is asked for or
// there is no switch.
func TestConfigureAccess(t *testing.T) {
	tides := registry.Server{Slug: "tides", Packages: []registry.Package{{RegistryType: "npm", Identifier: "tides"}}}
	const plain, limited = "claude mcp add tides --scope user -- npx -y tides",
		"claude mcp add tides --scope user -- npx -y tides --read-only"
	for name, tt := range map[string]struct {
		by     *registry.ReadOnlySwitch
		access string
		want   [3]string // the command, its access and the warning
	}{
		"a switch": {&registry.ReadOnlySwitch{Kind: registry.SwitchFlag, Name: "--read-only"}, "",
			[3]string{limited, "read-only", `This is read-only. Pass access "full" for full access.`}},
		"full access": {&registry.ReadOnlySwitch{Kind: registry.SwitchFlag, Name: "--read-only"}, "full",
			[3]string{plain, "full", ""}},
		"no switch": {nil, "", [3]string{plain, "", ""}},
		"no switch, read-only": {nil, "read-only", [3]string{plain, "",
			"No configuration with that access is known. This is the usual one."}},
	} {
		s, out := tides, getInstallConfigOutput{}
		s.ReadOnly = tt.by
		configureAccess(&out, &s, getInstallConfigInput{Client: "claude-code", OS: "linux", Access: tt.access})
		got := [3]string{*out.Command}
		if out.Access != nil {
			got[1] = *out.Access
		}
		if len(out.Warnings) > 0 {
			got[2] = out.Warnings[0]
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestAddBlanks checks that variables of the package are not asked for where the client connects to
// the hosted endpoint.
func TestAddBlanks(t *testing.T) {
	for want, tides := range []registry.Server{
		{Remotes: []registry.Remote{{Type: registry.TransportHTTP, URL: "https://mcp.example.com/mcp"}}},
		{Packages: []registry.Package{{RegistryType: "npm", Identifier: "tides"}}},
	} {
		tides.Slug, tides.Variables = "tides", []registry.Variable{{Name: "TIDES_KEY", IsRequired: true}}
		var out getInstallConfigOutput
		configure(&out, &tides, getInstallConfigInput{Client: "cursor"})
		if addBlanks(&out, &tides); len(out.Blanks) != want {
			t.Errorf("got %v, want %d", out.Blanks, want)
		}
	}
}

// TestLaunchOf checks that the record of a harmful server has no command.
func TestLaunchOf(t *testing.T) {
	s := &registry.Server{Packages: []registry.Package{{RegistryType: "npm", Identifier: "tides-mcp", Version: "1.0.0"}}}
	if launchOf(s) == nil {
		t.Error("no command")
	}
	s.KnownRisks = []registry.Risk{{Kind: "malware", Severity: registry.SeverityHarmful}}
	if l := launchOf(s); l != nil {
		t.Errorf("a harmful server has the command %+v", l)
	}
}
