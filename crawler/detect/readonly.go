package detect

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mcpcensus/crawler/paths"
	"mcpcensus/crawler/settings"
	"mcpcensus/crawler/shell"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/tools"
)

// A knob is a setting of the server with what its documents and source code say about it.
type knob struct {
	kind, name string
	weight     int      // of what names it, one of the constants below
	preset     string   // the value without the setting, "" if unknown
	choices    []string // all values, if declared
	values     []string // of examples; "" for an option without a value
	isRead     bool     // named by the code, or by documents other than configurations in files
	used       *string  // the value in the documented configuration, nil if that lacks the setting
	isNarrow   bool     // the README says that the server only reads by default
	described  string   // by all files that name it
	isChoice   bool     // its values are alternatives in the code, one of which is called read-only
}

// Weights of knobs, the best first. A variable does not depend on the place of an option among
// other arguments, and images may replace their arguments.
const (
	weightUsed = iota // by the documented configuration
	weightVariable
	weightOption
	weightMentioned
	weightCode
)

// readOnly sets the settings that make the server and its endpoints read-only, as its code has them or
// else its documents, and makes other settings without which tools that write are not registered grants
// of the configurations. A server without tools that write needs none.
func (c *candidate) readOnly(d *registry.Detection) {
	if onlyReads(d) {
		return
	}
	d.ReadOnlyEndpoint = c.switchOfEndpoints(d.Remotes)
	list := tools.WithEffects(d.Tools, d.Tools)
	if d.ReadOnly = c.switchOfKnobs(d); d.ReadOnly == nil && !d.ToolsPartial {
		d.ReadOnly = switchOfTools(list, leading(d.Packages))
	}
	if d.ReadOnly != nil {
		d.ReadOnly.Evidence = c.placeOf(d.ReadOnly.Name)
	}
	conditions := conditionsOfWriting(list)
	grants := func(name, value string, isAlone bool) bool {
		if d.ReadOnly != nil && d.ReadOnly.Name == name {
			return false
		}
		writes := d.ReadOnly != nil && settings.AccessOf(name) == settings.Writes // beside the switch
		isOn := registry.IsOn(value) || value == "" && strings.HasPrefix(name, "-")
		return isAlone && writes && isOn ||
			(isAlone || value != "") && slices.Contains(conditions, setting(name, value))
	}
	for _, p := range d.Packages {
		for i, conf := range p.Configurations {
			p.Configurations[i] = withoutGrants(conf, grants)
		}
	}
	d.Tools = started(d.Tools, leading(d.Packages), d.ReadOnly)
}

// switchOfKnobs returns the switch that a variable or option is which files name; nil if none is.
func (c *candidate) switchOfKnobs(d *registry.Detection) *registry.ReadOnlySwitch {
	knobs := slices.Concat(c.variableKnobs(d), c.optionKnobs(d))
	slices.SortStableFunc(knobs, func(a, b *knob) int { return cmp.Compare(a.weight, b.weight) })
	for _, of := range []func(*knob) *registry.ReadOnlySwitch{switchOf, c.choiceOf} {
		for i, k := range knobs {
			s := of(k)
			if s != nil && slices.ContainsFunc(knobs[i+1:], func(o *knob) bool { return isPart(s, of(o)) }) {
				return nil
			}
			if s != nil {
				s.Lifted = k.lifted(s)
				return s
			}
		}
	}
	return nil
}

// isPart reports whether a switch is about one of several parts of the server, as is another of its
// kind with the same value, which is no yes or no.
func isPart(s, other *registry.ReadOnlySwitch) bool {
	return other != nil && other.Kind == s.Kind && other.Name != s.Name && other.Value == s.Value &&
		registry.Opposite(s.Value) == ""
}

// anyHeader matches a header that is no standard one, with a value.
var anyHeader = regexp.MustCompile(`(?i)\b(x-[a-z][a-z0-9-]*)["'` + "`" + `]?\s*[:=|]\s*["'` + "`" + `]?([a-z0-9]+)`)

