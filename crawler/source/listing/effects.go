package listing

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"mcpcensus/internal/registry"
)

// A Call is a call in the code of a function, in the terms that all languages share.
type Call struct {
	// Name is the function with the module that the code imports it from, as in "os.remove", or
	// only its last name after a dot if it is a method of an unknown value, or "" for functions of
	// the files.
	Name string
	Args []Arg
	On   uint64 // the parameters of the calling function in the receiver, as bits
	Line int
}

// An Arg is an argument of a call.
type Arg struct {
	Key   string // its name, "" for a positional one
	Text  string // the text, or what it begins with
	Whole bool   // Text is the whole argument
	From  uint64 // the parameters of the calling function in it, as bits
}

// An Into is a call of a function of the files.
type Into[F any] struct {
	To   F
	Args []uint64 // the parameters of the calling function in each argument
}

// A Body is the code of a function.
type Body[F any] struct {
	File  string
	Line  int
	Calls []Call
	Into  []Into[F]
	Texts []Text
	// Imports are the modules from outside the files that it imports.
	Imports []Text
}

// A Text is a literal in code.
type Text struct {
	Text string
	Line int
}

// Code finds the effects of functions of a language. F identifies functions.
type Code[F comparable] struct {
	Language Language
	// Body returns the code of a function, nil if it is unknown.
	Body func(F) *Body[F]

	bodies map[F]*Body[F]
}

// maxVisits is the maximum number of functions that are followed from one tool.
const maxVisits = 300

// An Evidence is what the code of a tool does.
type Evidence struct {
	Effect string // one of registry.Effects, "" for none
	// Sure reports that neither a name nor annotations outweigh it: requests with POST may also
	// ask for something.
	Sure  bool
	Place string
}

// Of returns the effect of a function that handles the calls of a tool, with the place of the
// operation that has it. It reads the functions that the handler calls. A function only reads if
// all that it calls is known.
func (c *Code[F]) Of(handler F) (worst Evidence) {
	given := map[F]uint64{handler: math.MaxUint64}
	whole := true
	for queue, visits := []F{handler}, 0; len(queue) > 0; visits++ {
		f := queue[0]
		queue = queue[1:]
		body := c.body(f)
		if body == nil || visits == maxVisits {
			whole = false
			break
		}
		found, isWhole := c.Language.effect(body.Calls, body.Texts, body.File, given[f])
		worst, whole = worst.or(found), whole && isWhole
		for _, into := range body.Into {
			var bits uint64
			for i, from := range into.Args[:min(len(into.Args), 64)] {
				if from&given[f] != 0 {
					bits |= 1 << i
				}
			}
			if known, seen := given[into.To]; !seen || known|bits != known {
				given[into.To] = known | bits
				queue = append(queue, into.To)
			}
		}
	}
	if worst.Effect == "" || worst.Effect == registry.EffectRead {
		if !whole {
			return Evidence{}
		}
		worst.Effect, worst.Sure = registry.EffectRead, true
		if b := c.body(handler); worst.Place == "" && b != nil {
			worst.Place = place(b.File, b.Line)
		}
	}
	return worst
}

func (c *Code[F]) body(f F) *Body[F] {
	if b, known := c.bodies[f]; known {
		return b
	}
	if c.bodies == nil {
		c.bodies = map[F]*Body[F]{}
	}
	b := c.Body(f)
	c.bodies[f] = b
	return b
}

// or returns the more severe of two effects: sure ones before others.
func (e Evidence) or(f Evidence) Evidence {
	switch {
	case f.Effect == "":
		return e
	case e.Effect == "" || f.Sure && !e.Sure && f.Effect != registry.EffectRead:
		return f
	case e.Sure && !f.Sure && e.Effect != registry.EffectRead:
		return e
	case registry.Worse(e.Effect, f.Effect) == e.Effect:
		return e
	}
	return f
}

func place(file string, line int) string { return fmt.Sprintf("%s:%d", file, line) }

// effect returns the worst effect of calls and texts, and whether the effects of all calls are
// known. given are the parameters that the caller of the tool gives.
func (l Language) effect(calls []Call, texts []Text, file string, given uint64) (worst Evidence, whole bool) {
	whole = true
	for _, c := range calls {
		e, isKnown := l.effectOf(c, given)
		e.Place = place(file, c.Line)
		worst, whole = worst.or(e), whole && isKnown
	}
	for _, t := range texts {
		if effect := statementEffect(t.Text); effect != "" {
			sure := effect != registry.EffectRead
			worst = worst.or(Evidence{effect, sure, place(file, t.Line)})
		}
	}
	return worst, whole
}

