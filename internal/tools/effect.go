package tools

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// WithEffects returns the tools of a list with their inferred effects. code are lists of the same
// server whose tools have the effects that were read from source code; the first one counts.
func WithEffects(list []registry.Tool, code ...[]registry.Tool) []registry.Tool {
	read := map[string]*registry.ToolEffect{}
	for _, l := range slices.Backward(code) {
		for _, t := range l {
			if t.Inferred != nil {
				read[t.Name] = t.Inferred
			}
		}
	}
	group := groupOf(list)
	out := slices.Clone(list)
	for i := range out {
		out[i].Inferred = infer(&out[i], group, read[out[i].Name])
	}
	return out
}

// groupOf returns the first word of most names, such as that of the product, "" for none.
func groupOf(list []registry.Tool) string {
	count := map[string]int{}
	for _, t := range list {
		if words := wordsOf(t.Name); len(words) > 1 && !isVerb(words[0]) {
			if count[words[0]]++; 2*count[words[0]] > max(len(list), 3) {
				return words[0]
			}
		}
	}
	return ""
}

// infer returns the effect of a tool whose source code has a known effect or none.
func infer(t *registry.Tool, group string, code *registry.ToolEffect) *registry.ToolEffect {
	words := wordsOf(t.Name)
	if len(words) > 1 && words[0] == group {
		words = words[1:]
	}
	stated := statedBy(t, words)
	switch {
	case code == nil:
	case stated == nil && code.Effect == registry.EffectRead: // which code alone does not prove
		return nil
	case stated != nil && stated.Effect == registry.EffectRead:
		return code
	}
	return worse(code, stated)
}

// Reads reports whether the name, description and parameters of a tool say that it only reads.
func Reads(t *registry.Tool) bool {
	e := statedBy(t, wordsOf(t.Name))
	return e != nil && e.Effect == registry.EffectRead
}

// EffectOfName returns the effect of the verb in a name, "" if it has none.
func EffectOfName(name string) string {
	if e, _ := ofName(wordsOf(name), ""); e != nil {
		return e.Effect
	}
	return ""
}

// statedBy returns the effect that the name of a tool states, or its parameters and its description.
// Choices and the description do not outweigh a name that says that the tool reads.
func statedBy(t *registry.Tool, name []string) *registry.ToolEffect {
	does, choice := effectsOfSchema(t, name)
	described := ofDescription(t.Description)
	stated, isStated := ofName(name, t.Description)
	switch {
	case isExecution(does):
		return does
	case stated == nil && choice != nil, stated != nil && stated.Evidence == "manage" && choice != nil:
		return choice
	case stated == nil:
		return unnamed(does, described, isStated)
	case stated.Effect == registry.EffectRead:
		return ofReader(t, stated, does)
	case isWorse(described, registry.EffectWrite):
		return worse(stated, described) // "drop_index", which "deletes"
	}
	return stated
}

// ofReader returns the effect of a tool whose name says that it reads and whose parameters have the
// effect does: unknown, if it is given a statement that may change what exists, and a read-only one
// is not said, and writing, if its description says that it keeps what it downloads or exports.
func ofReader(t *registry.Tool, stated, does *registry.ToolEffect) *registry.ToolEffect {
	switch stated.Evidence {
	case "query":
		if does == nil && takesStatement(t.InputSchema) && !isReadOnly(descriptionWords(t.Description)) {
			return nil
		}
	case "download", "export", "fetch", "screenshot", "snapshot":
		if kept := keeps.FindString(t.Description); kept != "" {
			stated = stating(registry.EffectWrite, kept)
		}
	}
	return worse(does, stated)
}

// keeps matches what says in a description that something is written to a file.
var keeps = regexp.MustCompile(`(?i)\b(saves|writes|save (it|them) |` +
	`(saved|written|stored?) (it |them )?(to|in|into|as)|` +
	`to (a |the |your )?(local|disk|storage|temporary))\b`)

// unnamed returns the effect of a tool whose name has none, although it may have a verb: that of its
// parameters, unless the description is more exact, or of the description.
func unnamed(does, described *registry.ToolEffect, hasVerb bool) *registry.ToolEffect {
	switch {
	case does != nil && !isWorse(described, registry.EffectRead):
		return does
	case does != nil || !hasVerb || described != nil && described.Effect != registry.EffectWrite:
		return described
	}
	return nil
}

