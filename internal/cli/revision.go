package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/dockerrun"
	"mcpcensus/crawler/shell"
	"mcpcensus/internal/clientfile"
	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
	verorder "mcpcensus/internal/version"
)

// A command is the words that an entry starts, and where the entry has them.
type command struct {
	words []string
	first []string // path of the program
	rest  []string // path of the arguments; nil if one list has all words
}

// commandOf returns the command of an entry; it has no words if there is none.
func commandOf(entry map[string]any) command {
	e := shell.ReadEntry(entry)
	c := command{first: []string{"command"}, rest: []string{"args"}}
	if e.Command == "" {
		return c
	}
	c.words = append([]string{e.Command}, e.Args...)
	switch entry["command"].(type) {
	case nil:
		c.first = []string{"cmd"}
	case []any:
		c.rest = nil
	case map[string]any:
		c.first, c.rest = []string{"command", "path"}, []string{"command", "args"}
	}
	return c
}

// become returns the changes after which an entry starts other words.
func (c command) become(words []string) (all []clientfile.Change) {
	if c.rest == nil {
		if slices.Equal(c.words, words) {
			return nil
		}
		return []clientfile.Change{{Path: c.first, Value: words}}
	}
	if c.words[0] != words[0] {
		all = append(all, clientfile.Change{Path: c.first, Value: words[0]})
	}
	if !slices.Equal(c.words[1:], words[1:]) {
		all = append(all, clientfile.Change{Path: c.rest, Value: words[1:]})
	}
	return all
}

// A setting is a variable or a header that an entry sets.
type setting struct {
	header bool
	name   string
	path   []string // of the value; of the list with the name if value is ""
	value  string
}

func (s setting) same(other setting) bool {
	return s.header == other.header &&
		(s.name == other.name || s.header && strings.EqualFold(s.name, other.name))
}

// settingsOf returns the variables and headers that an entry sets, in the order of their names.
func settingsOf(entry map[string]any) (all []setting) {
	for _, key := range slices.Sorted(maps.Keys(entry)) {
		header := slices.Contains(shell.HeaderMembers, key) || key == "env_http_headers"
		switch value := entry[key].(type) {
		case map[string]any:
			inner, _ := value["env"].(map[string]any) // Zed, formerly
			for _, name := range slices.Sorted(maps.Keys(inner)) {
				if key == "command" {
					all = append(all, setting{false, name, []string{key, "env", name}, fmt.Sprint(inner[name])})
				}
			}
			for _, name := range slices.Sorted(maps.Keys(value)) {
				if header || slices.Contains(shell.EnvMembers, key) {
					all = append(all, setting{header, name, []string{key, name}, fmt.Sprint(value[name])})
				}
			}
		case []any:
			for _, name := range texts(value) {
				if key == "env_keys" || key == "env_vars" {
					all = append(all, setting{name: name, path: []string{key}})
				}
			}
		case string:
			if key == "bearer_token_env_var" {
				all = append(all, setting{true, "Authorization", []string{key}, value})
			}
		}
	}
	return append(all, settingsOfCommand(commandOf(entry))...)
}

// mayGet reports whether the server of an entry may get variables that the entry does not name:
// from a file, or from what runs its command.
func mayGet(entry map[string]any) bool {
	for key := range entry {
		if strings.HasPrefix(strings.ToLower(strings.ReplaceAll(key, "_", "")), "envfile") {
			return true
		}
	}
	words := commandOf(entry).words
	if len(words) == 0 {
		return false
	}
	l, _ := shell.ParseCommand(words[0], words[1:])
	isFile := func(o dockerrun.Option) bool { return o.Name == "env-file" }
	line := strings.Join(words, " ")
	return l.Runner == "docker" && slices.ContainsFunc(dockerrun.Parse(l.Runtime).Options, isFile) ||
		line != l.Line && line != "cmd /c "+l.Line
}

