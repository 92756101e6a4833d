package settings

import "testing"

func TestAccessOf(t *testing.T) {
	for want, names := range map[Access][]string{
		ReadOnly: {"READ_ONLY", "TIDES_READ_ONLY_MODE", "--read-only", "--readOnly", "-readonly", "read_only",
			"READ_OPERATIONS_ONLY", "ALLOW_ONLY_READONLY_TOOLS", "ENABLE_READ_ONLY", "--readonly-mode",
			"DISABLE_WRITES", "--no-write", "DENY_WRITE_OPERATIONS"},
		Writes: {"--allow-write", "ALLOW_WRITES", "ENABLE_WRITE_TOOLS", "TIDES_ALLOW_WRITE_ACCESS",
			"--read-write", "WRITE_ENABLED", "DISABLE_READ_ONLY", "--no-read-only", "allowMutations"},
		AnyAccess: {"READ_ONLY_TOKEN", "READONLY_USER", "READ_ONLY_PATHS", "ALLOW_WRITE_PATHS", "WRITE_TIMEOUT",
			"READ_TIMEOUT", "ALLOW_ONLY_NON_DESTRUCTIVE_TOOLS", "ALLOW_INSERT_OPERATION", "--thread-only", "",
			"OVERWRITE_MODE", "ALLOW_FILE_WRITE", "readOnlyHint", "DISABLE_ALLOW_WRITES", "READWRITE_TOKEN",
			"TIDES_DEFAULT_READONLY"},
	} {
		for _, name := range names {
			if got := AccessOf(name); got != want {
				t.Errorf("%q: got %d, want %d", name, got, want)
			}
		}
	}
}
