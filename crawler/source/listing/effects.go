package listing

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/tools"
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
	To    F
	Args  []Arg // in the order of its parameters
	Later bool  // by a function to which it is given
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
	// Exhausted reports that no more code is read.
	Exhausted func() bool

	bodies map[F]*Body[F]
}

// maxVisits is the maximum number of functions that are followed from one tool.
const maxVisits = 300

// An Evidence is what the code of a tool does.
type Evidence struct {
	// Effect is one of registry.Effects or undecided, "" if the code was not found or not read to its
	// end. If it is reading, nothing in the code may change something; if it is unknown, the place may.
	Effect string
	Place  string
	// MayCache reports that the effect may be one on the server's own cache or log.
	MayCache bool
}

// Of returns the worst effect of a function that handles the calls of a tool, and of the functions
// that it calls, with the place of the operation that has it. The effect of functions that are called
// without arguments is unknown: they may prepare what all tools need, such as a database.
func (c *Code[F]) Of(handler F) (worst Evidence) {
	given := map[F]reach{handler: {math.MaxUint64, math.MaxUint64, true}}
	queue, whole := []F{handler}, true
	for visits := 0; len(queue) > 0 && visits < maxVisits; visits++ {
		f := queue[0]
		queue = queue[1:]
		body := c.body(f)
		if body == nil {
			whole = false
			continue
		}
		if visits == 0 {
			worst = Evidence{Effect: registry.EffectRead, Place: place(body.File, body.Line)}
		}
		worst = worst.or(c.Language.effect(body.Calls, body.Texts, body.File, given[f]))
		for _, into := range body.Into {
			known, seen := given[into.To]
			all := known.or(given[f], into.Args)
			all.isOwn = known.isOwn || given[f].isOwn && (len(into.Args) > 0 || into.Later)
			if given[into.To] = all; !seen || all != known {
				queue = append(queue, into.To)
			}
		}
	}
	if worst.Effect == registry.EffectRead && (!whole || len(queue) > 0 || c.Exhausted()) {
		return Evidence{}
	}
	return worst
}

// A reach is what the caller of a tool gives of the parameters of a function, as bits: anything, or
// also the program with which a command begins.
type reach struct {
	any, program uint64
	isOwn        bool // the function does what the tool is for
}