// settingsOfCommand returns the variables that a command sets itself.
func settingsOfCommand(c command) (all []setting) {
	if len(c.words) == 0 {
		return nil
	}
	l, _ := shell.ParseCommand(c.words[0], c.words[1:])
	for _, name := range slices.Sorted(maps.Keys(l.Env)) {
		all = append(all, setting{name: name})
	}
	for _, o := range dockerrun.Parse(l.Runtime).Options {
		if name, _, set := o.Variable(); l.Runner == "docker" && o.Name == "env" && set {
			all = append(all, setting{name: name})
		}
	}
	return all
}

func texts(list []any) (all []string) {
	for _, x := range list {
		if s, ok := x.(string); ok {
			all = append(all, s)
		}
	}
	return all
}

// A revision is the changes of an entry to what a release requires. The entry keeps all else: its
// values, arguments, options, and members that this program does not know.
type revision struct {
	changes []clientfile.Change
	drops   []string // words of the user that the new command does not have
	notes   []string
	needs   needs
	given   []string // words of the wanted command with values that the user has given now
	others  []string // what a new entry has too, and the release does not require
}

// needs is what a release requires of its entries.
type needs struct {
	launch   shell.Launch        // the command without other arguments
	settings []registry.Variable // variables and headers, also others
}

// needs returns what the release with a package, or the address of one, requires.
func (r *record) needs(is identity) needs {
	n := needs{settings: slices.Clone(r.variables)}
	for _, p := range r.Packages {
		if !packageIdentity(p.RegistryType, p.Identifier, "").of(is) {
			continue
		}
		n.settings = append(n.settings, p.EnvironmentVariables...)
		isOptional := func(a registry.Argument) bool { return !a.IsRequired && !anyRequired(a.Variables) }
		p.RuntimeArguments = slices.DeleteFunc(slices.Clone(p.RuntimeArguments), isOptional)
		p.PackageArguments = slices.DeleteFunc(slices.Clone(p.PackageArguments), isOptional)
		p.EnvironmentVariables = slices.DeleteFunc(slices.Clone(p.EnvironmentVariables),
			func(v registry.Variable) bool { return !v.IsRequired && !anyRequired(v.Variables) })
		if l, ok := install.Of(p); ok {
			n.launch, _ = shell.ParseCommand(l.Command, l.Args) // without arguments if it fails
		}
	}
	return n
}

func anyRequired(variables map[string]registry.Variable) bool {
	isRequired := func(v registry.Variable) bool { return v.IsRequired }
	return slices.ContainsFunc(slices.Collect(maps.Values(variables)), isRequired)
}

// requires reports whether a release requires a variable or a header.
func (n needs) requires(s setting) bool {
	return slices.ContainsFunc(n.settings, func(v registry.Variable) bool {
		return s.same(setting{header: s.header, name: v.Name}) && (v.IsRequired || anyRequired(v.Variables))
	})
}

var errOtherWay = errors.New("it reaches the server in another way than a new entry")

// revise returns the revision of an entry to a wanted one, of which it lacks what needs are. plain
// is the wanted one without the values that the user has given now: those replace the values of
// the entry.
func revise(old, wanted, plain map[string]any, needs needs) (u revision, err error) {
	from, to := commandOf(old), commandOf(wanted)
	u.needs = needs
	for i, w := range commandOf(plain).words {
		if to.words[i] != w {
			u.given = append(u.given, to.words[i])
		}
	}
	if (len(from.words) == 0) != (len(to.words) == 0) {
		return u, errOtherWay
	}
	if len(from.words) > 0 {
		words, err := u.words(from.words, to.words)
		if err != nil {
			return u, err
		}
		u.changes = from.become(words)
	}
	u.withSettings(old, wanted, plain)
	if len(u.others) > 0 {
		u.notes = append(u.notes, "New entries also have "+strings.Join(u.others, " ")+
			", which is not known to be required.")
	}
	return u, nil
}

