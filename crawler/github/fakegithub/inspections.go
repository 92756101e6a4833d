package fakegithub

import _ "embed"

// Inspections are the results of starting packages of fixtures in a sandbox, in the JSON
// form that inspectors send.
//
//go:embed inspections.json
var Inspections []byte
