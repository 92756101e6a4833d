package installtest

import (
	"slices"
	"strings"

	"mcpcensus/internal/registry"
)

// The mapping from a record to a configuration is that of VS Code's gallery service, as the source
// of October 2026 has it.

// A GalleryServer is a record as VS Code reads it.
type GalleryServer struct {
	Name, Description, Version string
	Packages                   []registry.Package
	Remotes                    []registry.Remote
}

// A Configuration is what VS Code writes for a server, with YOUR_NAME for inputs.
type Configuration struct {
	Command []string
	Env     map[string]string
	URL     string
	Headers map[string]string
}

func inputText(id string) string { return "YOUR_" + strings.TrimPrefix(strings.ToUpper(id), "YOUR_") }

// substituted returns a value with its variables as inputs, each once.
func substituted(text string, variables map[string]registry.Variable) string {
	for id := range variables {
		text = strings.Replace(text, "{"+id+"}", inputText(id), 1)
	}
	return text
}

// keyValues maps environment variables or headers.
func keyValues(list []registry.Variable) map[string]string {
	out := map[string]string{}
	for _, v := range list {
		switch {
		case len(v.Variables) > 0:
			out[v.Name] = substituted(v.Value, v.Variables)
		case v.Value == "" && (v.Description != "" || v.Choices != nil || v.Default != ""):
			out[v.Name] = inputText(v.Name)
		default:
			out[v.Name] = v.Value
		}
	}
	return out
}

func argumentWords(list []registry.Argument) (words []string) {
	for _, a := range list {
		if a.Type == "named" {
			words = append(words, a.Name)
			switch {
			case a.Value != "":
				words = append(words, substituted(a.Value, a.Variables))
			case a.Description != "" || a.Default != "":
				words = append(words, inputText(strings.TrimLeft(a.Name, "-")))
			}
			continue
		}
		switch {
		case a.Value != "":
			words = append(words, substituted(a.Value, a.Variables))
		case a.ValueHint != "" && (a.Description != "" || a.Default != ""):
			words = append(words, inputText(a.ValueHint))
		default:
			words = append(words, a.ValueHint)
		}
	}
	return words
}

// Configured maps a record: its first package, else its first remote. It is zero without both: VS
// Code then refuses to install.
func (s *GalleryServer) Configured() Configuration {
	if len(s.Packages)+len(s.Remotes) == 0 {
		return Configuration{}
	}
	if len(s.Packages) == 0 {
		r := s.Remotes[0]
		return Configuration{URL: r.URL, Headers: keyValues(r.Headers)}
	}
	p := s.Packages[0]
	c := Configuration{Env: keyValues(p.EnvironmentVariables)}
	runtime := argumentWords(p.RuntimeArguments)
	named := func(sign string) string {
		if p.Version == "" {
			return p.Identifier
		}
		return p.Identifier + sign + p.Version
	}
	switch p.RegistryType {
	case "npm":
		c.Command = slices.Concat([]string{"npx"}, runtime, []string{named("@")})
	case "pypi":
		c.Command = slices.Concat([]string{"uvx"}, runtime, []string{named("==")})
	case "oci":
		c.Command = slices.Concat([]string{"docker", "run", "-i", "--rm"}, runtime)
		for _, v := range p.EnvironmentVariables {
			c.Command = append(c.Command, "-e", v.Name)
		}
		c.Command = append(c.Command, named(":"))
	case "nuget":
		c.Command = slices.Concat([]string{"dnx"}, runtime, []string{named("@"), "--yes"})
		if len(p.PackageArguments) > 0 {
			c.Command = append(c.Command, "--")
		}
	default:
		c.Command = []string{p.RegistryType}
	}
	c.Command = append(c.Command, argumentWords(p.PackageArguments)...)
	return c
}
