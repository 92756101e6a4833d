package v1

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBulk(t *testing.T) {
	x := start(t, 20)
	var slugs []string
	for s := range x.catalog.Servers() {
		slugs = append(slugs, s.Slug)
	}
	ask := map[string]any{
		"ids": []string{slugs[9], "nobody", "octo-forecast-mcp", slugs[2], "Nobody", slugs[9], "nobody", "octo-old"},
		"githubUrls": []string{"https://github.com/octo/weather-mcp.git",
			"git@github.com:someone/bare", "github.com/no/body"},
		"names": []string{"io.github.octo/weather-mcp", "io.github.no/body"},
	}
	status, b := x.post("/v1/servers/bulk", string(encoded(ask)))
	var got struct {
		Servers  []map[string]any
		NotFound []string
		Count    int
	}
	if err := json.Unmarshal(b, &got); err != nil || status != 200 {
		t.Fatalf("%d %s", status, b)
	}
	if want := []string{slugs[9], "octo-weather-mcp", slugs[2],
		"someone-bare"}; !slices.Equal(ids(got.Servers), want) || got.Count != 4 {
		t.Errorf("found %v, want %v", ids(got.Servers), want)
	}
	if want := []string{"nobody", "Nobody", "octo-old", "github.com/no/body",
		"io.github.no/body"}; !slices.Equal(got.NotFound, want) {
		t.Errorf("not found are %v, want %v", got.NotFound, want)
	}
	_, detail := x.get("/v1/servers/" + slugs[9])
	if !bytes.Contains(b, detail) {
		t.Error("the records are not those of /v1/servers/{id}")
	}
	_, b = x.post("/v1/servers/bulk", `{"ids":["octo-weather-mcp"],"fields":["stars","id","stars","packages","tools"]}`)
	var cut struct{ Servers []json.RawMessage }
	var whole, part map[string]json.RawMessage
	_, detail = x.get("/v1/servers/octo-weather-mcp")
	if json.Unmarshal(b, &cut) != nil || json.Unmarshal(cut.Servers[0], &part) != nil ||
		json.Unmarshal(detail, &whole) != nil {
		t.Fatalf("%s", b)
	}
	if len(part) != 4 {
		t.Errorf("four members were asked for: %s", b)
	}
	for k, v := range part {
		if !bytes.Equal(v, whole[k]) {
			t.Errorf("%s is %s, and in the record %s", k, v, whole[k])
		}
	}
}

// One entry that cannot be resolved does not fail the others.
func TestBulkUnresolved(t *testing.T) {
	x := start(t, 3)
	urls := []string{"https://gitlab.com/o/r", "https://gist.github.com/o/1234", "garbage",
		"https://github.com/octo", "ftp://127.0.0.1/x", "https://github.com/" + strings.Repeat("ж", 400)}
	others := []string{"https://github.com/octo/weather-mcp", "octo/weather-mcp", "io.github.octo/weather-mcp"}
	names := []string{"octo-weather-mcp", "gitlab.com/o/r", "no slash"}
	status, b := x.post("/v1/servers/bulk", string(encoded(map[string]any{
		"ids":        append([]string{"octo-weather-mcp"}, others...),
		"githubUrls": append(slices.Clone(urls), "https://github.com/someone/bare"),
		"names":      names,
	})))
	var got struct {
		Servers  []map[string]any
		NotFound []string
	}
	if err := json.Unmarshal(b, &got); err != nil || status != 200 {
		t.Fatalf("%d %s", status, b)
	}
	if want := []string{"octo-weather-mcp", "someone-bare"}; !slices.Equal(ids(got.Servers), want) {
		t.Errorf("found %v, want %v", ids(got.Servers), want)
	}
	if diff := cmp.Diff(slices.Concat(others, urls, names), got.NotFound); diff != "" {
		t.Error(diff)
	}
}
