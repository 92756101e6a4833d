package settings

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/internal/registry"
)

// A Source is the kind of file that a claim is from. Of several descriptions or defaults, that
// of the first source counts.
type Source int

const (
	ServerJSON    Source = iota // of the repository
	Registry                    // the entry in the official registry
	Extension                   // smithery.yaml or the manifest of a bundle
	Text                        // the README: tables, lists, sentences and headings
	Shown                       // configurations of this server in a README about several
	Configuration               // configurations of the packages in the README
	ClientFile                  // configurations of clients in the repository
	EnvFile                     // the example .env file

	// Claims of the following sources decide about settings that others name. Code that fails
	// without a variable, or reads a secret, names it too.

	Code    // source code that reads the variable
	Usual   // the configurations that start the server in the ordinary case
	Others  // server.json or the registry's entry, for other packages than the leading one
	Command // the command that starts the package
)

// A Need is what a claim says about whether a setting is required.
type Need int

const (
	Unstated Need = iota
	Optional
	Conditional // required for some ways to run the server only
	Required
)

// NeedOf returns the need that a declared variable states.
func NeedOf(v registry.Variable) Need {
	if v.IsRequired {
		return Required
	}
	return Optional
}

// A Claim is what one file says about a setting. IsRequired of its variable has no meaning.
type Claim struct {
	registry.Variable
	Source Source
	Need   Need
	At     int  // position among the claims of the source, of which the first counts
	Weak   bool // the claim alone does not show that the variable is a setting
}

// A Setting is a variable as decided.
type Setting struct {
	registry.Variable
	Claims []Claim // about it, in order of their sources
}

// A rank is a row of the table of precedence.
type rank struct {
	source Source
	need   Need
}

// precedence are the claims that decide whether a setting is required: the first one that was
// made. Of several claims of a source only the first counts. A declaration that it is required
// yields only to a statement about the ways to run the server. A setting without any of these
// claims is optional.
var precedence = []rank{
	{Others, Optional},
	{Text, Conditional},
	{Command, Optional},
	{Text, Required},
	{Usual, Conditional}, // one of them does without it
	{Command, Required},
	{ServerJSON, Required},
	{ServerJSON, Optional},
	{Registry, Required},
	{Text, Optional},
	{Code, Optional},    // it has a fallback
	{Code, Conditional}, // the handler of a tool fails without it
	{Code, Required},
	{Usual, Required}, // all of them leave it to the user
	{Usual, Optional},
	{Registry, Optional},
	{Extension, Required},
	{Extension, Optional},
	{Text, Unstated},
	{Shown, Required},
	{Shown, Optional},
	{Configuration, Optional},
	{ClientFile, Required},
	{ClientFile, Optional},
	{EnvFile, Required},
	{EnvFile, Optional},
}

const (
	maxSettings = 200
	maxName     = 200 // bytes
)

// Of returns the claims of a source that declares variables.
func Of(source Source, list []registry.Variable) (claims []Claim) {
	for i, v := range list {
		claims = append(claims, Claim{Variable: v, Source: source, Need: NeedOf(v), At: i})
	}
	return claims
}

// Decide returns the settings that claims are about. The order of claims does not matter.
func Decide(claims []Claim) []Setting {
	claims = slices.Clone(claims)
	slices.SortStableFunc(claims, func(a, b Claim) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.At, b.At))
	})
	var all []Setting
	at := map[string]int{}
	for _, c := range claims {
		i, known := at[c.Name]
		if !known && (c.Name == "" || len(c.Name) > maxName) {
			continue
		}
		if !known {
			i = len(all)
			at[c.Name] = i
			all = append(all, Setting{})
		}
		all[i].Claims = append(all[i].Claims, c)
	}
	all = slices.DeleteFunc(all, func(s Setting) bool { return !s.exists() })
	all = withoutTemplates(all)
	all = slices.DeleteFunc(all, func(s Setting) bool { return s.endsAnother(all) })
	all = all[:min(len(all), maxSettings)]
	names := map[string]bool{}
	for _, s := range all {
		names[s.Claims[0].Name] = true
	}
	for i := range all {
		all[i].decide(names)
	}
	return all
}

// exists reports whether a claim names the setting as a variable.
func (s *Setting) exists() bool {
	weak, read := false, false
	for _, c := range s.Claims {
		names := c.Source < Code ||
			c.Source == Code && (c.Need >= Conditional || assignedName.MatchString(c.Name))
		if names && !c.Weak {
			return true
		}
		weak, read = weak || c.Weak && c.Source < Code, read || c.Source == Code
	}
	return weak && read
}

// endsAnother reports whether only texts name the setting, as the end of another one's name that code reads.
func (s *Setting) endsAnother(all []Setting) bool {
	isTold := func(c Claim) bool { return c.Description != "" || c.Source != Text && c.Source < Usual }
	return !slices.ContainsFunc(s.Claims, isTold) && slices.ContainsFunc(all, func(o Setting) bool {
		return strings.HasSuffix(o.Claims[0].Name, "_"+s.Claims[0].Name) && o.has(Code)
	})
}

