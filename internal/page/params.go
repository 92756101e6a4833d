// Package page reads requests for pages of lists, from query strings and JSON bodies, and
// continues lists with cursors.
//
// A request is a struct whose fields have tags such as
//
//	Limit int `query:"limit,min=1,max=100,default=20"`
//
// The first part is the name of the parameter. The options are
//
//	min, max   bounds of a number; max of a text is its length in characters
//	default    the value if the parameter is absent
//	oneof      accepted values, separated by "|"
//	field      accepts the values of this field of package query
//	words      white space in a text is normalized
//	search     words to search for, perhaps pasted: hidden characters are removed
//	list       the parameter identifies the list: cursors contain it
//	most       maximum number of values of a []string
//
// Fields are string, int, *int, *float64, bool, []string or implement
// [encoding.TextUnmarshaler]. An absent or empty parameter has the default. A []string has one
// value for each occurrence of its parameter, and the other options apply to each value.
//
// Unknown parameters are ignored, except those that a program has by mistake, because it would
// get wrong results: one letter away from an accepted one, of another endpoint, or, in lists of
// servers, named like a filter of package query. Other mistakes are errors too.
package page

import (
	"encoding"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"

	"mcpcensus/internal/account"
	"mcpcensus/internal/query"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// parameters are those of all endpoints of /api and /v1, and filter. Endpoints without them
// report them.
var parameters = strings.Fields(`after before category cursor facets fields filter filters format
	from githubUrl githubUrls ids interval level limit match minScore names official offset page period q
	sdk search server sort to`)

// ParseQuery reads a query string into a request, and adds its errors to faults. It returns an
// error if the query string cannot be parsed.
func ParseQuery(raw string, request any, faults *Faults) error {
	fields := fieldsOf(request)
	values, err := url.ParseQuery(raw)
	if err != nil {
		return registry.Errorf(registry.ErrInvalid,
			"The query string is invalid: %s. Escape special characters as %%XX.", queryFault(err))
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if fields.named(name) != nil {
			continue
		}
		if msg := unknownFault(name, fields.names()); msg != "" {
			faults.Add(Printable(name), "%s", msg)
		}
	}
	ParseValues(values, request, faults)
	return nil
}

// ParseValues reads the parameters of a request from values, and adds their errors to faults.
// It ignores all others.
func ParseValues(values url.Values, request any, faults *Faults) {
	target := reflect.ValueOf(request).Elem()
	for _, f := range fieldsOf(request) {
		f.setQuery(target, values[f.name], faults)
	}
}

// Read reads the query string of a request to an API, and returns its errors.
func Read(r *http.Request, request any) error {
	var faults Faults
	if err := ParseQuery(r.URL.RawQuery, request, &faults); err != nil {
		return err
	}
	return faults.Err()
}

// Unknown returns a fault for each parameter of a query string that the request does not have:
// hints for requests without a required parameter.
func Unknown(raw string, request any) (faults Faults) {
	fields := fieldsOf(request)
	values, _ := url.ParseQuery(raw)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if fields.named(name) == nil {
			faults.Add(Printable(name), "is not a parameter of this endpoint%s", listed(fields.names()))
		}
	}
	return faults
}

// NoParams refuses parameters.
func NoParams(r *http.Request) error { return Read(r, &struct{}{}) }

// setQuery parses the values of a parameter into the request, or adds a fault.
func (f *field) setQuery(request reflect.Value, given []string, faults *Faults) {
	switch {
	case f.isList():
		f.setList(request, slices.DeleteFunc(given, func(v string) bool { return v == "" }), faults)
	case len(given) > 1:
		faults.Add(f.name, "must be given once, got %d values", len(given))
	case len(given) == 1 && (given[0] != "" || !f.emptyIsAbsent):
		f.set(request, given[0], faults)
	case f.fallback != "":
		f.set(request, f.fallback, faults)
	}
}

