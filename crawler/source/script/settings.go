package script

import "strings"

// Evaluation assumes that users set only the variables that the server requires. With optional
// settings it assumes that users set all variables and flags.

// setting returns the value of an environment variable.
func (in *interpreter) setting(name string) value {
	if in.tools.Reading.Requires(name) {
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
