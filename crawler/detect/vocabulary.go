package detect

import (
	"embed"
	"fmt"
	"strings"

	"mcpcensus/crawler/vocabulary"
)

//go:embed rules
var embedded embed.FS

// rules contains the vocabularies of this package; see the comments in the files.
var rules = vocabulary.Rules(embedded)

// Names of files and folders.
var (
	excludedFolders  = vocabulary.Set(rules, "folders/excluded.txt")
	excludedWords    = vocabulary.Set(rules, "folders/excluded_words.txt")
	libraryWords     = vocabulary.Set(rules, "folders/library_words.txt")
	packagingFolders = vocabulary.Set(rules, "folders/packaging.txt")
	lintFiles        = vocabulary.Pairs(rules, "files/lint.txt")
	lockFiles        = vocabulary.Set(rules, "files/lock.txt")
)

// Words.
var (
	aggregators  = vocabulary.Set(rules, "words/aggregators.txt")
	commonTags   = vocabulary.Set(rules, "words/common_tags.txt")
	genericWords = vocabulary.Set(rules, "words/generic.txt")
	hollowWords  = vocabulary.Set(rules, "words/hollow.txt")
	nameNoise    = vocabulary.Set(rules, "words/name_noise.txt")
	spellings    = lowerCased(vocabulary.Lines(rules, "words/spelling.txt"))
)

// Phrases and names.
var (
	serverRE    = vocabulary.Expressions(rules, "phrases/server.txt")
	sdkRE       = vocabulary.Expressions(rules, "phrases/sdk.txt")
	clientRE    = vocabulary.Expressions(rules, "phrases/client.txt")
	proxyRE     = vocabulary.Expressions(rules, "phrases/proxy.txt")
	boilerplate = vocabulary.Expressions(rules, "phrases/boilerplate.txt")
	filler      = vocabulary.Expressions(rules, "phrases/filler.txt")
	titleNoise  = vocabulary.Expressions(rules, "phrases/title_noise.txt")
	courseName  = vocabulary.Expressions(rules, "names/course.txt")
	// tutorialTools are names in lower case, without separators, or several that belong together.
	tutorialTools = vocabulary.Set(rules, "names/tutorial_tools.txt")
	templateName  = vocabulary.Expressions(rules, "names/template.txt")
	sdkName       = vocabulary.Expressions(rules, "names/sdk.txt")
	templateRE    = vocabulary.Expressions(rules, "phrases/template.txt")
)

// lowerCased returns words by their lower-case form.
func lowerCased(words []string) map[string]string {
	out := make(map[string]string, len(words))
	for _, w := range words {
		out[strings.ToLower(w)] = w
	}
	return out
}

// readSDKs returns the packages that make a program an MCP server, by ecosystem and lower-case
// name.
func readSDKs() map[string]map[string]sdkUse {
	out := map[string]map[string]sdkUse{}
	for _, line := range vocabulary.Lines(rules, "sdks.txt") {
		var name string
		var u sdkUse
		_, err := fmt.Sscan(line, &u.ecosystem, &name, &u.language, &u.rank, &u.framework, &u.side)
		if err != nil {
			panic("sdks.txt: " + line + ": " + err.Error())
		}
		u.framework, u.side = strings.TrimPrefix(u.framework, "-"), strings.TrimPrefix(u.side, "-")
		if u.module = moduleOf(u.ecosystem, name); len(strings.Fields(line)) > 6 {
			u.module = strings.Fields(line)[6]
		}
		if out[u.ecosystem] == nil {
			out[u.ecosystem] = map[string]sdkUse{}
		}
		out[u.ecosystem][name] = u
	}
	return out
}
