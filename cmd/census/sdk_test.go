package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

const sdkFixtures = "../../sdk/fixtures"

// A sdkCall is a call that the tests of all SDKs make, with the request that it
// has to send. The account of the key is on the plan Enterprise, on the free plan
// ("free"), or the key is absent ("none") or not a key ("wrong").
type sdkCall struct {
	Name, Call, Key string
	Keyed           bool
	Request         sdkRequest
}

type sdkRequest struct {
	Method, Path string
	Query        map[string]string
	Body         json.RawMessage
}

func sdkCalls(t *testing.T) (calls []sdkCall, notInSDK map[string]string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(sdkFixtures, "calls.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Calls    []sdkCall
		NotInSdk map[string]string
	}
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	return file.Calls, file.NotInSdk
}

// A sdkFixture is the response to a call.
type sdkFixture struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Body    json.RawMessage   `json:"body,omitempty"`
}

// compareFixtures sends the requests of sdk/fixtures/calls.json and compares the responses with the
// recorded ones, which the tests of the SDKs read. With -update it records them.
func compareFixtures(d *demo) {
	t := d.t
	free := d.makeKey("free@example.com")
	key := d.makeKey("grace@example.com")
	d.shell("bin/census plan set grace@example.com enterprise --demo")
	d.awaitPlan(key, "enterprise")
	calls, _ := sdkCalls(t)
	for _, c := range calls {
		switch {
		case !c.Keyed || c.Key == "none":
			c.Key = ""
		case c.Key == "free":
			c.Key = free
		case c.Key == "wrong":
			c.Key = "mcp_" + strings.Repeat("0", 32)
		default:
			c.Key = key
		}
		raw, got := d.send(t, c)
		name := filepath.Join(sdkFixtures, c.Name+".json")
		if *update {
			if len(raw) > 0 {
				got.Body = json.RawMessage(d.show("json", raw))
			}
			b, err := json.MarshalIndent(got, "", " ")
			if err == nil {
				err = os.WriteFile(name, append(b, '\n'), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
			continue
		}
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var want sdkFixture
		if err := json.Unmarshal(b, &want); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if want.Status != got.Status {
			t.Errorf("%s: status %d, recorded %d: %s", c.Name, got.Status, want.Status, raw)
			continue
		}
		if len(raw) == 0 && len(want.Body) == 0 {
			continue
		}
		for _, difference := range d.compare("json", want.Body, raw) {
			t.Errorf("%s: %s", c.Name, difference)
		}
	}
	if t.Failed() {
		t.Log("if the API was meant to change: go test ./cmd/census -run TestDemo/fixtures -update")
	}
}

// makeKey creates an account with the address and returns a key of it.
func (d *demo) makeKey(email string) string {
	d.t.Helper()
	return d.shell("bin/census account link " + email + " --new --demo >/dev/null\n" +
		"bin/census key make " + email + " --name first --demo")
}

// send sends a request of an SDK and returns the body, with the documented
// address for that of the demo, and the response without it.
func (d *demo) send(t *testing.T, c sdkCall) (body string, head sdkFixture) {
	t.Helper()
	query := url.Values{}
	for k, v := range c.Request.Query {
		query.Set(k, v)
	}
	target := "http://" + d.address + c.Request.Path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	r, err := http.NewRequestWithContext(t.Context(), c.Request.Method, target,
		bytes.NewReader(c.Request.Body))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Request.Body) > 0 {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.Key != "" {
		r.Header.Set("Authorization", "Bearer "+c.Key)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	head = sdkFixture{Status: res.StatusCode, Headers: map[string]string{
		"Content-Type": res.Header.Get("Content-Type"), "X-Request-Id": "LEQF7GI5VR4GRC2ZD3YIFZBEWN"}}
	text := strings.ReplaceAll(string(b), d.address, documentedAddress)
	if len(b) > 0 && res.StatusCode < 300 {
		text = steady(t, c.Request.Path, text)
	}
	head.Body = json.RawMessage(text)
	return text, head
}

// changing are the members of webhooks that differ in each run: secrets, event IDs, and
// what the worker has done with a delivery in the meantime.
var changing = map[string]string{
	"secret": `"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"`, "eventId": `"evt_2xTBkVYnMBYpGFMvDnQzmC6s"`,
	"state": `"pending"`, "attempts": "0", "lastAttemptAt": "null", "responseStatus": "null",
	"error": "null", "durationMs": "null",
}

// steady returns a body without what differs in each run. Of the change feed, whose order
// is that of the crawl, it has one server.
func steady(t *testing.T, path, text string) string {
	t.Helper()
	if strings.HasPrefix(path, "/v1/webhooks/") || path == "/v1/webhooks" {
		for name, value := range changing {
			text = regexp.MustCompile(`"`+name+`":("[^"]*"|null|\d+)`).
				ReplaceAllLiteralString(text, `"`+name+`":`+value)
		}
		return text
	}
	if path == "/dumps" { // it depends on the hour whether there is one
		return `{"dumps": [{"bytes": 41893112, "date": "2026-11-20", ` +
			`"sha256": "3f786850e387550fdab836ed7e6dc881de23001b2f5e6a1ae2bcb7d1f0a31bb1", ` +
			`"url": "http://127.0.0.1:8080/dumps/servers-2026-11-20.jsonl.gz"}]}`
	}
	if strings.HasSuffix(path, "/view") {
		return regexp.MustCompile(`/r/[0-9a-z]+`).
			ReplaceAllLiteralString(text, "/r/k3v5zq2mh7tbx4n6jd2wpy5rea")
	}
	if path != "/api/changes" && path != "/v1/changes" {
		return text
	}
	var page struct {
		Changes []json.RawMessage `json:"changes"`
		Next    int               `json:"next"`
		HasMore bool              `json:"hasMore"`
	}
	if err := json.Unmarshal([]byte(text), &page); err != nil {
		t.Fatal(err)
	}
	page.Changes = slices.DeleteFunc(page.Changes, func(c json.RawMessage) bool {
		return !bytes.Contains(c, []byte(`"id":"octo-labs-weather-mcp"`))
	})
	page.Next = 48211
	out, err := json.Marshal(page)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestSDKSurface compares the calls that the SDKs make with the document: each
// operation and parameter is in a call, or listed with the
// reason why not.
func TestSDKSurface(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromFile("../../api/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	calls, notInSDK := sdkCalls(t)
	used := map[string]bool{}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			id := method + " " + path
			if notInSDK[id] != "" {
				used[id] = true
				continue
			}
			of := slices.DeleteFunc(slices.Clone(calls), func(c sdkCall) bool {
				return c.Request.Method != method || !matchesPath(path, c.Request.Path)
			})
			if len(of) == 0 {
				t.Errorf("%s is in no call of sdk/fixtures/calls.json", id)
			}
			for _, name := range parameterNames(item, op) {
				in := slices.ContainsFunc(of, func(c sdkCall) bool {
					var body map[string]json.RawMessage
					_ = json.Unmarshal(c.Request.Body, &body) // absent in most
					_, ok := body[name]
					return ok || c.Request.Query[name] != ""
				})
				if reason := notInSDK[id+" "+name]; reason != "" {
					used[id+" "+name] = true
				} else if !in {
					t.Errorf("%s: the parameter %s is in no call of sdk/fixtures/calls.json", id, name)
				}
			}
		}
	}
	for id := range notInSDK {
		if !used[id] {
			t.Errorf("notInSdk lists %s, which the document does not have", id)
		}
	}
}

// matchesPath reports whether path is an address of the template.
func matchesPath(template, path string) bool {
	a, b := strings.Split(template, "/"), strings.Split(path, "/")
	return slices.EqualFunc(a, b, func(part, segment string) bool {
		return strings.HasPrefix(part, "{") && segment != "bulk" || part == segment
	})
}

// parameterNames returns the names of the parameters in the query and of the
// members of the body.
func parameterNames(item *openapi3.PathItem, op *openapi3.Operation) (names []string) {
	for _, p := range slices.Concat(item.Parameters, op.Parameters) {
		if p.Value.In == openapi3.ParameterInQuery {
			names = append(names, p.Value.Name)
		}
	}
	if op.RequestBody == nil {
		return names
	}
	for name := range op.RequestBody.Value.Content.Get("application/json").Schema.Value.Properties {
		names = append(names, name)
	}
	return names
}