// withSettings adds the variables and headers of a wanted entry that an old one lacks.
func (u *revision) withSettings(old, wanted, plain map[string]any) {
	has, given := settingsOf(old), settingsOf(plain)
	keys := texts(listOf(old["env_keys"]))
	for _, s := range settingsOf(wanted) {
		isOld, isSame := slices.IndexFunc(has, s.same), slices.IndexFunc(given, s.same)
		isGiven := isSame >= 0 && given[isSame].value != s.value
		switch {
		case s.path == nil:
		case isOld >= 0 && !isGiven:
		case !isGiven && !u.needs.requires(s):
			u.others = append(u.others, s.name)
		case !s.header && !isGiven && mayGet(old):
			u.notes = append(u.notes, "Set "+s.name+" where the variables of the entry come from.")
		case s.value == "":
			keys = append(keys, s.name)
			u.set(clientfile.Change{Path: s.path, Value: keys})
		case isOld >= 0 && len(has[isOld].path) >= 2:
			u.set(clientfile.Change{Path: has[isOld].path, Value: s.value})
		default:
			u.set(clientfile.Change{Path: inMember(old, s.path), Value: s.value})
		}
	}
}

// values returns the strings in the changes.
func (u *revision) values() (all []string) {
	for _, c := range u.changes {
		switch value := c.Value.(type) {
		case string:
			all = append(all, value)
		case []string:
			all = append(all, value...)
		}
	}
	return all
}

// has reports whether a text is in a value of the changes.
func (u *revision) has(text string) bool {
	return slices.ContainsFunc(u.values(), func(v string) bool { return strings.Contains(v, text) })
}

// used reports whether all words and settings of a wanted entry that differ from those of plain
// are in the changes.
func (u *revision) used(wanted, plain map[string]any) bool {
	words, others := commandOf(wanted).words, commandOf(plain).words
	for i, w := range words {
		if w != others[i] && !slices.Contains(u.values(), w) {
			return false
		}
	}
	return true
}

// inputs returns the values in a document of VS Code that the changes let it ask for, as a
// document; "" if there are none.
func (u *revision) inputs(doc string) string {
	var all struct{ Inputs []map[string]any }
	if json.Unmarshal([]byte(doc), &all) != nil {
		return ""
	}
	used := slices.DeleteFunc(all.Inputs, func(x map[string]any) bool {
		return !u.has(fmt.Sprintf("${input:%s}", x["id"]))
	})
	text, err := json.Marshal(map[string]any{"inputs": used})
	if err != nil || len(used) == 0 {
		return ""
	}
	return string(text)
}

func listOf(value any) []any {
	list, _ := value.([]any)
	return list
}

// set adds a change, which replaces one of the same member.
func (u *revision) set(c clientfile.Change) {
	u.changes = slices.DeleteFunc(u.changes,
		func(x clientfile.Change) bool { return slices.Equal(x.Path, c.Path) })
	u.changes = append(u.changes, c)
}

// inMember returns the path of a setting in the member that an entry has for variables.
func inMember(entry map[string]any, path []string) []string {
	if slices.Contains(shell.EnvMembers, path[0]) {
		if in, ok := entry["command"].(map[string]any); ok && in["env"] != nil {
			return []string{"command", "env", path[1]}
		}
		for _, key := range shell.EnvMembers {
			if _, ok := entry[key].(map[string]any); ok {
				return []string{key, path[1]}
			}
		}
	}
	return path
}

// words returns the words of a command with the version and the arguments that another one has.
func (u *revision) words(from, to []string) ([]string, error) {
	old, _ := shell.ParseCommand(from[0], from[1:])
	wanted, _ := shell.ParseCommand(to[0], to[1:])
	is := identityOf(from[0], from[1:])
	if is.of(identityOf(to[0], to[1:])) {
		words, err := renamed(from, old, wanted)
		if err == nil && !is.of(identityOf(words[0], words[1:])) {
			err = errCommand
		}
		if err == nil && startsOther(old.Args, wanted.Args) {
			err = errOtherCommand
		}
		if err != nil {
			return nil, err
		}
		words = u.withArguments(words, old, wanted)
		if to[0] == "cmd" && install.StartsBatchFile(words) {
			words = slices.Concat(to[:2], words) // "cmd /c" on Windows
		}
		return words, nil
	}
	for _, w := range from {
		_, _, isName := cutName(w, old.Spec)
		if !isName && w != old.Runner && w != "-y" && w != "--yes" && !slices.Contains(to, w) {
			u.drops = append(u.drops, w)
		}
	}
	return to, nil
}

