package jobs_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"mcpcensus/internal/pgtest"
	"mcpcensus/internal/registry"
)

func TestAFailureOfTheSDKServiceIsForgottenWhenItAnswers(t *testing.T) {
	h := newHouse(t, aServer("rail/trains-mcp"))
	h.enqueue("rail/trains-mcp")
	c := h.crawler("worker/0")
	why := "is down"
	c.SDK = func(context.Context, registry.Detection) (*registry.SDKRelease, error) {
		if why != "" {
			return nil, errors.New(why)
		}
		return &registry.SDKRelease{Package: "@modelcontextprotocol/sdk", Used: "1.20.0",
			Latest: "1.22.0", ObservedAt: h.clock.Now()}, nil
	}
	visit := func() registry.Facts {
		if _, err := c.Refresh(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		return pgtest.FactsOf(t, h.db, h.server("rail/trains-mcp").ID)
	}
	if f := visit(); f.Failures["sdk"] != "is down" || f.SDK != nil {
		t.Fatalf("failures %v", f.Failures)
	}
	why = "is slow"
	h.later(9 * 24 * time.Hour)
	if f := visit(); f.Failures["sdk"] != "is slow" {
		t.Errorf("the last reason is not kept: %v", f.Failures)
	}
	why = ""
	h.later(9 * 24 * time.Hour)
	if f := visit(); f.Failures["sdk"] != "" || f.SDK == nil {
		t.Errorf("after an answer: failures %v, sdk %v", f.Failures, f.SDK)
	}
}
