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

// infer returns the effect of a tool whose source code has a known effect or none: the most severe
// one, except that words of parameters and descriptions do not outweigh a name that says that the
// tool reads, and nothing outweighs code that was followed to its end and only reads.
func infer(t *registry.Tool, group string, code *registry.ToolEffect) *registry.ToolEffect {
	words := wordsOf(t.Name)
	if len(words) > 1 && words[0] == group {
		words = words[1:]
	}
	schema := effectOfSchema(t, words)
	stated, isStated := ofName(words)
	if d := ofDescription(t.Description, true); d != nil && stated != nil && stated.Effect != registry.EffectRead {
		stated = worse(stated, d) // "drop_index", which "deletes"
	}
	switch {
	case isExecution(schema):
		stated = schema
	case stated == nil && schema == nil:
		stated = ofDescription(t.Description, isStated)
	case !isStated, stated != nil && stated.Effect != registry.EffectRead:
		stated = worse(schema, stated)
	}
	if code == nil || isExecution(stated) {
		return stated
	}
	if code.Effect == registry.EffectRead || stated == nil {
		return code
	}
	return worse(code, stated)
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
		compare browse detect discover explore extract parse scrape summarize explain calculate
		compute lookup wait recommend observe lists gets |
		list search query show view check count scan screenshot snapshot status preview monitor
		trace audit diff export download help info whoami version`,
	registry.EffectWrite: `create add update edit insert write patch send upload publish save move
		rename stop enable disable schedule register unregister subscribe unsubscribe upsert modify
		append attach detach unlink reply invite apply approve reject assign unassign configure
		setup install deploy abort pause resume launch navigate hover resize transfer import
		restore manage initialize init connect disconnect unpin mute unmute activate deactivate
		accept decline unarchive join leave trigger rerun retry promote toggle authorize submit
		replace drag swipe type |
		set put post open close start merge commit push change store link comment move cancel boot
		restart click press fill tap scroll drop pay refund build sync mark pin archive
		copy clone fork pull checkout book order new record`,
	// These may do anything.
	"": `generate use ask perform process handle run execute invoke take call test make do select |`,
	registry.EffectDestructive: `delete remove destroy purge erase truncate wipe uninstall revoke kill
		terminate prune discard unpublish | clear reset clean rollback revert`,
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

// runs are the verbs of tools that may execute what their caller gives, and programs the words for
// that.
var (
	runs     = setOf(`execute run exec eval evaluate invoke`)
	programs = setOf(`command commands cmd code script scripts shell bash powershell terminal expression
		python javascript js sql function`)
)

func setOf(words string) map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		all[w] = true
	}
	return all
}

// ofDescription returns the effect of the verb that begins a description, nil for none. With
// onlyGrave, it returns only execution and destruction.
func ofDescription(description string, onlyGrave bool) *registry.ToolEffect {
	description = strings.ToLower(description)
	if loc := introduction.FindStringIndex(description); loc != nil {
		description = description[loc[1]:]
	}
	const near = 6 // words in which the object of a verb stands
	words := strings.FieldsFunc(text.Cut(description, 200), notLetter)
	if len(words) == 0 {
		return nil
	}
	word := words[0]
	for _, stem := range []string{word, strings.TrimSuffix(word, "s"), strings.TrimSuffix(word, "es"),
		strings.TrimSuffix(word, "ies") + "y"} {
		words[0] = stem
		if v, ok := known[stem]; ok && v.effect != "" &&
			(!onlyGrave || v.effect == registry.EffectDestructive) {
			return &registry.ToolEffect{Effect: v.effect, Basis: registry.BasisName, Evidence: word}
		} else if i := execution(words[:min(len(words), near)]); i > 0 && runs[stem] && stem != "evaluate" {
			return &registry.ToolEffect{Effect: registry.EffectExecute, Basis: registry.BasisName,
				Evidence: words[i]}
		}
	}
	return nil
}

// starts are the verbs of tools that start a program, and startable the words for one.
var starts, startable = setOf(`start launch spawn`), setOf(`process program shell terminal command repl`)

// execution returns the index of the word which says that a program given by the caller is
// executed, -1 for none.
func execution(words []string) int {
	if slices.ContainsFunc(words, func(w string) bool { return starts[w] }) {
		if i := slices.IndexFunc(words, func(w string) bool { return startable[w] }); i >= 0 {
			return i
		}
	}
	if !slices.ContainsFunc(words, func(w string) bool { return runs[w] }) {
		return -1
	}
	if i := slices.IndexFunc(words, func(w string) bool { return programs[w] }); i >= 0 {
		return i
	}
	return slices.IndexFunc(words, func(w string) bool { return w == "exec" || w == "eval" })
}

// introduction matches what is before the verb of a description.
var introduction = regexp.MustCompile(`^(use )?(this |the |a )?(tool |function )?(that |which |to |will |allows you to |lets you )*`)

// ofName returns the effect of the words of a name, and whether one of them is a verb.
func ofName(words []string) (*registry.ToolEffect, bool) {
	if i := execution(words); i >= 0 {
		return &registry.ToolEffect{Effect: registry.EffectExecute, Basis: registry.BasisName,
			Evidence: words[i]}, true
	}
	at := verbAt(words)
	if at < 0 {
		return nil, false
	}
	effect := known[words[at]].effect
	// Requests for something to be searched are sent, too.
	if i := at + 1; words[at] == "post" && i < len(words) && known[words[i]].effect == registry.EffectRead {
		effect = registry.EffectRead
	}
	if effect == "" {
		return nil, true
	}
	return &registry.ToolEffect{Effect: effect, Basis: registry.BasisName, Evidence: words[at]}, true
}

// verbAt returns the index of the verb in the words of a name, -1 for none: the first word, otherwise
// the last one, as in "issue_create", unless it may be a noun after one that can only be a verb, as in
// "cloud_create_access_list", otherwise the first that can only be a verb.
func verbAt(words []string) int {
	only := func(w string) bool { v, ok := known[w]; return ok && !v.isNoun }
	at, last := slices.IndexFunc(words, only), len(words)-1
	switch {
	case last < 0:
	case isVerb(words[0]) && (at == 0 || last == 0 || !only(words[last])):
		return 0
	case at < 0 && isVerb(words[last]), at > 0 && only(words[last]):
		return last
	}
	return at
}

func isVerb(w string) bool { _, ok := known[w]; return ok }

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

// effectOfSchema returns the effect that the parameters of a tool decide: a program to be run, or a
// choice of actions; nil if there are none.
func effectOfSchema(t *registry.Tool, name []string) (worst *registry.ToolEffect) {
	var object struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(t.InputSchema, &object) != nil {
		return nil
	}
	mayRun := slices.ContainsFunc(name, func(w string) bool { return runs[w] || programs[w] })
	for _, id := range slices.Sorted(maps.Keys(object.Properties)) {
		if effect := ofProperty(id, object.Properties[id], mayRun); effect != "" {
			worst = worse(worst, &registry.ToolEffect{
				Effect: effect, Basis: registry.BasisSchema, Evidence: id})
		}
	}
	return worst
}

// ofProperty returns the effect that a parameter with a schema decides, "" for none.
func ofProperty(id string, schema json.RawMessage, mayRun bool) string {
	var property struct {
		Type any   `json:"type"`
		Enum []any `json:"enum"`
	}
	_ = json.Unmarshal(schema, &property) // other forms have no choices
	words := wordsOf(id)
	// A database may only accept statements that read.
	if n := len(words); mayRun && n > 0 && programs[words[n-1]] && words[n-1] != "sql" &&
		property.Enum == nil && property.Type == "string" {
		return registry.EffectExecute
	}
	return ofChoices(property.Enum)
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
