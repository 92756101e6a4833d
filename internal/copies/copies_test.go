package copies

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcpcensus/internal/registry"
)

var start = time.Date(2025, 3, 1, 0, 0, 0, 0, time.UTC)

// A project is a server as its record and README describe it.
type project struct {
	registry.Server
	readme string
}

// made returns a server with a README of n words out of vocabulary, and tools.
func made(r *rand.Rand, id int64, owner, name string, n, tools int) project {
	var p project
	p.ID, p.Slug = id, strings.ToLower(owner+"-"+name)
	p.Repo = registry.Repository{Host: registry.GitHub, Owner: owner, Name: name,
		CreatedAt: start.AddDate(0, 0, int(id))}
	p.Category, p.Description = "data", "Works with "+name+" over MCP, by "+wordOf(r)+" and "+wordOf(r)
	list := make([]string, n)
	for i := range list {
		list[i] = wordOf(r)
	}
	p.readme = strings.Join(list, " ")
	for range tools {
		p.Tools = append(p.Tools, registry.Tool{Name: wordOf(r) + "_" + wordOf(r),
			Description: wordOf(r) + " " + wordOf(r)})
	}
	stars := 0
	p.Stars = &stars
	return p
}

// wordOf returns one of 3,000 words, the first ones more often than the last.
func wordOf(r *rand.Rand) string {
	n := int(3000 * r.Float64() * r.Float64())
	var b strings.Builder
	for range 3 {
		b.WriteString([]string{"ba", "de", "fi", "go", "hu", "ka", "le", "mi", "no", "pu", "ra", "se", "ti",
			"vo", "zu"}[n%15])
		n /= 15
	}
	return b.String()
}

// copyOf returns a copy of p by another owner, with a part of the words of its README
// replaced, its tools in another order, and one more.
func copyOf(r *rand.Rand, p project, id int64, owner, name string, part float64) project {
	c := p
	c.ID, c.Slug = id, strings.ToLower(owner+"-"+name)
	c.Repo.Owner, c.Repo.Name = owner, name
	c.Repo.CreatedAt = start.AddDate(1, 0, int(id))
	list := strings.Fields(p.readme)
	for i := range list {
		if r.Float64() < part {
			list[i] = wordOf(r)
		}
	}
	c.readme = strings.Join(list, " ")
	if c.Tools = slices.Clone(p.Tools); len(c.Tools) > 0 {
		r.Shuffle(len(c.Tools), func(i, j int) { c.Tools[i], c.Tools[j] = c.Tools[j], c.Tools[i] })
		c.Tools = append(c.Tools, registry.Tool{Name: "send_report", Description: "Sends a report"})
	}
	return c
}

// forkOf makes the repository of c a fork of that of o.
func forkOf(o, c *project) { c.Repo.Fork, c.Repo.Parent = true, o.Repo.FullName() }

// typed returns name with one edit, by n.
func typed(name string, n int) string {
	i := 1 + n%(len(name)-2)
	switch n % 4 {
	case 0:
		return name[:i] + name[i+1:]
	case 1:
		return name[:i] + name[i:i+1] + name[i:]
	case 2:
		return name[:i] + name[i+1:i+2] + name[i:i+1] + name[i+2:]
	}
	return name
}

func find(projects []project) map[int64]registry.Copy {
	var servers []*Server
	for _, p := range projects {
		servers = append(servers, Of(&p.Server, p.FormerNames, Sign(p.readme)))
	}
	out := map[int64]registry.Copy{}
	for _, f := range Find(servers) {
		out[f.ID] = f.Copy
	}
	return out
}