func stating(effect, word string) *registry.ToolEffect {
	return &registry.ToolEffect{Effect: effect, Basis: registry.BasisName, Evidence: word}
}

func isWorse(e *registry.ToolEffect, than string) bool {
	return e != nil && registry.Worse(e.Effect, than) != than
}

func isExecution(e *registry.ToolEffect) bool {
	return e != nil && e.Effect == registry.EffectExecute
}

// worse returns the more severe of two effects, the first of equal ones; nil is none.
func worse(a, b *registry.ToolEffect) *registry.ToolEffect {
	if a == nil || b != nil && registry.Worse(a.Effect, b.Effect) != a.Effect {
		return b
	}
	return a
}

// verbs are the verbs of tools by what they do. After "|" are those that are also nouns or
// adjectives.
var verbs = map[string]string{
	registry.EffectRead: `get read find fetch retrieve describe verify validate inspect analyze analyse
		compare browse detect discover explore parse scrape summarize explain calculate
		compute lookup wait recommend observe infer troubleshoot lists gets |
		list search query show view check count scan screenshot snapshot status preview monitor
		filter trace audit diff export download help info whoami version analysis
		ls grep`,
	registry.EffectWrite: `create add insert send upload publish schedule register subscribe append
		attach reply invite install deploy launch navigate hover submit import initialize init connect
		join authorize trigger rerun retry |
		post start commit push store save link comment open boot pay refund book order new record build
		copy clone fork pull scroll swipe cp`,
	// These may do anything.
	"": `generate use ask perform process handle run execute invoke take call test make do select extract |`,
	registry.EffectDestructive: `update edit write patch modify upsert replace move rename configure
		setup manage apply stop enable disable activate deactivate pause resume abort approve accept
		reject decline assign unassign detach unlink disconnect unregister unsubscribe leave transfer
		migrate suspend drain evict shutdown reboot decommission
		restore promote toggle resize mute unmute unpin unarchive drag
		delete del remove destroy purge erase truncate wipe uninstall revoke kill terminate prune discard
		unpublish |
		set put change merge type close cancel restart mark pin archive drop sync checkout click press fill
		tap clear reset clean rollback revert rm mv`,
}

// A verb is a word by which tools are named.
type verb struct {
	effect string
	isNoun bool // may also be one, or an adjective
}

var known = func() map[string]verb {
	all := map[string]verb{}
	for _, effect := range slices.Sorted(maps.Keys(verbs)) {
		only, nouns, _ := strings.Cut(verbs[effect], "|")
		for w := range strings.FieldsSeq(only) {
			all[w] = verb{effect, false}
		}
		for w := range strings.FieldsSeq(nouns) {
			all[w] = verb{effect, true}
		}
	}
	return all
}()

// runs are the verbs of tools that may execute what their caller gives, programs the words for that,
// and particles the words between a noun and what belongs to it.
var (
	runs     = setOf(`execute run exec eval evaluate invoke`)
	programs = setOf(`command commands cmd code script scripts shell bash powershell terminal expression
		python javascript js function`)
	particles = setOf(`a an the and or in on inside within with from for to by as at against via using
		through of over that which`)
)

func setOf(words string) map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		all[w] = true
	}
	return all
}

// sentenceEnd matches what ends the first sentence of a description.
var sentenceEnd = regexp.MustCompile(`[.:;!?](\s|$)|\n`)

// descriptionWords returns the words of the first sentence of a description, from its verb on.
func descriptionWords(description string) []string {
	description = strings.ToLower(description)
	if loc := introduction.FindStringIndex(description); loc != nil {
		description = description[loc[1]:]
	}
	if end := sentenceEnd.FindStringIndex(description); end != nil {
		description = description[:end[0]]
	}
	return strings.FieldsFunc(text.Cut(description, 200), notLetter)
}

// ofDescription returns the effect of the verb that begins a description, nil for none.
func ofDescription(description string) *registry.ToolEffect {
	const near = 6 // words in which the object of a verb stands
	words := descriptionWords(description)
	if len(words) == 0 {
		return nil
	}
	if e := ofVerbs(words); e != nil {
		return alsoDoes(e, words)
	}
	if begin := stemOf(words[0]); runs[begin] && begin != "evaluate" {
		words[0], words = begin, words[:min(len(words), near)]
		e, _ := execution(words, words)
		return e
	}
	return nil
}

