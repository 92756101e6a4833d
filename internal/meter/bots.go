package meter

import (
	"strings"

	"github.com/mileusna/useragent"
)

type verdict uint8

const (
	person  verdict = iota
	program         // an agent or library
	crawler
)

const (
	maxSeen      = 4096
	maxUserAgent = 512
)

// isBot reports whether a user agent is a bot. For events that programs may cause, only
// crawlers are bots. It caches results, because parsing a user agent takes longer than
// handling a request.
func (m *Meter) isBot(ua string, forPeople bool) bool {
	ua = ua[:min(len(ua), maxUserAgent)]
	v, known := m.bots.Get(ua)
	if !known {
		v = judge(ua)
		m.bots.Add(strings.Clone(ua), v)
	}
	return v == crawler || forPeople && v == program
}

// crawlerWords are parts of the user agents of crawlers.
var crawlerWords = []string{
	"bot", "crawl", "spider", "slurp", "scrape", "externalhit", "preview", "uptime", "monitor",
	"pingdom", "statuscake",
	"lighthouse", "headless", "archiver", "validator", "feedfetcher", "mediapartners",
}

func judge(ua string) verdict {
	lower := strings.ToLower(ua)
	for _, w := range crawlerWords {
		if strings.Contains(lower, w) {
			return crawler
		}
	}
	// User agents of browsers start with Mozilla or Opera.
	if useragent.Parse(ua).Bot || !strings.HasPrefix(lower, "mozilla/") &&
		!strings.HasPrefix(lower, "opera/") {
		return program
	}
	return person
}
