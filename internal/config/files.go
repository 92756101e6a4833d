package config

import (
	"io"
	"os"
	"reflect"
	"strings"
	"unicode/utf8"
)

// maxSecretFile is the maximum size of a file with a secret, in bytes.
const maxSecretFile = 64 << 10

// readSecretFiles sets each variable with a secret to the contents of the file that
// NAME_FILE names, as container platforms provide secrets, and removes NAME_FILE.
func (p *problems) readSecretFiles(vars map[string]string) {
	for f := range reflect.TypeFor[Config]().Fields() {
		name := f.Tag.Get("env")
		path := vars[name+"_FILE"]
		if f.Tag.Get("secret") == "" || path == "" {
			continue
		}
		delete(vars, name+"_FILE")
		if vars[name] != "" {
			p.add(name+"_FILE", "must not be set together with %s", name)
			continue
		}
		secret, fault := readSecret(path)
		if fault != "" {
			p.add(name+"_FILE", "%s", fault)
		}
		vars[name] = secret
	}
}

// readSecret returns the contents of a file without surrounding white space, or its
// fault.
func readSecret(path string) (secret, fault string) {
	f, err := os.Open(path)
	if err != nil {
		return "", "cannot be read: " + err.Error()
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxSecretFile+1))
	switch secret = strings.TrimSpace(string(b)); {
	case err != nil:
		return "", "cannot be read: " + err.Error()
	case len(b) > maxSecretFile:
		return "", "names a file larger than 64 KiB"
	case secret == "":
		return "", "names an empty file"
	case !utf8.ValidString(secret):
		return "", "names a file that is not text"
	}
	return secret, ""
}
