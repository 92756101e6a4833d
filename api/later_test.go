package api

import (
	"encoding/json"
	"testing"

	"mcpcensus/internal/catalog"
	"mcpcensus/internal/generate"
	"mcpcensus/internal/registry"
)

// A catalog that is not ready yet makes documents of the records later. They
// must be what they would be at once.
func TestDocumentsMadeLaterAreThoseMadeAtOnce(t *testing.T) {
	servers := []registry.Server{weather(), unknown(), member("git")}
	for s := range generate.Servers(300, 5) {
		servers = append(servers, s)
	}
	odd := weather()
	odd.Slug, odd.Description, odd.OldSlugs = "odd", "a\"b\\c\x00\xff\u2028<é>&", []string{"older"}
	odd.Tools = []registry.Tool{{Name: "x", InputSchema: json.RawMessage(`{ "type" : "object", "a": "<\u2028>" }`)}, {Name: "y", InputSchema: json.RawMessage(`[1]`)}}
	servers = append(servers, odd)
	records := make([]registry.Server, len(servers))
	for i := range servers {
		s := &servers[i]
		s.Seq = int64(i + 1)
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &records[i]); err != nil { // as the store gives it
			t.Fatal(err)
		}
		records[i].Seq, records[i].OldSlugs, records[i].Record = s.Seq, s.OldSlugs, string(text)
		*s = records[i]
		s.Record = ""
	}
	at := func(servers []registry.Server) *catalog.View {
		c := catalog.New(Encode("io.mcpcensus", clientsOf))
		if err := c.Apply(servers, nil, int64(len(servers))); err != nil {
			t.Fatal(err)
		}
		return c.View()
	}
	once, later := at(servers), at(records)
	for _, s := range servers {
		a, _ := once.Find(s.Slug)
		b, _ := later.Find(s.Slug)
		if a == nil && b == nil {
			continue // one that is deleted
		}
		for name, form := range map[string]func(*catalog.Item) []byte{
			"list entry":    func(i *catalog.Item) []byte { return i.AppendBasic(nil) },
			"tool entry":    func(i *catalog.Item) []byte { return i.AppendEntry(nil) },
			"detail record": func(i *catalog.Item) []byte { return i.AppendDetail(nil) },
			"health report": func(i *catalog.Item) []byte { return i.AppendHealth(nil) },
		} {
			if want, got := form(a), form(b); string(got) != string(want) {
				t.Fatalf("%s of %s:\n got %s\nwant %s", name, s.Slug, got, want)
			}
		}
	}
}
