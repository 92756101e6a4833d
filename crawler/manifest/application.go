package manifest

import (
	"path"
	"regexp"
	"strings"

	"mcpcensus/crawler/settings"
	"mcpcensus/crawler/untyped"
)

// IsApplication reports whether a file has the settings of a program of Spring, Quarkus or
// Micronaut for all of its profiles, by its path.
func IsApplication(p string) bool { return applicationFile.MatchString(path.Base(p)) }

var applicationFile = regexp.MustCompile(`^application\.(?:properties|ya?ml)$`)

var (
	// varReference matches a reference to a variable. Its groups are the name, the mark of a default,
	// and the default up to a reference inside.
	varReference = regexp.MustCompile(`\$\{([A-Z][A-Z0-9_]*)\s*(:)?([^${}\n]*)`)
	// section separates the documents of a file; profile matches one that only some starts read.
	section = regexp.MustCompile(`(?m)^(?:---|#---)[ \t]*$`)
	profile = regexp.MustCompile(`(?m)^\s*(?:spring\.config\.activate\.)?(?:spring\.)?` +
		`(?:on-profile|profiles)\s*[:=]|^%[\w,]+\.|^\s+profiles:`)
)

// ApplicationEnvironment returns what a file of [IsApplication] says about environment variables, a
// claim for each reference: without a default the program does not start. A reference inside the
// default of another one is needed only without that. The position of a claim is its line.
func ApplicationEnvironment(b []byte) (claims []settings.Claim) {
	text := string(b[:min(len(b), untyped.MaxSize)])
	from := 0
	for _, part := range section.Split(text, -1) {
		for _, m := range varReference.FindAllStringSubmatchIndex(part, maxVariables) {
			before := part[strings.LastIndexByte(part[:m[0]], '\n')+1 : m[0]]
			if strings.HasPrefix(strings.TrimSpace(before), "#") || !settings.IsEnvName(part[m[2]:m[3]]) {
				continue
			}
			claims = append(claims, at(text, min(len(text), from+m[0]), referenceClaim(part, before, m)))
		}
		from += len(part)
	}
	return claims
}

// referenceClaim returns the claim of a match of varReference in a document of a file. before is what
// its line begins with.
func referenceClaim(part, before string, m []int) settings.Claim {
	name := part[m[2]:m[3]]
	switch {
	case m[4] >= 0:
		c := readClaim(name, "", settings.Optional)
		if strings.HasPrefix(part[m[7]:], "}") {
			c.Variable = exampleVariable(name, strings.TrimSpace(part[m[6]:m[7]]), "")
		}
		return c
	case strings.Count(before, "${") > strings.Count(before, "}"): // inside of a default
		return readClaim(name, "", settings.Optional)
	case profile.MatchString(part) && !profile.MatchString(before):
		return readClaim(name, "", settings.Unstated)
	}
	return readClaim(name, "", settings.Required)
}
