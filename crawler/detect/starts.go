package detect

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/source"
)

// A step is a line of code with the lines that are indented below it.
type step struct {
	line  int
	text  string
	below []*step
	calls []*routine // that the line may call
}

// A routine is a function, the body of a class with its constructor, a function that is given to
// another one for later, or the top level of a file.
type routine struct {
	id          int // by order of the files and lines
	name, class string
	steps       []*step
	marks       string       // decorators, attributes and annotations above it
	later       bool         // called by whom it was given to
	sometimes   map[int]bool // lines behind a return under a condition
	read        bool
	always      map[*routine]bool // what it calls each time
}

// A program is source code by the order in which it runs. Lines and their indentation tell what
// belongs together; what calls a routine is known by names only. Thus a routine may be taken for
// one that each start runs, but rarely the other way round.
type program struct {
	at       map[string]map[int]*routine // by path and line
	named    map[string][]*routine
	routines []*routine
	serving  map[*routine]bool
	reached  map[*routine]bool
	visits   int // of routines, when names are looked up and when calls are followed
}

// maxVisits is the number of visits after which every routine is one that each start may run.
const maxVisits = 3_000_000

// newProgram reads source texts by path.
func newProgram(texts map[string]string) *program {
	p := &program{at: map[string]map[int]*routine{}, named: map[string][]*routine{},
		serving: map[*routine]bool{}}
	roots := map[*routine]bool{}
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		top := &routine{steps: stepsOf(source.CodeOf(path, texts[path]))}
		p.at[path] = map[int]*routine{}
		p.add(top, path)
		roots[top] = true
	}
	called, objects := p.calls()
	for _, r := range p.routines {
		if r.name == "" || r.later {
			continue
		}
		if r.starts() || !called[r] && r.mayStart(objects) {
			roots[r] = true
		}
	}
	p.reached = p.closure(roots)
	return p
}

// onStart reports whether each start of the program may come to a line.
func (p *program) onStart(path string, line int) bool {
	r := p.at[path][line]
	return r == nil || p.visits > maxVisits || p.reached[r] && !r.sometimes[line]
}

// stepsOf returns the lines of code. One that closes brackets and opens a block, such as
// ") => {", continues the line that opened them.
func stepsOf(code string) []*step {
	root := &step{}
	depths, open := []int{-1}, []*step{root}
	n := 0
	for text := range strings.Lines(code) {
		n++
		trimmed := strings.TrimSpace(text)
		if trimmed == "" {
			continue
		}
		depth := len(text) - len(strings.TrimLeft(text, " \t"))
		for depths[len(depths)-1] >= depth {
			depths, open = depths[:len(depths)-1], open[:len(open)-1]
		}
		parent := open[len(open)-1]
		s := &step{line: n, text: trimmed}
		rest := afterBlock.FindStringSubmatch(trimmed)
		if rest != nil {
			s.text = rest[1]
		}
		if last := len(parent.below) - 1; last >= 0 && rest == nil && continues.MatchString(trimmed) {
			s = parent.below[last]
			s.text += closers.ReplaceAllString(trimmed, "$1")
		} else {
			parent.below = append(parent.below, s)
		}
		depths, open = append(depths, depth), append(open, s)
	}
	return root.below
}

var (
	afterBlock = regexp.MustCompile(`^\}\s*((?:else|elif|catch|finally|except|rescue|ensure)\b.*)`)
	closers    = regexp.MustCompile(`^[)\]}]+;?(,?)$`)
	continues  = regexp.MustCompile(`^(?:\{$|[)\]}]+[^,\w]*(?:[^,\w{].*)?$)`)
)

const (
	modifiers = `(?:(?:export|default|declare|abstract|pub(?:\([^)]*\))?|public|private|protected|` +
		`internal|static|async|override|final|virtual|sealed|partial|open|data|unsafe|const|suspend|` +
		`get|set|readonly)\s+)`
	closure = `(?:async\s*)?(?:move\s+)?(?:\([^()]*\)[^()=]*=>|\w+\s*=>|function\b[^{]*|` +
		`func\s*\([^{]*|\|[^|]*\|[^{]*)`
)

