package manifest

import (
	"regexp"
	"strings"

	"mcpcensus/crawler/shell"
	"mcpcensus/crawler/untyped"
)

// A Dockerfile contains the facts of a Dockerfile.
type Dockerfile struct {
	Labels     map[string]string
	Entrypoint string // ENTRYPOINT and CMD of the last stage as one line
}

// ServerNameLabel is the label of an image with its name in the official MCP registry.
const ServerNameLabel = "io.modelcontextprotocol.server.name"

const maxLabels = 200

// ParseDockerfile reads a Dockerfile. Labels are those of all stages; the last one wins.
var ParseDockerfile = parser(plainText, func(s string) *Dockerfile {
	d := &Dockerfile{Labels: map[string]string{}}
	entry, cmd := "", ""
	s = dockerContinued.ReplaceAllString(dockerComment.ReplaceAllString(s, ""), " ")
	for line := range strings.Lines(s) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		rest = strings.TrimSpace(rest)
		switch strings.ToUpper(word) {
		case "FROM":
			entry, cmd = "", ""
		case "LABEL":
			d.addLabels(rest)
		case "ENTRYPOINT":
			entry, cmd = execForm(rest), ""
		case "CMD":
			cmd = execForm(rest)
		}
	}
	d.Entrypoint = strings.TrimSpace(entry + " " + cmd)
	return d
})

// Comments, which may be between the lines of an instruction, and the ends of continued lines.
var (
	dockerComment   = regexp.MustCompile(`(?m)^[ \t]*(?:#.*)?\n`)
	dockerContinued = regexp.MustCompile(`\\[ \t]*\n`)
)

func (d *Dockerfile) addLabels(s string) {
	words := shell.Words(s)
	if len(words) == 2 && !strings.Contains(words[0], "=") {
		words = []string{words[0] + "=" + words[1]}
	}
	for _, w := range words {
		if k, v, ok := strings.Cut(w, "="); ok && len(d.Labels) < maxLabels {
			d.Labels[untyped.Short(k)] = untyped.Short(v)
		}
	}
}

func execForm(s string) string {
	if strings.HasPrefix(s, "[") {
		s = strings.NewReplacer("[", "", "]", "", `"`, "", ",", " ").Replace(s)
	}
	return untyped.Short(strings.Join(strings.Fields(s), " "))
}