// effectOf returns the effect of a call, and whether that is known.
func (l Language) effectOf(c Call, given uint64) (e Evidence, known bool) {
	if e, ok := c.request(); ok {
		return e, true
	}
	isGiven := c.On&given != 0 || len(c.Args) > 0 && c.Args[0].From&given != 0
	switch kind := l.Kind(c); kind {
	case FileRead:
		return Evidence{Effect: registry.EffectRead}, true
	case FileWrite, FileRemove:
		// Files that the caller does not name may be caches.
		if isGiven {
			return fileEffects[kind], true
		}
		return Evidence{}, false
	case Process, Evaluation:
		if c.runs(given) {
			return Evidence{Effect: registry.EffectExecute, Sure: true}, true
		}
		return Evidence{}, false
	case Pure:
		return Evidence{}, true
	}
	return Evidence{}, c.Name == ""
}

var fileEffects = map[Kind]Evidence{
	FileWrite:  {Effect: registry.EffectWrite, Sure: true},
	FileRemove: {Effect: registry.EffectDestructive, Sure: true},
}

// shells are programs that run a program or code in one of their arguments.
var shells = regexp.MustCompile(`(?i)^(\S*/)?(sh|bash|zsh|cmd|powershell|pwsh|osascript|python[\d.]*|` +
	`node|deno|ruby|perl|php)(\.exe)?(\s|$)`)

// runs reports whether a call that starts a process or evaluates code runs what the caller gives: it
// does not begin with the name of a program, or with that of a shell.
func (c Call) runs(given uint64) bool {
	for i, a := range c.Args {
		first := strings.TrimSpace(a.Text)
		if a.Key != "" && a.Key != "args" || i > 0 && !shells.MatchString(c.Args[0].Text) {
			continue
		}
		if a.From&given != 0 && (first == "" || shells.MatchString(first) ||
			i > 0 && shells.MatchString(c.Args[0].Text)) {
			return true
		}
	}
	return false
}

// methods are the methods of HTTP by their effects.
var methods = map[string]Evidence{
	"GET": {Effect: registry.EffectRead}, "HEAD": {Effect: registry.EffectRead},
	"POST":   {Effect: registry.EffectWrite},
	"PUT":    {Effect: registry.EffectWrite, Sure: true},
	"PATCH":  {Effect: registry.EffectWrite, Sure: true},
	"DELETE": {Effect: registry.EffectDestructive, Sure: true},
}

// asks matches the ends of addresses to which questions are sent.
var asks = regexp.MustCompile(
	`(?i)\b(search|query|queries|graphql|find|list|lookup|filter|rpc|token|oauth|completions?)\b`)

// isClient matches the functions of libraries that only send requests.
var isClient = regexp.MustCompile(`^(requests|httpx|aiohttp|axios|got|ky|superagent|undici|net/http)\.`)

// request returns the effect of a request over HTTP, false if a call is none.
func (c Call) request() (e Evidence, ok bool) {
	method, address := c.addressed()
	last := strings.ToUpper(c.Name[strings.LastIndexByte(c.Name, '.')+1:])
	if method == "" && (address != "" || isClient.MatchString(c.Name)) {
		method = last
	}
	e, ok = methods[method]
	if ok && method == "POST" && asks.MatchString(address) {
		return Evidence{}, true
	}
	return e, ok
}

// addressed returns the method and the address among the arguments of a request, each "" if there is
// none.
func (c Call) addressed() (method, address string) {
	for i, a := range c.Args {
		_, isMethod := methods[a.Text]
		isPlace := a.Key == "" && i < 2 || a.Key == "url" || a.Key == "path"
		switch {
		case a.Whole && a.Key == "method", a.Whole && isMethod && a.Key == "" && len(c.Args) > 1:
			method = strings.ToUpper(a.Text)
		case isPlace && strings.Contains(a.Text, "/"):
			address = a.Text
		}
	}
	return method, address
}

var (
	changes = regexp.MustCompile(`^\s*(?i)(INSERT\s+(OR\s+\w+\s+)?INTO|UPDATE\s+\S+\s+SET|REPLACE\s+INTO|` +
		`MERGE\s+INTO|ALTER\s+(TABLE|SCHEMA|DATABASE|ROLE|USER)|GRANT\s+\w+|mutation\b|` +
		`CREATE\s+(OR\s+REPLACE\s+)?(UNIQUE\s+)?(TABLE|INDEX|VIEW|SCHEMA|DATABASE|ROLE|USER))\s`)
	deletes = regexp.MustCompile(`^\s*(?i)(DELETE\s+FROM|TRUNCATE\s+|mutation\s+(delete|remove)\w*|` +
		`DROP\s+(TABLE|INDEX|VIEW|SCHEMA|DATABASE|COLLECTION|ROLE|USER))`)
	selects = regexp.MustCompile(`^\s*(?i)SELECT\s+.*\sFROM\s`)
)

// statementEffect returns the effect of a text that is a statement of SQL or GraphQL, "" for others.
func statementEffect(text string) string {
	switch {
	case len(text) < len("mutation x"):
		return ""
	case deletes.MatchString(text):
		return registry.EffectDestructive
	case changes.MatchString(text):
		return registry.EffectWrite
	case selects.MatchString(text):
		return registry.EffectRead
	}
	return ""
}
