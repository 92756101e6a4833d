package web

import "mcpcensus/web/webtest"

// What the tests of accounts use.
var (
	hostile   = webtest.Hostile
	harmless  = webtest.Harmless
	generated = webtest.Generated
	attacks   = webtest.Attacks
)
