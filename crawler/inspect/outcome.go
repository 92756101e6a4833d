package inspect

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"mcpcensus/crawler/mcp"
	"mcpcensus/internal/registry"
	"mcpcensus/internal/text"
)

// maxDetail is the maximum length of a detail in bytes.
const maxDetail = 200

var (
	// missingService matches errors of connections and of name lookups.
	missingService = regexp.MustCompile(`(?i)\b(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENETUNREACH|` +
		`EHOSTUNREACH|ECONNRESET|ETIMEDOUT|connection refused|connect(?:ion)? (?:error|failed)|` +
		`failed to connect|could not connect|cannot connect|unable to connect|fetch failed|` +
		`name resolution|name or service not known|nodename nor servname|` +
		`network is unreachable|no such host|getaddrinfo)\b`)
	// missingCredentials matches errors about keys and settings.
	missingCredentials = regexp.MustCompile(`(?i)\b(?:api[ _-]?keys?|access[ _-]?keys?|tokens?|` +
		`\w*credentials?\w*|secrets?|passwords?|unauthori[sz]ed|authenticat\w+|not logged in|` +
		`environment variables?|env vars?|service account|invalid_grant|` +
		`config(?:uration)? profile|kube-?config|must specify a region)\b`)
)

// outcome returns the outcome of a package that did not list its tools.
func (a attempt) outcome(p registry.Package) string {
	text := said(a.stderr)
	switch {
	case errors.Is(a.err, context.DeadlineExceeded) && !a.output && !a.isMCP:
		if missingService.MatchString(text) {
			return registry.InspectionNeedsService
		}
		return registry.InspectionTimeout
	case errors.Is(a.err, context.DeadlineExceeded), errors.Is(a.err, mcp.ErrTooLarge),
		errors.Is(a.err, mcp.ErrNotMCP), errors.Is(a.err, errRejected):
		return registry.InspectionNoStdio
	case a.status == exitMemory:
		return registry.InspectionCrashed
	case missingService.MatchString(text):
		return registry.InspectionNeedsService
	case missingCredentials.MatchString(text) || namesVariable(text, p):
		return registry.InspectionNeedsCredentials
	case a.status == 0:
		return registry.InspectionNoStdio
	}
	return registry.InspectionCrashed
}

var (
	// uncaught matches what Node.js and Python write when an error ends a program.
	uncaught = regexp.MustCompile(`(?m)^(?:Node\.js v\d|Traceback \(most recent call last\):|` +
		`  File ".*", line \d+)`)
	// programError matches errors that a program's own code or dependencies cause.
	programError = regexp.MustCompile(`^(?:Error \[ERR_MODULE_NOT_FOUND\]|` +
		`Error: Cannot find module '|` +
		`(?:SyntaxError|ReferenceError|TypeError)(?: \[\w+\])?: |` +
		`(?:ModuleNotFoundError|ImportError|IndentationError|NameError|AttributeError): )`)
	// unset matches the part of such errors that shows a missing or invalid value.
	unset = regexp.MustCompile(`\b(?:NoneType|undefined|null|ERR_INVALID_\w+)\b`)
	// native matches files that install scripts build, and libraries of the system.
	native = regexp.MustCompile(`\.(?:node|so|dylib)\b`)
	// generated matches modules that are missing because install scripts, which do not run, write
	// them, or because they are parts of Python that some machines leave out.
	generated = regexp.MustCompile(`Cannot find (?:module|package) '\.[^./]|` +
		`No module named '(?:_\w+|tkinter|distutils|imp)\b`)
	// usage matches lines that explain how a program is called.
	usage = regexp.MustCompile(`(?i)^\s*(?:usage:|--?\w|\[-)`)
)

// said returns what a program wrote, without the lines that explain how it is called.
func said(stderr []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(stderr), usage.MatchString), "\n")
}

// ownFault reports whether the package itself is the cause of an outcome, and not the sandbox,
// made-up values, or a missing service or credential. It is false in doubt.
func (a attempt) ownFault(outcome string, p registry.Package) bool {
	text, line := said(a.stderr), lastLine(a.stderr)
	switch outcome {
	case registry.InspectionCrashed:
		return a.endedSilently() || uncaught.MatchString(text) && programError.MatchString(line) &&
			!unset.MatchString(line) && !native.MatchString(line) && !generated.MatchString(line)
	case registry.InspectionNoStdio:
		if errors.Is(a.err, errEnded) { // a program that prints its usage may need arguments
			return a.endedSilently()
		}
		declared := p.Declared != "" && p.Transport.Type == registry.TransportStdio
		asks := missingCredentials.MatchString(text) || missingService.MatchString(text) ||
			namesVariable(text, p)
		return declared && !asks && !errors.Is(a.err, mcp.ErrTooLarge) &&
			!errors.Is(a.err, errRejected)
	}
	return false
}

// endedSilently reports whether the package exited by itself without writing anything.
func (a attempt) endedSilently() bool {
	const signalled = 128 // lowest exit status of a program that a signal ended
	return errors.Is(a.err, errEnded) && !a.output && lastLine(a.stderr) == "" &&
		a.status < signalled
}

// namesVariable reports whether a text names a variable that the package declares.
func namesVariable(text string, p registry.Package) bool {
	return slices.ContainsFunc(p.EnvironmentVariables, func(v registry.Variable) bool {
		return v.Name != "" && strings.Contains(text, v.Name)
	})
}

// detail returns the reason in one line.
func (a attempt) detail() string {
	line := lastLine(a.stderr)
	if errors.Is(a.err, mcp.ErrTooLarge) || line == "" && a.err != nil && !errors.Is(a.err, context.DeadlineExceeded) {
		return a.err.Error()
	}
	return line
}

var (
	escapes = regexp.MustCompile("\x1b\\[[0-9;?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|\x1b.")
	// Context lines of errors: stack frames, source, versions.
	frame = regexp.MustCompile(`^(?:at |Node\.js v|File "|\^|[~^ ]+$|[{}\[\]();,]+$|\.\.\. )`)
	// Error lines: "ValueError: …", "error: …", "Missing …".
	failure = regexp.MustCompile(`(?i)error|missing|required|must|fail|cannot|invalid|unable|killed:`)
)

// lastLine returns the last error line or, without one, the last line, sanitized and
// shortened.
func lastLine(lines []string) string {
	last := ""
	for n := len(lines) - 1; n >= 0; n-- {
		line := cleanLine(lines[n])
		switch {
		case line == "" || frame.MatchString(line):
		case failure.MatchString(line):
			return line
		case last == "":
			last = line
		}
	}
	return last
}

func cleanLine(s string) string {
	return text.Shorten(text.OneLine(escapes.ReplaceAllString(s, "")), maxDetail-len("…"))
}
