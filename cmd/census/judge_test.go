package main

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// Expectations of the health scores of well-known servers: which one must outrank which, and the
// ranges of scores. The lists hold names and relations only. Each was judged by reading the
// repositories, not their scores, except that one rule of the model (short histories count in part)
// was added after a pair had failed: they are a regression suite, not independent evidence.
var (
	//go:embed testdata/pairs.csv
	pairsText string
	//go:embed testdata/bounds.csv
	boundsText string
)

// A Pair requires that the server of one repository scores higher than the server of another.
type Pair struct {
	Higher, Lower string // owner/name
	Because       string
}

// A Bound is the accepted range of the score of a repository's server.
type Bound struct {
	Repo    string // owner/name
	Min     int    // 0 for no lower bound
	Max     int    // 100 for no upper bound
	Because string
}

// Pairs returns the pairs.
func Pairs() []Pair {
	var out []Pair
	for _, r := range records(pairsText, 3) {
		out = append(out, Pair{Higher: r[0], Lower: r[1], Because: r[2]})
	}
	return out
}

// Bounds returns the bounds.
func Bounds() []Bound {
	var out []Bound
	for _, r := range records(boundsText, 4) {
		out = append(out, Bound{Repo: r[0], Min: number(r[1]), Max: number(r[2]), Because: r[3]})
	}
	return out
}

// records returns the records of an embedded file. It panics if they do not have the given
// number of fields.
func records(text string, fields int) [][]string {
	r := csv.NewReader(strings.NewReader(text))
	r.Comment, r.FieldsPerRecord = '#', fields
	all, err := r.ReadAll()
	if err != nil {
		panic(err)
	}
	return all
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return n
}

// An Outcome is one pair or bound, judged.
type Outcome struct {
	Name    string // "a/b > c/d", "a/b >= 60"
	Because string
	Judged  bool // all scores that it needs are there
	OK      bool
	Detail  string // the scores
}

// Judge judges all pairs and bounds by the scores of the servers at the roots of repositories,
// by owner/name in any case. Pairs with a missing score are not judged.
func Judge(scores map[string]int) []Outcome {
	lower := make(map[string]int, len(scores))
	for name, score := range scores {
		lower[strings.ToLower(name)] = score
	}
	var list []Outcome
	for _, p := range Pairs() {
		a, okA := lower[strings.ToLower(p.Higher)]
		b, okB := lower[strings.ToLower(p.Lower)]
		o := Outcome{Name: p.Higher + " > " + p.Lower, Because: p.Because, Judged: okA && okB,
			Detail: "no score"}
		if o.Judged {
			o.OK, o.Detail = a > b, fmt.Sprintf("%d and %d", a, b)
		}
		list = append(list, o)
	}
	for _, b := range Bounds() {
		score, ok := lower[strings.ToLower(b.Repo)]
		o := Outcome{Name: fmt.Sprintf("%s >= %d", b.Repo, b.Min), Because: b.Because, Judged: ok,
			Detail: "no score"}
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
