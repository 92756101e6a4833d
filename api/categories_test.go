package api

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestCategories(t *testing.T) {
	x := start(t, 3)
	ten := strings.Fields("database tools communication integration api security analytics automation data productivity")
	var got struct{ Categories []struct{ ID string } }
	if _, b := x.get("/api/categories"); json.Unmarshal(b, &got) != nil || len(got.Categories) != 10 {
		t.Fatalf("%s", b)
	}
	for _, c := range got.Categories {
		if !slices.Contains(ten, c.ID) {
			t.Errorf("%s is none of the ten", c.ID)
		}
	}
	for _, c := range ten {
		for _, target := range []string{"/api/discover?category=", "/api/servers?category="} {
			if status, _ := x.get(target + c); status != 200 {
				t.Errorf("%s%s: %d", target, c, status)
			}
		}
	}
	for _, sort := range []string{"qualityScore", "stars", "downloads"} {
		if status, _ := x.get("/api/discover?sort=" + sort); status != 200 {
			t.Errorf("sort=%s: %d", sort, status)
		}
	}
}