var (
	// function matches the first line of a function, perhaps with the type that it is of.
	function = regexp.MustCompile(`^` + modifiers + `*(?:def|fn|func|fun|function\*?)\s+` +
		`(?:\(\w*\s*\*?(\w+)[^)]*\)\s*)?(?:self\.)?(\w+)`)
	assignedTo = regexp.MustCompile(`^` + modifiers + `*(?:(?:let|var)\s+)?(\w+)\s*` +
		`(?::[^=]*)?=\s*` + closure + `|^(\w+)\s*:\s*` + closure)
	method = regexp.MustCompile(`^` + modifiers + `+[\w<>\[\],.?\s]*?\b(\w+)\s*\(|` +
		`^(?:\*|#)?(\w+)\s*(?:<[^>]*>)?\([^=]*\)\s*(?::[^{=]*)?\{$`)
	classOf = regexp.MustCompile(`^` + modifiers + `*(?:class|record|object|` +
		`impl(?:<[^>]*>)?(?:\s+[\w:<>, ]+\s+for)?)\s+(\w+)`)
	constructs = regexp.MustCompile(`^(?:constructor|__init__|__construct|initialize)$`)
	keyword    = regexp.MustCompile(`^(?:if|for|while|switch|catch|with|return|match|new|using|` +
		`lock|super|await|throw)$`)
	isMark    = regexp.MustCompile(`^(?:@|#\[|\[\w)`)
	isLater   = regexp.MustCompile(`(?:^return\s+|,\s*)` + closure + `\s*\{?$`)
	isClosure = regexp.MustCompile(`^` + closure + `\s*\{?$`)
)

// declared returns the routine that a step of another one declares, nil for none.
func (r *routine) declared(s *step, before string) *routine {
	d := &routine{class: r.class, steps: s.below, sometimes: map[int]bool{}}
	m, f, a, c := method.FindStringSubmatch(s.text), function.FindStringSubmatch(s.text),
		assignedTo.FindStringSubmatch(s.text), classOf.FindStringSubmatch(s.text)
	switch {
	case c != nil:
		d.name, d.class = c[1], c[1]
	case f != nil:
		d.name, d.class = f[2], cmp.Or(f[1], r.class)
	case isLater.MatchString(s.text), isClosure.MatchString(s.text) && strings.HasSuffix(before, ","):
		d.later = true
	case a != nil:
		d.name = cmp.Or(a[1], a[2])
	case m != nil && r.class != "" && !keyword.MatchString(cmp.Or(m[1], m[2])):
		d.name = cmp.Or(m[1], m[2])
	default:
		return nil
	}
	return d
}

// add adds a routine and those that it declares. Constructors belong to their class.
func (p *program) add(r *routine, path string) {
	r.id = len(p.routines)
	p.routines = append(p.routines, r)
	if r.name != "" {
		p.named[r.name] = append(p.named[r.name], r)
	}
	var walk func(list []*step) []*step
	walk = func(list []*step) (own []*step) {
		before, marks := "", ""
		for _, s := range list {
			p.at[path][s.line] = r
			d := r.declared(s, before)
			switch {
			case isMark.MatchString(s.text):
				marks += s.text + "\n"
				continue
			case d == nil:
				s.below = walk(s.below)
				own = append(own, s)
			case r.name == r.class && r.class != "" && (constructs.MatchString(d.name) || d.name == r.class):
				own = append(own, walk(s.below)...)
			default:
				d.marks = marks
				p.at[path][s.line] = d
				p.add(d, path)
			}
			before, marks = s.text, ""
		}
		return own
	}
	r.steps = walk(r.steps)
}

var (
	callOf   = regexp.MustCompile(`(?:(\w+)\s*(?:::|\??\.|->)\s*)?\b(\w+)!?\s*(?:<[^<>()]*>)?\(`)
	passed   = regexp.MustCompile(`[(=<]\s*(\w+)\s*(?:[),;>]|$)`)
	object   = regexp.MustCompile(`^@(\w+)\.\w+`)
	module   = regexp.MustCompile(`^import\s+(.*)$`)
	typeName = regexp.MustCompile(`^[A-Z]\w*[a-z]`)
	listed   = regexp.MustCompile(`[,\[:]\s*(\w+)\s*[,)\]}]`)
	ofTool   = regexp.MustCompile(`(?i)tool\b`)
)

