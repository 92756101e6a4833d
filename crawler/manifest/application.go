package manifest

import (
	"path"
	"regexp"
	"strings"

	"mcpcensus/crawler/settings"
	"mcpcensus/crawler/untyped"
	"mcpcensus/internal/registry"
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
	start := 0
	for _, part := range section.Split(text, -1) {
		base := start
		start += len(part)
		for _, m := range varReference.FindAllStringSubmatchIndex(part, maxVariables) {
			name, before := part[m[2]:m[3]], part[strings.LastIndexByte(part[:m[0]], '\n')+1:m[0]]
			if strings.HasPrefix(strings.TrimSpace(before), "#") || !settings.IsEnvName(name) {
				continue
			}
			c := settings.Claim{Variable: registry.Variable{Name: name}, Source: settings.Code,
				Need: settings.Optional, At: 1 + strings.Count(text[:min(len(text), base+m[0])], "\n")}
			switch fallback := strings.TrimSpace(part[m[6]:m[7]]); {
			case m[4] >= 0:
				if v := exampleVariable(name, fallback, ""); part[m[7]:min(len(part), m[7]+1)] == "}" {
					c.Variable = v
				}
			case strings.Count(before, "${") > strings.Count(before, "}"): // inside of a default
			case profile.MatchString(part) && !profile.MatchString(before):
				c.Need = settings.Unstated
			default:
				c.Need = settings.Required
			}
			claims = append(claims, c)
		}
	}
	return claims
}
