package manifest

import (
	"strings"

	"mcpcensus/crawler/untyped"
)

// A Dockerfile is what the instructions of a Dockerfile say.
type Dockerfile struct {
	Base       []string // images of FROM
	Labels     map[string]string
	Env        map[string]string
	Entrypoint string // ENTRYPOINT and CMD as one line
	Ports      []string
}

// ServerNameLabel is the label by which an image says its name in the
// official MCP registry.
const ServerNameLabel = "io.modelcontextprotocol.server.name"

// ParseDockerfile reads a Dockerfile. Labels and variables are of all its
// stages, the last one winning.
func ParseDockerfile(b []byte) (*Dockerfile, error) {
	b, err := untyped.Text(b, untyped.MaxSize)
	if err != nil {
		return nil, err
	}
	d := &Dockerfile{Labels: map[string]string{}, Env: map[string]string{}}
	entry, cmd := "", ""
	var pending strings.Builder
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if strings.HasSuffix(line, `\`) && pending.Len() < 16<<10 {
			pending.WriteString(strings.TrimSuffix(line, `\`) + " ")
			continue
		}
		pending.WriteString(line)
		full := pending.String()
		pending.Reset()
		word, rest, _ := strings.Cut(full, " ")
		rest = strings.TrimSpace(rest)
		switch strings.ToUpper(word) {
		case "FROM":
			if f := strings.Fields(rest); len(f) > 0 && len(d.Base) < 20 {
				if strings.HasPrefix(f[0], "--") {
					f = f[1:]
				}
				if len(f) > 0 {
					d.Base = append(d.Base, f[0])
				}
			}
			entry, cmd = "", ""
		case "LABEL":
			pairs(rest, d.Labels)
		case "ENV":
			pairs(rest, d.Env)
		case "EXPOSE":
			d.Ports = append(d.Ports, strings.Fields(rest)...)
			d.Ports = d.Ports[:min(len(d.Ports), 20)]
		case "ENTRYPOINT":
			entry, cmd = execForm(rest), ""
		case "CMD":
			cmd = execForm(rest)
		}
	}
	d.Entrypoint = strings.TrimSpace(entry + " " + cmd)
	return d, nil
}

func pairs(s string, into map[string]string) {
	words := shellWords(s)
	if len(words) == 2 && !strings.Contains(words[0], "=") {
		words = []string{words[0] + "=" + words[1]}
	}
	for _, w := range words {
		if k, v, ok := strings.Cut(w, "="); ok && len(into) < 200 {
			into[untyped.Short(k)] = untyped.Short(v)
		}
	}
}

func execForm(s string) string {
	if strings.HasPrefix(s, "[") {
		s = strings.NewReplacer("[", "", "]", "", `"`, "", ",", " ").Replace(s)
	}
	return untyped.Short(strings.Join(strings.Fields(s), " "))
}
