package scorer

import (
	_ "embed"
	"fmt"
	"math"
	"strconv"
	"strings"
	"text/template"
)

//go:embed testdata/scoring.md.tmpl
var scoringText string

var scoringTemplate = template.Must(template.New("scoring").Funcs(template.FuncMap{
	"short":    short,
	"either":   either,
	"checksOf": checksOf,
	"wrap":     wrap,
}).Parse(scoringText))

// scoringDocument returns docs/scoring.md: the model in words. Each check has its ID
// as an anchor.
func scoringDocument() string {
	var b strings.Builder
	if err := scoringTemplate.Execute(&b, Model()); err != nil {
		panic("scorer: " + err.Error()) // the template does not fit the model
	}
	return b.String()
}

// checksOf returns the checks of a category.
func checksOf(category string) []CheckSpec {
	var out []CheckSpec
	for _, c := range checks {
		if c.Category == category {
			out = append(out, c)
		}
	}
	return out
}

// wrap returns texts in lines of at most 100 bytes. None begins with a digit, which would
// begin a list.
func wrap(texts ...string) string {
	lines := []string{""}
	for _, word := range strings.Fields(strings.Join(texts, " ")) {
		last := &lines[len(lines)-1]
		if *last != "" && len(*last)+len(word) >= 100 && (word[0] < '0' || word[0] > '9') {
			lines = append(lines, word)
			continue
		}
		*last = strings.TrimSpace(*last + " " + word)
	}
	return strings.Join(lines, "\n")
}

// short returns a number with at most two decimals.
func short(v float64) string {
	return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64)
}

// either returns "39 or 59".
func either(numbers []int) string {
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, " or ")
}

// String returns the points as the document shows them: "14 → 1, 30 → 0.95".
func (c Curve) String() string {
	var points []string
	for _, p := range c {
		points = append(points, fmt.Sprintf("%v → %v", p.X, p.Y))
	}
	return strings.Join(points, ", ")
}
