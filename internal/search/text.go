package search

import (
	"slices"
	"strings"
	"unicode"

	"mcpcensus/internal/registry"
)

// texts are the words of a server by the place where they stand.
type texts struct {
	names       []string // name, title, repository and subfolder
	labels      []string // tags, owner, category, and wider terms of what the short texts name
	tools       []string // names of tools
	description string
	details     []string // descriptions of tools
	readme      string
}

// maxReadme is how many bytes of a README are indexed.
const maxReadme = 40_000

func textsOf(s *registry.Server) texts {
	t := texts{description: s.Description, readme: s.Readme}
	if len(t.readme) > maxReadme {
		t.readme = strings.ToValidUTF8(t.readme[:maxReadme], "")
	}
	for _, name := range []string{s.Name, s.Title, s.Repo.Name, s.Subfolder} {
		for _, spelling := range spellings(name) {
			if !slices.Contains(t.names, spelling) {
				t.names = append(t.names, spelling)
			}
		}
	}
	t.labels = append(slices.Clone(s.Tags), s.Repo.Owner, s.Category)
	for i := range s.Tools {
		t.tools = append(t.tools, spellings(s.Tools[i].Name)...)
		if d := s.Tools[i].Description; d != "" {
			t.details = append(t.details, d)
		}
	}
	short := slices.Concat(t.names, t.labels, t.tools, []string{t.description})
	t.labels = append(t.labels, wider(strings.Join(short, "\n"))...)
	return t
}

// spellings returns a name as it is written and in other spellings by which it
// may be searched for: words of mixed case apart (getForecast: get Forecast),
// neighbouring words joined (file-system: filesystem), and without a leading
// or trailing "mcp" (mcpnotes: notes).
func spellings(name string) []string {
	if name == "" {
		return nil
	}
	out := []string{name}
	if apart := splitCase(name); apart != name {
		out = append(out, apart)
	}
	if lower := strings.ToLower(name); strings.HasPrefix(lower, "mcp") || strings.HasSuffix(lower, "mcp") {
		out = append(out, strings.TrimSuffix(strings.TrimPrefix(lower, "mcp"), "mcp"))
	}
	words := strings.FieldsFunc(name, notInWord)
	for i := 1; i < len(words); i++ {
		if len(words[i-1]) > 1 && len(words[i]) > 1 {
			out = append(out, words[i-1]+words[i])
		}
	}
	return out
}

func notInWord(r rune) bool { return !unicode.In(r, unicode.L, unicode.N, unicode.M) }

// splitCase puts a space between the words of mixed case: HTTPServer is HTTP
// Server.
func splitCase(s string) string {
	var b strings.Builder
	runes := []rune(s)
	for i, r := range runes {
		if i > 0 && unicode.IsUpper(r) {
			before := runes[i-1]
			acronym := unicode.IsUpper(before) && i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if unicode.IsLower(before) || unicode.IsDigit(before) || acronym {
				b.WriteByte(' ')
			}
		}
		b.WriteRune(r)
	}
	return b.String()
}

// maxWords is how many words of a search's text are read.
const maxWords = 32

// searchWords returns the words of a search's text in lower case, each once,
// without stop words unless there are no others.
func searchWords(text string) []string {
	var words, stopped []string
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return notInWord(r) && r != '\'' && r != '’' }) {
		w, _ = strings.CutSuffix(strings.ReplaceAll(w, "’", "'"), "'s")
		switch w = strings.Trim(w, "'"); {
		case w == "":
		case stopwords[w]:
			stopped = append(stopped, w)
		case !slices.Contains(words, w):
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		words = stopped
	}
	return words[:min(len(words), maxWords)]
}

// The rules for what a text matches, which the engines share: servers that
// have one of its rare words, or as many of its words as leastWords says; if
// fewer than enough do, those that have any of the words.
const enough = 10

// leastWords is how many of n words a server must have that has none of the
// rare ones: both of two, and a third of many.
func leastWords(n int) int {
	if n <= 2 {
		return n
	}
	return max(2, n/3)
}

// rareCount is how many of n servers may have a word that is rare.
func rareCount(n int) int { return max(n/100, 10) }
