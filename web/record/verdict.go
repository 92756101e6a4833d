package record

import (
	"slices"
	"strings"

	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
	"mcpcensus/web/format"
)

// Levels of a [Mark] and a line of [Record.Abilities].
const (
	LevelGood    = "good"
	LevelCaution = "caution"
	LevelBad     = "bad"
	LevelUnknown = "unknown"
	LevelNeutral = "neutral"
)

// A Mark is one part of a server's verdict.
type Mark struct {
	Level string
	Text  string // a few words in lower case
	Link  string // the path of its proof
}

// Bounds of the chance of a commit in the next 90 days.
const (
	maintainedChance = .5
	abandonedChance  = .2
)

// Verdict returns the facts that decide about a server, in words: its worst risk, its publisher,
// whether it is maintained, what it can do, the size of its tools and the state of its endpoint.
func (r Record) Verdict() (all []Mark) {
	if w := r.Warnings(); len(w) > 0 {
		all = append(all, Mark{w[0].Level(), w[0].Label(), r.at("", "risks")})
	}
	if r.Official {
		all = append(all, Mark{LevelGood, "official", r.at("", "official")})
	} else {
		all = append(all, Mark{LevelUnknown, "not known to be official", r.at("health", "owner_identity")})
	}
	if r.StatusRisk() == nil && !r.Offline() { // nobody can use what is maintained
		all = append(all, r.maintained())
	}
	all = append(all, r.ability())
	if count := format.Tools(r.Server); count != "" && len(r.Tools) > 0 {
		all = append(all, r.tokens(count))
	}
	if !registry.HasRisk(r.Risks(), registry.RiskEndpointDown) {
		all = append(all, r.endpoint())
	}
	for i := range all {
		all[i].Level = r.level(all[i].Level)
	}
	return all
}

// Harm reports whether the server has a harmful finding.
func (r Record) Harm() bool { return r.Severity() == registry.SeverityHarmful }

// level returns a level. Nothing is good beside a harmful finding.
func (r Record) level(level string) string {
	if level == LevelGood && r.Harm() {
		return LevelNeutral
	}
	return level
}

// at returns the path of an element on a tab of the server's page; tab is "" for the first.
func (r Record) at(tab, id string) string {
	path := "/servers/" + r.Slug
	if tab != "" {
		path += "/" + tab
	}
	if id != "" {
		path += "#" + id
	}
	return path
}

func (r Record) maintained() Mark {
	m := Mark{LevelGood, "maintained", r.at("health", "commit_recency")}
	chance := r.Health.CommitChance
	switch {
	case slices.Contains(r.Health.Flags, "stable_quiet"):
		m.Text = "finished, few changes"
	case chance == nil:
		m.Level, m.Text = LevelUnknown, "maintenance unknown"
	case *chance < maintainedChance:
		m.Level, m.Text = LevelCaution, "maybe no longer maintained"
		if *chance < abandonedChance {
			m.Level, m.Text = LevelBad, "probably no longer maintained"
		}
	}
	return m
}

// ability says what the most severe tools do.
func (r Record) ability() Mark {
	c, link := r.Capabilities(), r.at("tools", "")
	n := c.Read + c.Write + c.Destructive + c.Execute + c.Unknown
	of := func(some int) string {
		return text.Thousands(some) + " of " + text.Count(n, "tool")
	}
	worst := r.toolsWith(c.Effect)
	count := of(len(worst))
	if !c.Complete {
		count = "perhaps"
		if certain := len(registry.CertainTools(worst)); certain > 0 {
			count = "at least " + text.Count(certain, "tool")
		}
	}
	switch {
	case n == 0 && c.Complete:
		return Mark{LevelNeutral, "no tools", link}
	case n == 0:
		return Mark{LevelUnknown, "tools unknown", link}
	case c.ReadOnlyDefault && c.ReadOnly.Lifted == "":
		return Mark{LevelGood, "read-only by default", link}
	case registry.Worse(c.Effect, registry.EffectRead) != registry.EffectRead:
		return r.judged(c.Effect, count)
	case n == c.Unknown:
		return Mark{LevelUnknown, "effects unknown", link}
	case !c.Complete:
		return Mark{LevelUnknown, "its known tools only read", link}
	case c.Unknown > 0:
		return Mark{LevelUnknown, "effects unknown: " + of(c.Unknown), link}
	case c.Guessed:
		return Mark{LevelUnknown, "read-only, judging by names and descriptions", link}
	}
	return Mark{LevelGood, registry.EffectWords[registry.EffectRead], link}
}

