package format

import (
	"testing"
	"time"

	"mcpcensus/internal/registry"
)

func TestEndpoint(t *testing.T) {
	since := time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC)
	checked := since.AddDate(0, 0, 3)
	half, all := .5, 1.0
	for _, tt := range []struct {
		name string
		l    *registry.Liveness
		want string
	}{
		{"not probed", nil, ""},
		{"online", &registry.Liveness{State: registry.ProbeOpen, Since: since, CheckedAt: checked, Uptime30: &all, Probes: 1},
			"Online, no login needed. Uptime 100% of 1 probe in 30 days."},
		{"down", &registry.Liveness{State: registry.ProbeUnreachable, Reason: "dns", Since: since, CheckedAt: checked,
			Uptime30: &half, Probes: 24},
			"Unreachable (the DNS lookup fails) since 2 Nov 2026. Uptime 50% of 24 probes in 30 days."},
		{"status", &registry.Liveness{
			State: registry.ProbeUnreachable, Reason: "status 502", Since: since,
			CheckedAt: checked,
		},
			"Unreachable (status 502) since 2 Nov 2026."},
		{"not seen otherwise", &registry.Liveness{State: registry.ProbeOpen, Since: since, FirstProbeAt: &since,
			CheckedAt: checked, Uptime30: &all, Probes: 4},
			"Online, no login needed. Uptime 100% of 4 probes in 30 days."},
		{"unknown", &registry.Liveness{State: registry.ProbeUnknown, Since: since, CheckedAt: checked},
			"Not probed yet."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Endpoint(tt.l); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	for want, l := range map[string]registry.Liveness{
		"Since 2 Nov 2026. Checked 5 Nov 2026.":                    {State: registry.ProbeOpen, Since: since},
		"Since the first probe on 2 Nov 2026. Checked 5 Nov 2026.": {State: registry.ProbeGated, Since: since, FirstProbeAt: &since},
		"Checked 5 Nov 2026.":                                      {State: registry.ProbeUnreachable, Since: since},
	} {
		l.CheckedAt = checked
		if got := EndpointDates(&l); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for _, s := range registry.ProbeStates {
		if endpointStates[s] == "" {
			t.Errorf("state %s has no name", s)
		}
	}
}