// switchOfEndpoints returns the parameter, the end of the path, or the header that makes the
// endpoints read-only, as the README or a declaration has it; nil if there is none, or if the
// endpoints are on several hosts, where it may be about one of them.
func (c *candidate) switchOfEndpoints(remotes []registry.Remote) *registry.ReadOnlySwitch {
	if !c.own || len(remotes) == 0 || slices.ContainsFunc(remotes, func(r registry.Remote) bool {
		return !sameHost(r.URL, remotes[0].URL)
	}) {
		return nil
	}
	_, at, _ := c.repo.readmeOf(c.unit)
	text, quote := c.repo.snap.Texts[at], "[\"'`\\s(]"
	for _, r := range remotes {
		key := regexp.QuoteMeta(keyOf(r.URL))
		query := regexp.MustCompile("(?i)(?:" + key + "/?|" + quote + `)\?([\w.~%=&<>{}$\[\],-]+)`)
		for _, m := range query.FindAllStringSubmatch(text, 50) {
			for part := range strings.SplitSeq(m[1], "&") {
				name, value, _ := strings.Cut(part, "=")
				if s := endpointSwitch(registry.SwitchQuery, name, value); s != nil {
					return c.placed(s)
				}
			}
		}
		part := regexp.MustCompile("(?i)" + key + `/([a-z_-]+)[/\w-]?`)
		for _, m := range part.FindAllStringSubmatch(text, 50) {
			if strings.HasSuffix(m[0], m[1]) && settings.AccessOf(m[1]) == settings.ReadOnly {
				return c.placed(&registry.ReadOnlySwitch{Kind: registry.SwitchPath, Name: "/" + m[1]})
			}
		}
		for _, h := range r.Headers {
			value := cmp.Or(h.Value, h.Default, h.Placeholder, "true")
			if s := endpointSwitch(registry.SwitchHeader, h.Name, value); s != nil {
				return c.placed(s)
			}
		}
	}
	for _, m := range anyHeader.FindAllStringSubmatch(text, 50) {
		if s := endpointSwitch(registry.SwitchHeader, m[1], m[2]); s != nil {
			return c.placed(s)
		}
	}
	return nil
}

// endpointSwitch returns the switch that a parameter or header with a value is, nil if it is none.
func endpointSwitch(kind, name, value string) *registry.ReadOnlySwitch {
	access := settings.AccessOf(name)
	if access == settings.AnyAccess || registry.Opposite(value) == "" {
		return nil
	}
	s := &registry.ReadOnlySwitch{Kind: kind, Name: name, Value: value, Default: access == settings.Writes}
	if registry.IsOn(value) != (access == settings.ReadOnly) {
		s.Value = registry.Opposite(value)
	}
	return s
}

func (c *candidate) placed(s *registry.ReadOnlySwitch) *registry.ReadOnlySwitch {
	s.Evidence = c.placeOf(strings.TrimPrefix(s.Name, "/"))
	return s
}

// onlyReads reports whether all tools are known, and declared to only read.
func onlyReads(d *registry.Detection) bool {
	return len(d.Tools) > 0 && !d.ToolsPartial && !slices.ContainsFunc(d.Tools, func(t registry.Tool) bool {
		e := t.Effect()
		return e.Effect != registry.EffectRead || e.Basis != registry.BasisDeclared
	})
}

// switchOf returns the switch that a knob with two states is, by its name; nil if it is none. A
// read-only flag is off by default.
func switchOf(k *knob) *registry.ReadOnlySwitch {
	access := settings.AccessOf(k.name)
	seen := slices.DeleteFunc(slices.Concat([]string{k.preset}, k.choices, k.values),
		func(v string) bool { return v == "" })
	if access == settings.AnyAccess ||
		slices.ContainsFunc(seen, func(v string) bool { return registry.Opposite(v) == "" }) {
		return nil
	}
	s := &registry.ReadOnlySwitch{Kind: k.kind, Name: k.name}
	if k.kind == registry.SwitchArgument && len(seen) == 0 {
		s.Kind, s.Default = registry.SwitchFlag, access == settings.Writes
		return s
	}
	wanted := access == settings.ReadOnly
	s.Value = strconv.FormatBool(wanted)
	for _, v := range slices.Concat(k.values, []string{k.preset}, k.choices) { // the form of documents
		if v != "" && registry.IsOn(v) == wanted {
			s.Value = v
			break
		}
		if o := registry.Opposite(v); o != "" {
			s.Value = o
		}
	}
	s.Default = k.preset != "" && s.Restricts(k.preset) || k.preset == "" && !wanted && k.isNarrow
	return s
}