// isReadOnly reports whether words say "read-only", or which statement of SQL is executed.
func isReadOnly(words []string) bool {
	i := slices.Index(words, "only")
	return i > 0 && words[i-1] == "read" ||
		slices.Index(words, "select") > 0 && !slices.ContainsFunc(words, Changes)
}

// alsoDoes returns the effect of a sentence whose first verb has one, and that has another verb in
// the same form: the worse one, and nil if that may do anything, as in "validates and executes".
func alsoDoes(e *registry.ToolEffect, words []string) *registry.ToolEffect {
	inflected := stemOf(words[0]) != words[0]
	for i, w := range words[1:] {
		stem := stemOf(w)
		if words[i] != "and" || stem == "" || (stem != w) != inflected || known[stem].isNoun {
			continue
		}
		effect := known[stem].effect
		if effect == "" {
			return nil
		}
		e = worse(e, stating(effect, w))
	}
	return e
}

// stemOf returns the verb of which a word is a form, "" for none.
func stemOf(word string) string {
	for _, stem := range []string{word, strings.TrimSuffix(word, "s"), strings.TrimSuffix(word, "es"),
		strings.TrimSuffix(word, "ies") + "y"} {
		if isVerb(stem) || runs[stem] {
			return stem
		}
	}
	return ""
}

// ofVerbs returns the effect of the verb that words begin with, or of the most severe one of those
// like "create or update"; nil for none.
func ofVerbs(words []string) (worst *registry.ToolEffect) {
	for i := 0; i < len(words) && stemOf(words[i]) != ""; i += 2 {
		if effect := known[stemOf(words[i])].effect; effect != "" {
			worst = worse(worst, stating(effect, words[i]))
		}
		if i+1 < len(words) && words[i+1] != "or" && words[i+1] != "and" {
			break
		}
	}
	return worst
}

// starts are the verbs of tools that start a program, and startable the words for one.
var starts, startable = setOf(`start launch spawn`), setOf(`process program shell terminal command repl`)

// statements are the words for what is given to a database, by what it may do there: a query in a
// language that is not known has no effect.
var statements = map[string]string{"query": "", "queries": "",
	"sql": registry.EffectDestructive, "cypher": registry.EffectDestructive,
	"statement": registry.EffectDestructive, "statements": registry.EffectDestructive}

// execution returns the effect of words which say that a program or statement given by the caller is
// executed, nil if it is unknown, and whether they say so. A description may say that it only reads.
func execution(words, description []string) (*registry.ToolEffect, bool) {
	effect, at := registry.EffectExecute, programAt(words)
	if at < 0 && hasOne(words, runs) {
		effect = ""
		for i, w := range words {
			if does, is := statements[w]; is && effect == "" {
				effect, at = does, i
			}
		}
	}
	switch {
	case at < 0:
		return nil, false
	case isReadOnly(description):
		return stating(registry.EffectRead, "read"), true
	case effect == "":
		return nil, true
	}
	return stating(effect, words[at]), true
}

// programAt returns the index of the word for a program in words that start or run one, -1 for none.
func programAt(words []string) int {
	if i := slices.IndexFunc(words, func(w string) bool { return startable[w] }); i >= 0 && hasOne(words, starts) {
		return i
	}
	if !hasOne(words, runs) {
		return -1
	}
	for i, w := range words {
		if programs[w] && isHead(words[i+1:]) {
			return i
		}
	}
	last := len(words) - 1 // as in "pods_exec"
	if last > 0 && (words[last] == "exec" || words[last] == "eval") {
		return last
	}
	return -1
}

func hasOne(words []string, of map[string]bool) bool {
	return slices.ContainsFunc(words, func(w string) bool { return of[w] })
}

// isHead reports whether a noun before words is what they are about: "code in a sandbox", not "code
// analysis".
func isHead(words []string) bool {
	return len(words) == 0 || particles[words[0]] || programs[words[0]] && isHead(words[1:])
}

// introduction matches what is before the verb of a description.
var introduction = regexp.MustCompile(`^(use )?(this |the |a )?(tool |function )?(that |which |to |will |allows you to |lets you )*`)

