package api

import (
	"os"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// Every answer says what is left, so every answer of the document does: but the
// one to a request that was never read.
func TestDocumentedHeaders(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromData(OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	answers := 0
	for path, item := range doc.Paths.Map() {
		about := strings.HasPrefix(path, "/account")
		if !about && !strings.HasPrefix(path, "/api/") && !strings.HasPrefix(path, "/v1/") {
			continue
		}
		for method, op := range item.Operations() {
			for status, res := range op.Responses.Map() {
				if status == "417" || status == "431" {
					continue
				}
				answers++
				want := []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Request-Id"}
				switch {
				case about:
				case status == "401":
					want = append(want, "WWW-Authenticate") // and of nobody's plan
				default:
					want = append(want, "X-RateLimit-Plan")
				}
				switch status {
				case "405":
					want = append(want, "Allow")
				case "429", "503":
					want = append(want, "Retry-After")
				case "304":
					want = append(want, "ETag")
				}
				for _, name := range want {
					if res.Value.Headers[name] == nil {
						t.Errorf("%s %s: %s has no %s", method, path, status, name)
					}
				}
			}
		}
	}
	if answers < 300 {
		t.Errorf("%d answers were looked at", answers)
	}
}

// What the user's description says of versions.
func TestDocumentIsOfVersion1(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromData(OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	if doc.Info.Version != "1.0" {
		t.Errorf("version %s, want 1.0", doc.Info.Version)
	}
	for path := range doc.Paths.Map() {
		if strings.HasPrefix(path, "/api/v") {
			t.Errorf("%s: paths of interface B have no version", path)
		}
	}
}

// docs/api.md names every code of an error that programs get.
func TestDocumentedErrorCodes(t *testing.T) {
	guide, err := os.ReadFile("../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(guide), "| status | code |")
	if !found {
		t.Fatal("the guide has no table of codes")
	}
	for _, e := range errorTexts {
		line := ""
		for l := range strings.Lines(table) {
			if strings.Contains(l, "`"+e.Code+"`") {
				line = l
			}
		}
		if status, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " |"); !strings.Contains(status, e.Status) {
			t.Errorf("%s %s is not in the guide's line of its status: %q", e.Status, e.Code, line)
		}
	}
}