// modeName matches the names of settings whose values are levels of access.
var modeName = regexp.MustCompile(`(?i)(?:mode|access|level|permissions?|policy)$`)

// choiceOf returns the switch that a knob with several values is, one of which the documents call
// read-only; nil if there is no such one.
func (c *candidate) choiceOf(k *knob) *registry.ReadOnlySwitch {
	values := slices.Concat(k.choices, k.values, k.besideReadOnly(), []string{k.preset})
	slices.Sort(values)
	values = slices.DeleteFunc(slices.Compact(values), func(v string) bool { return v == "" })
	if len(values) < 2 || !k.isChoice && !modeName.MatchString(k.name) {
		return nil
	}
	narrow := slices.DeleteFunc(slices.Clone(values), func(v string) bool {
		return settings.AccessOf(v) != settings.ReadOnly && !c.calledReadOnly(v) &&
			!slices.Contains(k.besideReadOnly(), v)
	})
	if len(narrow) != 1 {
		return nil
	}
	return &registry.ReadOnlySwitch{Kind: k.kind, Name: k.name, Value: narrow[0],
		Default: k.preset == narrow[0]}
}

// remarksOn returns the states that the README's settings of a switch have, each with the remark above
// it, in the form of descriptions: "'false': Read-only mode".
func (c *candidate) remarksOn(name string) (text string) {
	if !c.own {
		return ""
	}
	_, at, _ := c.repo.readmeOf(c.unit)
	remark := regexp.MustCompile(`(?m)^#[ \t]*(\S.*)\n(?:export )?` + name + `=["']?(\w+)`)
	for _, m := range remark.FindAllStringSubmatch(c.repo.snap.Texts[at], 20) {
		if registry.Opposite(m[2]) != "" {
			text += "\n'" + m[2] + "': " + m[1]
		}
	}
	return text
}

var saysReadOnly = regexp.MustCompile(`(?i)\bread[- ]?only\b`)

// calledReadOnly reports whether a line of the README that begins with a value says that it is
// read-only.
func (c *candidate) calledReadOnly(value string) bool {
	for line := range strings.Lines(c.readme.Text) {
		if len(line) > len(value) && strings.EqualFold(line[:len(value)], value) &&
			!isWordByte(line[len(value)]) && saysReadOnly.MatchString(line[len(value):]) {
			return c.own
		}
	}
	return false
}

// readOnlyValue matches a quoted value that a description calls read-only.
var readOnlyValue = regexp.MustCompile("(?i)[\"'`]([a-z][\\w-]*)[\"'`]\\s*(?:\\(|[:=–—-]+\\s*)read[- ]?only\\b")

// besideReadOnly returns the values that the descriptions call read-only.
func (k *knob) besideReadOnly() (values []string) {
	for _, m := range readOnlyValue.FindAllStringSubmatch(k.described, 20) {
		values = append(values, m[1])
	}
	return values
}

func isWordByte(b byte) bool {
	return b == '_' || b == '-' || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z'
}

// lifted returns how the documented configuration lets the server write; see
// [registry.ReadOnlySwitch.Lifted].
func (k *knob) lifted(s *registry.ReadOnlySwitch) string {
	switch {
	case k.used == nil:
	case s.Kind == registry.SwitchFlag && s.Default:
		return s.Name
	case s.Kind != registry.SwitchFlag && *k.used != "" && !s.Restricts(*k.used):
		return s.Name + "=" + *k.used
	}
	return ""
}

