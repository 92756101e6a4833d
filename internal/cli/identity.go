package cli

import (
	"errors"
	"net/url"
	"strings"

	"mcpcensus/crawler/shell"
	"mcpcensus/internal/registry"
)

// An identity is the package or the address that an entry of a client uses.
type identity struct {
	kind    string // npm, pypi, nuget, oci or url; "" if it is unknown
	name    string
	version string // "" if it is not pinned
}

func (i identity) String() string {
	if i.version == "" {
		return i.name
	}
	return i.name + "@" + i.version
}

// identityOf reads the package from a command line. The version is "" if the package is not
// pinned. A package from source has its address as the name, and no kind.
func identityOf(command string, args []string) identity {
	l, err := shell.ParseCommand(command, args)
	switch {
	case err != nil && !errors.Is(err, shell.ErrPlaceholder) && // here a name means itself
		!errors.Is(err, shell.ErrElsewhere):
		return identity{}
	case l.Source || !l.Runs || l.Identifier == "":
		source := l.Spec[strings.LastIndexByte(l.Spec, '+')+1:] // of "git+https://…"
		return identity{name: address(source).name}
	case l.RegistryType == "pypi":
		l.Identifier = registry.PyPIName(l.Identifier)
	}
	return identity{l.RegistryType, l.Identifier, l.Version}
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
	return identity{"url", u.Scheme + "://" + u.Host + strings.TrimSuffix(u.Path, "/"), ""}
}
