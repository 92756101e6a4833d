package v1

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/api"
)

func TestBulkFields(t *testing.T) {
	x := start(t, 10)
	_, detail := x.get("/v1/servers/octo-weather-mcp")
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(detail, &whole); err != nil {
		t.Fatal(err)
	}
	for _, field := range api.Fields() {
		_, b := x.post("/v1/servers/bulk", `{"ids":["octo-weather-mcp"],"fields":["`+field+`"]}`)
		var got struct{ Servers []map[string]json.RawMessage }
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatalf("%s: %s", field, b)
		}
		want := []map[string]json.RawMessage{{field: whole[field]}}
		if diff := cmp.Diff(want, got.Servers); diff != "" {
			t.Errorf("%s: %s", field, diff)
		}
	}
}
