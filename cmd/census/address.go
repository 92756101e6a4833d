package main

import (
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// addressFile, in the data folder, has the public address of the registry that
// was last served from there, for commands that print links to it: a port that
// only serve was told of is not known to them.
const addressFile = "address"

// noteAddress writes down where the registry answers.
func (a *app) noteAddress() {
	if err := os.WriteFile(filepath.Join(a.config.DataDir, addressFile),
		[]byte(a.config.BaseURL+"\n"), 0o644); err != nil {
		a.log.Debug("the address is not written down for other commands", "err", err)
	}
}

// recallAddress makes links lead to where the registry of the data folder
// answers, unless the environment says where that is.
func (a *app) recallAddress() {
	if slices.ContainsFunc(a.environ, func(v string) bool {
		name, value, _ := strings.Cut(v, "=")
		return (name == "CENSUS_BASE_URL" || name == "CENSUS_ADDR") && value != ""
	}) {
		return
	}
	f, err := os.Open(filepath.Join(a.config.DataDir, addressFile))
	if err != nil {
		return
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 2048))
	if err != nil {
		return
	}
	address := strings.TrimSpace(string(text))
	if u, err := url.Parse(address); err == nil && (u.Scheme == "http" || u.Scheme == "https") &&
		u.Host != "" && u.User == nil && u.RawQuery == "" && u.Fragment == "" {
		a.config.BaseURL = address
	}
}
