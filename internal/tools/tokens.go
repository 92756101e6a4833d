package tools

import (
	"encoding/json"
	"sync"

	"github.com/tiktoken-go/tokenizer"

	"mcpcensus/internal/registry"
)

// ContextWindow is the number of tokens with which pages compare the weight of
// a list.
const ContextWindow = 200_000

// Heavy is the number of tokens from which a list is called heavy: 8% of 68
// measured servers have more.
const Heavy = 20_000

var encoding = sync.OnceValues(func() (tokenizer.Codec, error) {
	return tokenizer.Get(tokenizer.O200kBase)
})

// Tokens returns how many tokens of a model's context a list of tools takes: its names,
// descriptions and input schemas as compact JSON, in the encoding o200k_base. Models differ,
// so the count is approximate. each has the counts of the single tools.
func Tokens(list []registry.Tool) (total int, each []int) {
	each = make([]int, len(list))
	for i, t := range list {
		d := define(t)
		d.Annotations = nil
		b, err := json.Marshal(d)
		if err != nil {
			panic("tools: " + err.Error()) // strings and valid JSON
		}
		each[i] = count(string(b)) + 1 // the comma
		total += each[i]
	}
	return total, each
}

func count(text string) int {
	codec, err := encoding()
	if err != nil {
		panic("tools: " + err.Error()) // the vocabulary is embedded
	}
	n, err := codec.Count(text)
	if err != nil {
		return len(text) / 4 // text that the encoding's expression cannot split
	}
	return n
}
