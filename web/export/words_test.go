package export

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

func TestWordFiles(t *testing.T) {
	x := indexer{terms: map[string]*postings{}, forms: map[string]string{}}
	for n, s := range []registry.Server{
		{Name: "Reader", Tags: []string{"k8s"}},
		{Name: "getForecast", Description: "Reads tides."},
		{Name: "天気", Repo: registry.Repository{Owner: "Octo"}},
		{Description: "Reading, read."},
	} {
		x.addWords(n, &s)
	}
	encoded, err := json.Marshal(x.wordFiles())
	if err != nil {
		t.Fatal(err)
	}
	var files map[string]map[string]any
	if err := json.Unmarshal(encoded, &files); err != nil {
		t.Fatal(err)
	}
	list := func(numbers ...float64) (all []any) {
		for _, n := range numbers {
			all = append(all, n)
		}
		return all
	}
	for word, want := range map[string]map[string]any{
		"reader":     {"strong": list(1)},
		"read":       {"weak": list(2, 2)},
		"reads":      {"stem": "read"},
		"reading":    {"stem": "read"},
		"kubernetes": {"stem": "kubernet"},
		"kubernet":   {"strong": list(1)},
		"#k8s":       {"strong": list(1)},
		"forecast":   {"strong": list(2)},
		"気":          {"strong": list(3)},
		"octo":       {"strong": list(3)},
		"@octo":      {"strong": list(3)},
	} {
		got, _ := files[shardOf(word)][word].(map[string]any)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", word, diff)
		}
	}
}

func TestTextOf(t *testing.T) {
	how := textOf(3000)
	if diff := cmp.Diff([]any{"postgres", 30, 10, []int{0, 1, 2}},
		[]any{how.Same["postgresql"], how.Rare, how.Enough, how.Least[:3]}); diff != "" {
		t.Error(diff)
	}
}
