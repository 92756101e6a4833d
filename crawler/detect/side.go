package detect

import (
	"cmp"
	"iter"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"mcpcensus/crawler/paths"
	"mcpcensus/crawler/source"
	"mcpcensus/crawler/vocabulary"
)

// A sides tells which sides of the protocol code uses, by the first file that does; "" for none.
type sides struct {
	server, client string // of an SDK
	answers, asks  string // requests without an SDK
	passes         string // messages without an SDK
	own            string // a class of the repository that is named as those of SDKs that serve
	read           bool   // code that imports something was read
}

// served returns the file that serves tools, "" for none. Code that uses an SDK to connect would
// use it to serve, too: what it compares with a method's name are its own requests, unless it has its
// own class of servers.
func (s sides) served() string {
	if s.client != "" && s.own == "" {
		return s.server
	}
	return cmp.Or(s.server, s.answers)
}

// serves reports whether the code serves tools.
func (s sides) serves() bool { return s.served() != "" }

// onlyConnects reports whether the code uses only the side of clients.
func (s sides) onlyConnects() bool { return s.client != "" && !s.serves() }

// add adds the sides of other code.
func (s *sides) add(o sides) {
	s.server = cmp.Or(s.server, o.server)
	s.client = cmp.Or(s.client, o.client)
	s.answers = cmp.Or(s.answers, o.answers)
	s.asks = cmp.Or(s.asks, o.asks)
	s.passes = cmp.Or(s.passes, o.passes)
	s.own = cmp.Or(s.own, o.own)
	s.read = s.read || o.read
}

// anyLanguage is the key of expressions in sides.txt for all languages.
const anyLanguage = "any"

// sideRules match code by language and side.
var sideRules = readSides()

func readSides() map[string]map[string]*regexp.Regexp {
	patterns := sidesOfImports()
	for _, line := range vocabulary.Lines(rules, "sides.txt") {
		key, expression, _ := strings.Cut(line, ": ")
		language, side, _ := strings.Cut(key, " ")
		if patterns[language] == nil {
			patterns[language] = map[string][]string{}
		}
		patterns[language][side] = append(patterns[language][side], "(?:"+expression+")")
	}
	out := map[string]map[string]*regexp.Regexp{}
	for language, sides := range patterns {
		out[language] = map[string]*regexp.Regexp{}
		for side, p := range sides {
			out[language][side] = regexp.MustCompile(strings.Join(p, "|"))
		}
	}
	return out
}

// sidesLanguage returns the language of a source file in sides.txt.
func sidesLanguage(p string) string {
	switch l := paths.Language(p); l {
	case "JavaScript":
		return "TypeScript"
	case "Kotlin", "Scala", "Groovy":
		return "Java"
	default:
		return l
	}
}

// sidesAt returns the sides that the source file at a path uses.
func (r *repo) sidesAt(p string) sides {
	s, ok := r.sidesOf[p]
	if !ok {
		s = sidesOf(p, r.snap.Texts[p])
		r.sidesOf[p] = s
	}
	return s
}

// sidesOf returns the sides that a source file uses.
func sidesOf(p, text string) sides {
	rules, ok := sideRules[sidesLanguage(p)]
	if !ok {
		return sides{}
	}
	code := source.CodeOf(p, text)
	s := sides{read: importsSome.MatchString(code)}
	all := typeImports.ReplaceAllString(code, " ")
	code = withoutOwn(all)
	if code != all && rules["server"].MatchString(all) && !rules["server"].MatchString(code) {
		s.own = p
	}
	if answersBoth(code, sideRules[anyLanguage]["server"]) {
		s.answers = p
	}
	for field, rule := range map[*string]*regexp.Regexp{
		&s.asks: sideRules[anyLanguage]["client"], &s.passes: sideRules[anyLanguage]["passes"],
		&s.server: rules["server"], &s.client: rules["client"],
	} {
		if rule.MatchString(code) {
			*field = p
		}
	}
	return s
}

// typeImports match imports of types alone, which use nothing when the program runs.
var typeImports = regexp.MustCompile(`\bimport\s+type\b[^;"'()]*["'][^"']*["']|` +
	`\bimport\s*\{(?:\s*type\s+\w+(?:\s+as\s+\w+)?\s*,?)+\s*\}\s*from\s*["'][^"']*["']|` +
	`(?m:^if (?:\w+\.)?TYPE_CHECKING:[ \t]*\n(?:[ \t]+\S.*(?:\n|$))+)`)

// ownImports matches imports of names of the protocol from files of the repository in JavaScript.
var ownImports = regexp.MustCompile(`\bimport\s*\{([^}]*(?i:mcp)[^}]*)\}\s*from\s*["']\.`)

// making matches how code makes a value of a class in JavaScript.
var making = regexp.MustCompile(`\bnew \w+`)

// withoutOwn returns code without the making of values whose classes are of the repository.
func withoutOwn(code string) string {
	own := map[string]bool{}
	for _, m := range ownImports.FindAllStringSubmatch(code, 10) {
		for name := range strings.FieldsFuncSeq(m[1], func(c rune) bool { return c == ',' || unicode.IsSpace(c) }) {
			if hasMCP(name) {
				own["new "+name] = true
			}
		}
	}
	if len(own) == 0 {
		return code
	}
	return making.ReplaceAllStringFunc(code, func(made string) string {
		if own[made] {
			return "own"
		}
		return made
	})
}

// answersBoth reports whether code distinguishes the requests that list tools and call them. The
// groups of the expression are what they are called in code.
func answersBoth(code string, requests *regexp.Regexp) bool {
	found := map[string]bool{}
	for _, m := range requests.FindAllStringSubmatch(code, -1) {
		found[cmp.Or(m[1:]...)] = true
	}
	return len(found) > 1
}

