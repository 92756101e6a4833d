package main

import (
	"path"

	"mcpcensus/internal/install/installtest"
	"mcpcensus/internal/pgtest"
)

// installs compares the commands and variables of the servers that the crawl listed with
// the configurations in their READMEs. TestInstallCorpus does so without the files that
// only the git directories have.
func (a *acceptance) installs(records []*repoRecord) {
	a.t.Helper()
	var j installtest.Judge
	for _, r := range records {
		servers := a.servers(r.full())
		if len(servers) == 0 {
			continue // reported already
		}
		id, err := a.town.db.RepositoryID(a.t.Context(), repoKey(r.full()), 0)
		if err != nil {
			a.t.Fatal(err)
		}
		texts, err := a.town.db.Texts(a.t.Context(), id)
		if err != nil {
			a.t.Fatal(err)
		}
		for _, s := range servers {
			readme := ""
			if f := pgtest.FactsOf(a.t, a.town.db, s.ID); f.Readme != nil {
				readme = texts[f.Readme.Path]
			}
			j.Add(path.Join(r.full(), s.Subfolder), &s, readme, texts)
		}
	}
	for _, f := range j.Findings() {
		c := tally{right: f.Right, all: f.All, wrong: f.Wrong}
		c.report(a.t, f.Fact, 0)
	}
}