// judged says how many tools have an effect, and that it is only guessed if that is so for all of
// them.
func (r Record) judged(effect, count string) Mark {
	m := Mark{effectLevels[effect], registry.EffectWords[effect] + ": " + count, r.at("tools", "")}
	if allGuessed(r.toolsWith(effect)) {
		m.Level, m.Text = LevelCaution, m.Text+", judging by names and descriptions"
	}
	return m
}

func (r Record) tokens(count string) Mark {
	m := Mark{LevelNeutral, count, r.at("tools", "")}
	if r.ToolTokens == nil {
		return m
	}
	if m.Level = LevelGood; r.HeavyTools() {
		m.Level = LevelCaution
	}
	least := ""
	if r.LeastTokens() {
		least = "at least "
	}
	m.Text += ", " + least + format.Compact(int64(*r.ToolTokens)) + " tokens"
	return m
}

func (r Record) endpoint() Mark {
	m := Mark{LevelUnknown, "endpoint not checked", r.at("", "install")}
	l := r.BestEndpoint()
	switch {
	case len(r.Remotes) == 0:
		m.Level, m.Text = LevelNeutral, "no hosted endpoint"
	case l == nil || r.Liveness == registry.LivenessUnknown:
	case r.Liveness == registry.LivenessDown:
		m.Level, m.Text = LevelBad, "endpoint down"
	default:
		m.Level, m.Text = LevelGood, "endpoint online"
		if uptime, _, known := strings.Cut(text.Uptime(l.Uptime30, l.Probes), " of "); known {
			m.Text += " " + uptime
		}
	}
	return m
}

// toolsWith returns the default tools with an effect.
func (r Record) toolsWith(effect string) []registry.Tool {
	return slices.DeleteFunc(registry.DefaultTools(r.Tools),
		func(t registry.Tool) bool { return t.Effect().Effect != effect })
}

// maybeOthers says how the tools of a start may differ from an incomplete list.
func maybeOthers(tools []registry.Tool) string {
	if len(registry.CertainTools(tools)) < len(registry.DefaultTools(tools)) {
		return "Maybe fewer or other tools, by conditions that are unknown"
	}
	return "Maybe more tools, which are unknown"
}

func allGuessed(tools []registry.Tool) bool {
	return !slices.ContainsFunc(tools, func(t registry.Tool) bool { return !t.Effect().IsGuess() })
}

// contradicting returns the tools that are declared to be read-only although their code is not.
func (r Record) contradicting() (all []registry.Tool) {
	for _, t := range r.Tools {
		if t.Contradicts() {
			all = append(all, t)
		}
	}
	return all
}

// An Ability is a line of the box "What it can do".
type Ability struct {
	Level string
	Text  string
	Names []string // of tools, hosts or settings
	More  int      // names that are omitted
	Note  string   // how it is known, "" if that is obvious
}

const maxNames = 3

func ability(level, text, note string, names ...string) Ability {
	a := Ability{Level: level, Text: text, Note: note, More: max(0, len(names)-maxNames)}
	for _, name := range names[:min(len(names), maxNames)] {
		a.Names = append(a.Names, visible(name))
	}
	return a
}

// visible shortens a name and makes its characters visible.
func visible(name string) string { return text.Fit(text.OneLine(name), 60) }

var effectLevels = map[string]string{
	registry.EffectExecute: LevelBad, registry.EffectDestructive: LevelCaution,
	registry.EffectWrite: LevelCaution, registry.EffectRead: LevelGood, registry.EffectUnknown: LevelUnknown,
}

// levelOf returns the level of tools with an effect. Reading is only good where the verdict says so.
func levelOf(tools []registry.Tool, effect string, c *registry.Capabilities) string {
	guessed := allGuessed(tools)
	switch {
	case guessed && effect == registry.EffectExecute:
		return LevelCaution
	case effect == registry.EffectRead && (guessed || c.Effect == registry.EffectUnknown ||
		c.Effect == registry.EffectRead && c.Guessed):
		return LevelUnknown
	}
	return effectLevels[effect]
}

