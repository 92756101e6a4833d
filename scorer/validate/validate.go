// Package validate knows what the health scores of well-known servers must
// look like: who must outrank whom, and who must lie where. It judges scores
// that a crawl has given, and computes none.
//
// The list holds names and relations only. Each was judged by reading the
// repositories, not their scores, except that one rule of the model (short
// histories count in part) was added after a pair had failed: it is a
// regression suite, not independent evidence.
package validate

import (
	"fmt"
	"strings"
)

// A Pair says that the server of one repository must score higher than that
// of another.
type Pair struct {
	Higher, Lower string // owner/name
	Because       string
}

// A Bound says where the score of a repository's server must lie.
type Bound struct {
	Repo    string // owner/name
	Min     int    // 0 for no lower bound
	Max     int    // 100 for no upper bound
	Because string
}

// Pairs returns the pairs.
func Pairs() []Pair {
	return []Pair{
		{"SonarSource/sonarqube-mcp-server", "sapientpants/sonarqube-mcp-server", "the second is no longer maintained and points to the first"},
		{"apify/apify-mcp-server", "apify/mcp-server-rag-web-browser", "the second is deprecated in favour of the first"},
		{"grafana/mcp-grafana", "elastic/mcp-server-elasticsearch", "the second is deprecated and gets critical fixes only"},
		{"containers/kubernetes-mcp-server", "semgrep/mcp", "the second has moved and its repository is deprecated"},
		{"Flux159/mcp-server-kubernetes", "CircleCI-Public/mcp-server-circleci", "the second is now part of another program"},
		{"hashicorp/terraform-mcp-server", "dynatrace-oss/dynatrace-mcp", "the second has had its final release"},
		{"microsoft/playwright-mcp", "Vortiago/mcp-azure-devops", "the second sends its users to the official server"},
		{"upstash/context7", "makenotion/notion-mcp-server", "the second may be sunset and its issues are not looked at"},
		{"getsentry/sentry-mcp", "21st-dev/magic-mcp", "the second is replaced by another product and has no licence at its root"},
		{"github/github-mcp-server", "honeycombio/honeycomb-mcp", "the second is quiet and was archived later"},
		{"domdomegg/airtable-mcp-server", "felores/airtable-mcp", "both do the same; the second lived ten weeks and has no tests"},
		{"stickerdaniel/linkedin-mcp-server", "jonathan-politzki/mcp-writer-substack", "the second has no licence and was nine days old"},
		{"antvis/mcp-server-chart", "hamflx/imagen3-mcp", "the second has no licence and was fifteen days old"},
		{"mongodb-js/mongodb-mcp-server", "daobataotie/mssql-mcp", "the second has no tests, no CI and no install command"},
		{"ClickHouse/mcp-clickhouse", "kukapay/crypto-feargreed-mcp", "the second was one burst of work and then silence"},
		{"mobile-next/mobile-mcp", "helpful-AIs/triplyfy-mcp", "the second is two files without a licence"},
		{"redis/mcp-redis", "foursquare/foursquare-places-mcp", "the second is three commits and nothing to install"},
		{"benborla/mcp-server-mysql", "hannesj/mcp-graphql-schema", "the second was quiet for 401 days and has no tests"},
		{"wonderwhy-er/DesktopCommanderMCP", "lharries/whatsapp-mcp", "the second is popular, quiet, without tests and CI"},
		{"blazickjp/arxiv-mcp-server", "kazuph/mcp-taskmanager", "the second has no tests and a thin README"},
		{"qdrant/mcp-server-qdrant", "YuChenSSR/mindmap-mcp-server", "the first has tests, CI and sixteen months of work"},
		{"bytebase/dbhub", "kiliczsh/mcp-mongo-server", "the second has no tests and no client configuration"},
		{"makeplane/plane-mcp-server", "microsoft/clarity-mcp-server", "the second has a big name, but is quiet, without tests and CI"},
		{"g0t4/mcp-server-commands", "GongRzhe/Office-Word-MCP-Server", "the first is small, with CI and releases; the second is popular, without CI"},
		{"githejie/mcp-server-calculator", "helpful-AIs/triplyfy-mcp", "tiny and complete beats tiny and empty"},
	}
}

// Bounds returns the bounds.
func Bounds() []Bound {
	return []Bound{
		{"githejie/mcp-server-calculator", 60, 100, "tiny and complete"},
		{"g0t4/mcp-server-commands", 75, 100, "small, with CI and releases"},
		{"hannesj/mcp-graphql-schema", 35, 100, "quiet, but not without worth"},
		{"github/github-mcp-server", 80, 100, "large and active"},
		{"dynatrace-oss/dynatrace-mcp", 0, 29, "it has had its final release"},
		{"jonathan-politzki/mcp-writer-substack", 0, 60, "no licence"},
		{"supadata-ai/mcp", 0, 79, "thirteen days old"},
	}
}

// An Outcome is one pair or bound, judged.
type Outcome struct {
	Name    string // "a/b > c/d", "a/b >= 60"
	Because string
	Judged  bool // all scores that it needs are there
	OK      bool
	Detail  string // the scores
}

// Judge judges all pairs and bounds by the scores of the servers at the roots
// of repositories, by owner/name in any case. A pair of which a score is
// missing is not judged.
func Judge(scores map[string]int) []Outcome {
	lower := make(map[string]int, len(scores))
	for name, score := range scores {
		lower[strings.ToLower(name)] = score
	}
	var list []Outcome
	for _, p := range Pairs() {
		a, okA := lower[strings.ToLower(p.Higher)]
		b, okB := lower[strings.ToLower(p.Lower)]
		o := Outcome{Name: p.Higher + " > " + p.Lower, Because: p.Because, Judged: okA && okB, Detail: "no score"}
		if o.Judged {
			o.OK, o.Detail = a > b, fmt.Sprintf("%d and %d", a, b)
		}
		list = append(list, o)
	}
	for _, b := range Bounds() {
		score, ok := lower[strings.ToLower(b.Repo)]
		o := Outcome{Name: fmt.Sprintf("%s >= %d", b.Repo, b.Min), Because: b.Because, Judged: ok, Detail: "no score"}
		if b.Max < 100 {
			o.Name = fmt.Sprintf("%s <= %d", b.Repo, b.Max)
		}
		if ok {
			o.OK, o.Detail = b.Min <= score && score <= b.Max, fmt.Sprint(score)
		}
		list = append(list, o)
	}
	return list
}
