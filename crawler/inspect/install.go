package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/shell"
	"mcpcensus/internal/install"
	"mcpcensus/internal/registry"
)

// installHome is the home folder of an installation, which is on disk.
const installHome = installed + "/.home"

// tools are the programs of this machine that install and start packages.
type tools struct {
	npm, pip bool
	path     string // PATH in the sandbox
}

// findTools finds the programs below /usr, which is the folder that the sandbox mounts.
func findTools() tools {
	t := tools{path: installed + "/node_modules/.bin:" + installed + "/bin:" +
		"/usr/local/bin:/usr/bin:/bin"}
	has := func(names ...string) bool {
		for _, name := range names {
			path, err := lookIn(t.path, name)
			if err != nil {
				return false
			}
			if real, err := filepath.EvalSymlinks(path); err != nil ||
				!strings.HasPrefix(real, "/usr/") {
				return false
			}
		}
		return true
	}
	t.npm = has("node", "npm", "npx")
	t.pip = has("python3") && exec.Command("/usr/bin/env", "PATH="+t.path, "python3", "-m", "pip",
		"--version").Run() == nil
	return t
}

func lookIn(path, name string) (string, error) {
	for dir := range strings.SplitSeq(path, ":") {
		if found, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return found, nil
		}
	}
	return "", exec.ErrNotFound
}

func (t tools) types() (types []string) {
	if t.npm {
		types = append(types, "npm")
	}
	if t.pip {
		types = append(types, "pypi")
	}
	return types
}

// environment returns the variables of a started package.
func (t tools) environment() map[string]string {
	return map[string]string{
		"PATH": t.path, "HOME": home, "TMPDIR": "/tmp", "LANG": "C.UTF-8", "CI": "1",
		"PYTHONPATH": installed + "/lib", "PYTHONDONTWRITEBYTECODE": "1",
		"npm_config_offline": "true", "npm_config_update_notifier": "false",
		"npm_config_audit": "false", "npm_config_fund": "false",
		"npm_config_logs_max": "0", "npm_config_cache": home + "/.npm",
	}
}

// installing returns the variables of an installation.
func (t tools) installing() map[string]string {
	const at = "http://" + proxyAddress
	return map[string]string{
		"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": installHome, "TMPDIR": installHome, "LANG": "C.UTF-8", "CI": "1",
		"HTTPS_PROXY": at, "HTTP_PROXY": at, "https_proxy": at, "http_proxy": at,
		"NODE_EXTRA_CA_CERTS": "/etc/" + certificates, "SSL_CERT_FILE": "/etc/" + certificates,
		"PIP_CERT":                   "/etc/" + certificates,
		"npm_config_update_notifier": "false",
	}
}

// packageVersion matches versions that are not an option, a path or a URL.
var packageVersion = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z.+!_-]*$`)

// installCommand returns the command that installs an npm or PyPI package.
func installCommand(p registry.Package) []string {
	spec := func(separator string) string {
		if p.Version == "" {
			return p.Identifier
		}
		return p.Identifier + separator + p.Version
	}
	if p.RegistryType == "npm" {
		return []string{"npm", "install", "--ignore-scripts", "--no-audit", "--no-fund",
			"--no-package-lock", "--omit=dev", "--loglevel=error", "--prefix", installed, "--", spec("@")}
	}
	return []string{"python3", "-m", "pip", "install", "--only-binary", ":all:", "--no-compile",
		"--quiet", "--disable-pip-version-check", "--no-cache-dir", "--target",
		installed + "/lib", "--", spec("==")}
}

// install installs a package without running its scripts. failed is the reason why it cannot
// be installed, "" on success. The error is an error of this machine or of ctx.
func (i *Inspector) install(
	ctx context.Context, work string, p registry.Package,
) (failed string, err error) {
	if !registry.IsPackageName(p.RegistryType, p.Identifier) ||
		p.Version != "" && !packageVersion.MatchString(p.Version) {
		return "the name or version is malformed", nil
	}
	if !slices.Contains(i.Types(), p.RegistryType) {
		return "", fmt.Errorf("this machine cannot install packages of %s", p.RegistryType)
	}
	ctx, cancel := context.WithTimeout(ctx, installTimeout)
	defer cancel()
	temporary := filepath.Join(work, "app", filepath.Base(installHome))
	if err := os.Mkdir(temporary, 0o700); err != nil {
		return "", err
	}
	if err := i.box.chown(temporary); err != nil {
		return "", err
	}
	socket := filepath.Join(work, "proxy.sock")
	proxy, err := listenProxy(ctx, socket, i.opt.Hosts)
	if err != nil {
		return "", err
	}
	defer proxy.close()
	if err := i.box.chown(socket); err != nil {
		return "", err
	}
	proc, err := i.box.start(ctx, command{app: work, argv: installCommand(p), env: i.tool.installing(),
		limits: installLimits, proxy: socket})
	if err != nil {
		return "", fmt.Errorf("start sandbox: %w", err)
	}
	proc.stdin.Close()
	_, _ = io.Copy(io.Discard, proc.stdout) // errors are on standard error
	status := proc.wait()
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "the installation took longer than " + installTimeout.String(), nil
	case ctx.Err() != nil:
		return "", ctx.Err()
	case status != 0:
		return cmp.Or(installError(proc.stderr.lines()), fmt.Sprintf("exit status %d", status)), nil
	}
	return "", nil
}

// advice matches the lines of npm after an error: advice and the path of the log.
var advice = regexp.MustCompile(`(?:npm (?:error|ERR!)(?: 404)? *$)|` +
	`can also install from a|tarball, folder, http url|` +
	`complete log of this run|debug-0\.log|_logs`)

// otherPython matches pip's reason for ignoring versions. Its groups are the versions of Python that
// they require.
var otherPython = regexp.MustCompile(`Requires-Python ([<>=!~]=?[\d.*]+)|` +
	`requires a different Python: \S+ not in '([^']+)'`)

// installError returns why a package cannot be installed, from what the installer wrote.
func installError(lines []string) string {
	if m := otherPython.FindStringSubmatch(strings.Join(lines, "\n")); m != nil {
		return "it requires Python " + cmp.Or(m[1:]...)
	}
	return lastLine(slices.DeleteFunc(slices.Clone(lines), advice.MatchString))
}

// runnable returns a launch for the installed package. npx finds the package; the executable
// of uvx is called by its path.
func runnable(l install.Launch) (install.Launch, error) {
	switch l.Command {
	case "npx":
		return l, nil
	case "bunx":
		l.Command, l.Args = "npx", append([]string{"-y"}, l.Args...)
		return l, nil
	case "uvx":
	default:
		return l, fmt.Errorf("%s is not supported", l.Command)
	}
	parsed, err := shell.ParseCommand(l.Command, l.Args)
	name := cmp.Or(parsed.Script, parsed.Identifier)
	if err != nil && err != shell.ErrPlaceholder || name == "" {
		return l, errors.New("uvx has no executable argument")
	}
	l.Command, l.Args = installed+"/lib/bin/"+name, parsed.Args
	return l, nil
}
