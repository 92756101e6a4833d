package api

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/tools"
)

type toolHistory struct {
	lists []registry.ToolList
	err   error
}

func (h toolHistory) ToolLists(context.Context, string, int) ([]registry.ToolList, error) {
	return h.lists, h.err
}

func TestToolChanges(t *testing.T) {
	at := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	old, changed := registry.Tool{Name: "a", Description: "Old"}, registry.Tool{Name: "a", Description: "New"}
	history := toolHistory{lists: []registry.ToolList{
		{From: "run", Version: "2", At: at, Tools: []registry.Tool{changed}},
		{From: "source", Version: "2", At: at, Tools: []registry.Tool{changed},
			Package: registry.PackageKey{RegistryType: "npm", Identifier: "weather-mcp"}},
		{From: "run", Version: "1", LastVersion: "2", At: at, Tools: []registry.Tool{old}},
	}}
	const path = "/api/servers/octo-weather-mcp/tools/changes"
	status, got := start(t, 0, func(o *Options) { o.Tools = history }).get(path)
	want := `{"server":"octo-weather-mcp","changes":[` +
		`{"at":"2026-11-20T00:00:00Z","source":"run","package":null,"version":"2","formerSource":"source","formerVersion":"2",` +
		`"withoutNewVersion":true,"toolCount":1,"hash":null,"tools":[{"name":"a","kind":"changed","fields":["description"],` +
		`"before":{"description":"Old","annotations":null,"hash":"` + tools.Hash(old) + `"},` +
		`"after":{"description":"New","annotations":null,"hash":"` + tools.Hash(changed) + `"}}]},` +
		`{"at":"2026-11-20T00:00:00Z","source":"source","package":{"registryType":"npm","identifier":"weather-mcp"},"version":"2","formerSource":"run","formerVersion":"2",` +
		`"withoutNewVersion":false,"toolCount":1,"hash":null,"tools":[]}]}`
	if d := cmp.Diff(want, strings.TrimSpace(string(got))); d != "" || status != 200 {
		t.Errorf("%d: %s", status, d)
	}
	for name, tc := range map[string]struct {
		tools ToolHistory
		path  string
		want  int
	}{
		"failing":    {toolHistory{err: errors.New("away")}, path, 503},
		"no changes": {toolHistory{lists: history.lists[2:]}, path, 200},
		"unknown":    {history, "/api/servers/octo-none/tools/changes", 404},
		"deleted":    {history, "/api/servers/octo-old/tools/changes", 410},
	} {
		t.Run(name, func(t *testing.T) {
			if status, _ := start(t, 0, func(o *Options) { o.Tools = tc.tools }).get(tc.path); status != tc.want {
				t.Errorf("status %d, want %d", status, tc.want)
			}
		})
	}
}
