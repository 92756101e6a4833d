package detect

import (
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"mcpcensus/internal/text"
)

// headings map the headings in lists of servers to possible categories, without headings that
// have no category.
var headings = map[string]string{
	// of catalogues
	"productivity": "productivity", "database": "database", "ai": "api", "monitoring": "analytics",
	"search": "data", "ai-ml": "api", "documentation": "data", "security": "security", "tools": "tools",
	"analytics": "analytics", "payments": "integration", "development": "tools", "blockchain": "api",
	"data-analytics": "analytics", "cost-management": "analytics", "communication": "communication",
	"crm":   "productivity integration",
	"games": "tools", "finance": "data api", "automation": "automation", "healthcare": "data",
	"iot": "automation", "geospatial": "data", "messaging": "communication", "web-scraping": "data",
	"knowledge": "data", "video": "api", "travel": "data", "media": "api",
	"maps": "data", "commerce": "productivity", "fintech": "data api integration",
	"infrastructure": "automation integration", "devops": "automation integration tools analytics",
	// of lists
	"developer tools": "tools", "development tools": "tools", "finance & fintech": "data api integration",
	"databases": "database", "search & data extraction": "data", "search & web": "data",
	"knowledge & memory": "data", "coding agents": "tools",
	"aggregators": "integration", "cloud platforms": "integration automation", "location services": "data",
	"browser automation": "automation", "data science tools": "analytics data",
	"workplace & productivity": "productivity", "data platforms": "database data",
	"file systems": "tools", "travel & transportation": "data", "code execution": "automation",
	"social media": "communication", "customer data platforms": "analytics productivity integration",
	"embedded system": "automation", "multimedia process": "api tools",
	"sports": "data", "biology, medicine and bioinformatics": "data", "marketing": "analytics",
	"version control": "tools integration automation", "gaming": "tools",
	"architecture & design": "productivity tools", "support & service management": "productivity",
	"research": "data", "end to end rag platforms": "data", "text-to-speech": "api",
	"aerospace & astrodynamics": "data", "home automation": "automation",
	"product management": "productivity", "ai services": "api", "note taking": "productivity",
	"server managers":          "integration",
	"sandbox & virtualization": "automation", "data visualization": "analytics",
	"cloud storage": "database integration productivity", "research & data": "data",
	"e-commerce": "productivity", "system automation": "automation", "identity": "security",
	"robotics & physical ai": "automation",
	// of package indexes
	"search-data-extraction": "data", "developer-tools": "tools",
	"finance-fintech": "data api integration", "knowledge-memory": "data",
	"browser-automation": "automation", "cloud-platforms": "integration automation",
	"command-line": "tools automation", "data-science-tools": "analytics data",
	"data-platforms": "database data", "file-systems": "tools",
	"version-control": "tools integration automation", "coding-agents": "tools",
	"location-services": "data", "embedded-system": "automation",
	"support-service-management": "productivity", "code-execution": "automation",
	"travel-transportation": "data", "customer-data-platforms": "analytics productivity integration",
}

// TestCorpusCategories reports how often the category of a server, from its name and description
// alone, is one that its heading allows.
func TestCorpusCategories(t *testing.T) {
	dir := corpusDir(t)
	type entry struct {
		Name, Title, Repo, Description string
		CategoryHeading                string `json:"category_heading"`
		Tags                           []string
		Path                           string
	}
	for _, list := range []struct {
		name  string
		floor float64
	}{{"docker", 0.45}, {"punkpeye", 0.6}, {"appcypher", 0.6}, {"toolsdk", 0.6}} {
		var c, sure, unsure, either, held tally
		confusion := map[string]int{}
		for _, e := range readLines[entry](t, filepath.Join(dir, "lists", list.name+".jsonl")) {
			want := headings[strings.ToLower(e.CategoryHeading)]
			if want == "" || e.Description == "" {
				continue
			}
			name := e.Name
			if e.Repo != "" {
				name = e.Repo[strings.IndexByte(e.Repo, '/')+1:]
			}
			if e.Path != "" {
				name += " " + filepath.Base(e.Path)
			}
			k := Classify(Text{Description: e.Description, Name: name + " " + e.Title})
			got, confidence, words := k.Category, k.Confidence, k.Words
			ok := strings.Contains(" "+want+" ", " "+got+" ")
			c.is(ok, "")
			if heldOut(name) {
				held.is(ok, "")
			}
			if confidence > uncertain {
				sure.is(ok, "")
			} else {
				unsure.is(ok, "")
				either.is(ok || k.Second != "" && strings.Contains(" "+want+" ", " "+k.Second+" "), "")
			}
			if !ok {
				confusion[want+" -> "+got]++
				if testing.Verbose() && !heldOut(name) {
					t.Logf("%s -> %s %.2f %v: %s | %s", want, got, confidence, words, name,
						text.Cut(e.Description, 150))
				}
			}
		}
		c.missed, sure.missed = nil, nil
		if c.all == 0 {
			continue
		}
		c.report(t, "category, "+list.name, list.floor)
		sure.report(t, "  of those surer than 0.6", list.floor)
		held.missed, unsure.missed, either.missed = nil, nil, nil
		unsure.report(t, "  of the others", 0)
		either.report(t, "  of those, the first or the second", 0)
		held.report(t, "  of those held out", 0)
		keys := make([]string, 0, len(confusion))
		for k := range confusion {
			keys = append(keys, k)
		}
		sort.Slice(keys, func(i, j int) bool {
			return confusion[keys[i]] > confusion[keys[j]] || confusion[keys[i]] == confusion[keys[j]] &&
				keys[i] < keys[j]
		})
		for _, k := range keys[:min(len(keys), 12)] {
			t.Logf("    %3d %s", confusion[k], k)
		}
	}
}
