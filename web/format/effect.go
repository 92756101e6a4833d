package format

import "mcpcensus/internal/registry"

// effects are the names of effects.
var effects = map[string]string{
	registry.EffectRead: "Only reads", registry.EffectWrite: "Writes",
	registry.EffectDestructive: "Deletes or overwrites",
	registry.EffectExecute:     "Runs commands or code", registry.EffectUnknown: "Unknown",
}

// Effect returns the name of an effect of a server.
func Effect(id string) string { return effects[id] }
