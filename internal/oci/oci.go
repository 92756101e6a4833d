// Package oci parses the names of container images into their registry and the name
// that container engines pull.
package oci

import (
	"errors"
	"net/url"
	"regexp"
	"strings"

	"github.com/distribution/reference"
)

// DockerHub is the host of images whose name has none.
const DockerHub = "docker.io"

// Public are the hosts of public registries.
var Public = []string{
	DockerHub, "ghcr.io", "quay.io", "public.ecr.aws", "mcr.microsoft.com", "gcr.io", "registry.gitlab.com",
}

// OfCodeHosts are the registries with images below the names of owners of repositories.
var OfCodeHosts = []string{"ghcr.io", "registry.gitlab.com", "docker.pkg.github.com", "containers.pkg.github.com"}

// The errors of [Parse].
var (
	ErrName     = errors.New("not the name of a container image")
	ErrBase     = errors.New("not the address of a container registry")
	ErrConflict = errors.New("name and address refer to different container registries")
)

// An Image is the name of a container image.
type Image struct {
	Host   string // of its registry, with a port if there is one: "ghcr.io"
	Name   string // that engines pull, without tag and digest: "ghcr.io/octo/weather"
	Tag    string // "1.0.0"; "" if none
	Digest string // "sha256:…"; "" if none

	// Unscoped reports that Name is a single word, such as "weather", which engines
	// resolve to one of Docker's official images.
	Unscoped bool
}

// Parse parses the identifier of an image and the base address of its registry, as in
// server.json. The base may be "", a host or a URL. If the identifier has no host, Name
// has the host of the base; if both name a host, it must be the same one.
func Parse(identifier, base string) (Image, error) {
	baseHost, err := Host(base)
	if err != nil {
		return Image{}, err
	}
	named, err := reference.ParseNormalizedNamed(identifier)
	if err != nil {
		return Image{}, ErrName
	}
	host := reference.Domain(named)
	written := host != DockerHub || strings.HasPrefix(identifier, DockerHub+"/") ||
		strings.HasPrefix(identifier, "index."+DockerHub+"/")
	switch {
	case base == "" || baseHost == host:
	case written:
		return Image{}, ErrConflict
	default:
		if named, err = reference.ParseNormalizedNamed(baseHost + "/" + identifier); err != nil {
			return Image{}, ErrName
		}
		if host = reference.Domain(named); host != baseHost {
			return Image{}, ErrBase
		}
	}
	img := Image{Host: host, Name: reference.FamiliarName(named)}
	if written && host == DockerHub {
		img.Name = named.Name()
	}
	if t, ok := named.(reference.Tagged); ok {
		img.Tag = t.Tag()
	}
	if d, ok := named.(reference.Digested); ok {
		img.Digest = d.Digest().String()
	}
	img.Unscoped = !strings.Contains(img.Name, "/")
	return img, nil
}

var tag = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$`)

func IsTag(s string) bool { return tag.MatchString(s) }

// Path returns the name of the image within its registry: "octo/weather".
func (i Image) Path() string {
	return strings.TrimPrefix(strings.TrimPrefix(i.Name, i.Host), "/")
}

// Reference returns the reference to pull: the image with its tag and digest, or, if it
// has neither, with version as tag unless version is "".
func (i Image) Reference(version string) string {
	ref := i.Name
	switch {
	case i.Tag != "":
		ref += ":" + i.Tag
	case i.Digest == "" && version != "":
		ref += ":" + version
	}
	if i.Digest != "" {
		ref += "@" + i.Digest
	}
	return ref
}

// Host returns the host in the base address of a registry, "" for an empty base. The
// error is [ErrBase].
func Host(base string) (string, error) {
	if base == "" {
		return "", nil
	}
	if !strings.Contains(base, "://") {
		base = "https://" + base
	}
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.User != nil ||
		u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return "", ErrBase
	}
	switch strings.Trim(u.Path, "/") {
	case "", "v1", "v2": // the roots of the registry protocol
	default:
		return "", ErrBase
	}
	switch host := strings.ToLower(u.Host); host {
	case DockerHub, "index.docker.io", "registry-1.docker.io", "hub.docker.com",
		"registry.hub.docker.com":
		return DockerHub, nil
	default:
		return host, nil
	}
}
