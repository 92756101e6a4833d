package format

import (
	"strings"

	"mcpcensus/internal/registry"
)

// Effect returns what a server or tool with an effect can do, as a title.
func Effect(id string) string {
	words := registry.EffectWords[id]
	return strings.ToUpper(words[:min(1, len(words))]) + words[min(1, len(words)):]
}
