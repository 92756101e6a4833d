package census

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A fixture is a recorded call, shared by the clients of all languages.
type fixture struct {
	Name, Call, Key string
	Args            json.RawMessage
	Request         struct {
		Method, Path string
		Query        map[string]string
		Body         any
	}
}

// args decodes the arguments of a call.
func args[T any](f fixture) (v T) {
	if err := json.Unmarshal(f.Args, &v); err != nil {
		panic(err)
	}
	return v
}

// calls are the methods by their names in fixtures.
var calls = map[string]func(context.Context, *Client, fixture, CallOption) (any, error){
	"discover": func(ctx context.Context, c *Client, f fixture, o CallOption) (any, error) {
		return c.Discover(ctx, args[DiscoverParams](f), o)
	},
	"discoverTools": func(ctx context.Context, c *Client, f fixture, o CallOption) (any, error) {
		return c.DiscoverTools(ctx, args[DiscoverParams](f), o)
	},
	"health": func(ctx context.Context, c *Client, f fixture, o CallOption) (any, error) {
		return c.Health(ctx, args[HealthParams](f), o)
	},
	"check": func(ctx context.Context, c *Client, f fixture, o CallOption) (any, error) {
		return c.Check(ctx, idOf(f), o)
	},
	"directory.list": func(ctx context.Context, c *Client, f fixture, o CallOption) (any, error) {
		return c.Directory.List(ctx, args[DirectoryParams](f), o)
	},
	"directory.categories": func(ctx context.Context, c *Client, _ fixture, o CallOption) (any, error) {
		return c.Directory.Categories(ctx, o)
	},
	"directory.toolChanges": func(ctx context.Context, c *Client, f fixture, o CallOption) (any, error) {
		return c.Directory.ToolChanges(ctx, idOf(f), o)
	},
	"servers.list": func(ctx context.Context, c *Client, f fixture, o CallOption) (any, error) {
		return c.Servers.List(ctx, args[ServersParams](f), o)
	},
	"servers.retrieve": func(ctx context.Context, c *Client, f fixture, o CallOption) (any, error) {
		return c.Servers.Retrieve(ctx, idOf(f), o)
	},
	"servers.bulk": func(ctx context.Context, c *Client, f fixture, o CallOption) (any, error) {
		return c.Servers.Bulk(ctx, args[BulkRequest](f), o)
	},
	"servers.analytics": func(ctx context.Context, c *Client, f fixture, o CallOption) (any, error) {
		return c.Servers.Analytics(ctx, idOf(f), args[AnalyticsParams](f), o)
	},
	"servers.toolChanges": func(ctx context.Context, c *Client, f fixture, o CallOption) (any, error) {
		return c.Servers.ToolChanges(ctx, idOf(f), o)
	},
	"search": func(ctx context.Context, c *Client, f fixture, o CallOption) (any, error) {
		p := args[SearchParams](f)
		raw := args[struct{ Filters map[string]Condition }](f)
		known, _ := json.Marshal(p.Filters)
		for name, condition := range raw.Filters {
			if !bytes.Contains(known, []byte(`"`+name+`":`)) {
				p.Filters.More = map[string]Condition{name: condition}
			}
		}
		return c.Search(ctx, p, o)
	},
	"account.retrieve": func(ctx context.Context, c *Client, _ fixture, o CallOption) (any, error) {
		return c.Account.Retrieve(ctx, o)
	},
	"account.usage": func(ctx context.Context, c *Client, f fixture, o CallOption) (any, error) {
		return c.Account.Usage(ctx, args[UsageParams](f), o)
	},
	"account.plans": func(ctx context.Context, c *Client, _ fixture, o CallOption) (any, error) {
		return c.Account.Plans(ctx, o)
	},
	"custom.list": func(ctx context.Context, c *Client, _ fixture, o CallOption) (any, error) {
		return c.Custom.List(ctx, o)
	},
	"custom.run": func(ctx context.Context, c *Client, f fixture, o CallOption) (any, error) {
		return c.Custom.Run(ctx, nameOf(f), args[CustomParams](f), o)
	},
	"custom.retrieve": func(ctx context.Context, c *Client, f fixture, o CallOption) (any, error) {
		return c.Custom.Retrieve(ctx, nameOf(f), o)
	},
	"custom.put": func(ctx context.Context, c *Client, f fixture, o CallOption) (any, error) {
		return c.Custom.Put(ctx, nameOf(f), args[CustomRequest](f), o)
	},
	"custom.delete": func(ctx context.Context, c *Client, f fixture, o CallOption) (any, error) {
		return nil, c.Custom.Delete(ctx, nameOf(f), o)
	},
	"custom.view": func(ctx context.Context, c *Client, f fixture, o CallOption) (any, error) {
		return c.Custom.View(ctx, nameOf(f), o)
	},
	"directory.dumps": func(ctx context.Context, c *Client, _ fixture, o CallOption) (any, error) {
		return c.Directory.Dumps(ctx, o)
	},
	"directory.changes": func(ctx context.Context, c *Client, f fixture, o CallOption) (any, error) {
		return c.Directory.Changes(ctx, args[ChangesParams](f), o)
	},
	"servers.changes": func(ctx context.Context, c *Client, f fixture, o CallOption) (any, error) {
		return c.Servers.Changes(ctx, args[RecordChangesParams](f), o)
	},
	"registry.list": func(ctx context.Context, c *Client, f fixture, o CallOption) (any, error) {
		return c.Registry.List(ctx, args[EntriesParams](f), o)
	},
	"registry.versions": func(ctx context.Context, c *Client, f fixture, o CallOption) (any, error) {
		return c.Registry.Versions(ctx, nameOf(f), args[EntryParams](f), o)
	},
	"registry.retrieve": func(ctx context.Context, c *Client, f fixture, o CallOption) (any, error) {
		return c.Registry.Retrieve(ctx, nameOf(f), args[EntryParams](f), o)
	},
	"registry.validate": func(ctx context.Context, c *Client, f fixture, o CallOption) (any, error) {
		return c.Registry.Validate(ctx, args[struct{ Document any }](f).Document, o)
	},
	"registry.ping": func(ctx context.Context, c *Client, _ fixture, o CallOption) (any, error) {
		return c.Registry.Ping(ctx, o)
	},
	"registry.health": func(ctx context.Context, c *Client, _ fixture, o CallOption) (any, error) {
		return c.Registry.Health(ctx, o)
	},
	"registry.version": func(ctx context.Context, c *Client, _ fixture, o CallOption) (any, error) {
		return c.Registry.Version(ctx, o)
	},
	"registry.views": func(ctx context.Context, c *Client, _ fixture, o CallOption) (any, error) {
		return c.Registry.Views(ctx, o)
	},
	"registry.view.list": func(ctx context.Context, c *Client, f fixture, o CallOption) (any, error) {
		return viewOf(c, f).List(ctx, args[EntriesParams](f), o)
	},
	"registry.view.versions": func(ctx context.Context, c *Client, f fixture, o CallOption) (any, error) {
		return viewOf(c, f).Versions(ctx, nameOf(f), args[EntryParams](f), o)
	},
	"registry.view.retrieve": func(ctx context.Context, c *Client, f fixture, o CallOption) (any, error) {
		return viewOf(c, f).Retrieve(ctx, nameOf(f), args[EntryParams](f), o)
	},
	"registry.view.documents": func(ctx context.Context, c *Client, f fixture, o CallOption) (any, error) {
		return viewOf(c, f).Documents(ctx, o)
	},
	"registry.view.managedSettings": func(
		ctx context.Context, c *Client, f fixture, o CallOption,
	) (any, error) {
		return viewOf(c, f).ManagedSettings(ctx, o)
	},
	"webhooks.list": func(ctx context.Context, c *Client, _ fixture, o CallOption) (any, error) {
		return c.Webhooks.List(ctx, o)
	},
	"webhooks.create": func(ctx context.Context, c *Client, f fixture, o CallOption) (any, error) {
		return c.Webhooks.Create(ctx, args[WebhookEndpointRequest](f), o)
	},
	"webhooks.retrieve": func(ctx context.Context, c *Client, f fixture, o CallOption) (any, error) {
		return c.Webhooks.Retrieve(ctx, numberOf(f), o)
	},
	"webhooks.replace": func(ctx context.Context, c *Client, f fixture, o CallOption) (any, error) {
		return c.Webhooks.Replace(ctx, numberOf(f), args[WebhookEndpointRequest](f), o)
	},
	"webhooks.delete": func(ctx context.Context, c *Client, f fixture, o CallOption) (any, error) {
		return nil, c.Webhooks.Delete(ctx, numberOf(f), o)
	},
	"webhooks.rotate": func(ctx context.Context, c *Client, f fixture, o CallOption) (any, error) {
		return c.Webhooks.Rotate(ctx, numberOf(f), o)
	},
	"webhooks.test": func(ctx context.Context, c *Client, f fixture, o CallOption) (any, error) {
		return c.Webhooks.Test(ctx, numberOf(f), o)
	},
	"webhooks.deliveries": func(ctx context.Context, c *Client, f fixture, o CallOption) (any, error) {
		return c.Webhooks.Deliveries(ctx, numberOf(f), args[DeliveriesParams](f), o)
	},
	"webhooks.resend": func(ctx context.Context, c *Client, f fixture, o CallOption) (any, error) {
		return c.Webhooks.Resend(ctx, numberOf(f), args[struct{ Delivery int64 }](f).Delivery, o)
	},
}