// mentions returns the routines that a line of another one may call or pass on.
func (p *program) mentions(r *routine, text string) (out []*routine) {
	for _, m := range callOf.FindAllStringSubmatch(text, -1) {
		for _, d := range p.lookUp(m[2]) {
			if p.isCalled(d, r, m[1]) {
				out = append(out, d)
			}
		}
	}
	for _, m := range passed.FindAllStringSubmatch(text, -1) {
		for _, d := range p.lookUp(m[1]) {
			if d.class == "" || d.class == d.name {
				out = append(out, d)
			}
		}
	}
	return out
}

// lookUp returns the routines with a name, none beyond the limit of visits.
func (p *program) lookUp(name string) []*routine {
	found := p.named[name]
	if p.visits += len(found); p.visits > maxVisits {
		return nil
	}
	return found
}

// isCalled reports whether a call of the name of a routine, on a receiver, may be a call of it.
func (p *program) isCalled(d, by *routine, receiver string) bool {
	switch receiver {
	case "self", "this", "Self", "cls", "super", "":
		return d.class == "" || d.class == d.name || d.class == by.class
	}
	return d.class == "" || d.class == d.name || d.class == receiver || !typeName.MatchString(receiver)
}

// calls returns the routines that some line mentions, and the names that are no objects whose
// decorators register functions for later: those of modules and of what is called.
func (p *program) calls() (called map[*routine]bool, others map[string]bool) {
	called, others = map[*routine]bool{}, map[string]bool{}
	for _, r := range p.routines {
		for s := range all(r.steps) {
			s.calls = p.mentions(r, s.text)
			for _, d := range s.calls {
				called[d] = called[d] || d != r
			}
			for _, m := range listed.FindAllStringSubmatch(s.text, -1) {
				for _, d := range p.lookUp(m[1]) {
					called[d] = called[d] || d.class == ""
				}
			}
			for _, m := range callOf.FindAllStringSubmatch(s.text, -1) {
				others[m[2]] = others[m[2]] || m[1] == ""
			}
			if m := module.FindStringSubmatch(s.text); m != nil {
				for _, w := range strings.FieldsFunc(m[1], func(c rune) bool { return c == ',' || c == ' ' }) {
					others[w] = true
				}
			}
		}
	}
	return called, others
}

// all yields steps with those below them.
func all(list []*step) func(yield func(*step) bool) {
	return func(yield func(*step) bool) {
		for _, s := range list {
			if !yield(s) {
				return
			}
			for t := range all(s.below) {
				if !yield(t) {
					return
				}
			}
		}
	}
}

// starts reports whether a program starts with a routine. A return under a condition there is of
// another command.
func (r *routine) starts() bool { return r.name == "" || strings.EqualFold(r.name, "main") }

// mayStart reports whether something unknown may call a routine on each start: not what objects
// register, nor members of classes without an annotation.
func (r *routine) mayStart(others map[string]bool) bool {
	m := object.FindStringSubmatch(r.marks)
	if m != nil && !others[m[1]] || ofTool.MatchString(r.marks) {
		return false
	}
	return r.class == "" || r.class == r.name || r.marks != ""
}

// closure returns routines with those that they run each time.
func (p *program) closure(of map[*routine]bool) map[*routine]bool {
	out, next := map[*routine]bool{}, inOrder(of)
	for len(next) > 0 && p.visits <= maxVisits {
		r := next[len(next)-1]
		next = next[:len(next)-1]
		if p.visits++; out[r] {
			continue
		}
		out[r] = true
		if !r.read {
			r.read = true
			r.always = p.flow(r, r.steps)
		}
		next = append(next, inOrder(r.always)...)
	}
	return out
}

func inOrder(of map[*routine]bool) []*routine {
	return slices.SortedFunc(maps.Keys(of), func(a, b *routine) int { return a.id - b.id })
}

