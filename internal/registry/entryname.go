package registry

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

const maxEntryName = 200

// entryNameForm is the form of names that the official registry accepts.
var entryNameForm = regexp.MustCompile(
	`^[A-Za-z0-9][A-Za-z0-9.-]*[A-Za-z0-9]/[A-Za-z0-9][A-Za-z0-9._-]*[A-Za-z0-9]$`)

// IsEntryName reports whether the official registry accepts a name.
func IsEntryName(name string) bool {
	return len(name) <= maxEntryName && entryNameForm.MatchString(name)
}

// EntryName returns the name of s in the official registry, else the one of its repository and
// folder, before names that several servers have are told apart: see [DistinctEntryName].
func (s *Server) EntryName() string {
	if IsEntryName(s.RegistryName) {
		return s.RegistryName
	}
	return EntryName(s.Repo.Host, s.Repo.Owner, s.Repo.Name, s.Subfolder)
}

// EntryName returns the name of a server whose owner has not published it: the namespace that
// the official registry gives to owners at the host, and the repository's name. Names of
// servers in a folder continue with it, with "." in place of "/".
func EntryName(host, owner, repo, folder string) string {
	prefix := cmp.Or(HostOf(host).Namespace, "io."+host+".")
	namespace := entryNamePart(prefix+strings.ReplaceAll(owner, "/", "."), false)
	if folder != "" {
		repo += "." + strings.ReplaceAll(folder, "/", ".")
	}
	name := entryNamePart(repo, true)
	if most := maxEntryName - 1 - len(namespace); len(name) > most {
		name = strings.TrimRight(name[:max(most, 2)], "._-")
	}
	if len(name) == 1 {
		name += "-mcp"
	}
	return namespace + "/" + name
}

// entryNamePart returns a part of a name: characters that names cannot have become "-", and it
// begins and ends with a letter or digit. It is not "".
func entryNamePart(s string, underscores bool) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '.', r == '-',
			r == '_' && underscores:
			return r
		}
		return '-'
	}, s)
	if s = strings.Trim(s, "._-"); s == "" {
		return "server"
	}
	return s[:min(len(s), maxEntryName/2)]
}

// DistinctEntryName returns the name of the n-th server of those with the same name, from 0. The
// servers after the first get the number of their repository, and several of one
// repository their own as well.
func DistinctEntryName(name string, n int, repo, server int64, sameRepo bool) string {
	if n == 0 {
		return name
	}
	end := "-" + strconv.FormatInt(repo, 10)
	if sameRepo {
		end += "-" + strconv.FormatInt(server, 10)
	}
	if len(name)+len(end) > maxEntryName {
		name = strings.TrimRight(name[:maxEntryName-len(end)], "._-")
	}
	return name + end
}

// maxSlug is the maximum length of a slug before a number is added.
const maxSlug = 200

// Slug returns the readable id of a server: owner, name and subfolder in lower case, joined by
// "-", with all characters except a–z and 0–9 replaced by "-", such as "octo-weather-mcp". It
// is not unique: the store adds "-2" to a later one. It is never "".
func Slug(owner, name, subfolder string) string {
	var b strings.Builder
	dash := false
	for _, part := range []string{owner, name, subfolder} {
		for i := 0; i < len(part) && b.Len() < maxSlug; i++ {
			c := part[i]
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			if ('a' > c || c > 'z') && ('0' > c || c > '9') {
				dash = true
				continue
			}
			if dash && b.Len() > 0 {
				b.WriteByte('-')
			}
			dash = false
			b.WriteByte(c)
		}
		dash = true
	}
	if b.Len() == 0 {
		return "server"
	}
	return b.String()
}

// packageNames are the forms of names in package registries, and the longest ones in bytes. None
// of them matches an option, a path, a URL or white space.
var packageNames = map[string]struct {
	form    *regexp.Regexp
	longest int
}{
	"npm": {regexp.MustCompile(
		`^(?:@[a-z0-9~][a-z0-9._~-]*/)?[A-Za-z0-9~][A-Za-z0-9._~-]*$`), 214},
	"pypi":  {regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$`), 200},
	"nuget": {regexp.MustCompile(`^[A-Za-z0-9_]+(?:[.-][A-Za-z0-9_]+)*$`), 100},
	"cargo": {regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`), 64},
}

// IsPackageName reports whether a registry of a type, such as "npm", may have a package of a
// name. It is false for types whose packages have no such names.
func IsPackageName(registryType, name string) bool {
	of, ok := packageNames[registryType]
	return ok && len(name) <= of.longest && of.form.MatchString(name)
}

// PyPIName returns the normal form of a Python package's name (PEP 503): in
// lower case, with "-" for each run of separators.
func PyPIName(name string) string {
	return strings.ToLower(pypiSeparators.ReplaceAllString(name, "-"))
}

var pypiSeparators = regexp.MustCompile(`[-_.]+`)

// PyPIPattern returns an expression that matches all spellings of a Python package's name in
// lower case.
func PyPIPattern(name string) string {
	return strings.ReplaceAll(regexp.QuoteMeta(PyPIName(name)), "-", "[-_.]+")
}