func idOf(f fixture) string    { return args[struct{ ID string }](f).ID }
func numberOf(f fixture) int64 { return args[struct{ ID int64 }](f).ID }
func nameOf(f fixture) string  { return args[struct{ Name string }](f).Name }

func viewOf(c *Client, f fixture) *RegistryView {
	return c.Registry.View(args[struct{ View string }](f).View)
}

// TestFixtures makes all recorded calls and compares the requests, and what is read
// of the responses.
func TestFixtures(t *testing.T) {
	var recorded struct{ Calls []fixture }
	readJSON(t, "../fixtures/calls.json", &recorded)
	covered := map[string]bool{}
	for _, f := range recorded.Calls {
		covered[f.Call] = true
		t.Run(f.Name, func(t *testing.T) {
			var answer struct {
				Status  int
				Headers map[string]string
				Body    json.RawMessage
			}
			readJSON(t, "../fixtures/"+f.Name+".json", &answer)
			for _, name := range []string{"offset", "after"} {
				if f.Request.Query[name] == "0" {
					delete(f.Request.Query, name) // the default: zero values are left out
				}
			}
			got := f // with what is sent
			got.Request.Body, got.Request.Query = nil, nil
			c := newClient(t, func(r *http.Request) (*http.Response, error) {
				got.Request.Method, got.Request.Path = r.Method, r.URL.EscapedPath()
				for name, values := range r.URL.Query() {
					if got.Request.Query == nil {
						got.Request.Query = map[string]string{}
					}
					got.Request.Query[name] = values[0]
				}
				if r.Body != nil {
					if err := json.NewDecoder(r.Body).Decode(&got.Request.Body); err != nil {
						t.Error(err)
					}
				}
				res := respond(answer.Status, string(answer.Body))
				for name, text := range answer.Headers {
					res.Header.Set(name, text)
				}
				return res, nil
			})
			method, ok := calls[f.Call]
			if !ok {
				t.Fatalf("there is no method for %s", f.Call)
			}
			var r Response
			value, err := method(t.Context(), c, f, func(c *call) { c.retries, c.response = -1, &r })
			if d := cmp.Diff(f.Request, got.Request); d != "" {
				t.Error(d)
			}
			if !bytes.Equal(r.Body, answer.Body) && len(answer.Body) > 0 {
				t.Errorf("the body is\n%s", r.Body)
			}
			if answer.Status >= 400 {
				checkProblem(t, err, answer.Status, answer.Body)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if value != nil {
				text, err := json.Marshal(value)
				if err != nil {
					t.Fatal(err)
				}
				for _, missing := range lacks(decoded(t, text), decoded(t, answer.Body), "") {
					t.Error(missing)
				}
			}
		})
	}
	for name := range calls {
		if !covered[name] {
			t.Errorf("no recorded call of %s", name)
		}
	}
}

func readJSON(t *testing.T, path string, v any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, v); err != nil {
		t.Fatal(err)
	}
}