// ofName returns the effect of the words of a name, and whether one of them is a verb.
func ofName(words []string, description string) (*registry.ToolEffect, bool) {
	all := descriptionWords(description)
	if isObject(all, words) {
		all, description = nil, ""
	}
	if e, is := execution(words, all); is {
		return e, true
	}
	var first string // the verb of the description
	if len(all) > 0 {
		first = stemOf(all[0])
	}
	at := verbAt(words, first)
	if at < 0 {
		return nil, false
	}
	is, object, described := known[words[at]], words[len(words)-1], ofDescription(description)
	if as := known[object]; is.effect == "" && as.isNoun && as.effect != registry.EffectDestructive && described == nil {
		return ofVerbs([]string{object}), true // "run_audit"
	}
	// "query", which "executes SQL"
	_, isStatement := statements[object]
	isRun := is.isNoun && runs[first] && (described != nil && !isExecution(described) || isStatement)
	if isRun || is.isNounFor(known[first], described, at > 0) {
		return described, true
	}
	return ofVerbs(words[at:]), true
}

// isObject reports whether the first word of a description is what a name is about: "list_triggers",
// "triggers with their states".
func isObject(description, name []string) bool {
	return len(description) > 0 && stemOf(description[0]) != description[0] && slices.Index(name, description[0]) > 0
}

// isNounFor reports whether a word of a name is a noun where the description begins with a verb:
// "schedule", which "gets", and "snapshot", which "creates". A word that is not the first of a name,
// as in "bed_filter", is one if the description begins with verbs that change what exists.
func (v verb) isNounFor(does verb, described *registry.ToolEffect, isLater bool) bool {
	switch {
	case v.effect != registry.EffectRead:
		return v.isNoun && does.effect == registry.EffectRead
	case does.isNoun || does.effect == "" || does.effect == registry.EffectRead:
		return false
	}
	return v.isNoun && does.effect == registry.EffectWrite ||
		isLater && isWorse(described, registry.EffectWrite)
}

// verbAt returns the index of the verb in the words of a name, -1 for none: the verb of the
// description, otherwise the first word, unless it may be a noun before a verb as in "list_create",
// otherwise the first that can only be a verb, otherwise the last, otherwise any if all of them read.
// Requests for something to be searched are sent, too.
func verbAt(words []string, described string) int {
	at := slices.Index(words, described)
	if at < 0 || at > 0 && known[described].isNoun && onlyReads(words[0]) { // "get_change_events"
		at = likelyVerb(words)
	}
	if at >= 0 && words[at] == "post" && at+1 < len(words) && known[words[at+1]].effect == registry.EffectRead {
		at++
	}
	return at
}

func likelyVerb(words []string) int {
	at := slices.IndexFunc(words, func(w string) bool { return isVerb(w) && !known[w].isNoun })
	switch last := len(words) - 1; {
	case last >= 0 && isVerb(words[0]) && at < last:
		return 0
	case at < 0 && last >= 0 && isVerb(words[last]):
		return last
	case at < 0 && !slices.ContainsFunc(words, changes): // "batch_search_beds"
		return slices.IndexFunc(words, isVerb)
	}
	return at
}

func isVerb(w string) bool { _, ok := known[w]; return ok }

// onlyReads reports whether a word can only be a verb of tools that read.
func onlyReads(w string) bool { return known[w].effect == registry.EffectRead && !known[w].isNoun }

func changes(w string) bool { return isVerb(w) && known[w].effect != registry.EffectRead }

// Changes reports whether a word is a verb for adding, changing or deleting something.
func Changes(word string) bool {
	effect := known[word].effect
	return effect == registry.EffectWrite || effect == registry.EffectDestructive
}

// Alters reports whether the name of a function begins with a verb for adding, changing or deleting
// something, or has one after "and", and whether that can only be a verb for changing or deleting.
func Alters(name string) (may, surely bool) {
	words := wordsOf(name)
	if i := slices.Index(words, "and"); i > 0 {
		words = words[i+1:]
	}
	if len(words) == 0 || !Changes(words[0]) || words[0] == "new" { // a constructor
		return false, false
	}
	v := known[words[0]]
	may = !v.isNoun || len(words) > 1 && !particles[words[1]]
	return may, !v.isNoun && v.effect == registry.EffectDestructive
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) }

