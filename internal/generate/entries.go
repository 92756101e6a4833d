package generate

import (
	"encoding/json"
	"fmt"
	"iter"
	"strings"

	"mcpcensus/internal/registry"
)

// Entries returns [Servers] with all types of packages, remotes and transports that a
// server.json can have. Every second server is published, with schemas of several
// generations; some entries have an older version than the packages.
func Entries(n int, seed uint64) iter.Seq[registry.Server] {
	return func(yield func(registry.Server) bool) {
		for s := range Servers(n, seed) {
			number := int(s.ID)
			if kind := number % 12; kind < 10 {
				s.Packages, s.Remotes = deployments(&s, kind)
				s.InstallCommand = ""
			}
			if number%2 == 0 && len(s.Packages)+len(s.Remotes) > 0 {
				publish(&s, number/2)
			}
			if !yield(s) {
				return
			}
		}
	}
}

// deployments returns packages and remotes of a kind from 0 to 9.
func deployments(s *registry.Server, kind int) ([]registry.Package, []registry.Remote) {
	owner, repo := strings.ToLower(s.Repo.Owner), strings.ToLower(s.Repo.Name)
	version := "1." + fmt.Sprint(s.ID%7) + ".0"
	of := func(registryType, identifier, transport string) registry.Package {
		p := registry.Package{RegistryType: registryType, Identifier: identifier, Version: version,
			Transport: registry.PackageTransport{Type: transport}}
		if transport != registry.TransportStdio {
			p.Transport.URL = "http://localhost:8080/mcp"
		}
		return p
	}
	stdio := registry.TransportStdio
	image := of("oci", "ghcr.io/"+owner+"/"+repo+":"+version, stdio)
	image.Version = ""
	image.EnvironmentVariables = []registry.Variable{{Name: "API_KEY", IsRequired: true, IsSecret: true}}
	bundle := of("mcpb", "https://github.com/"+owner+"/"+repo+"/releases/download/v1/"+repo+".mcpb", stdio)
	bundle.FileSHA256 = strings.Repeat("0f", 32)
	crate := of("cargo", repo, stdio)
	remote := registry.Remote{Type: registry.TransportHTTP, URL: "https://mcp-" + repo + ".alt/mcp"}
	switch kind {
	case 0:
		return []registry.Package{image}, nil
	case 1:
		p := of("npm", repo, stdio)
		p.PackageArguments = []registry.Argument{{Type: "named", Name: "--folder", ValueHint: "folder",
			Description: "Folder to read", IsRequired: true}, {Type: "positional", Value: "serve"}}
		return []registry.Package{p, image, crate, bundle}, []registry.Remote{remote}
	case 2:
		return []registry.Package{of("nuget", strings.ReplaceAll(repo, "-", "."), stdio)}, nil
	case 3:
		return []registry.Package{of("pypi", repo, stdio), image}, nil
	case 4:
		return []registry.Package{bundle}, nil
	case 5:
		return []registry.Package{crate}, nil
	case 6:
		return []registry.Package{of("npm", repo, registry.TransportHTTP)}, nil
	case 7:
		return []registry.Package{of("pypi", repo, registry.TransportSSE)}, nil
	case 8:
		remote.URL = "https://{tenant}." + repo + ".alt/mcp"
		remote.Variables = map[string]registry.Variable{"tenant": {Description: "Your tenant", IsRequired: true}}
		remote.Headers = []registry.Variable{{Name: "Authorization", IsRequired: true, IsSecret: true}}
		return nil, []registry.Remote{remote}
	}
	remote.Type, remote.URL = registry.TransportSSE, "https://sse-"+repo+".alt/sse"
	return nil, []registry.Remote{remote}
}

// generations are the schemas of published entries.
var generations = []string{"2025-12-11", "2025-10-17", "2025-09-29"}

// publish sets the n-th published entry. Every third one has an older version.
func publish(s *registry.Server, n int) {
	packages := append([]registry.Package{}, s.Packages...)
	for i := range packages {
		if p := &packages[i]; n%3 == 0 && p.RegistryType != "oci" {
			p.Version = "0.9.0"
		} else if p.RegistryType == "oci" && n%3 == 1 { // the form of earlier generations
			cut := strings.LastIndexByte(p.Identifier, ':')
			p.Identifier, p.Version = p.Identifier[:cut], p.Identifier[cut+1:]
		}
	}
	s.RegistryName = "io.github." + s.Repo.Owner + "/" + s.Repo.Name
	document, err := json.Marshal(map[string]any{
		"$schema": "https://static.modelcontextprotocol.io/schemas/" + generations[n%len(generations)] +
			"/server.schema.json",
		"name": s.RegistryName, "description": "Published by its owner", "version": "1.0.0",
		"packages": packages, "remotes": append([]registry.Remote{}, s.Remotes...),
	})
	if err != nil {
		panic(err)
	}
	s.Published = &registry.PublishedEntry{Document: document, At: s.ReleasedAt}
}
