package apitest

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const document = `
openapi: 3.1.0
info: {title: Test, version: "1"}
paths:
  /a:
    get:
      responses:
        "200":
          description: An object.
          headers:
            X-Total-Count: {required: true, schema: {type: integer, minimum: 1}}
            X-Date: {schema: {type: string, format: date-time}}
          content:
            application/json: {schema: {$ref: "#/components/schemas/A"}}
        "201":
          description: Its elements.
          content:
            application/json; charset=utf-8: {schema: {type: array, items: {$ref: "#/components/schemas/A"}}}
            text/plain: {schema: {type: string, minLength: 2}}
        "204": {description: Nothing.}
components:
  schemas:
    A: {type: object, required: [name], properties: {name: {type: [string, "null"]}, child: {$ref: "#/components/schemas/A"}}}
`

func TestCheck(t *testing.T) {
	d, err := Load([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	type headers map[string]string
	object := headers{"Content-Type": "application/json", "X-Total-Count": "3"}
	list := headers{"Content-Type": "application/json; charset=utf-8"}
	text := headers{"Content-Type": "text/plain"}
	for _, tt := range []struct {
		name   string
		status int
		header headers
		body   string
		want   string // part of the error; "": none
	}{
		{"object", 200, object, `{"name": null, "child": {"name": "b"}}`, ""},
		{"referred schema", 200, object, `{"name": "a", "child": {}}`, "missing property 'name'"},
		{"wrong type", 200, object, `{"name": 1}`, "got number"},
		{"no JSON", 200, object, `{`, "EOF"},
		{"list", 201, list, `[{"name": "a"}]`, ""},
		{"wrong element", 201, list, `[{"name": "a"}, {}]`, "missing property 'name'"},
		{"text", 201, text, "ab", ""},
		{"short text", 201, text, "a", "minLength"},
		{"other type", 200, headers{"Content-Type": "text/html", "X-Total-Count": "3"}, "", `type "text/html"`},
		{"missing header", 200, headers{"Content-Type": "application/json"}, `{"name": "a"}`, "X-Total-Count: missing"},
		{"low header", 200, headers{"X-Total-Count": "0"}, `{"name": "a"}`, "X-Total-Count: "},
		{"text for a number", 200, headers{"X-Total-Count": "many"}, `{"name": "a"}`, "X-Total-Count: "},
		{"no date", 200, headers{"Content-Type": "application/json", "X-Total-Count": "3", "X-Date": "now"},
			`{"name": "a"}`, "X-Date: "},
		{"no content", 204, nil, "", ""},
		{"other status", 418, nil, "", "no response with status 418"},
		{"not modified", 304, nil, "", ""},
	} {
		t.Run(strings.ReplaceAll(tt.name, " ", "_"), func(t *testing.T) {
			h := http.Header{}
			for name, value := range tt.header {
				h.Set(name, value)
			}
			err := d.Check(d.Paths.Find("/a").Get, tt.status, h, []byte(tt.body))
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestUndocumented(t *testing.T) {
	d, err := Load([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	h := http.Header{"X-Total-Count": {"1"}, "Allow": {"GET"}, "X-Unimportant": {"1"}}
	got := Undocumented(d.Paths.Find("/a").Get, 200, h)
	if diff := cmp.Diff([]string{"Allow"}, got); diff != "" {
		t.Error(diff)
	}
}
