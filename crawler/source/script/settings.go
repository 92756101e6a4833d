package script

import (
	"regexp"
	"strings"
)

// Evaluation assumes that users set only the variables required to reach a service, such as a
// token or a URL. With optional settings it assumes that users set all variables and flags.

// connection matches the names of settings that users set.
var connection = regexp.MustCompile(`(?i)(token|key|secret|password|passwd|pass|pat|url|uri|host|hostname|domain|` +
	`endpoint|dsn|_id|[a-z]Id|^id|user|username|email|account|organization|org|tenant|workspace|database|` +
	`connection_?string|credentials?)$`)

// setting returns the value of an environment variable.
func (in *interpreter) setting(name string) value {
	if connection.MatchString(name) {
		return given
	}
	in.hasOptional = true
	if in.optional {
		return &unknown{given: true, setting: name}
	}
	return undefined
}

// commandLine returns the arguments of the process.
func (in *interpreter) commandLine() value {
	in.hasOptional = true
	return &array{items: []value{"node", "index.js"}, open: in.optional, flags: in.optional}
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

// givenMethod returns the result of a method of a value of a setting.
func givenMethod(v *unknown, name string) value {
	switch name {
	case "trim", "toLowerCase", "toUpperCase", "toString", "replace", "replaceAll", "split":
		return v
	}
	return &unknown{setting: v.setting}
}