// setList stores the accepted values of a list, "" instead of others, and adds their faults.
func (f *field) setList(request reflect.Value, given []string, faults *Faults) {
	if f.most > 0 && len(given) > f.most {
		faults.Add(f.name, "must have at most %d values, got %d", f.most, len(given))
		return
	}
	list := slices.Clone(given)
	for i, v := range given {
		list[i], _ = f.text(f.name+"["+strconv.Itoa(i)+"]", v, faults)
	}
	request.FieldByIndex(f.index).Set(reflect.ValueOf(list))
}

// queryFault describes the error of a query string, without its values.
func queryFault(err error) string {
	if strings.Contains(err.Error(), "semicolon") {
		return "parameters must be separated by &, not by ;"
	}
	return "it has an invalid escape sequence"
}

// unknownFault describes the error of a parameter that is not accepted, "" if it is ignored.
func unknownFault(name string, accepted []string) string {
	if account.HoldsKey(name) {
		return textFault("", name)
	}
	if meant := misspelt(name, accepted); meant != "" {
		return "is not a parameter; did you mean " + meant + "?"
	}
	filter, ofServers := filterOf(name), slices.ContainsFunc(accepted, func(a string) bool {
		return a == "search" || a == "filters"
	})
	switch {
	case filter != "" && ofServers:
		return fmt.Sprintf(
			"is not a parameter of this endpoint; use filters={%q: …} of /v1/search, with a key", filter)
	case slices.Contains(parameters, name):
		return "is not a parameter of this endpoint" + listed(accepted)
	}
	return ""
}

// filterOf returns the filter of package query that a parameter means, such as "liveness" or
// "filter[liveness][eq]", in any case and with any separators; "" if none.
func filterOf(name string) string {
	if _, after, ok := strings.Cut(name, "["); ok && strings.HasPrefix(name, "filter") {
		name, _, _ = strings.Cut(after, "]")
	}
	for i := range query.Fields {
		if f := &query.Fields[i]; f.Filter && plain(f.Name) == plain(name) {
			return f.Name
		}
	}
	return ""
}

// listed returns the end of a message that lists accepted values.
func listed(accepted []string) string {
	if len(accepted) == 0 {
		return ", which has none"
	}
	return "; it accepts " + strings.Join(accepted, ", ")
}

// misspelt returns the accepted parameter that a name misspells, or "": one that differs in
// case, separators or, from four letters on, one letter, or has two neighbouring letters
// exchanged.
func misspelt(name string, accepted []string) string {
	name = plain(name)
	for _, a := range accepted {
		if plain(a) == name || len(a) >= 4 && oneEdit(name, plain(a)) {
			return a
		}
	}
	return ""
}

// plain returns a name without case and separators.
func plain(s string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", "[]", "").Replace(s))
}