func decoded(t *testing.T, text []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// checkProblem compares an error with the problem document that it was made of.
func checkProblem(t *testing.T, err error, status int, body []byte) {
	t.Helper()
	e, ok := errors.AsType[*APIError](err)
	if !ok {
		t.Fatalf("got %v", err)
	}
	var p Problem
	if err := json.Unmarshal(body, &p); err != nil {
		t.Fatal(err)
	}
	got := Problem{Type: p.Type, Instance: p.Instance, Error: p.Error, Status: int64(e.StatusCode),
		Title: e.Title, Detail: e.Detail, Code: e.Code, RequestID: e.RequestID, Errors: e.Fields}
	if missing, ok := errors.AsType[*NotFoundError](err); ok {
		got.Candidates = missing.Candidates
	}
	if denied, ok := errors.AsType[*PermissionDeniedError](err); ok {
		got.RequiredPlans = denied.RequiredPlans
	}
	if d := cmp.Diff(p, got); d != "" || status != e.StatusCode {
		t.Error(d)
	}
}

// lacks returns the members of want that got lacks or that differ.
func lacks(got, want any, at string) (all []string) {
	switch want := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return []string{fmt.Sprintf("%s is %v", at, got)}
		}
		for name, w := range want {
			if _, ok := g[name]; !ok {
				if w != nil && !reflect.ValueOf(w).IsZero() {
					all = append(all, fmt.Sprintf("%s.%s is missing", at, name))
				}
				continue
			}
			all = append(all, lacks(g[name], w, at+"."+name)...)
		}
		return all
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(want) {
			return []string{fmt.Sprintf("%s is %v, want %v", at, got, want)}
		}
		for i := range want {
			all = append(all, lacks(g[i], want[i], fmt.Sprintf("%s[%d]", at, i))...)
		}
		return all
	}
	if !reflect.DeepEqual(got, want) {
		return []string{fmt.Sprintf("%s is %v, want %v", at, got, want)}
	}
	return nil
}

