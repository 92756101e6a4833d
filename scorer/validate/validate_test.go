package validate

import (
	"strings"
	"testing"
)

func TestJudgeComparesWhatIsThere(t *testing.T) {
	outcomes := Judge(map[string]int{
		"sonarsource/SonarQube-mcp-server":  83,
		"sapientpants/sonarqube-mcp-server": 29,
		"apify/apify-mcp-server":            50,
		"apify/mcp-server-rag-web-browser":  50,
		"github/github-mcp-server":          79,
		"dynatrace-oss/dynatrace-mcp":       29,
	})
	want := map[string]bool{
		"SonarSource/sonarqube-mcp-server > sapientpants/sonarqube-mcp-server": true,
		"apify/apify-mcp-server > apify/mcp-server-rag-web-browser":            false,
		"github/github-mcp-server >= 80":                                       false,
		"dynatrace-oss/dynatrace-mcp <= 29":                                    true,
	}
	judged := 0
	for _, o := range outcomes {
		if !o.Judged {
			continue
		}
		judged++
		if ok, known := want[o.Name]; !known || ok != o.OK {
			t.Errorf("%s: %v (%s)", o.Name, o.OK, o.Detail)
		}
	}
	if judged != len(want) || len(outcomes) != len(Pairs())+len(Bounds()) {
		t.Errorf("judged %d of %d", judged, len(outcomes))
	}
}

func TestPairsAndBoundsAreWellFormed(t *testing.T) {
	for _, p := range Pairs() {
		if strings.Count(p.Higher, "/") != 1 || strings.Count(p.Lower, "/") != 1 || p.Higher == p.Lower ||
			p.Because == "" {
			t.Error(p)
		}
	}
	for _, b := range Bounds() {
		if strings.Count(b.Repo, "/") != 1 || b.Min > b.Max || b.Min < 0 || b.Max > 100 {
			t.Error(b)
		}
	}
}