// oneEdit reports whether two texts differ in one letter that is added, missing
// or replaced, or in the order of two neighbouring letters.
func oneEdit(a, b string) bool {
	if levenshtein.ComputeDistance(a, b) <= 1 {
		return true
	}
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	return len(a) == len(b) && i+1 < len(a) &&
		a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

// A field is a parameter of a request.
type field struct {
	name, fallback string
	index          []int
	kind           reflect.Type
	min, max       int
	oneof          []string
	values         *query.Field // whose values are accepted; nil: any
	words          bool
	search         bool
	list           bool
	most           int  // values of a list; 0: any number
	emptyIsAbsent  bool // an empty value means none
}

func (f *field) isList() bool { return f.kind == reflect.TypeFor[[]string]() }

type fields []field

func (fs fields) named(name string) *field {
	for i := range fs {
		if fs[i].name == name {
			return &fs[i]
		}
	}
	return nil
}

func (fs fields) names() []string {
	out := make([]string, len(fs))
	for i := range fs {
		out[i] = fs[i].name
	}
	return out
}

var parsed sync.Map // from reflect.Type to fields

// fieldsOf returns the fields of the struct that request points to. It panics
// if a tag is wrong.
func fieldsOf(request any) fields {
	t := reflect.TypeOf(request).Elem()
	if fs, ok := parsed.Load(t); ok {
		return fs.(fields)
	}
	var fs fields
	for _, f := range reflect.VisibleFields(t) {
		if tag, ok := f.Tag.Lookup("query"); ok {
			fs = append(fs, parseTag(f, tag))
		}
	}
	parsed.Store(t, fs)
	return fs
}

var unmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()

func parseTag(f reflect.StructField, tag string) field {
	name, options, _ := strings.Cut(tag, ",")
	out := field{name: name, index: f.Index, kind: f.Type, min: 0, max: -1}
	isText := f.Type.Kind() == reflect.String || f.Type.Kind() == reflect.Slice ||
		reflect.PointerTo(f.Type).Implements(unmarshaler)
	out.emptyIsAbsent = isText
	for option := range strings.SplitSeq(options, ",") {
		if err := out.setOption(option); err != nil {
			panic(fmt.Sprintf("page: tag %q of %s: %v", tag, f.Name, err))
		}
	}
	if out.isList() && out.max < 0 {
		out.max = maxElement
	}
	return out
}

// setOption sets an option of a tag, such as "max=100".
func (f *field) setOption(option string) (err error) {
	key, value, _ := strings.Cut(option, "=")
	switch key {
	case "":
	case "min":
		f.min, err = strconv.Atoi(value)
	case "max":
		f.max, err = strconv.Atoi(value)
	case "most":
		f.most, err = strconv.Atoi(value)
	case "default":
		if f.fallback = value; f.isList() {
			err = errors.New("lists have no default")
		}
	case "oneof":
		f.oneof = strings.Split(value, "|")
	case "field":
		f.values = query.FieldNamed(value)
	case "words":
		f.words = true
	case "search":
		f.words, f.search = true, true
	case "list":
		f.list = true
	default:
		err = fmt.Errorf("unknown option %q", key)
	}
	return err
}

// set parses the text of a parameter into the request, or adds a fault.
func (f *field) set(request reflect.Value, s string, faults *Faults) {
	if f.search && utf8.ValidString(s) {
		s = text.Strip(s)
	}
	if fault := textFault(f.name, s); fault != "" {
		faults.Add(f.name, "%s", fault)
		return
	}
	to := request.FieldByIndex(f.index)
	if u, ok := to.Addr().Interface().(encoding.TextUnmarshaler); ok {
		if err := u.UnmarshalText([]byte(s)); err != nil {
			faults.Take(f.name, err)
		}
		return
	}
	switch to.Interface().(type) {
	case string:
		if s, ok := f.text(f.name, s, faults); ok {
			to.SetString(s)
		}
	case int, *int:
		n, ok := f.whole(s, faults)
		if !ok {
			return
		}
		if to.Kind() == reflect.Pointer {
			to.Set(reflect.ValueOf(&n))
		} else {
			to.SetInt(int64(n))
		}
	case *float64:
		n, err := decimal(s)
		if err != nil || n < float64(f.min) || f.max >= 0 && n > float64(f.max) {
			faults.Add(f.name, "must be a number %s, got %s", f.bounds(), quoted(s))
			return
		}
		to.Set(reflect.ValueOf(&n))
	case bool:
		if s != "true" && s != "false" {
			faults.Add(f.name, "must be true or false, got %s", quoted(s))
			return
		}
		to.SetBool(s == "true")
	default:
		panic(fmt.Sprintf("page: parameter %s has type %s", f.name, f.kind))
	}
}

// text returns the accepted form of a text, or adds a fault of that name.
func (f *field) text(name, s string, faults *Faults) (string, bool) {
	if fault := textFault(name, s); fault != "" {
		faults.Add(name, "%s", fault)
		return "", false
	}
	if f.words {
		s = strings.Join(strings.Fields(s), " ")
	}
	switch n := utf8.RuneCountInString(s); {
	case f.max >= 0 && n > f.max:
		faults.Add(name, "must be at most %d characters long, got %d", f.max, n)
		return "", false
	case f.oneof != nil && !slices.Contains(f.oneof, s):
		faults.Add(name, "must be %s, got %s", either(f.oneof), quoted(s))
		return "", false
	case f.values != nil:
		v, err := f.values.ParseText(s)
		if err != nil {
			faults.Add(name, "%s", err)
			return "", false
		}
		return v, true
	}
	return s, true
}

func either(values []string) string {
	if len(values) == 2 {
		return values[0] + " or " + values[1]
	}
	return "one of " + strings.Join(values, ", ")
}

func (f *field) whole(s string, faults *Faults) (int, bool) {
	n, err := strconv.Atoi(s)
	if !digits(s) || err != nil || n < f.min || f.max >= 0 && n > f.max {
		faults.Add(f.name, "must be a whole number %s, got %s", f.bounds(), quoted(s))
		return 0, false
	}
	return n, true
}

func (f *field) bounds() string {
	if f.max < 0 {
		return fmt.Sprintf("of at least %d", f.min)
	}
	return fmt.Sprintf("between %d and %d", f.min, f.max)
}

// quoted returns a value for a message: numbers bare, other text in quotation
// marks.
func quoted(s string) string {
	if digits(s) {
		return s
	}
	return strconv.Quote(Printable(s))
}

// digits reports whether s is one to eighteen digits, without sign, space or
// exponent.
func digits(s string) bool {
	if s == "" || len(s) > 18 {
		return false
	}
	return strings.Trim(s, "0123456789") == ""
}

// decimal parses digits with or without a fraction.
func decimal(s string) (float64, error) {
	whole, fraction, point := strings.Cut(s, ".")
	if !digits(whole) || point && !digits(fraction) {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(s, 64)
}

// ParseText returns a text of a request outside its query string, such as a segment of the
// path, with white space normalized. max is its maximum length in characters.
func ParseText(name, s string, max int) (string, *registry.Error) {
	var faults Faults
	f := field{name: name, kind: reflect.TypeFor[string](), max: max, words: true}
	s, ok := f.text(name, s, &faults)
	if !ok {
		return "", registry.Invalid(name, "%s", faults[0].Message)
	}
	return s, nil
}

// textFault describes the error of a parameter's text, "" if it is valid. Cursors may look
// like keys.
func textFault(name, s string) string {
	switch {
	case !utf8.ValidString(s):
		return "must be valid text"
	case text.Hidden(s) != "":
		return "must not contain the invisible character " + text.Hidden(s)
	case name != "cursor" && account.HoldsKey(s):
		return "must not contain an API key; if the key works, revoke it"
	}
	return ""
}

// Printable returns a form of s, at most 64 bytes, that a response may repeat.
func Printable(s string) string { return text.Shorten(text.OneLine(s), 64) }

// Faults collect the errors of a request, so that one response names all of them.
type Faults []registry.FieldError

const maxFaults = 20

// Add adds a fault of a field. The message follows the name of the field.
func (f *Faults) Add(field, format string, args ...any) {
	if len(*f) < maxFaults {
		*f = append(*f, registry.FieldError{Field: field, Message: fmt.Sprintf(format, args...)})
	}
}

// Take adds the fields of an error of kind [registry.ErrInvalid], and any other
// error as a fault of the field.
func (f *Faults) Take(field string, err error) {
	var e *registry.Error
	if !errors.As(err, &e) || len(e.Fields) == 0 {
		f.Add(field, "%s", err)
		return
	}
	for _, x := range e.Fields {
		f.Add(x.Field, "%s", x.Message)
	}
}

func (f Faults) Has(field string) bool {
	return slices.ContainsFunc(f, func(x registry.FieldError) bool { return x.Field == field })
}

// Err returns one error for all faults, nil if there are none.
func (f Faults) Err() error {
	if len(f) == 0 {
		return nil
	}
	sorted := slices.SortedStableFunc(slices.Values(f), func(a, b registry.FieldError) int {
		return strings.Compare(a.Field, b.Field)
	})
	messages := make([]string, len(sorted))
	for i, x := range sorted {
		messages[i] = x.Field + " " + x.Message
	}
	return &registry.Error{Kind: registry.ErrInvalid, Msg: strings.Join(messages, "; "), Fields: sorted}
}