// Abilities says what the server can do, the most severe first, and what is not known about that.
func (r Record) Abilities() (all []Ability) {
	c := r.Capabilities()
	switch {
	case len(r.Tools) > 0:
	case c.Complete:
		all = append(all, ability(LevelNeutral, "No tools", ""))
	default:
		all = append(all, ability(LevelUnknown, "Tools unknown", ""))
	}
	for _, effect := range slices.Backward(registry.Effects) {
		tools := r.toolsWith(effect)
		if len(tools) == 0 {
			continue
		}
		var names []string
		if registry.Worse(effect, registry.EffectWrite) != registry.EffectWrite {
			names = namesOf(tools)
		}
		all = append(all, ability(levelOf(tools, effect, &c), format.Effect(effect)+": "+text.Count(len(tools), "tool"),
			basesOf(tools), names...))
	}
	if len(r.Tools) > 0 && !c.Complete {
		all = append(all, ability(LevelUnknown, maybeOthers(r.Tools), ""))
	}
	all = append(all, r.switchedOff()...)
	if tools := r.contradicting(); tools != nil {
		all = append(all, ability(LevelCaution, "Declared read-only, but the code does more",
			tools[0].Inferred.Evidence, namesOf(tools)...))
	}
	all = append(all, touched(c.Touches)...)
	all = append(all, r.secrets()...)
	all = append(all, readOnly(c)...)
	for i := range all {
		all[i].Level = r.level(all[i].Level)
	}
	return all
}

// switchedOff says what tools can do that a start with the default settings does not have.
func (r Record) switchedOff() (all []Ability) {
	off := map[string][]registry.Tool{}
	for _, t := range r.Tools {
		if !t.IsDefault() {
			off[t.Effect().Effect] = append(off[t.Effect().Effect], t)
		}
	}
	for _, effect := range slices.Backward(registry.Effects) {
		if tools := off[effect]; tools != nil {
			all = append(all, ability(LevelNeutral, format.Effect(effect)+" (off by default): "+text.Count(len(tools), "tool"),
				tools[0].Conditional.String(), namesOf(tools)...))
		}
	}
	return all
}

// readOnly says which setting makes the server read-only, and whether its documented configuration
// lets it write.
func readOnly(c registry.Capabilities) (all []Ability) {
	if by := c.ReadOnlyEndpoint; by != nil {
		all = append(all, ability(LevelGood, "Hosted endpoint read-only with", by.Evidence, by.Setting()))
	}
	s := c.ReadOnly
	if s == nil {
		return all
	}
	all = append(all, ability(LevelGood, s.Words(), s.Evidence, s.Setting()))
	if s.Lifted != "" {
		all = append(all, ability(LevelCaution, "Documented to be started with", "", s.Lifted))
	}
	return all
}

func namesOf(tools []registry.Tool) (names []string) {
	for _, t := range tools {
		names = append(names, t.Name)
	}
	return names
}

// basesOf says how the effects of tools are known: "2 declared by the owner, 1 guessed from
// names".
func basesOf(tools []registry.Tool) string {
	count := map[string]int{}
	for _, t := range tools {
		count[t.Effect().Basis]++
	}
	count[registry.BasisName] += count[registry.BasisSchema]
	var said []string
	for _, basis := range []string{registry.BasisDeclared, registry.BasisSource, registry.BasisName} {
		switch n := count[basis]; n {
		case 0:
		case len(tools):
			return basisWords[basis]
		default:
			said = append(said, text.Thousands(n)+" "+basisWords[basis])
		}
	}
	return strings.Join(said, ", ")
}

// basisWords say how the effect of a tool is known.
var basisWords = map[string]string{
	registry.BasisDeclared: "declared by the owner", registry.BasisSource: "from the source code",
	registry.BasisSchema: "guessed from names and descriptions", registry.BasisName: "guessed from names and descriptions",
}

