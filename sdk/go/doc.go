// Package census is the client of a Census registry: it asks /api, /v1 and /v0.1 over
// HTTP.
package census