var (
	isIf      = regexp.MustCompile(`^(?:if|unless|guard)\b`)
	isElse    = regexp.MustCompile(`^(?:else|elif|elsif)\b`)
	isLast    = regexp.MustCompile(`^else\b(?:\s*[:{]|$)`)
	isChoice  = regexp.MustCompile(`^(?:(?:let\s+\w+\s*=\s*|return\s+)?match|switch|when)\b.*[{:]$`)
	isHandler = regexp.MustCompile(`^(?:except|catch|rescue)\b`)
	isArm     = regexp.MustCompile(`^(?:case|default|when)\b|=>|->`)
	isReturn  = regexp.MustCompile(`^return\b`)
	isFailure = regexp.MustCompile(`^(?:throw|raise|panic|bail)\b|\b(?:exit|abort|fatal\w*)!?\(|` +
		`(?i)^return\b.*(?:err\b|error|Err\(|fail|[^\w]1\b)`)
	serveCall = regexp.MustCompile(`(?i)stdio|streamable|\bserve\(|\.listen\(|\.run\(`)
)

// flow returns the routines that steps call each time.
func (p *program) flow(r *routine, steps []*step) map[*routine]bool {
	out := map[*routine]bool{}
	for i := 0; i < len(steps); i++ {
		s := steps[i]
		if isHandler.MatchString(s.text) || isElse.MatchString(s.text) {
			continue
		}
		for _, d := range p.certain(r, s) {
			out[d] = true
		}
		branches, complete, next := branchesAt(steps, i)
		if branches == nil {
			maps.Copy(out, p.flow(r, s.below))
			continue
		}
		i = next
		rest := steps[i+1:]
		if len(branches) == 1 && (makesOnce(s) || ofMain.MatchString(s.text)) {
			maps.Copy(out, p.flow(r, s.below))
		}
		if !complete && !r.starts() && slices.ContainsFunc(branches, returns) && len(rest) > 0 {
			maps.Copy(out, p.common(r, append(branches, rest)))
			for t := range all(rest) {
				r.sometimes[t.line] = true
			}
			return out
		}
		if complete {
			maps.Copy(out, p.common(r, branches))
		}
	}
	return out
}

// certain returns the routines that a line calls each time: of branches on the line itself those of
// the condition, and those that both call.
func (p *program) certain(r *routine, s *step) []*routine {
	condition, branches := inline(s.text)
	if len(branches) == 0 || ofMain.MatchString(condition) {
		return s.calls
	}
	out, both := p.mentions(r, condition), p.mentions(r, branches[0])
	if len(branches) > 1 {
		other := p.mentions(r, branches[1])
		out = append(out, slices.DeleteFunc(both, func(d *routine) bool { return !slices.Contains(other, d) })...)
	}
	return out
}

// inline returns the condition of a line that holds its branches, and these, none for other lines.
func inline(text string) (condition string, branches []string) {
	if isIf.MatchString(text) {
		for _, at := range behind.FindAllStringIndex(text, -1) {
			head, body := text[:at[1]-1], text[at[1]-1:]
			if strings.HasPrefix(body, ":") || strings.HasPrefix(body, "{") {
				body = strings.TrimSuffix(body[1:], "}")
			}
			branches = otherwise.Split(body, 2)
			if strings.TrimSpace(body) != "" && !slices.ContainsFunc(append(branches, head), isUnclosed) {
				return head, branches
			}
		}
		return "", nil
	}
	for i, form := range choices {
		m := form.FindStringSubmatch(text)
		if m != nil && !strings.Contains(text, "=>") && !slices.ContainsFunc(m[1:], isUnclosed) {
			order := [...][]string{{m[2], m[1], m[len(m)-1]}, {m[1], m[2], m[len(m)-1]}, {m[1], m[2]}}[i]
			return order[0], order[1:]
		}
	}
	return "", nil
}

