package main

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// addressFile, in the data folder, holds the public URL of the registry that was last served
// from it. Commands that print links read it, because they do not have a port that was set
// only for serve.
const addressFile = "address"

// noteAddress stores the public address of the registry.
func (a *app) noteAddress() {
	if err := os.WriteFile(filepath.Join(a.config.DataDir, addressFile),
		[]byte(a.config.BaseURL+"\n"), 0o644); err != nil {
		a.log.Debug("public address not stored for other commands", "err", err)
	}
}

// recallAddress sets the base URL to the stored public address, unless the
// environment sets one.
func (a *app) recallAddress() {
	if a.getenv("CENSUS_BASE_URL")+a.getenv("CENSUS_ADDR") != "" {
		return
	}
	text, err := os.ReadFile(filepath.Join(a.config.DataDir, addressFile))
	if err != nil {
		return
	}
	address := strings.TrimSpace(string(text))
	if u, err := url.Parse(address); err == nil && (u.Scheme == "http" || u.Scheme == "https") &&
		u.Host != "" && u.User == nil && u.RawQuery == "" && u.Fragment == "" {
		a.config.BaseURL = address
	}
}
