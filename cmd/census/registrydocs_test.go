package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers/legacy"
	"github.com/google/go-cmp/cmp"
)

// inRegistryModule runs a command in the module of the official registry's server.
func inRegistryModule(t *testing.T, in io.Reader, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdin, cmd.Stderr = registryModule, in, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", cmd, err)
	}
	return out
}

// officialTypes checks that clients with the official registry's types read all members of
// each server.json.
func officialTypes(t *testing.T, client *http.Client, list string) {
	var pages [][]byte
	for cursor := ""; ; {
		_, body := fetch(t, client, "GET", list+"?limit=100&cursor="+cursor, "")
		pages = append(pages, body)
		var page struct{ Metadata struct{ NextCursor string } }
		if err := json.Unmarshal(body, &page); err != nil {
			t.Fatal(err)
		}
		if cursor = page.Metadata.NextCursor; cursor == "" {
			break
		}
	}
	out := json.NewDecoder(bytes.NewReader(
		inRegistryModule(t, bytes.NewReader(bytes.Join(pages, []byte("\n"))), "go", "run", "./decode")))
	type servers struct{ Servers []struct{ Server any } }
	n := 0
	for _, page := range pages {
		var want, got servers
		if err := json.Unmarshal(page, &want); err != nil {
			t.Fatal(err)
		}
		if err := out.Decode(&got); err != nil || len(got.Servers) != len(want.Servers) {
			t.Fatalf("%d servers, want %d, %v", len(got.Servers), len(want.Servers), err)
		}
		for i, w := range want.Servers {
			n++
			if diff := cmp.Diff(significant(w.Server), significant(got.Servers[i].Server)); diff != "" {
				t.Errorf("the types lose members: %s", diff)
			}
		}
	}
	t.Logf("%d entries", n)
}

// significant returns a JSON value without members that are false, empty or null, which
// types may leave out.
func significant(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, member := range v {
			switch m := significant(member).(type) {
			case nil:
			case map[string]any:
				if len(m) > 0 {
					out[name] = m
				}
			default:
				if m != false && m != "" {
					out[name] = m
				}
			}
		}
		return out
	case []any:
		if len(v) == 0 {
			return nil
		}
		out := make([]string, len(v)) // as text: slices are not comparable with false
		for i, x := range v {
			b, _ := json.Marshal(significant(x))
			out[i] = string(b)
		}
		return strings.Join(out, "\n")
	}
	return v
}

// officialDocument checks that responses are as the official registry's OpenAPI document
// has them, and that errors have its member.
func officialDocument(t *testing.T, here *httptest.Server) {
	dir := strings.TrimSpace(string(inRegistryModule(t, nil, "go", "list", "-m", "-f", "{{.Dir}}",
		"github.com/modelcontextprotocol/registry")))
	doc, err := openapi3.NewLoader().LoadFromFile(filepath.Join(dir, "docs/reference/api/openapi.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	doc.Servers = openapi3.Servers{{URL: here.URL}}
	router, err := legacy.NewRouter(doc, openapi3.DisableExamplesValidation(),
		openapi3.AllowExtraSiblingFields("$id", "jsonSchemaDialect"))
	if err != nil {
		t.Fatal(err)
	}
	requests := []string{
		"?limit=1", "?limit=30", "?version=latest", "?version=1.0.0", "?search=weather", "?search=nothing+of+it",
		"?updated_since=2025-08-07T13:15:04Z", "?include_deleted=true", "?limit=0", "?limit=x", "?cursor=x",
		"?updated_since=x", "/none%2Fnone/versions", "/none%2Fnone/versions/latest",
	}
	_, body := fetch(t, here.Client(), "GET", here.URL+"/v0.1/servers?limit=100", "")
	var page struct {
		Servers []struct {
			Server struct{ Name, Version string }
		}
		Metadata struct{ NextCursor string }
	}
	if err := json.Unmarshal(body, &page); err != nil {
		t.Fatal(err)
	}
	requests = append(requests, "?cursor="+page.Metadata.NextCursor)
	for _, s := range page.Servers {
		at := "/" + url.PathEscape(s.Server.Name) + "/versions"
		requests = append(requests, at, at+"/latest", at+"/"+url.PathEscape(s.Server.Version))
	}
	for _, target := range requests {
		r := httptest.NewRequest("GET", here.URL+"/v0.1/servers"+target, nil)
		res, err := here.Client().Get(here.URL + "/v0.1/servers" + target)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if res.StatusCode >= 400 {
			var e struct{ Error string }
			if err := json.Unmarshal(body, &e); err != nil || e.Error == "" {
				t.Errorf("%s: %d %s", target, res.StatusCode, body)
			}
			continue
		}
		route, vars, err := router.FindRoute(r)
		if err != nil {
			t.Fatalf("%s: %v", target, err)
		}
		in := &openapi3filter.ResponseValidationInput{
			RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, PathParams: vars, Route: route},
			Status:                 res.StatusCode, Header: res.Header,
			Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true},
		}
		in.SetBodyBytes(body)
		if err := openapi3filter.ValidateResponse(t.Context(), in); err != nil {
			t.Errorf("%s: %.1000v\n%.600s", target, err, body)
		}
	}
	t.Logf("%d requests", len(requests))
}
