package install

import (
	"fmt"
	"strings"
)

// A style is the syntax of a client's configuration for a value to fill in.
type style int

const (
	asPlaceholder   style = iota // YOUR_NAME, which the user replaces
	fromEnvironment              // ${NAME}
	fromDollar                   // $NAME
	fromEnvPrefix                // ${env:NAME}
	fromBraces                   // {env:NAME}
	fromInput                    // ${input:NAME}, which the client prompts for
	fromVariable                 // {NAME}, as in server.json
)

var styles = map[style]string{
	fromEnvironment: "${%s}", fromDollar: "$%s", fromEnvPrefix: "${env:%s}", fromBraces: "{env:%s}",
	fromInput: "${input:%s}", fromVariable: "{%s}",
}

// of returns the reference to v.
func (s style) of(v value) string {
	if s == asPlaceholder {
		return "YOUR_" + strings.TrimPrefix(strings.ToUpper(v.name), "YOUR_")
	}
	return fmt.Sprintf(styles[s], v.name)
}
