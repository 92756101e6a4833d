// Package oci reads the names of container images: which registry an image is
// on, and the name by which container engines pull it.
package oci

import (
	"errors"
	"net/url"
	"strings"

	"github.com/distribution/reference"
)

// DockerHub is the host of images whose name has none.
const DockerHub = "docker.io"

// The errors of [Parse].
var (
	ErrName     = errors.New("not the name of a container image")
	ErrBase     = errors.New("not the address of a container registry")
	ErrConflict = errors.New("name and address are of different container registries")
)

// An Image is the name of a container image.
type Image struct {
	Host   string // of its registry, with a port if there is one: "ghcr.io"
	Name   string // what engines pull, without tag and digest: "ghcr.io/octo/weather"
	Tag    string // "1.0.0"; "" if none
	Digest string // "sha256:…"; "" if none

	// Unscoped says that Name is a single word, such as "weather". Engines
	// read it as one of Docker's own images.
	Unscoped bool
}

// Parse reads an image's identifier together with the base address of its
// registry, as server.json has them. The base may be "", a host or a URL.
// Without a host in the identifier, Name has the host of the base; both may
// name a host if it is the same one.
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

// Path returns the name of the image within its registry: "octo/weather".
func (i Image) Path() string {
	return strings.TrimPrefix(strings.TrimPrefix(i.Name, i.Host), "/")
}

// Reference returns the reference to pull: the image with its own tag or
// digest, else with version as tag, else without a tag.
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

// Host returns the host that the base address of a registry names, "" for an
// empty base. The error is [ErrBase].
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