var (
	behind    = regexp.MustCompile(`\)\s*[\w{]|\s\{|:\s`)
	otherwise = regexp.MustCompile(`[;}]\s*else\b\s*\{?`)
	ofMain    = regexp.MustCompile(`__main__|\brequire\.main\b|\bimport\.meta\b`)
	brackets  = regexp.MustCompile(`[([{]`)
	closing   = regexp.MustCompile(`[)\]}]`)
	choices   = [...]*regexp.Regexp{
		regexp.MustCompile(`^(.+?) if (.+?) else (.+)$`),
		regexp.MustCompile(`^(.+?) \? (.+?) : (.+)$`),
		regexp.MustCompile(`^(.+?) && (.+)$`),
	}
)

// isUnclosed reports whether a piece of code does not close all brackets that it opens.
func isUnclosed(code string) bool {
	return len(brackets.FindAllString(code, -1)) != len(closing.FindAllString(code, -1))
}

// branchesAt returns the branches that begin with a step, whether one of them always runs, and the
// index of the last step of them.
func branchesAt(steps []*step, i int) (branches [][]*step, complete bool, last int) {
	switch s := steps[i]; {
	case isChoice.MatchString(s.text):
		return arms(s.below), true, i
	case !isIf.MatchString(s.text):
		return nil, false, i
	}
	branches = append(branches, steps[i].below)
	for ; i+1 < len(steps) && isElse.MatchString(steps[i+1].text); i++ {
		branches = append(branches, steps[i+1].below)
		complete = isLast.MatchString(steps[i+1].text)
	}
	return branches, complete, i
}

// arms returns the branches of a choice.
func arms(steps []*step) (out [][]*step) {
	for _, s := range steps {
		if isArm.MatchString(s.text) || len(out) == 0 {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], s)
	}
	return out
}

// common returns the routines that each of several branches runs. Branches that fail do not
// count, nor, if one serves, those that do not: they do something else than to start a server.
func (p *program) common(r *routine, branches [][]*step) map[*routine]bool {
	branches = slices.DeleteFunc(branches, fails)
	serves := func(b []*step) bool {
		return slices.ContainsFunc(slices.Collect(all(b)), p.serves)
	}
	if slices.ContainsFunc(branches, serves) {
		branches = slices.DeleteFunc(branches, func(b []*step) bool { return !serves(b) })
	}
	var sets []map[*routine]bool
	for _, b := range branches {
		if sets = append(sets, p.flow(r, b)); len(sets[len(sets)-1]) == 0 {
			return nil
		}
	}
	var out map[*routine]bool
	for _, s := range sets {
		now := p.closure(s)
		if out == nil {
			out = now
		}
		maps.DeleteFunc(out, func(d *routine, _ bool) bool { return !now[d] })
	}
	return out
}

// serves reports whether a line serves, or calls what does.
func (p *program) serves(s *step) bool {
	if serveCall.MatchString(s.text) {
		return true
	}
	return slices.ContainsFunc(s.calls, func(d *routine) bool {
		known, ok := p.serving[d]
		if !ok {
			p.serving[d] = false
			for s := range all(d.steps) {
				known = known || p.serves(s)
			}
			p.serving[d] = known
		}
		return known
	})
}

func fails(steps []*step) bool {
	if len(steps) > 0 && isArm.MatchString(steps[0].text) && fails(steps[0].below) {
		return true
	}
	return slices.ContainsFunc(steps, func(s *step) bool { return isFailure.MatchString(s.text) })
}

// makesOnce reports whether a condition is that a variable has no value, which its branch sets.
func makesOnce(s *step) bool {
	m := unset.FindStringSubmatch(s.text)
	return m != nil && slices.ContainsFunc(s.below, func(t *step) bool {
		set := assignment.FindStringSubmatch(t.text)
		return set != nil && set[1] == cmp.Or(m[1], m[2])
	})
}

var (
	unset = regexp.MustCompile(`^(?:if|unless)\s*\(?\s*(?:(?:!|not\s+)([\w.]+)|` +
		`([\w.]+)\s*(?:is|===?)\s*(?:None|null|undefined|nil))`)
	assignment = regexp.MustCompile(`^([\w.]+)\s*=[^=]`)
)

func returns(steps []*step) bool {
	return len(steps) > 0 && isReturn.MatchString(steps[len(steps)-1].text) && !fails(steps)
}