var errOtherCommand = errors.New("it starts another command of the package than a new entry")

// subcommand matches the name of a command of a program.
var subcommand = regexp.MustCompile(`^[a-z][a-z-]*$`)

// startsOther reports whether the first arguments are the names of two commands of a program.
func startsOther(old, wanted []string) bool {
	return len(old) > 0 && len(wanted) > 0 && old[0] != wanted[0] &&
		subcommand.MatchString(old[0]) && subcommand.MatchString(wanted[0])
}

// isOlder reports whether a version is older than another one of the same kind of package.
func isOlder(kind, a, b string) bool {
	if kind == "oci" {
		order, ok := verorder.CompareAny(a, b)
		return ok && order < 0
	}
	return verorder.Compare(kind, a, b) < 0
}

// naming returns the words that name the package of a command, in the version of a wanted
// command unless the old one is newer, or fixed by its digest.
func naming(old, wanted shell.Launch) []string {
	spec := old.Spec
	isFixed := strings.Contains(old.Spec, "@") && !strings.Contains(wanted.Spec, "@")
	switch kind := old.RegistryType; {
	case wanted.Version == "" || old.Version != "" && !isOlder(kind, old.Version, wanted.Version):
	case kind == "oci":
		if !isFixed {
			spec = wanted.Spec
		}
	default:
		spec = inVersion(kind, spec, wanted.Version)
	}
	switch {
	case old.Script != "" || wanted.Script == "":
		return []string{spec}
	case old.RegistryType == "pypi":
		return []string{"--from", spec, wanted.Script}
	}
	return []string{"--package=" + spec, wanted.Script}
}

var errCommand = errors.New("its command cannot be changed safely")

// inVersion returns the name of a package with another version: extras and aliases stay.
func inVersion(kind, spec, version string) string {
	if kind != "pypi" {
		at := strings.LastIndex(spec, "@")
		if at <= strings.LastIndex(spec, "/") || at <= 0 {
			at = len(spec)
		}
		return spec[:at] + "@" + version
	}
	at, sign := strings.IndexAny(spec+"=", "=<>~!@[; "), "=="
	if end := strings.Index(spec, "]"); end > at && spec[at] == '[' {
		at = end + 1
	}
	if strings.HasPrefix(spec[at:], "@") {
		sign = "@"
	}
	return spec[:at] + sign + version
}

// renamed returns the words of a command with the package as a wanted command has it. Its name
// may be within a word: "--package=x@1", or the script of a shell.
func renamed(words []string, old, wanted shell.Launch) (out []string, err error) {
	name, others := old.Spec, naming(old, wanted)
	if old.Version != "" && !strings.Contains(old.Spec, old.Version) { // in an option
		name, others = old.Version, []string{wanted.Version}
	}
	if len(others) == 1 && others[0] == name {
		return words, nil
	}
	found := 0
	for _, w := range words {
		before, after, ok := cutName(w, name)
		switch {
		case !ok:
			out = append(out, w)
			continue
		case before+after == "":
			out = append(out, others...)
		default:
			out = append(out, before+strings.Join(others, " ")+after)
		}
		found++
	}
	if found != 1 {
		return nil, errCommand
	}
	return out, nil
}

// cutName cuts a text around a name, which is not a part of a longer one.
func cutName(text, name string) (before, after string, ok bool) {
	at := strings.Index(text, name)
	if at < 0 || name == "" {
		return text, "", false
	}
	before, after = text[:at], text[at+len(name):]
	const ends = " \t\"'=;&|()"
	ok = (before == "" || strings.ContainsAny(before[len(before)-1:], ends)) &&
		(after == "" || strings.ContainsAny(after[:1], ends))
	return before, after, ok
}

