package registry

import (
	"testing"
	"time"
)

func TestInspection_Sentence(t *testing.T) {
	for _, outcome := range InspectionOutcomes {
		if inspectionOutcomes[outcome] == "" {
			t.Errorf("outcome %q has no text", outcome)
		}
	}
	got := (&Inspection{Outcome: InspectionCrashed, Version: "1.2.0",
		At: time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC)}).Sentence()
	want := "Crashed when started in a sandbox without network and with made-up values, " +
		"version 1.2.0. Checked 2 Nov 2026."
	if got != want || (*Inspection)(nil).Sentence() != "" {
		t.Errorf("got %q, want %q", got, want)
	}
	got = (&Inspection{Outcome: InspectionInstallFailed,
		At: time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC)}).Sentence()
	want = "Could not be installed in the sandbox, where install scripts and builds do not run. " +
		"Checked 2 Nov 2026."
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
