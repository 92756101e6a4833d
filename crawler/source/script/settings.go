package script

import (
	"regexp"
	"strings"
)

// Evaluation assumes that users set only the variables required to reach a service, such as a
// token or a URL.

// connection matches the names of settings that users set.
var connection = regexp.MustCompile(`(?i)(token|key|secret|password|passwd|pass|pat|url|uri|host|hostname|domain|` +
	`endpoint|dsn|_id|[a-z]Id|^id|user|username|email|account|organization|org|tenant|workspace|database|` +
	`connection_?string|credentials?)$`)

// setting returns the value of an environment variable.
func setting(name string) value {
	if connection.MatchString(name) {
		return given
	}
	return undefined
}

// isEnvironment reports whether a value contains the environment variables.
func (x *external) isEnvironment() bool {
	switch strings.TrimPrefix(x.path, "globalThis.") {
	case "process.env", "Bun.env", "Deno.env", "import.meta.env":
		return true
	case "env", "default.env":
		return isProcess(x.module)
	}
	return false
}

func isProcess(module string) bool { return module == "process" || module == "node:process" }

// givenMethod returns the result of a method of a set but unknown value.
func givenMethod(name string) value {
	switch name {
	case "trim", "toLowerCase", "toUpperCase", "toString", "replace", "replaceAll", "split":
		return given
	}
	return unknownValue
}