// decide sets the variable from the claims. names are those of all settings: a default that is
// one refers to it.
func (s *Setting) decide(names map[string]bool) {
	first := s.Claims[0]
	s.Variable = first.Variable
	s.Description = describing(first.Description)
	for _, c := range s.Claims[1:] {
		s.Description = cmp.Or(s.Description, describing(c.Description))
		s.Format = cmp.Or(s.Format, c.Format)
		s.IsSecret = s.IsSecret || c.IsSecret
		if len(s.Choices) == 0 {
			s.Choices = c.Choices
		}
	}
	s.IsSecret = s.isSecret()
	s.Default = s.preset(names)
	if s.IsSecret {
		s.Default, s.Value = "", ""
	}
	deciding := s.deciding()
	s.IsRequired = deciding.Need == Required
	if note := deciding.Description; deciding.Source == Code && note != "" && s.Description != note {
		s.Description = strings.TrimRight(s.Description, ".") + ". " + note
	}
}

// isSecret reports whether the claims make the setting a secret. Only a declaration makes one of a
// setting with choices, and of a switch of the code, whatever its name is.
func (s *Setting) isSecret() bool {
	is := s.IsSecret
	isSwitch := func(c Claim) bool { return c.Default != "" && !isLiteral(c.Default) }
	isNamed := registry.IsSecretName(s.Name) && len(s.Choices) == 0 && !slices.ContainsFunc(s.Claims, isSwitch)
	for _, c := range s.Claims {
		is = is || HoldsSecret(c.Default) || isNamed && (c.Source == Code || c.Source <= Registry)
	}
	turns := func(c Claim) bool { return c.Source == Code && registry.Opposite(c.Default) != "" }
	return is && (s.IsDeclared() || len(s.Choices) < 2 && !slices.ContainsFunc(s.Claims, turns))
}

// deciding returns the claim that decides whether the setting is required, by [precedence]; the
// zero Claim if none does.
func (s *Setting) deciding() Claim {
	for _, p := range precedence {
		i := slices.IndexFunc(s.Claims, func(c Claim) bool { return c.Source == p.source })
		if i >= 0 && s.Claims[i].Need == p.need {
			return s.Claims[i]
		}
	}
	return Claim{}
}

// isSpare reports whether a configuration does without a setting that it leaves to the user, as v, and
// that is not required. lacking and plainer report that another one, or a plainer one, does without.
func (s *Setting) isSpare(v registry.Variable, lacking, plainer bool) bool {
	secret := v.IsSecret
	d := s.deciding()
	isOptional, stated := d.Need == Optional, d.Source == Text && d.Need == Conditional
	says := func(c Claim) bool {
		return c.Need == Optional && !stated && (c.Source <= Registry || c.Source == Text || c.Source == Code)
	}
	return isOptional && !secret && (s.Default == "" || v.Placeholder == "") || plainer ||
		lacking && (isOptional || !secret && slices.ContainsFunc(s.Claims, says))
}

// declaredDefault returns the default that server.json gives an optional setting, "" for none.
func (s *Setting) declaredDefault() string {
	if c := s.Claims[0]; c.Source == ServerJSON && c.Need == Optional && !s.IsSecret && c.hasDefault() {
		return c.Default
	}
	return ""
}

func (s *Setting) has(source Source) bool {
	return slices.ContainsFunc(s.Claims, func(c Claim) bool { return c.Source == source })
}

// IsDeclared reports whether server.json or the registry's entry declares the setting.
func (s *Setting) IsDeclared() bool { return s.has(ServerJSON) || s.has(Registry) }

// describing returns a description, "" for a placeholder such as "your_api_key_here".
func describing(text string) string {
	if strings.ContainsAny(text, "_<") && !strings.Contains(text, " ") && IsPlaceholder(text) {
		return ""
	}
	return text
}

// templateName matches placeholders for numbered names: "ACCOUNT_N_KEY".
var templateName = regexp.MustCompile(`^([A-Z0-9_]+_)[NX]_[A-Z0-9_]+$`)

// withoutTemplates removes placeholders for numbered settings if the list has numbered ones.
func withoutTemplates(all []Setting) []Setting {
	isNumbered := func(prefix string) bool {
		return slices.ContainsFunc(all, func(s Setting) bool {
			rest, is := strings.CutPrefix(s.Claims[0].Name, prefix)
			return is && strings.Trim(rest[:min(1, len(rest))], "123") == "" && rest != ""
		})
	}
	var out []Setting
	for _, s := range all {
		m := templateName.FindStringSubmatch(s.Claims[0].Name)
		if m == nil || !isNumbered(m[1]) {
			out = append(out, s)
		}
	}
	return out
}

// OfConfigurations returns the claims of the configurations that start the server in the
// ordinary case: a variable is required if all of them leave it to the user, required for some
// ways to run the server if one does without it, and optional if one of them sets it. They do
// without the other variables, which other ways to run it name.
func OfConfigurations(usual []registry.Configuration, other []registry.Variable) []Claim {
	var names []string
	opened, named := map[string]int{}, map[string]int{}
	for _, conf := range usual {
		for _, v := range conf.Env {
			names = append(names, v.Name)
			named[v.Name]++
		}
		for _, name := range open(conf) {
			opened[name]++
		}
	}
	for _, v := range other {
		names = append(names, v.Name)
	}
	claims := make([]Claim, len(names))
	for i, name := range names {
		claims[i] = Claim{Variable: registry.Variable{Name: name}, Source: Usual, Need: Optional, At: i}
		switch {
		case opened[name] > 0 && opened[name] == len(usual):
			claims[i].Need = Required
		case named[name] < len(usual):
			claims[i].Need = Conditional
		}
	}
	return claims
}