// withoutGrants returns a configuration without the options and variables that let the server do
// more, which become its grants. isAlone reports that an option has no value, or it beside it.
func withoutGrants(
	conf registry.Configuration, grants func(name, value string, isAlone bool) bool,
) registry.Configuration {
	conf.Env = slices.DeleteFunc(slices.Clone(conf.Env), func(v registry.Variable) bool {
		is := grants(v.Name, v.Value, true)
		if is {
			conf.Grants = append(conf.Grants, v.Name+"="+v.Value)
		}
		return is
	})
	args := valuesOf(conf.Args)
	var kept []registry.Argument
	for i, n := 0, 1; i < len(args); i, n = i+n, 1 {
		name, value, isJoined := strings.Cut(args[i], "=")
		hasNext := i+1 < len(args) && !strings.HasPrefix(args[i+1], "-")
		switch isOption := strings.HasPrefix(name, "-"); {
		case isOption && grants(name, value, isJoined || !hasNext):
			conf.Grants = append(conf.Grants, args[i])
		case isOption && hasNext && !isJoined && grants(name, args[i+1], false):
			conf.Grants, n = append(conf.Grants, args[i]+" "+args[i+1]), 2
		default:
			kept = append(kept, conf.Args[i])
		}
	}
	conf.Args = kept
	return conf
}

// grantsMore returns a function for [withoutGrants], which reports whether a setting that is off by
// default lets the server change something, by its name. Those of a known switch are in
// [registry.ReadOnlySwitch.Lifted].
func grantsMore(decided []settings.Setting) func(name, value string, isAlone bool) bool {
	return func(name, value string, isAlone bool) bool {
		at := slices.IndexFunc(decided, func(s settings.Setting) bool { return s.Name == name })
		isOption := strings.HasPrefix(name, "-")
		isOff := isOption || at >= 0 && registry.Opposite(decided[at].Default) != "" && !registry.IsOn(decided[at].Default)
		return isOff && isAlone && isGrant(name) && (registry.IsOn(value) || isOption && value == "")
	}
}

// isGrant reports whether the name of a setting allows to change something, and is not about all
// access of the server: "ALLOW_DELETE", "--enable-user-create".
func isGrant(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '-' || r == '_' })
	at := slices.IndexFunc(words, func(w string) bool { return w == "enable" || w == "allow" })
	return at >= 0 && at+1 < len(words) && settings.AccessOf(name) == settings.AnyAccess &&
		(tools.Changes(words[at+1]) || tools.Changes(words[len(words)-1]))
}

// setting writes a variable or option with its value, "" for none, as [registry.ToolCondition] does.
func setting(name, value string) string {
	if value == "" {
		return name
	}
	return name + "=" + value
}

// settingOfTools matches the conditions of tools that a command can set: flags, and settings with a
// value. Others, such as an address or a token, are needed for the work of tools.
var settingOfTools = regexp.MustCompile(`^(?:--[a-zA-Z][\w-]*(?:=\w+)?|[A-Z][A-Z0-9_]+=\w+)$`)