// touched says what the source code of a server uses, and what is known not to be used.
func touched(t registry.Touches) (all []Ability) {
	var absent []string
	for _, x := range []struct {
		uses               []registry.SourceUse
		level, text, which string
	}{
		{t.Processes, LevelCaution, "Starts processes", "processes"},
		{t.Files, LevelNeutral, "Uses files", "files"},
		{t.Listens, LevelNeutral, "Listens on a port", "ports"},
		{t.Telemetry, LevelCaution, "Sends telemetry", "telemetry"},
	} {
		if len(x.uses) == 0 {
			absent = append(absent, x.which)
			continue
		}
		var names []string
		for _, u := range x.uses {
			names = append(names, u.Name)
		}
		all = append(all, ability(x.level, x.text, x.uses[0].Evidence, names...))
	}
	var hosts []string
	seen := 0
	for _, h := range t.Hosts {
		if hosts = append(hosts, h.Host); h.Seen {
			seen++
		}
	}
	switch {
	case hosts != nil:
		note := ""
		if seen > 0 {
			note = text.Count(seen, "host") + " seen in a sandbox"
		}
		all = append(all, ability(LevelNeutral, "Talks to", note, hosts...))
	case t.SourceRead == registry.SourceReadWhole:
		all = append(all, ability(LevelUnknown, "No hosts named in its code", "settings and libraries may name some"))
	default:
		absent = append(absent, "hosts")
	}
	return append(all, untouched(t.SourceRead, absent)...)
}

// untouched says what the source code does not use, as far as it was read.
func untouched(read string, absent []string) []Ability {
	if absent == nil {
		return nil
	}
	list := absent[0]
	if last := len(absent) - 1; last > 0 {
		list = strings.Join(absent[:last], ", ") + " or " + absent[last]
	}
	switch read {
	case registry.SourceReadWhole:
		return []Ability{ability(LevelUnknown, "No "+list+" seen in its code", "libraries were not read")}
	case registry.SourceReadPart:
		return []Ability{ability(LevelUnknown, "Uses no known "+list,
			"only a part of the source code was read")}
	}
	return []Ability{ability(LevelUnknown, "Use of "+list+" unknown", "its code was not searched for them")}
}

// secrets says which secrets the server needs, and which others it accepts.
func (r Record) secrets() (all []Ability) {
	if r.LastCrawledAt == nil {
		return nil
	}
	needed := r.RequiredSecrets()
	add := func(words string, names []string) {
		if len(names) > 1 {
			words += "s"
		}
		if len(names) > 0 {
			all = append(all, ability(LevelNeutral, words, "", names...))
		}
	}
	add("Needs secret", needed)
	add("Accepts secret", slices.DeleteFunc(r.Secrets(), func(name string) bool { return slices.Contains(needed, name) }))
	if all == nil {
		all = append(all, ability(LevelNeutral, "No secrets known", ""))
	}
	return all
}

// A Warning is a risk with the address of its details on the server's page, "" for none.
type Warning struct {
	registry.Risk
	Link string
}

// Level is LevelBad for a harmful server, otherwise LevelCaution.
func (w Warning) Level() string {
	if w.Severity == registry.SeverityHarmful {
		return LevelBad
	}
	return LevelCaution
}

// Warnings are the risks.
func (r Record) Warnings() (all []Warning) {
	for _, risk := range r.Risks() {
		w := Warning{Risk: risk}
		switch risk.Kind {
		case "malware", "vulnerable":
			w.Link = r.at("health", "advisories")
		case registry.RiskToolsChanged:
			w.Link = r.at("versions", "tool-changes")
		}
		all = append(all, w)
	}
	return all
}

// InstallFold is the summary of what the ways to install the server are folded into, "" if they
// are open.
func (r Record) InstallFold() string {
	switch {
	case r.Harm():
		return "Show install anyway"
	case r.Severity() == registry.SeverityCaution:
		return "Install anyway"
	}
	return ""
}

// RiskLabels returns the kinds of a server's risks in words, nil if there are none.
func RiskLabels(s *registry.Server) (all []string) {
	for _, risk := range s.Risks() {
		if label := risk.Label(); !slices.Contains(all, label) {
			all = append(all, label)
		}
	}
	return all
}