// withArguments returns words with the options and arguments that a wanted command has, the
// release requires and the old one lacks. The old ones stay.
func (u *revision) withArguments(words []string, old, wanted shell.Launch) []string {
	if old.RegistryType == "oci" {
		words = u.with(words, len(words)-len(old.Args)-1, u.missingOptions(old, wanted))
	}
	missing, at := u.missingArguments(old.Args, wanted.Args), len(words)
	if len(missing) > 0 && !strings.HasPrefix(missing[0], "-") {
		at -= len(old.Args)
	}
	return u.with(words, at, missing)
}

// with returns words with others at an index. If these would not be of the server, as where its
// command is within a word or before words of a bridge, they are noted instead.
func (u *revision) with(words []string, at int, others []string) []string {
	if len(others) == 0 {
		return words
	}
	if at > 0 {
		longer := slices.Insert(slices.Clone(words), at, others...)
		a, _ := shell.ParseCommand(words[0], words[1:])
		b, _ := shell.ParseCommand(longer[0], longer[1:])
		size := func(l shell.Launch) int { return len(l.Runtime) + len(l.Args) }
		if b.Spec == a.Spec && size(b) == size(a)+len(others) {
			return longer
		}
	}
	u.notes = append(u.notes, "Add this yourself: "+strings.Join(others, " "))
	return words
}

// missingArguments returns the wanted arguments that a release requires and that are not among
// others: options by their names, and operands unless there are as many.
func (u *revision) missingArguments(old, wanted []string) (missing []string) {
	required := u.needs.launch.Args
	isEnough := operands(old) >= operands(wanted)
	areAll := operands(required) == operands(wanted)
	for len(wanted) > 0 {
		words := wanted[:argumentLen(wanted)]
		wanted = wanted[len(words):]
		name, _, _ := strings.Cut(words[0], "=")
		isOption := strings.HasPrefix(name, "-")
		is := func(a string) bool {
			return a == words[0] || isOption && (a == name || strings.HasPrefix(a, name+"="))
		}
		switch {
		case slices.ContainsFunc(old, is), !isOption && isEnough:
		case slices.ContainsFunc(required, is), !isOption && areAll, u.isGiven(words):
			missing = append(missing, words...)
		default:
			u.others = append(u.others, words...)
		}
	}
	return missing
}

// argumentLen returns the number of words of the first argument: an option may have a value.
func argumentLen(words []string) int {
	isOption := strings.HasPrefix(words[0], "-") && !strings.Contains(words[0], "=")
	if isOption && len(words) > 1 && !strings.HasPrefix(words[1], "-") {
		return 2
	}
	return 1
}

// operands returns the number of words that are no options.
func operands(words []string) (n int) {
	for _, w := range words {
		if !strings.HasPrefix(w, "-") {
			n++
		}
	}
	return n
}

// isGiven reports whether words have a value that the user has given now.
func (u *revision) isGiven(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(u.given, w) })
}

// missingOptions returns the options of a wanted container that the release requires and an old one
// lacks: variables by their names, mounts by their targets, others by theirs.
func (u *revision) missingOptions(old, wanted shell.Launch) (missing []string) {
	key := func(o dockerrun.Option) string {
		if m, ok := o.Mount(); ok {
			return "mount " + m.Target
		}
		if name, _, _ := o.Variable(); o.Name == "env" {
			return "env " + name
		}
		return o.Name
	}
	keys := func(l shell.Launch) (all []string) {
		for _, o := range dockerrun.Parse(l.Runtime).Options {
			all = append(all, key(o))
		}
		return all
	}
	has, required := keys(old), keys(u.needs.launch)
	for _, o := range dockerrun.Parse(wanted.Runtime).Options {
		switch words := wanted.Runtime[o.At : o.At+o.N]; {
		case slices.Contains(has, key(o)), o.Name == "rm":
		case slices.Contains(required, key(o)), u.isGiven(words):
			missing = append(missing, words...)
		default:
			u.others = append(u.others, words...)
		}
	}
	return missing
}
