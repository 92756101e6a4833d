package entry

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"

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
		value := cmp.Or(a.Value, a.Default)
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

var (
	versionForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,99}$`)
	// wildcards are versions that the official registry reads as ranges.
	wildcards = regexp.MustCompile(`^v?(?:[0-9]+|x|X)(?:\.(?:[0-9]+|x|X)){1,2}(?:-[0-9A-Za-z.-]+)?$`)
)

// isVersion reports whether the official registry accepts a version.
func isVersion(v string) bool {
	return versionForm.MatchString(v) && v != "latest" && !(wildcards.MatchString(v) && strings.ContainsAny(v, "xX"))
}

// versionOf returns the version of the first package, else that of the newest release,
// else one made of the newest commit: "0.0.0-20261101.g3f2a1bc".
func versionOf(s *registry.Server, p install.Publication) string {
	var candidates []string
	if len(p.Packages) > 0 {
		candidates = append(candidates, p.Packages[0].Version)
	}
	for _, v := range append(candidates, strings.TrimPrefix(s.LatestVersion, "v")) {
		if isVersion(v) {
			return v
		}
	}
	at := cmp.Or(s.Repo.CommittedAt, &s.Repo.PushedAt)
	if len(s.Repo.Commit) < 7 || at.IsZero() || !isVersion(s.Repo.Commit) {
		return "0.0.0"
	}
	return "0.0.0-" + at.UTC().Format(strings.ReplaceAll(time.DateOnly, "-", "")) + ".g" + s.Repo.Commit[:7]
}
