package crawler

import "mcpcensus/crawler/vocabulary"

var (
	bots           = vocabulary.Expressions(rules, "rules/bots.txt")
	dependencyBots = vocabulary.Expressions(rules, "rules/dependency_bots.txt")
)

// IsBot reports whether a name or login belongs to a program that commits.
func IsBot(name string) bool { return bots.MatchString(name) }

// IsDependencyBot reports whether a name or login belongs to a program that updates
// dependencies.
func IsDependencyBot(name string) bool { return dependencyBots.MatchString(name) }
