package entry

import (
	"encoding/json"
	"slices"
	"strings"

	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
)

// align replaces the packages and remotes of a document by ours where clients would
// build another command of them, or connect to another address, than package install
// prints: owners publish their documents less often than their packages.
func (p *published) align(ours install.Publication) {
	if theirs := listOf[registry.Package](p.members["packages"]); len(theirs)+len(ours.Packages) > 0 &&
		(len(theirs) == 0 || len(ours.Packages) == 0 || !sameCommand(theirs[0], ours.Packages[0])) {
		p.repaired = slices.DeleteFunc(p.repaired,
			func(path string) bool { return strings.HasPrefix(path, "packages[") })
		replace(p, "packages", ours.Packages)
	}
	if theirs := listOf[registry.Remote](p.members["remotes"]); len(theirs)+len(ours.Remotes) > 0 &&
		(len(theirs) == 0 || len(ours.Remotes) == 0 || theirs[0].URL != ours.Remotes[0].URL ||
			theirs[0].Type != ours.Remotes[0].Type) {
		replace(p, "remotes", ours.Remotes)
	}
}

func replace[T any](p *published, member string, list []T) {
	p.members["$schema"] = Schema // the generation that ours have
	if p.members[member] = list; len(list) == 0 {
		delete(p.members, member)
	}
	p.repaired = append(p.repaired, member)
}

// listOf returns a member of a document as a list, nil if it is none.
func listOf[T any](member any) (list []T) {
	raw, err := json.Marshal(member)
	if err != nil || json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

// sameCommand reports whether clients start a package of a document as they start ours:
// the same program of the same version, with the same arguments and required variables.
// The document may have more variables that are optional.
func sameCommand(a, b registry.Package) bool {
	return a.RegistryType == b.RegistryType && a.Identifier == b.Identifier && a.Version == b.Version &&
		a.Transport.Type == b.Transport.Type && a.Transport.URL == b.Transport.URL &&
		slices.Equal(words(a.RuntimeArguments), words(b.RuntimeArguments)) &&
		slices.Equal(words(a.PackageArguments), words(b.PackageArguments)) &&
		hasVariables(b, a.EnvironmentVariables, true) && hasVariables(a, b.EnvironmentVariables, false)
}

// words returns what arguments add to a command, "\x00" for each value that the user
// gives.
func words(arguments []registry.Argument) (all []string) {
	for _, a := range arguments {
		value := a.Value
		if value == "" {
			value = a.Default
		}
		switch {
		case a.Type == "named" && value == "" && a.ValueHint == "" && a.Placeholder == "" && !a.IsRequired:
			all = append(all, a.Name)
			continue
		case a.Type == "named":
			all = append(all, a.Name)
		}
		if value == "" || len(a.Variables) > 0 {
			value = "\x00"
		}
		all = append(all, value)
	}
	return all
}

// hasVariables reports whether p has the environment variables of a list, or the
// required ones of them.
func hasVariables(p registry.Package, list []registry.Variable, required bool) bool {
	for _, v := range list {
		if required && !v.IsRequired {
			continue
		}
		if !slices.ContainsFunc(p.EnvironmentVariables,
			func(x registry.Variable) bool { return x.Name == v.Name }) {
			return false
		}
	}
	return true
}
