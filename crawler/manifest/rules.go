package manifest

import (
	"embed"

	"mcpcensus/crawler/vocabulary"
)

//go:embed rules
var embedded embed.FS

var rules = vocabulary.Rules(embedded)
