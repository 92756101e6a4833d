package cli

import (
	"cmp"
	"errors"
	"net/url"
	"strings"

	"mcpcensus/crawler/shell"
	"mcpcensus/internal/hosts"
	"mcpcensus/internal/registry"
)

// An identity is the package or the address that an entry of a client uses.
type identity struct {
	kind    string // npm, pypi, nuget, oci or url; "" if it is unknown
	name    string
	version string // "" if it is not pinned
}

// of reports whether two identities are of the same package or address, in any version.
func (i identity) of(other identity) bool {
	isSame := i.name == other.name || i.kind != "url" && strings.EqualFold(i.name, other.name)
	return i.name != "" && i.kind == other.kind && isSame
}

// isPrivate reports whether the host of an identity is not one of the public internet. No server of
// the registry has it, and the registry must not learn it.
func (i identity) isPrivate() bool {
	host := hostOf(i.name)
	first, _, below := strings.Cut(i.name, "/")
	if below && i.kind == "oci" && strings.ContainsAny(strings.TrimSuffix(first, ":"), ".:") {
		host = first
	}
	return host != "" && hosts.KindOf(host) != hosts.Public
}

// String returns the identity as it is shown, without the secrets of an address.
func (i identity) String() string { return mask(i.full(), secretsIn(i.full(), false)) }

// full returns the identity as it is stored and compared.
func (i identity) full() string {
	if i.version == "" {
		return i.name
	}
	return i.name + "@" + i.version
}

// packageIdentity returns the identity of a package.
func packageIdentity(kind, name, version string) identity {
	switch kind {
	case "pypi":
		name = registry.PyPIName(name)
	case "oci":
		image, tag := shell.SplitImage(name)
		name, version = strings.TrimPrefix(image, "docker.io/"), cmp.Or(tag, version)
	}
	return identity{kind, name, version}
}

// identityOf reads the package from a command line, or the address that a bridge connects to. The
// version is "" if the package is not pinned. A package from source has its address as the name,
// and no kind.
func identityOf(command string, args []string) identity {
	l, err := shell.ParseCommand(command, args)
	switch {
	case err != nil && !errors.Is(err, shell.ErrPlaceholder) && // here a name means itself
		!errors.Is(err, shell.ErrElsewhere):
		return identity{}
	case l.Endpoint.URL != "" && shell.IsBridge(l.Identifier):
		return address(l.Endpoint.URL)
	case l.Source || !l.Runs || l.Identifier == "":
		source := l.Spec[strings.LastIndexByte(l.Spec, '+')+1:] // of "git+https://…"
		return identity{name: address(source).name}
	}
	return packageIdentity(l.RegistryType, l.Identifier, l.Version)
}

// identityOfEntry reads an entry of a client's file.
func identityOfEntry(entry any) identity {
	m, ok := entry.(map[string]any)
	if !ok {
		return identity{}
	}
	e := shell.ReadEntry(m)
	if e.URL != "" {
		return address(e.URL)
	}
	return identityOf(e.Command, e.Args)
}

// address returns the identity of a URL without user, query and fragment, which may be secret.
func address(text string) identity {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return identity{}
	}
	host := strings.ToLower(u.Host)
	for scheme, port := range map[string]string{"https": ":443", "http": ":80"} {
		if u.Scheme == scheme {
			host = strings.TrimSuffix(host, port)
		}
	}
	return identity{"url", u.Scheme + "://" + host + strings.TrimSuffix(u.Path, "/"), ""}
}