// TestFind/made_copies: READMEs with 10 to 20 % of the words changed, another owner,
// other order of tools, one more tool, names with a typing error.
func TestFind(t *testing.T) {
	t.Run("made copies", func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		var all []project
		for i := range 200 {
			name := wordOf(r) + wordOf(r) + "-mcp"
			all = append(all, made(r, int64(i+1), fmt.Sprintf("owner%d", i), name, 150+10*i, i%24))
		}
		stars := 500
		for i := range 20 {
			all[i*10].Stars = &stars
			o := all[i*10]
			all = append(all, copyOf(r, o, int64(1000+i), fmt.Sprintf("stranger%d", i),
				typed(o.Repo.Name, i), 0.1+0.1*float64(i)/19))
			none := 0
			all[len(all)-1].Stars = &none
		}
		found := find(all)
		right := 0
		for i := range 20 {
			if found[int64(1000+i)].Of == all[i*10].Slug {
				right++
			} else {
				t.Logf("not found: copy %d of %s, %d tools", i, all[i*10].Slug, len(all[i*10].Tools))
			}
			delete(found, int64(1000+i))
		}
		if right < 18 || len(found) > 0 {
			t.Errorf("found %d of 20 copies, and %d originals: %v", right, len(found), found)
		}
		t.Logf("found %d of 20", right)
	})

	// Changes that make a copy something else.
	r := rand.New(rand.NewPCG(3, 4))
	original := made(r, 1, "octo", "tidewatch-mcp", 400, 8)
	original.Packages = []registry.Package{{RegistryType: "npm", Identifier: "@octo/tidewatch"}}
	tests := []struct {
		name   string
		change func(o, c *project)
		kind   string // "" for none
	}{
		{"the same", func(o, c *project) {}, registry.CopyOf},
		{"README only", func(o, c *project) {
			c.Tools, c.Repo.Name = nil, "weather"
		}, registry.CopyOf},
		{"tools only", func(o, c *project) {
			c.readme, c.Repo.Name = "", "weather"
			c.Tools = c.Tools[:8]
		}, registry.CopyOf},
		{"tools of the same names only", func(o, c *project) {
			c.readme, c.Repo.Name = "", "weather"
			c.Tools = slices.Clone(o.Tools)
			for i := range c.Tools {
				c.Tools[i].Description = "other"
			}
		}, ""},
		{"README of other tools", func(o, c *project) {
			c.Tools = made(r, 3, "x", "y", 0, 8).Tools
		}, ""},
		{"same owner", func(o, c *project) { c.Repo.Owner = "Octo" }, ""},
		{"fork", func(o, c *project) { forkOf(o, c) }, ""},
		{"fork without changes", func(o, c *project) {
			forkOf(o, c)
			c.Health.Caps = []registry.Cap{{ID: "fork_copy", Reason: "A fork with 0 commits."}}
		}, registry.CopyOf},
		{"fork of a former name", func(o, c *project) {
			forkOf(o, c)
			c.Health.Caps = []registry.Cap{{ID: "fork_copy", Reason: "A fork with 0 commits."}}
			o.Repo.Name, o.FormerNames = "tides", []string{"github:octo/tidewatch-mcp"}
		}, registry.CopyOf},
		{"fork of another folder", func(o, c *project) {
			forkOf(o, c)
			c.Health.Caps = []registry.Cap{{ID: "fork_copy", Reason: "A fork with 0 commits."}}
			c.Subfolder = "servers/tides"
		}, ""},
		{"from a template", func(o, c *project) { o.Repo.Template = true }, ""},
		{"of the vendor", func(o, c *project) { c.Official = true }, ""},
		{"older", func(o, c *project) { c.Repo.CreatedAt = start }, registry.CopyOf + " of it"},
		{"unknown age", func(o, c *project) { c.Repo.CreatedAt = time.Time{} }, ""},
		{"successor", func(o, c *project) {
			o.SuccessorURL = "https://github.com/" + c.Repo.FullName()
		}, ""},
		{"namespace of the same account", func(o, c *project) {
			o.RegistryName, c.RegistryName = "com.example/a", "com.example/b"
		}, ""},
		{"far more popular", func(o, c *project) { n := 900; c.Stars = &n }, ""},
		{"no text, name with a typing error", func(o, c *project) {
			n := 900
			o.Stars = &n
			c.readme, c.Tools, c.Repo.Name = "", nil, "tidewacth-mcp"
		}, registry.LookAlike},
		{"similar name, other text", func(o, c *project) {
			n := 900
			o.Stars = &n
			c.readme, c.Tools, c.Repo.Name = "", nil, "tidewacth-mcp"
			c.Description = "Reads clocks of railway stations"
		}, ""},
		{"scope like the vendor's", func(o, c *project) {
			o.Official, o.Repo.Owner = true, "octolabs"
			c.readme, c.Tools, c.Repo.Name = "", nil, "weather"
			c.Packages = []registry.Package{{RegistryType: "npm", Identifier: "@octo-labs/x"}}
		}, registry.LookAlike},
		{"name of the product", func(o, c *project) {
			n := 900
			o.Stars, o.Official = &n, true
			c.readme, c.Tools, c.Packages = "", nil, nil
		}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := original
			c := copyOf(r, original, 2, "stranger", "tidewatch-mcp", 0.02)
			c.Packages = nil
			test.change(&o, &c)
			want := map[int64]registry.Copy{}
			switch test.kind {
			case "":
			case registry.CopyOf + " of it":
				want[1] = registry.Copy{Of: c.Slug, Kind: registry.CopyOf}
			default:
				want[2] = registry.Copy{Of: o.Slug, Kind: test.kind}
			}
			got := find([]project{o, c})
			for id, g := range got {
				if g.Reason == "" {
					t.Error("no reason")
				}
				t.Log(g.Reason)
				g.Reason = ""
				got[id] = g
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}

	t.Run("README of a template", func(t *testing.T) {
		base := made(r, 1, "first", "one", 300, 0)
		all := []project{base}
		for i := range 8 {
			all = append(all, copyOf(r, base, int64(i+2), fmt.Sprintf("owner%d", i),
				fmt.Sprint("thing", i*7919), 0))
		}
		if found := find(all); len(found) > 0 {
			t.Errorf("copies: %v", found)
		}
	})
	t.Run("copy of a copy", func(t *testing.T) {
		second := copyOf(r, original, 2, "stranger", "tidewatch-mcp", 0.1)
		third := copyOf(r, second, 3, "other", "tidewatch-mcp", 0.05)
		found := find([]project{third, second, original})
		if found[2].Of != original.Slug || found[3].Of != original.Slug {
			t.Errorf("got %v", found)
		}
	})
	t.Run("published by the same account", func(t *testing.T) {
		o, c := original, copyOf(r, original, 2, "octo-labs", "tidewatch-mcp", 0)
		c.Packages = []registry.Package{{RegistryType: "npm", Identifier: "@octo/other"}}
		servers := []*Server{Of(&o.Server, nil, Sign(o.readme)), Of(&c.Server, nil, Sign(c.readme))}
		if n := len(Find(servers)); n != 1 {
			t.Errorf("%d copies, the package proves nothing yet", n)
		}
		servers = []*Server{Of(&o.Server, nil, Sign(o.readme)), Of(&c.Server, nil, Sign(c.readme))}
		servers[1].Packages[0].Repo = c.Repo.Ref().Key()
		if n := len(Find(servers)); n != 0 {
			t.Errorf("%d copies, the package is in the scope of the original", n)
		}
	})
}

func TestSignature(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	p := made(r, 1, "a", "b", 500, 0)
	s := Sign(p.readme)
	if diff := cmp.Diff(s, ParseSignature(s.Bytes())); diff != "" {
		t.Error(diff)
	}
	for _, test := range []struct {
		part      float64
		low, high float64
	}{{0, 1, 1}, {0.1, 0.4, 0.7}, {0.2, 0.2, 0.5}, {1, 0, 0.05}} {
		got := s.Similarity(Sign(copyOf(r, p, 2, "c", "d", test.part).readme))
		if got < test.low || got > test.high {
			t.Errorf("with %v of the words changed: %.2f, want %v to %v", test.part, got, test.low, test.high)
		}
	}
	if Sign("a short text") != nil || ParseSignature([]byte{1}) != nil {
		t.Error("signature of too little")
	}
	if got := Sign(strings.Repeat("one two three four ", 2)); got.Similarity(s) != 0 {
		t.Error("similarity without a signature")
	}
}

// BenchmarkFind compares 100,000 servers, of which 5,000 are well known.
func BenchmarkFind(b *testing.B) {
	r := rand.New(rand.NewPCG(7, 8))
	servers := make([]*Server, 100_000)
	for i := range servers {
		p := made(r, int64(i+1), fmt.Sprint("owner", i%60_000), wordOf(r)+wordOf(r)+"-mcp", 0, i%20)
		stars := i % 300
		if i%20 == 0 {
			stars = 1000
		}
		p.Stars, p.Official = &stars, i%100 == 0
		p.Category = registry.Categories[i%len(registry.Categories)]
		servers[i] = Of(&p.Server, nil, sign(func(yield func(uint64)) {
			for range 30 {
				yield(r.Uint64())
			}
			for n := range uint64(5) { // in common with most
				yield(n)
			}
		}, hashes))
	}
	b.ReportAllocs()
	b.ResetTimer()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for b.Loop() {
		Find(servers)
	}
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(before.HeapAlloc)/(1<<20), "MB-servers")
	b.ReportMetric(float64(after.HeapSys)/(1<<20), "MB-heap")
}

func BenchmarkSign(b *testing.B) {
	text := made(rand.New(rand.NewPCG(9, 10)), 1, "a", "b", 1000, 0).readme
	for b.Loop() {
		Sign(text)
	}
}