// or adds the arguments that a function passes on.
func (r reach) or(from reach, args []Arg) reach {
	for i, a := range args[:min(len(args), 64)] {
		if a.From&from.any != 0 {
			r.any |= 1 << i
		}
		if begin := strings.TrimSpace(a.Text); a.From&from.program != 0 && (begin == "" || shells.MatchString(begin)) {
			r.program |= 1 << i
		}
	}
	return r
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

// or returns the more severe of two effects, of equal ones the first that is on no cache.
func (e Evidence) or(f Evidence) Evidence {
	is, other := slices.Index(severity, e.Effect), slices.Index(severity, f.Effect)
	if is > other || is == other && (!e.MayCache || f.MayCache) {
		return e
	}
	return f
}

// undecided is the effect of a request that may also ask for something: other facts decide it.
const undecided = "undecided"

// severity are the effects of evidence, the most severe last.
var severity = []string{"", registry.EffectRead, undecided, registry.EffectUnknown, registry.EffectWrite,
	registry.EffectDestructive, registry.EffectExecute}

func place(file string, line int) string { return fmt.Sprintf("%s:%d", file, line) }

// effect returns the worst effect of calls and texts. given are the parameters that the caller of the
// tool gives.
func (l Language) effect(calls []Call, texts []Text, file string, given reach) (worst Evidence) {
	for _, c := range calls {
		worst = worst.or(Evidence{l.effectOf(c, given), place(file, c.Line), false})
	}
	for _, t := range texts {
		worst = worst.or(Evidence{statementEffect(t.Text), place(file, t.Line), inserts.MatchString(t.Text)})
	}
	if worst.Effect != "" && worst.Effect != undecided && !given.isOwn {
		worst.Effect = registry.EffectUnknown
	}
	return worst
}

// effectOf returns the effect of a call, "" for none or an unknown one.
func (l Language) effectOf(c Call, given reach) string {
	isGiven := c.On&given.any != 0 || len(c.Args) > 0 && c.Args[0].From&given.any != 0 && !l.isMethod(c)
	switch kind := l.Kind(c); {
	case kind == FileAdd && isGiven: // files that the caller does not name may be caches
		return registry.EffectWrite
	case kind == FileWrite && isGiven:
		return registry.EffectDestructive
	case (kind == Process || kind == Evaluation) && c.runs(given.program):
		return registry.EffectExecute
	case kind == FileWrite, kind == Process, kind == Evaluation:
		return registry.EffectUnknown
	}
	return l.called(c, given.any)
}

// called returns the effect of another call: that of a request, unknown for one that may change something.
func (l Language) called(c Call, given uint64) string {
	if effect := c.requested(); effect != "" || !l.mayChange(c, given) {
		return effect
	}
	return registry.EffectUnknown
}

// plain are the methods of each language's own values, such as texts and lists, which are also named
// by verbs that change something.
var plain = map[Language][]string{
	Python: strings.Fields(`add append apply discard insert join remove replace update write`),
	Script: strings.Fields(`add append apply assign join replace replaceall write`),
	Go: strings.Fields(`add append insert join replace replaceall replaceallstring replaceallstringfunc
		truncate write writebyte writerune writestring`),
}

// ofRuntime matches what the constructors of the language itself make, such as a map.
var ofRuntime = regexp.MustCompile(`^[A-Z]\w*(\(\))?\.`)

// mayChange reports whether a call of a function from outside the files may change something, by its verb:
// one that only deletes or changes, or any other with something that the caller of the tool gives.
func (l Language) mayChange(c Call, given uint64) bool {
	dot := strings.LastIndexByte(c.Name, '.')
	name := c.Name[dot+1:]
	if dot < 0 || strings.EqualFold(name, "post") || ofRuntime.MatchString(c.Name) ||
		slices.Contains(plain[l], strings.ToLower(name)) {
		return false
	}
	may, surely := tools.Alters(name)
	isGiven := c.On&given != 0 || slices.ContainsFunc(c.Args, func(a Arg) bool { return a.From&given != 0 })
	return may && isGiven || surely && (dot > 0 || len(c.Args) > 0)
}

// shells are programs that run a program or code in one of their arguments.
var shells = regexp.MustCompile(`(?i)^(\S*/)?(sh|bash|zsh|cmd|powershell|pwsh|osascript|python[\d.]*|` +
	`node|deno|ruby|perl|php)(\.exe)?(\s|$)`)

// IsShell reports whether a command is a program that runs a program or code in one of its arguments: the
// first one, if that is no option.
func IsShell(command string) bool { return shells.MatchString(command) }

// TakesCode reports whether an argument is an option; see [IsShell].
func TakesCode(argument string) bool {
	return strings.HasPrefix(argument, "-") || strings.HasPrefix(argument, "/")
}

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
var methods = map[string]string{
	"GET": "", "HEAD": "", "POST": undecided, "PUT": registry.EffectDestructive,
	"PATCH": registry.EffectDestructive, "DELETE": registry.EffectDestructive,
}

// isClient matches the functions of libraries that only send requests.
var isClient = regexp.MustCompile(`^(requests|httpx|aiohttp|axios|got|ky|superagent|undici|net/http)\.`)

// requested returns the effect of a request over HTTP, "" for others.
func (c Call) requested() string {
	method, address := c.addressed()
	if method == "" && (address != "" || isClient.MatchString(c.Name)) {
		method = strings.ToUpper(c.Name[strings.LastIndexByte(c.Name, '.')+1:])
	}
	return methods[method]
}

// addressed returns the method and the address among the arguments of a request, each "" if there is
// none.
func (c Call) addressed() (method, address string) {
	for i, a := range c.Args {
		_, isMethod := methods[a.Text]
		isPlace := a.Key == "" && i < 2 || a.Key == "url" || a.Key == "path"
		if m := route.FindStringSubmatch(a.Text); m != nil {
			method, address = m[1], m[2]
			continue
		}
		switch {
		case a.Whole && a.Key == "method", a.Whole && isMethod && a.Key == "" && len(c.Args) > 1:
			method = strings.ToUpper(a.Text)
		case isPlace && strings.Contains(a.Text, "/"):
			address = a.Text
		}
	}
	return method, address
}

// route matches a method with a path.
var route = regexp.MustCompile(`^(GET|HEAD|POST|PUT|PATCH|DELETE) (/\S*)`)

var (
	// mutation matches one of GraphQL to what is before its fields.
	mutation = regexp.MustCompile(`^\s*mutation\b[^{]*`)
	adds     = regexp.MustCompile(`^\s*(?i)(INSERT\s+(OR\s+IGNORE\s+)?INTO|GRANT\s+\w+|` +
		`CREATE\s+(UNIQUE\s+)?(TABLE|INDEX|VIEW|SCHEMA|DATABASE|ROLE|USER))\s`)
	changes = regexp.MustCompile(`(?is)^\s*(UPDATE\s+\S+\s+SET\s|(INSERT\s+OR\s+)?REPLACE\s+INTO\s|` +
		`MERGE\s+INTO\s|ALTER\s+(TABLE|SCHEMA|DATABASE|ROLE|USER)\s|CREATE\s+OR\s+REPLACE\s|` +
		`INSERT\s+INTO\s.*\sON\s+(CONFLICT\s.*\sDO|DUPLICATE\s+KEY)\s+UPDATE\s|` +
		`DELETE\s+FROM|(?-i:TRUNCATE)\s+|DROP\s+(TABLE|INDEX|VIEW|SCHEMA|DATABASE|COLLECTION|ROLE|USER))`)
)

// inserts matches statements of SQL with which a cache or log is filled.
var inserts = regexp.MustCompile(`^\s*(?i)(INSERT|CREATE)\s`)

// ofFields returns the effect of a mutation of GraphQL by the names of its fields.
func ofFields(text string) string {
	depth, effect := 0, registry.EffectWrite
	names := strings.Map(func(r rune) rune {
		switch r {
		case '{', '(':
			depth++
			return ' '
		case '}', ')':
			if depth--; depth == 0 {
				depth = -len(text) // what follows are fragments
			}
		}
		if depth != 1 {
			return -1
		}
		return r
	}, text)
	for name := range strings.FieldsSeq(names) {
		effect = registry.Worse(effect, tools.EffectOfName(name))
	}
	return effect
}

// statementEffect returns the effect of a text that is a statement of SQL or GraphQL, "" for others.
func statementEffect(text string) string {
	switch m := mutation.FindString(text); {
	case len(text) < len("mutation x"):
		return ""
	case m != "":
		return ofFields(text[len(m):])
	case changes.MatchString(text):
		return registry.EffectDestructive
	case adds.MatchString(text):
		return registry.EffectWrite
	}
	return ""
}
