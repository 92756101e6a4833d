package cli

import (
	"net/url"
	"path"
	"strings"
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

// identityOf reads the package from a command line.
func identityOf(command string, args []string) identity {
	switch strings.TrimSuffix(path.Base(strings.ReplaceAll(command, `\`, "/")), ".exe") {
	case "cmd": // cmd /c npx …
		if len(args) > 1 && strings.EqualFold(args[0], "/c") {
			return identityOf(args[1], args[2:])
		}
	case "npx", "npx.cmd", "bunx", "pnpx":
		return npm(args)
	case "npm", "pnpm", "yarn", "bun":
		if len(args) > 0 && (args[0] == "exec" || args[0] == "dlx" || args[0] == "x") {
			return npm(args[1:])
		}
	case "uvx":
		return pypi(args)
	case "uv", "pipx":
		if rest := after(args, "run"); rest != nil {
			return pypi(rest)
		}
	case "dnx":
		return nuget(args)
	case "docker", "podman":
		if rest := after(args, "run"); rest != nil {
			return image(rest)
		}
	}
	return identity{}
}

// after returns what follows "run" or "tool run" at the beginning.
func after(args []string, word string) []string {
	if len(args) > 0 && args[0] == "tool" {
		args = args[1:]
	}
	if len(args) > 1 && args[0] == word {
		return args[1:]
	}
	return nil
}

// split splits spec at the last separator that is not at its beginning.
func split(spec, by string) (name, rest string) {
	if i := strings.LastIndex(spec, by); i > 0 {
		return spec[:i], spec[i+len(by):]
	}
	return spec, ""
}

// first returns the first word that is not an option, or the value of one of the options
// that name the package.
func first(args []string, withValue, naming string) string {
	for i := 0; i < len(args); i++ {
		name, text, inline := strings.Cut(args[i], "=")
		switch {
		case !strings.HasPrefix(name, "-"):
			return args[i]
		case name == "--":
		case contains(naming, name) && inline:
			return text
		case contains(naming, name) && i+1 < len(args):
			return args[i+1]
		case !inline && contains(withValue, name):
			i++
		}
	}
	return ""
}

func contains(words, word string) bool { return strings.Contains(" "+words+" ", " "+word+" ") }

func npm(args []string) identity {
	name, version := split(first(args, "--registry -c --call", "-p --package"), "@")
	if version == "latest" {
		version = ""
	}
	return known("npm", name, version)
}

func pypi(args []string) identity {
	spec := first(args, "--python -p --with --index --index-url", "--from --spec")
	name, version := split(spec, "==")
	if version == "" {
		name, version = split(spec, "@")
	}
	name, _, _ = strings.Cut(name, "[")
	if version == "latest" {
		version = ""
	}
	return known("pypi", strings.ToLower(strings.ReplaceAll(name, "_", "-")), version)
}

func nuget(args []string) identity {
	name, version := split(first(args, "--source --version", ""), "@")
	return known("nuget", name, version)
}

// dockerValues are the options of docker run that have a value of their own.
const dockerValues = "-e --env --env-file -v --volume --mount -p --publish --name --network --net -u --user " +
	"-w --workdir --entrypoint --platform --pull --add-host --memory -m --cpus -l --label --tmpfs " +
	"--dns --hostname -h " +
	"--cap-add --cap-drop --security-opt --gpus --device --restart --log-driver --ipc --pid --ulimit --shm-size"

func image(args []string) identity {
	spec := first(args, dockerValues, "")
	name, _, _ := strings.Cut(spec, "@")
	if slash := strings.LastIndexByte(name, '/'); strings.Contains(name[slash+1:], ":") {
		name, tag := split(name, ":")
		if tag == "latest" {
			tag = ""
		}
		return known("oci", name, tag)
	}
	return known("oci", name, "")
}

func known(kind, name, version string) identity {
	if name == "" || strings.ContainsAny(name, " ${}") || strings.HasPrefix(name, ".") ||
		strings.HasPrefix(name, "/") {
		return identity{}
	}
	return identity{kind, name, version}
}

// identityOfEntry reads an entry of a client's file.
func identityOfEntry(entry any) identity {
	m, ok := entry.(map[string]any)
	if !ok {
		return identity{}
	}
	for _, key := range []string{"url", "serverUrl", "httpUrl", "uri"} {
		if text, ok := m[key].(string); ok {
			return address(text)
		}
	}
	args := stringsOf(m["args"])
	switch command := m["command"].(type) {
	case string:
		return identityOf(command, args)
	case []any: // OpenCode
		if words := stringsOf(command); len(words) > 0 {
			return identityOf(words[0], words[1:])
		}
	case map[string]any: // Zed, formerly
		text, _ := command["path"].(string)
		return identityOf(text, stringsOf(command["args"]))
	}
	if text, ok := m["cmd"].(string); ok {
		return identityOf(text, args)
	}
	return identity{}
}

// address returns the identity of a URL without user, query and fragment, which may be secret.
func address(text string) identity {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return identity{}
	}
	return identity{"url", u.Scheme + "://" + u.Host + strings.TrimSuffix(u.Path, "/"), ""}
}

func stringsOf(list any) (all []string) {
	items, _ := list.([]any)
	for _, i := range items {
		text, _ := i.(string)
		all = append(all, text)
	}
	return all
}