// conditionsOfWriting returns the settings without which a server does not register tools that change
// something.
func conditionsOfWriting(list []registry.Tool) (all []string) {
	for _, t := range list {
		effect := t.Effect().Effect
		if !t.IsDefault() && registry.Worse(effect, registry.EffectRead) != registry.EffectRead &&
			effect != registry.EffectUnknown && settingOfTools.MatchString(t.Conditional.Setting) {
			all = append(all, t.Conditional.Setting)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// switchOfTools returns the switch that all tools that write depend on, and no other tool; nil if
// there is none, or if conf is the documented configuration and has another value of it.
func switchOfTools(list []registry.Tool, conf registry.Configuration) *registry.ReadOnlySwitch {
	conditions := conditionsOfWriting(list)
	isOther := func(t registry.Tool) bool {
		return (t.Effect().Effect == registry.EffectRead) != t.IsDefault() ||
			!t.IsDefault() && !slices.Contains(conditions, t.Conditional.Setting)
	}
	if len(conditions) != 1 || slices.ContainsFunc(list, isOther) {
		return nil
	}
	name, value, _ := strings.Cut(conditions[0], "=")
	s := &registry.ReadOnlySwitch{Kind: registry.SwitchFlag, Name: name, Default: true}
	used, isUsed := valueIn(conf, name)
	isOption := strings.HasPrefix(name, "-")
	isMode := value != "" && registry.Opposite(value) == ""
	if isUsed && used == value {
		s.Lifted = conditions[0]
	} else if isMode || isUsed && value == "" { // full access has no word, or the option a value
		return nil
	}
	switch {
	case isOption && value != "":
		s.Kind = registry.SwitchArgument
	case !isOption:
		s.Kind, s.Value = registry.SwitchVariable, registry.Opposite(value)
	}
	return s
}

// valueIn returns the value that a configuration gives a variable or an option, which may be the next
// word.
func valueIn(conf registry.Configuration, name string) (value string, used bool) {
	words := valuesOf(conf.Args)
	for i, w := range words {
		switch {
		case w == name && i+1 < len(words) && !strings.HasPrefix(words[i+1], "-"):
			return words[i+1], true
		case w == name, strings.HasPrefix(w, name+"="):
			return strings.TrimPrefix(w[len(name):], "="), true
		}
	}
	value, used = variablesIn(conf)[name]
	return value, used
}

// started returns the tools for a start with a configuration: those whose condition it sets may be
// registered. by is the switch that the command has in the other state, nil for none.
func started(list []registry.Tool, conf registry.Configuration, by *registry.ReadOnlySwitch) []registry.Tool {
	list = slices.Clone(list)
	for i := range list {
		if list[i].IsDefault() {
			continue
		}
		c := *list[i].Conditional
		name, value, _ := strings.Cut(c.Setting, "=")
		used, isUsed := valueIn(conf, name)
		if isUsed && (value == "" || used == value) && (by == nil || by.Name != name) {
			c.Off = false
			list[i].Conditional = &c
		}
	}
	return list
}

// leading returns the configuration that the server's command is from, an empty one for none.
func leading(packages []registry.Package) (conf registry.Configuration) {
	for _, p := range packages {
		if p.Doubt == "" && len(p.Configurations) > 0 {
			return p.Configurations[0]
		}
	}
	return conf
}

// variableKnobs returns the environment variables that files name, without those that are no longer
// settings.
func (c *candidate) variableKnobs(d *registry.Detection) []*knob {
	all, at := c.claimedKnobs()
	for _, p := range d.Packages {
		for _, conf := range p.Configurations {
			for name, value := range variablesIn(conf) {
				if k := at[name]; k != nil && value != "" {
					k.values = append(k.values, strings.Split(value, ",")...)
				}
			}
		}
	}
	for name, value := range variablesIn(leading(d.Packages)) {
		if k := at[name]; k != nil {
			k.weight, k.used = weightUsed, &value
		}
	}
	for _, k := range all {
		if !k.isRead && mayLimit(k.name) && c.quotes(k.name) {
			k.isRead, k.weight = true, weightCode
		}
	}
	all = c.limiting(all)
	c.addValues(all)
	return all
}

// limiting returns those of knobs that may limit the access of the server.
func (c *candidate) limiting(all []*knob) []*knob {
	lists := c.choices()
	return slices.DeleteFunc(all, func(k *knob) bool {
		if k.isRead && !mayLimit(k.name) {
			k.described += c.remarksOn(k.name)
			chosen := append(c.chosen(lists, k), k.besideReadOnly()...)
			k.isChoice, k.choices = len(chosen) > 0, append(k.choices, chosen...)
		}
		return !k.isRead || !mayLimit(k.name) && !k.isChoice || c.refuses(k.name)
	})
}

// quotedList matches alternatives in source code: a list of texts or a type of several ones.
var quotedList = regexp.MustCompile(`["'][A-Za-z][\w-]*["'](?:\s*[,|]\s*["'][A-Za-z][\w-]*["'])+`)

// A choice is a list of words in a text of the source code.
type choice struct {
	text  string
	words []string
}

// choices returns the lists in the source code below the unit's folder of which a word says read-only.
func (c *candidate) choices() (all []choice) {
	for _, p := range slices.Sorted(maps.Keys(c.repo.snap.Texts)) {
		text := c.repo.snap.Texts[p]
		isOwn := strings.HasPrefix(p, prefix(c.unit.dir)) && paths.File(p) == paths.Own
		if !isOwn || paths.Language(p) == "" {
			continue
		}
		for _, m := range quotedList.FindAllString(text, 1000) {
			list := aWord.FindAllString(m, 20)
			if slices.ContainsFunc(list, isReadOnlyWord) && len(all) < 20 {
				all = append(all, choice{text, list})
			}
		}
	}
	return all
}

// aWord matches the words of lists and descriptions.
var aWord = regexp.MustCompile(`[A-Za-z][\w-]*`)

func isReadOnlyWord(w string) bool { return settings.AccessOf(w) == settings.ReadOnly }

// chosen returns the words of a list that documents give a setting as values, if a text of the source
// code names it and has the list, and one of these words says read-only, another one does not.
func (c *candidate) chosen(all []choice, k *knob) []string {
	all = slices.DeleteFunc(slices.Clone(all), func(l choice) bool { return !strings.Contains(l.text, k.name) })
	if len(all) == 0 || registry.IsSecretName(k.name) {
		return nil
	}
	said := slices.Concat(k.choices, k.values, aWord.FindAllString(k.described, 200))
	if _, at, _ := c.repo.readmeOf(c.unit); c.own {
		said = append(said, valuesIn(c.repo.snap.Texts[at], k.name)...)
	}
	for _, l := range all {
		list := slices.DeleteFunc(slices.Clone(l.words), func(w string) bool { return !slices.Contains(said, w) })
		isOther := func(w string) bool { return !isReadOnlyWord(w) }
		if slices.ContainsFunc(list, isReadOnlyWord) && slices.ContainsFunc(list, isOther) {
			return list
		}
	}
	return nil
}

// quotes reports whether a text of the source code is the name of a setting.
func (c *candidate) quotes(name string) bool {
	return slices.ContainsFunc(c.repo.sources(c.unit, c.alone), func(p string) bool {
		text := c.repo.snap.Texts[p]
		return strings.Contains(text, `"`+name+`"`) || strings.Contains(text, "'"+name+"'")
	})
}

// mayLimit reports whether a setting may limit the access of the server, by its name.
func mayLimit(name string) bool {
	return settings.AccessOf(name) != settings.AnyAccess || modeName.MatchString(name)
}

// addValues adds what the README says about settings: values, and whether the server only reads by
// default.
func (c *candidate) addValues(knobs []*knob) {
	_, at, _ := c.repo.readmeOf(c.unit)
	text := c.repo.snap.Texts[at]
	for _, k := range knobs {
		if c.own {
			k.values = append(k.values, valuesIn(text, k.name)...)
			k.isNarrow = isNarrow(text, k.name)
		}
	}
}

var (
	readsByDefault = regexp.MustCompile(`(?i)\bread[- ]?only(?:\s+(?:mode|access))?\W{1,4}(?:(?:is |are |as )?` +
		`(?:by|the) default\b|default\))|\bdefaults?(?:\s+(?:to|is)|:)\W+read[- ]?only\b`)
	negated = regexp.MustCompile(`(?i)(?:\b(?:not|never|no longer)|n't)\s+(?:\w+\s+)?$`)
)

// isNarrow reports whether a line of a text that names a setting says that the server only reads by
// default.
func isNarrow(text, name string) bool {
	names := wholeName(name)
	for line := range strings.Lines(text) {
		at := readsByDefault.FindStringIndex(line)
		if at != nil && !negated.MatchString(line[max(0, at[0]-30):at[0]]) && names.MatchString(line) {
			return true
		}
	}
	return false
}

// wholeName returns an expression that matches the name of a setting as a whole.
func wholeName(name string) *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^\w-])` + regexp.QuoteMeta(name) + `(?:$|[^\w-])`)
}

// claimedKnobs returns the variables that files make claims about, and their index.
func (c *candidate) claimedKnobs() (all []*knob, at map[string]*knob) {
	at = map[string]*knob{}
	for _, claim := range c.claimed {
		k := at[claim.Name]
		if k == nil {
			k = &knob{kind: registry.SwitchVariable, name: claim.Name, weight: weightCode}
			at[claim.Name], all = k, append(all, k)
		}
		isCode := claim.Source == settings.Code
		if claim.Source < settings.EnvFile {
			k.weight = weightVariable
		}
		if isCode || claim.Source < settings.ClientFile && claim.Source != settings.Extension {
			k.isRead = true
		}
		if claim.Default != "" && (k.preset == "" || isCode) {
			k.preset = claim.Default
		}
		k.choices = append(k.choices, claim.Choices...)
		k.described += "\n" + claim.Description
	}
	return all, at
}

// refusal matches the rest of a condition under which a program ends.
var refusal = regexp.MustCompile(`(?s)^[^\n]{0,80}(?:\{|:)\n[^}]*?` +
	`(?:process\.exit|sys\.exit|os\.Exit|std::process::exit|\bthrow\b|\braise\b|\bpanic)`)

// refuses reports whether the source code reads a variable only to end with an error if it is set:
// it is no longer a setting.
func (c *candidate) refuses(name string) (refused bool) {
	set := regexp.MustCompile(`\bif\b[^\n]*\b` + regexp.QuoteMeta(name) +
		`["'\])]*\s*(?:!==?\s*(?:undefined|null|nil|""|'')|is not None|!= nil)?\)?`)
	for _, p := range c.repo.sources(c.unit, c.alone) {
		text := c.repo.snap.Texts[p]
		for _, at := range set.FindAllStringIndex(text, 10) {
			if refused = refusal.MatchString(text[at[1]:min(len(text), at[1]+2000)]); !refused {
				return false
			}
		}
	}
	return refused
}

// variablesIn returns the variables that a configuration sets, in its environment or that of a
// container, with their values.
func variablesIn(conf registry.Configuration) map[string]string {
	out := map[string]string{}
	for _, v := range conf.Env {
		out[v.Name] = v.Value
	}
	for _, a := range conf.Runtime {
		word := strings.TrimPrefix(a.Value, "--env=")
		if name, value, ok := strings.Cut(word, "="); ok && settings.IsEnvName(name) {
			out[name] = value
		}
	}
	return out
}

// valuesIn returns the words that a text assigns to a name, or that follow an option.
func valuesIn(text, name string) (out []string) {
	assigned := regexp.MustCompile(`(?:^|[^\w-])` + regexp.QuoteMeta(name) +
		`(?:=|["']\s?:\s?)["']?([A-Za-z0-9][\w-]*(?:,[A-Za-z0-9][\w-]*)*)`)
	for _, m := range assigned.FindAllStringSubmatch(text, 50) {
		out = append(out, strings.Split(m[1], ",")...)
	}
	return out
}

// anOption matches an option in a text.
var anOption = regexp.MustCompile("(?:^|[\\s\"'`(\\[])(--?[a-zA-Z][a-zA-Z0-9]+(?:[-_][a-zA-Z0-9]+)*)")

func (c *candidate) optionKnobs(d *registry.Detection) (all []*knob) {
	at := map[string]*knob{}
	get := func(name string, weight int) *knob {
		if at[name] == nil {
			at[name] = &knob{kind: registry.SwitchArgument, name: name, weight: weight}
		}
		at[name].weight = min(at[name].weight, weight)
		return at[name]
	}
	for _, a := range c.declaredOptions() {
		k := get(a.Name, weightOption)
		k.preset, k.choices = cmp.Or(k.preset, a.Default), append(k.choices, a.Choices...)
	}
	for _, words := range c.ownArguments(d.Packages) {
		for name, value := range optionsIn(words) {
			k := get(name, weightOption)
			k.values = append(k.values, value)
		}
	}
	for name, value := range optionsIn(valuesOf(leading(d.Packages).Args)) {
		get(name, weightUsed).used = &value
	}
	for _, name := range c.mentionedOptions(at) {
		get(name, weightMentioned)
	}
	for _, name := range slices.Sorted(maps.Keys(at)) {
		if k := at[name]; mayLimit(name) {
			inCode, _ := c.codeDefault(name)
			isMode := settings.AccessOf(name) == settings.AnyAccess
			isOn := registry.IsOn(inCode)
			if isMode || isOn && c.language() == "Go" { // where flags have values
				k.preset = cmp.Or(k.preset, inCode)
			}
			if isMode || !isOn || k.preset != "" {
				all = append(all, k)
			}
		}
	}
	c.addValues(all)
	return all
}

// declaredOptions returns the options that server.json or the registry's entry declares, even as
// ones of the program that runs the package.
func (c *candidate) declaredOptions() (all []registry.Argument) {
	for _, l := range c.unit.listings() {
		for _, p := range l.Packages {
			if p.RegistryType != "oci" {
				all = append(all, p.RuntimeArguments...)
			}
			all = append(all, p.PackageArguments...)
		}
	}
	return slices.DeleteFunc(all, func(a registry.Argument) bool { return a.Type != "named" })
}

// mentionedOptions returns the options of the server in the text of the README.
func (c *candidate) mentionedOptions(known map[string]*knob) (names []string) {
	if !c.own {
		return nil
	}
	for line := range strings.Lines(c.readme.Text) {
		for _, m := range anOption.FindAllStringSubmatch(line, 20) {
			name := m[1]
			if known[name] == nil {
				name = c.optionOf(name, strings.HasPrefix(line, name))
			}
			if name != "" {
				names = append(names, name)
			}
		}
	}
	return names
}

// ownArguments returns the arguments of the commands that start the server.
func (c *candidate) ownArguments(packages []registry.Package) (all [][]string) {
	for _, p := range packages {
		for _, conf := range p.Configurations {
			all = append(all, valuesOf(conf.Args))
		}
	}
	for _, l := range c.readme.Commands {
		if l.Runs && c.ours(l) {
			all = append(all, l.Args)
		}
	}
	return all
}

func valuesOf(args []registry.Argument) (words []string) {
	for _, a := range args {
		words = append(words, a.Value)
	}
	return words
}

// optionsIn returns the options of a command with their values, "" for none.
func optionsIn(words []string) map[string]string {
	out := map[string]string{}
	for i, w := range words {
		name, value, given := strings.Cut(w, "=")
		if !strings.HasPrefix(name, "-") {
			continue
		}
		if !given && i+1 < len(words) && (registry.Opposite(words[i+1]) != "" ||
			modeName.MatchString(name) && !strings.HasPrefix(words[i+1], "-")) {
			value = words[i+1]
		}
		out[name] = value
	}
	return out
}

// optionOf returns an option in the README if it is one of the server, as its source code spells it,
// otherwise "". If not all of that was read, it may be one that an entry begins with, and that starts
// no container.
func (c *candidate) optionOf(option string, leads bool) string {
	if !mayLimit(option) {
		return ""
	}
	name := strings.TrimLeft(option, "-")
	words := strings.ReplaceAll(regexp.QuoteMeta(name), "-", "[-_]")
	literal := regexp.MustCompile("[\"'`](?:--?)?(" + words + ")[\"'`=]")
	identifier := regexp.MustCompile(`(?:^|[^\w-])` + strings.ReplaceAll(name, "-", "_") + `\b`)
	isRead := false // into a variable, by a library
	for _, p := range c.repo.sources(c.unit, c.alone) {
		text := c.repo.snap.Texts[p]
		if m := literal.FindStringSubmatch(text); m != nil {
			return strings.TrimSuffix(option, name) + m[1]
		}
		isRead = isRead || strings.Contains(name, "-") && identifier.MatchString(text)
	}
	if isRead || leads && !c.repo.readFully(c.unit, c.alone) &&
		!slices.ContainsFunc(c.readme.Commands, func(l shell.Launch) bool {
			return slices.Contains(l.Runtime, option)
		}) {
		return option
	}
	return ""
}

// placeOf returns the first place that names a setting: in the README, another document or
// manifest of the server, or its source code.
func (c *candidate) placeOf(name string) string {
	names := wholeName(name)
	_, readme, _ := c.repo.readmeOf(c.unit)
	var documents, sources []string
	for _, p := range slices.Sorted(maps.Keys(c.repo.snap.Texts)) {
		switch {
		case !strings.HasPrefix(p, prefix(c.unit.dir)), paths.File(p) != paths.Own:
		case paths.Language(p) == "":
			documents = append(documents, p)
		default:
			sources = append(sources, p)
		}
	}
	for _, p := range slices.Concat([]string{readme}, documents, sources) {
		text := c.repo.snap.Texts[p]
		if at := names.FindStringIndex(text); at != nil {
			return p + ":" + strconv.Itoa(1+strings.Count(text[:at[0]+1], "\n"))
		}
	}
	return ""
}
