package main

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"
)

const root = "../../"

func TestGenerated(t *testing.T) {
	files, err := Generate(root + "api/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(root + name)
		if err != nil || string(got) != want {
			t.Errorf("%s is stale, run make sdk-types", name)
		}
	}
	old, err := stale(root, files)
	if err != nil {
		t.Fatal(err)
	}
	if len(old) > 0 {
		t.Errorf("not generated any more, run make sdk-types: %v", old)
	}
}

// TestWebhookEvents checks the events that the registry sends against the document.
func TestWebhookEvents(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromFile(root + "api/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(root + "sdk/fixtures/webhook_events.json")
	if err != nil {
		t.Fatal(err)
	}
	var events []any
	if err := json.Unmarshal(text, &events); err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if err := doc.Components.Schemas["WebhookPayload"].Value.VisitJSON(e); err != nil {
			t.Errorf("%v: %v", e, err)
		}
	}
}

func TestReadDocument(t *testing.T) {
	const document = `
openapi: 3.1.0
info: {title: T, version: "1"}
paths:
  /api/things:
    get:
      operationId: listThings
      responses:
        "200":
          description: OK
          content:
            application/json:
              schema:
                type: object
                required: [things, at]
                properties:
                  things: {type: array, items: {$ref: '#/components/schemas/Thing'}}
                  at: {type: string, format: date-time}
                  hints: {type: object, additionalProperties: {type: integer}}
components:
  schemas:
    Thing:
      description: A thing.
      allOf:
        - {type: object, required: [id], properties: {id: {type: string}}}
        - type: object
          properties:
            colour: {type: [string, "null"], enum: [red, green, null]}
            part: {anyOf: [{$ref: '#/components/schemas/Part'}, {type: "null"}]}
            shape: {type: object, title: Shape, properties: {sides: {type: number}}}
    Part: {type: object, properties: {whole: {type: boolean}}}
`
	doc, err := openapi3.NewLoader().LoadFromData([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadDocument(doc)
	if err != nil {
		t.Fatal(err)
	}
	thing := Type{Kind: Named, Name: "Thing"}
	want := []Definition{
		{Name: "ListThings", Members: []Member{
			{Name: "things", Type: Type{Kind: Array, Item: &thing}, Required: true},
			{Name: "at", Type: Type{Kind: Moment}, Required: true},
			{Name: "hints", Type: Type{Kind: Map, Item: &Type{Kind: Integer}}},
		}},
		{Name: "Part", Members: []Member{{Name: "whole", Type: Type{Kind: Boolean}}}},
		{Name: "Shape", Members: []Member{{Name: "sides", Type: Type{Kind: Number}}}},
		{Name: "Thing", Doc: "A thing.", Members: []Member{
			{Name: "id", Type: Type{Kind: String}, Required: true},
			{Name: "colour", Type: Type{Kind: Named, Name: "ThingColour", Null: true}},
			{Name: "part", Type: Type{Kind: Named, Name: "Part", Null: true}},
			{Name: "shape", Type: Type{Kind: Named, Name: "Shape"}},
		}},
		{Name: "ThingColour", Values: []string{"red", "green"}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestNames(t *testing.T) {
	for wire, want := range map[string][3]string{
		"id":            {"id", "id", "ID"},
		"nextCursor":    {"next_cursor", "nextCursor", "NEXT_CURSOR"},
		"githubUrl":     {"github_url", "githubUrl", "GITHUB_URL"},
		"quality_score": {"quality_score", "qualityScore", "QUALITY_SCORE"},
		"_meta":         {"meta", "meta", "_META"},
		"from":          {"from_", "from", "FROM"},
		"default":       {"default", "defaultValue", "DEFAULT"},
	} {
		got := [3]string{snake(wire), javaName(wire), constant(wire)}
		if got != want {
			t.Errorf("%s: %v, want %v", wire, got, want)
		}
	}
}
