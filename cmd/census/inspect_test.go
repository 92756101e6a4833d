package main

import (
	"io"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"mcpcensus/internal/config"
)

func TestCheckInspector(t *testing.T) {
	set := func(variable string) error {
		var a app
		a.log = slog.New(slog.DiscardHandler)
		a.config.InspectKey, a.config.InspectHosts = strings.Repeat("k", 32), "registry.example"
		for f, value := range reflect.ValueOf(&a.config).Elem().Fields() {
			if f.Tag.Get("env") == variable {
				value.SetString("value")
			}
		}
		return a.checkInspector(4 << 30)
	}
	if err := set(""); err != nil {
		t.Errorf("without secrets: %v", err)
	}
	checked := 0
	for f := range reflect.TypeFor[config.Config]().Fields() {
		name := f.Tag.Get("env")
		if f.Tag.Get("secret") == "" || name == "CENSUS_INSPECT_KEY" {
			continue
		}
		checked++
		t.Run(name, func(t *testing.T) {
			if err := set(name); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("got %v, want an error that names the variable", err)
			}
		})
	}
	if checked < 9 {
		t.Errorf("%d secrets checked", checked)
	}
	var a app
	if err := a.checkInspector(4 << 30); err == nil || !strings.Contains(err.Error(), "CENSUS_INSPECT_KEY") {
		t.Errorf("without a key: %v", err)
	}
	a.config.InspectKey, a.config.InspectHosts = strings.Repeat("k", 32), "registry.example"
	if err := a.checkInspector(0); err == nil || !strings.Contains(err.Error(), "memory limit") {
		t.Errorf("without a limit of memory: %v", err)
	}
}

func TestInspectOptions(t *testing.T) {
	for args, want := range map[string]string{
		"":                                 `--registry must be an http or https URL of a registry, got ""`,
		"--registry notaurl":               `got "notaurl"`,
		"--registry ftp://a":               `got "ftp://a"`,
		"--registry http://":               `got "http://"`,
		"--registry http://a --parallel 0": "--parallel must be at least 1, got 0",
	} {
		cmd := (&app{}).inspectCommand()
		cmd.SetArgs(strings.Fields(args))
		cmd.SetOut(io.Discard)
		cmd.SetErr(io.Discard)
		if err := cmd.Execute(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", args, err, want)
		}
	}
}
