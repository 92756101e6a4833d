package api

import (
	"encoding/json"
	"strconv"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
)

// An encoder turns servers into the JSON of their records.
type encoder struct {
	metaKey string // of _meta in a tool entry: "<namespace>/server"
	install Install
}

// Install returns how clients are set up for a server: the JSON object that
// stands in "install.clients". A nil Install is [install.JSON].
type Install func(s *registry.Server) (json.RawMessage, error)

func newEncoder(namespace string, clients Install) *encoder {
	if clients == nil {
		clients = install.JSON
	}
	return &encoder{metaKey: namespace + "/server", install: clients}
}

// Encode returns the function that the catalog encodes its servers with:
// namespace is a reverse DNS name for _meta keys.
func Encode(namespace string, install Install) catalog.Encode {
	return newEncoder(namespace, install).record
}

// record returns the four documents that are kept of a listed server, or the
// first of them.
func (e *encoder) record(s *registry.Server, brief bool) (r catalog.Record, err error) {
	if r.Basic, err = encode(basicOf(s)); err != nil || brief {
		return r, err
	}
	if r.Entry, err = encode(e.entryOf(s)); err != nil {
		return r, err
	}
	if r.Detail, err = encode(e.detailOf(s)); err != nil {
		return r, err
	}
	h := e.healthOf(s, true)
	r.Health = appendHealth(make([]byte, 0, 12<<10), &h)
	return r, nil
}

// Detail returns the detail record of s as JSON.
func Detail(s *registry.Server, namespace string, install Install) ([]byte, error) {
	return encode(newEncoder(namespace, install).detailOf(s))
}

func (e *encoder) clients(s *registry.Server) json.RawMessage {
	if b, err := e.install(s); err == nil && rawObject(b) != nil {
		return b
	}
	return json.RawMessage(`{}`)
}

// installation returns the one line that installs s: its command, or the
// address of its remote; nil if neither is known.
func (e *encoder) installation(s *registry.Server) *string {
	return known(s.InstallCommand)
}

// launch returns how a client starts s, nil where there is no command.
func (e *encoder) launch(s *registry.Server) *launchBody {
	if p, ok := install.First(s.Packages); ok {
		l, _ := install.Of(p)
		return &launchBody{Command: l.Command, Args: list(l.Args), Env: l.Env}
	}
	return nil
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
