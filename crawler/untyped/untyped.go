// Package untyped decodes JSON, TOML and YAML documents of unknown shape and
// reads their members.
//
// Documents are untrusted: size, depth and aliases are limited, and malformed input
// results in an error or a zero value, never a panic.
package untyped

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcpcensus/internal/text"
)

const (
	// MaxList is the number of entries read of any list or table.
	MaxList = 1000
	// MaxText is the length of any string that is read, in bytes.
	MaxText = 4096
)

// An Object is a decoded table. Its methods return the zero value for members that are
// missing or of another type, also for a nil Object. Several keys are alternative names
// of one member, in order of preference.
type Object map[string]any

// Text returns a string member, trimmed and cut to [MaxText], or the digits of a number.
func (o Object) Text(keys ...string) string {
	for _, k := range keys {
		switch v := o[k].(type) {
		case string:
			if s := Short(v); s != "" {
				return s
			}
		case json.Number, float64, int64, uint64, int:
			return fmt.Sprint(v)
		}
	}
	return ""
}

// Scalar is like Text, but also returns "true" or "false" for a boolean.
func (o Object) Scalar(keys ...string) string {
	if s := o.Text(keys...); s != "" {
		return s
	}
	if v, ok := o.Bool(keys...); ok {
		return strconv.FormatBool(v)
	}
	return ""
}

// Flag reports whether one of the members is true or "true".
func (o Object) Flag(keys ...string) bool {
	return slices.ContainsFunc(keys, func(k string) bool { return o[k] == true || o[k] == "true" })
}

// Bool returns a boolean member; ok is false if there is none.
func (o Object) Bool(keys ...string) (value, ok bool) {
	for _, k := range keys {
		if value, ok = o[k].(bool); ok {
			return value, true
		}
	}
	return false, false
}

// Time returns a member parsed by [ParseTime].
func (o Object) Time(keys ...string) *time.Time { return ParseTime(o.Text(keys...)) }

// Object returns a member that is a table.
func (o Object) Object(keys ...string) Object {
	for _, k := range keys {
		if m, ok := o[k].(map[string]any); ok {
			return m
		}
	}
	return nil
}

// List returns the first [MaxList] entries of a list.
func (o Object) List(keys ...string) []any {
	for _, k := range keys {
		if v, ok := o[k].([]any); ok {
			return v[:min(len(v), MaxList)]
		}
	}
	return nil
}

// Objects returns the entries of a list that are tables.
func (o Object) Objects(keys ...string) []Object {
	var out []Object
	for _, v := range o.List(keys...) {
		if m, ok := v.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

// Texts returns the non-empty strings of a list.
func (o Object) Texts(keys ...string) []string {
	var out []string
	for _, v := range o.List(keys...) {
		if s, ok := v.(string); ok && Short(s) != "" {
			out = append(out, Short(s))
		}
	}
	return out
}

// Keys returns the names of the members, sorted, at most [MaxList] of them.
func (o Object) Keys() []string {
	out := slices.Sorted(maps.Keys(o))
	return out[:min(len(out), MaxList)]
}

// TextMap returns a member that is a table of strings, nil if it is empty.
func (o Object) TextMap(key string) map[string]string {
	m := o.Object(key)
	if len(m) == 0 {
		return nil
	}
	out := map[string]string{}
	for _, k := range m.Keys() {
		out[Short(k)] = m.Scalar(k)
	}
	return out
}

// Short is [Cut] with the limit [MaxText].
func Short(s string) string { return Cut(s, MaxText) }

// Cut returns a text for storage: valid UTF-8 without NUL, trimmed, at most limit bytes.
func Cut(s string, limit int) string {
	return strings.TrimSpace(text.Clean(strings.TrimSpace(text.Cut(s, 4*limit)), limit))
}

// ParseTime parses an RFC 3339 time and converts it to UTC. It returns nil if the time is
// malformed or not between the years 1990 and 9000.
func ParseTime(s string) *time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil || t.Year() < 1990 || t.Year() > 9000 {
		return nil
	}
	t = t.UTC()
	return &t
}
