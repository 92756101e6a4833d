package meter

import (
	"strings"
	"sync"

	"github.com/mileusna/useragent"
)

// bots tells bots from others by their user agent and remembers what it found:
// reading one takes longer than answering a request.
type bots struct {
	mu   sync.RWMutex
	seen map[string]verdict
}

type verdict uint8

const (
	person  verdict = iota
	program         // calls itself by an address, as agents and libraries do
	crawler         // calls itself one
)

const (
	maxSeen      = 4096
	maxUserAgent = 512
)

// is reports whether a user agent is a bot's. Where no people are expected,
// only crawlers are bots: the callers of an API are programs.
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

// crawlerWords are in the names of programs that visit addresses on their own.
var crawlerWords = []string{
	"bot", "crawl", "spider", "slurp", "scrape", "externalhit", "preview", "uptime", "monitor", "pingdom", "statuscake",
	"lighthouse", "headless", "archiver", "validator", "feedfetcher", "mediapartners",
}

func judge(ua string) verdict {
	lower := strings.ToLower(ua)
	for _, w := range crawlerWords {
		if strings.Contains(lower, w) {
			return crawler
		}
	}
	// A program's own name comes first; a browser's is always Mozilla or Opera.
	if useragent.Parse(ua).Bot || !strings.HasPrefix(lower, "mozilla/") && !strings.HasPrefix(lower, "opera/") {
		return program
	}
	return person
}
