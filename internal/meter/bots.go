package meter

import (
	"strings"
	"sync"

	"github.com/mileusna/useragent"
)

// bots detects bots by their user agent. It caches results, since parsing a user
// agent takes longer than handling a request.
type bots struct {
	mu   sync.RWMutex
	seen map[string]verdict
}

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

// is reports whether a user agent is a bot. For events that are not caused by
// people only crawlers are bots, since callers of an API are programs.
func (b *bots) is(ua string, forPeople bool) bool {
	if len(ua) > maxUserAgent {
		ua = ua[:maxUserAgent]
	}
	b.mu.RLock()
	v, known := b.seen[ua]
	b.mu.RUnlock()
	if !known {
		v = judge(ua)
		b.mu.Lock()
		if b.seen == nil || len(b.seen) >= maxSeen {
			b.seen = make(map[string]verdict)
		}
		b.seen[strings.Clone(ua)] = v
		b.mu.Unlock()
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