// namedRequests returns the expression on code that distinguishes requests by the names that the
// repository's code gives to them, nil if it names fewer than two.
func (r *repo) namedRequests() *regexp.Regexp {
	names := map[string]bool{}
	for p, text := range r.snap.Texts {
		if !strings.Contains(text, "tools/call") || paths.File(p) != paths.Own || sidesLanguage(p) == "" {
			continue
		}
		for _, m := range sideRules[anyLanguage]["name"].FindAllStringSubmatch(text, -1) {
			names[cmp.Or(m[1], m[3])] = true
		}
	}
	if len(names) < 2 {
		return nil
	}
	name := "(" + anyOf(slices.Collect(maps.Keys(names))) + ")"
	return regexp.MustCompile(`(?:\b(?:case|when)|==|\.equals\()\s*(?:\w+(?:\.|::))*` + name + `\b|` +
		`\b` + name + `(?:\.\w+)?\s*(?:=>|->|==)`)
}

// importsSome matches code that imports something, or is a module that imports nothing. Other code
// does not tell how an SDK is used.
var importsSome = regexp.MustCompile(`(?m)^\s*(?:import|export|from|package|pub|use|using|require\w*)\b|` +
	`\b(?:import|require)\s*\(`)

// sidesByName returns the sides that a source file uses. The expression, if not nil, is on code that
// distinguishes requests by their names.
func (r *repo) sidesByName(p string, named *regexp.Regexp) sides {
	s := r.sidesAt(p)
	if named != nil && answersBoth(source.CodeOf(p, r.snap.Texts[p]), named) {
		s.answers = p
	}
	return s
}

// setSides sets the sides of the units' own code, and adds those of the units and packages that
// they depend on.
func (r *repo) setSides() {
	named, files := r.namedRequests(), map[*unit][]string{}
	for p := range r.snap.Texts {
		if paths.File(p) == paths.Own && sidesLanguage(p) != "" {
			u := cmp.Or(r.nearest(dirOf(p)), r.unit(""))
			files[u], r.sidesOf[p] = append(files[u], p), r.sidesByName(p, named)
		}
	}
	for _, u := range slices.SortedFunc(maps.Keys(files), func(a, b *unit) int { return cmp.Compare(a.dir, b.dir) }) {
		files[u] = r.withoutUnreached(u, files[u])
		u.code = r.sidesIn(files[u])
		if r.isCopied(u) {
			continue
		}
		for _, p := range files[u] {
			if r.sidesAt(p).serves() && isOwn(p) {
				r.serving = append(r.serving, p)
			}
		}
		if !excluded(u.dir) {
			r.sides.add(u.code)
		}
	}
	slices.Sort(r.serving)
	if r.sides.answers != "" && r.sdkless() {
		r.sides.client = "" // of its own
		for _, u := range r.units {
			u.code.client = ""
		}
	}
	r.addPassing()
	r.addDependencies()
}

// sidesIn returns the sides of files that were read, in the order of their paths.
func (r *repo) sidesIn(files []string) (out sides) {
	for _, p := range slices.Sorted(slices.Values(files)) {
		out.add(r.sidesAt(p))
	}
	return out
}

// addPassing makes a program without an SDK that says that it is a proxy one that serves, if it has
// code about messages of the protocol. One that writes the requests is a client.
func (r *repo) addPassing() {
	says := r.saysProxy() || proxyRE.MatchString(r.about)
	if r.sides.server+r.sides.client+r.sides.asks == "" && says && r.hasProgram() {
		r.sides.answers = cmp.Or(r.sides.answers, r.sides.passes)
		r.unit("").code.answers = r.sides.answers
	}
}

// addDependencies adds the sides of the units and packages that units depend on.
func (r *repo) addDependencies() {
	for _, u := range r.units {
		u.sides = u.code
		for v := range r.dependsOn(u) {
			u.sides.add(v.code)
		}
		for kind, d := range u.dependencies() {
			if d.Dev || d.Indirect {
				continue
			}
			s := sidesOfPackage(kind, d.Name)
			u.sides.add(s)
			if !excluded(u.dir) {
				r.sides.add(s)
			}
		}
	}
}

// dependsOn yields the other units that a unit depends on at run time.
func (r *repo) dependsOn(u *unit) iter.Seq[*unit] {
	return func(yield func(*unit) bool) {
		for kind, d := range u.dependencies() {
			name := d.Name
			if kind == "maven" {
				_, name, _ = strings.Cut(name, ":")
			}
			if v := r.byName[kind+":"+name]; v != nil && v != u && !d.Dev && !yield(v) {
				return
			}
		}
		for i, p := range u.csproj {
			for _, ref := range p.Projects {
				at := path.Join(dirOf(u.csprojAt[i]), ref)
				if _, rest, ok := strings.Cut(ref, "/"); ok && strings.HasPrefix(ref, "$(") {
					at = rest // a leading variable is the root
				}
				v := r.byDir[home(dirOf(at))]
				if v != nil && v != u && !yield(v) {
					return
				}
			}
		}
	}
}

// sidesOfPackage returns the side of a package that is for one side only, as its name says. What is
// named after a server may also be one that a client starts, except in Maven; what is named after
// what clients have, "mcp-client-names", is no client.
func sidesOfPackage(ecosystem, name string) (s sides) {
	switch {
	case ecosystem == "maven" && strings.Contains(name, "mcp-server"):
		s.server = name
	case strings.HasSuffix(name, "mcp-client") || ecosystem == "maven" && strings.Contains(name, "mcp-client"):
		s.client = name
	}
	return s
}