// TestOperations checks that each operation and parameter of the API is in this
// package, by what is sent for parameters that are all set.
func TestOperations(t *testing.T) {
	sent := map[string]url.Values{}
	c := newClient(t, func(r *http.Request) (*http.Response, error) {
		sent[r.Method+" "+r.URL.EscapedPath()] = r.URL.Query()
		if r.Body != nil {
			_, _ = io.Copy(io.Discard, r.Body)
		}
		return respond(200, "{}"), nil
	})
	ctx := t.Context()
	_, err1 := c.DiscoverTools(ctx, filled[DiscoverParams]())
	_, err2 := c.Directory.List(ctx, filled[DirectoryParams]())
	_, err3 := c.Servers.List(ctx, filled[ServersParams]())
	_, err4 := c.Servers.Analytics(ctx, "x", filled[AnalyticsParams]())
	_, err5 := c.Account.Usage(ctx, filled[UsageParams]())
	_, err6 := c.Custom.Run(ctx, "x", filled[CustomParams]())
	_, err7 := c.Health(ctx, filled[HealthParams]())
	_, err8 := c.Registry.List(ctx, filled[EntriesParams]())
	_, err9 := c.Servers.Changes(ctx, filled[RecordChangesParams]())
	_, err10 := c.Webhooks.Deliveries(ctx, 1, filled[DeliveriesParams]())
	if err := errors.Join(err1, err2, err3, err4, err5, err6, err7, err8, err9, err10); err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for request, query := range sent {
		got[request] = len(query)
	}
	want := map[string]int{
		"GET /api/discover": 10, "GET /api/servers": 7, "GET /v1/servers": 7, "GET /v1/servers/x/analytics": 2,
		"GET /v1/usage": 2, "GET /v1/custom/x": 3, "GET /api/health": 2,
		"GET /v0.1/servers": 6, "GET /v1/changes": 3, "GET /v1/webhooks/1/deliveries": 2,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// filled returns a struct in which no field is zero.
func filled[T any]() (v T) {
	s := reflect.ValueOf(&v).Elem()
	for i := range s.NumField() {
		switch f := s.Field(i); f.Interface().(type) {
		case string:
			f.SetString("x")
		case int, int64:
			f.SetInt(1)
		case bool:
			f.SetBool(true)
		case time.Time:
			f.Set(reflect.ValueOf(time.Unix(1, 0)))
		case []string:
			f.Set(reflect.ValueOf([]string{"x"}))
		case *bool:
			f.Set(reflect.ValueOf(new(false)))
		case *float64:
			f.Set(reflect.ValueOf(new(0.0)))
		default:
			panic(f.Type().String())
		}
	}
	return v
}
