package scorer

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Markdown returns docs/scoring.md: the model in words. Each check has its id
// as an anchor.
func Markdown() string {
	m := Model()
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }

	p("<!-- Generated from scorer/model.go by `go test ./scorer -update`. Do not edit. -->\n\n")
	p("# How servers are scored\n\n")
	p("This is model **%s**. It has %d checks in %d categories.\n\n", m.Version, len(m.Checks), len(m.Categories))
	b.WriteString(strings.TrimSpace(intro))
	b.WriteString("\n\n")

	p("## Grades\n\n| grade | score | meaning |\n|---|---|---|\n")
	for _, g := range m.Grades {
		p("| %s | %d to %d | %s |\n", g.Grade, g.From, g.To, g.Text)
	}
	p("\n## Categories\n\n| category | points | question |\n|---|---|---|\n")
	for _, c := range m.Categories {
		p("| [%s](#%s) | %s | %s |\n", c.Name, c.ID, short(c.Weight), c.Question)
	}
	p("\n## Checks\n\n")
	p("A check is worth between 0 and 1 of its points. Where it says “Worth: a → b”, a measured a is worth b, linearly between the values given and flat beyond them. ")
	p("“Prior” is what the check counts for while it is not measured. The owner can mend every check that has a “Fix”.\n")
	for _, c := range m.Categories {
		p("\n<a id=\"%s\"></a>\n\n### %s (%s points)\n\n%s\n", c.ID, c.Name, short(c.Weight), c.Question)
		for _, k := range m.Checks {
			if k.Category != c.ID {
				continue
			}
			p("\n<a id=\"%s\"></a>\n\n#### %s\n\n", k.ID, k.Name)
			p("`%s` · %s points · prior %s · source %s\n\n", k.ID, short(k.Weight), short(k.Prior), k.Source)
			p("%s %s\n", k.Question, k.Formula)
			if k.Curve != nil {
				p("\nWorth: %s.\n", k.Curve)
			}
			if k.NotYet != "" {
				p("\nNot measured yet: %s\n", k.NotYet)
			}
			if k.NA != "" {
				p("\nDoes not apply if %s.\n", k.NA)
			}
			if k.Fixable {
				p("\nFix: %s\n", k.Fix)
			}
		}
	}
	p("\n## Caps\n\n")
	p("A cap is an upper bound on the score, whatever the points are. It needs positive evidence: what could not be found or read never caps. The smallest cap counts.\n\n")
	p("| cap | at most | when |\n|---|---|---|\n")
	for _, c := range m.Caps {
		var most []string
		for _, n := range c.Max {
			most = append(most, strconv.Itoa(n))
		}
		p("| <a id=\"%s\"></a>`%s` | %s | %s |\n", c.ID, c.ID, strings.Join(most, " or "), c.Condition)
	}
	p("\n## Flags\n\n| flag | meaning |\n|---|---|\n")
	for _, f := range m.Flags {
		p("| <a id=\"%s\"></a>`%s` | %s |\n", f.ID, f.ID, f.Text)
	}
	b.WriteString("\n")
	b.WriteString(strings.TrimSpace(combination))
	p("\n\n## Popularity\n\n")
	p("Popularity says how widely a server is used. It is a number of its own, from 0 to 100, and no part of health: no star and no download moves a health score. ")
	p("It is the weighted mean of the inputs that are known; an input that is not known is left out. A value above 1 counts as 1.\n\n")
	p("| input | weight | value |\n|---|---|---|\n")
	for _, in := range m.Popularity {
		p("| %s | %s | %s |\n", in.ID, short(in.Weight), in.Formula)
	}
	return b.String()
}

func short(v float64) string {
	return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64)
}

const intro = `
## What the score says

A health score is a whole number from 0 to 100. It answers one question: if I build on this server today, is somebody
looking after it, can I install and configure it, and is anything known that speaks against it?
Everything in it is public, was observed by us, and is shown with the server: each check with its raw
value, the date it was seen, the points it is worth and, where points are lost, what wins them back.

The same facts on the same day give the same score. There is no hidden input, no language model and no ranking against
others: a score moves only when the server's own facts move, or time passes, or the version of the model changes.

## What it does not say

- It is no audit. Nobody has run the server or read its code, and no check knows whether a tool call works.
- It is no measure of fame. Stars and downloads are in [popularity](#popularity) only.
- A high score does not promise a future. When a prototype of the model, which saw git histories alone, was tried on 375 moments in the lives of 86 servers, 99 % of
  those at 80 or above had a commit by a person in the half year that followed, and 89 % of the others. The sample was small (24 cases without a commit, from
  11 repositories) and leaned towards servers that people had listed. Documentation and distribution told nothing about survival; they are in the score because a user needs them.
- It is no judgement of people. One maintainer is no fault and costs less than half a point.

## What is not known

A fact that could not be read is never counted as missing. The check is then *unknown*: it counts at its prior, a fixed number that belongs to
the version of the model (0.5 until a crawl of at least 1,000 repositories has told how servers do on the whole), and lowers the **coverage**, the share of the points that was measured. The score comes with two bounds: **scoreLow**, if every
unknown check turned out at 0, and **scoreHigh**, if every one turned out at 1. Confidence is high from a coverage of 0.85, medium from 0.60, low
below; below 0.60 the score is at most 79, and below 0.35 there is none (` + "`insufficient_data`" + `).
Every value is kept until it is too old, so a source that fails for a few days changes nothing, and neither does the time between two visits, up to 30 days
where little happens: packages and advisories 7 days, commits and the official registry 37, SDK releases 44, issues 67, downloads 35.
Files and commits stand as long as the default branch stands still, and for 7 days once it has moved on and could not be read.
The cap ` + "`stale`" + ` rests on the last act that was seen, however long ago.

A check that *does not apply* is left out, and its points go to the others of its category. A check that the owner *withholds*, such as issues that are switched off,
counts at the prior, and never above 0.4: hiding a source does not raise a score.

## If you disagree

Look at the checks of the server: the reason says what was seen, where and when. If something was seen wrong, or has changed, ask for a check
of the repository's address, which reads it again. If a check is mistaken about your server, open an issue with
the server's address and the id of the check. A mistake of ours is mended for everybody, by a new version of the model: no score is ever set by hand.
`

const combination = `
## How the points add up

1. Each check gives a value from 0 to 1, or is unknown, not applicable or withheld.
2. Inside each category, the points of checks that do not apply go to those that do, in proportion. The categories keep their points.
3. A server is *stable* if its newest version is 1.0.0 or later, its package is published and not deprecated, no advisory is open, its SDK is at
   most about eleven months behind (` + "`sdk_currency`" + ` at least 0.5), at most 30 % of the outside issues and pull requests are unanswered, and the last human act was at most
   540 days ago. Recent commits, steady work and recent release then count at least 0.7: finished is not abandoned. All of these must be known.
4. The score is the sum of points times values, rounded down, and then the smallest cap.
5. *Improve* lists what the owner can do, with the points by which the score would rise by that alone. A cap that stays keeps the gain down.

A repository has no score if it is gone (not found three times within 72 hours, or private), empty, or withheld by its host.
A server in a subfolder of a repository is judged by the commits, tests and documents of its folder; licence, security policy and workflows count for all.
`