// wordsOf returns the words of a name in any style: "get_user", "getUser", "user/get".
func wordsOf(name string) []string {
	var b strings.Builder
	var before rune
	letters := []rune(name)
	for i, r := range letters {
		isStart := unicode.IsLower(before) || i+1 < len(letters) && unicode.IsLower(letters[i+1])
		if unicode.IsUpper(r) && unicode.IsLetter(before) && isStart {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
		before = r
	}
	return strings.FieldsFunc(b.String(), notLetter)
}

func propertiesOf(schema []byte) map[string]json.RawMessage {
	var object struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	_ = json.Unmarshal(schema, &object) // other forms have none
	return object.Properties
}

// takesStatement reports whether a tool is given a statement that may change what exists.
func takesStatement(schema []byte) bool {
	for id := range propertiesOf(schema) {
		if words := wordsOf(id); len(words) > 0 && statements[words[len(words)-1]] != "" {
			return true
		}
	}
	return false
}

// effectsOfSchema returns the effects that the parameters of a tool decide, nil for none: of one that
// says what the tool does with it, and of a choice of actions.
func effectsOfSchema(t *registry.Tool, name []string) (does, choice *registry.ToolEffect) {
	properties, mayRun := propertiesOf(t.InputSchema), namesRun(name)
	made, verb := target, ""
	if at := verbAt(name, ""); at >= 0 {
		verb = name[at]
	}
	if verb == "export" || verb == "download" && properties["url"] != nil {
		made = exported
	} else if verb == "download" {
		made = local
	}
	for _, id := range slices.Sorted(maps.Keys(properties)) {
		var property property
		_ = json.Unmarshal(properties[id], &property) // other forms have no choices
		of := func(effect string) *registry.ToolEffect {
			if effect == "" {
				return nil
			}
			return &registry.ToolEffect{Effect: effect, Basis: registry.BasisSchema, Evidence: id}
		}
		does = worse(does, of(property.does(wordsOf(id), mayRun, made)))
		choice = worse(choice, of(ofChoices(property.Enum)))
	}
	return does, choice
}

// namesRun reports whether a tool with the words of a name may run what its caller gives: it is named
// after that, or for programs, unless they are what it reads, or an instrument: "by code", "code review".
func namesRun(name []string) bool {
	last := len(name) - 1
	if last < 0 || known[name[last]].effect == registry.EffectRead {
		return false
	}
	if hasOne(name, runs) {
		return true
	}
	if onlyReads(name[0]) {
		return false
	}
	for i, w := range name {
		if programs[w] && isHead(name[i+1:]) && (i == 0 || !particles[name[i-1]]) {
			return true
		}
	}
	return false
}

// A property is a parameter in a schema.
type property struct {
	Type any   `json:"type"`
	Enum []any `json:"enum"`
}

var (
	// consent matches the names of switches without which a tool changes nothing, or with which.
	consent = regexp.MustCompile(`^(dry run|confirm(ed|ation)?|(allow )?overwrite( existing)?|(auto )?fix|autofix)$`)
	// target matches the names of parameters for files that a tool makes, exported those for files that
	// it makes if it exports, or downloads from a URL, and local those if it downloads from elsewhere.
	target = regexp.MustCompile(`^(output|save|download|export|dest|destination) (.* )?` +
		`(path|dir|directory|folder|file|filename)$`)
	exported = regexp.MustCompile(`^((local )?file )?(path|name)$|^file(name)?$|^output$|` +
		`^target (path|file|dir|directory|folder)$`)
	local = regexp.MustCompile(`^local (.* )?(path|dir|directory|folder|file)$`)
)

// does returns the effect of a tool that has a parameter with the words of its name, "" if it does
// not decide it.
func (p property) does(words []string, mayRun bool, made *regexp.Regexp) string {
	n, name := len(words), strings.Join(words, " ")
	switch {
	case p.Type == "boolean" && consent.MatchString(name):
		return registry.EffectDestructive
	case p.Type != "string" || p.Enum != nil:
	case mayRun && n > 0 && programs[words[n-1]]:
		return registry.EffectExecute
	case target.MatchString(name), made.MatchString(name):
		return registry.EffectWrite
	}
	return ""
}

// ofChoices returns the most severe effect of several verbs, "" for other choices.
func ofChoices(values []any) (worst string) {
	if len(values) < 2 {
		return ""
	}
	for _, v := range values {
		s, _ := v.(string)
		words := wordsOf(s)
		if len(words) == 0 || known[words[0]].effect == "" {
			return ""
		}
		worst = registry.Worse(worst, known[words[0]].effect)
	}
	return worst
}
