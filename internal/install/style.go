package install

import "strings"

// A style is how a client's configuration refers to a value that the user
// fills in.
type style int

const (
	asPlaceholder   style = iota // YOUR_NAME, which the user replaces
	fromEnvironment              // ${NAME}
	fromDollar                   // $NAME
	fromEnvPrefix                // ${env:NAME}
	fromBraces                   // {env:NAME}
	fromInput                    // ${input:NAME}, which the client asks for
	fromVariable                 // {NAME}, as in server.json
)

// of returns what stands for v.
func (s style) of(v value) string {
	switch s {
	case fromEnvironment:
		return "${" + v.name + "}"
	case fromDollar:
		return "$" + v.name
	case fromEnvPrefix:
		return "${env:" + v.name + "}"
	case fromBraces:
		return "{env:" + v.name + "}"
	case fromInput:
		return "${input:" + v.name + "}"
	case fromVariable:
		return "{" + v.name + "}"
	}
	return "YOUR_" + strings.TrimPrefix(strings.ToUpper(v.name), "YOUR_")
}
