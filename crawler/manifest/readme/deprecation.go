package readme

import (
	"regexp"
	"strings"

	"mcpcensus/crawler/untyped"
)

// The deprecation detector. Sentences whose subject is this repository count
// wherever they stand outside code; loose words only near the top, or in the
// big headings and alerts: "archived" in a table of tools or in a list of
// others' servers says nothing about this one.
var (
	subject = `(?:this|the)\s+(?:github\s+)?(?:mcp\s+)?(?:repository|repo|project|package|server|mcp|mcp server|codebase|version of the server|implementation|integration|extension|plugin|library)\s+(?:\([^)]{0,60}\)\s+)?`
	state   = `(?:deprecated|archived|no longer (?:being )?(?:actively )?(?:maintained|supported|developed|updated|under (?:active )?development)|unmaintained|not (?:being )?(?:actively )?maintained|not maintained any ?more|discontinued|retired|obsolete|abandoned|end[- ]of[- ]life|sunset(?:ted)?|superseded|in maintenance mode only|read-only)`

	declaredRE = regexp.MustCompile(`(?i)\b` + subject + `(?:is|has been|was|will be|is being|is now|has now been|has)\s+(?:now\s+|officially\s+|currently\s+|fully\s+|being\s+|been\s+)?` + state + `\b`)
	movedRE    = regexp.MustCompile(`(?i)\b` + subject + `(?:has|is|have)\s+(?:been\s+|now\s+)?(?:permanently\s+)?(?:moved|migrated|relocated|merged|integrated|replaced|built)\s+(?:to|into|in to|by|with)\b`)
	pastRE     = regexp.MustCompile(`(?i)\bno longer (?:actively )?(?:maintain|support|develop)(?:ing|ed)?\s+(?:this|the) (?:repository|repo|project|package|server|mcp)\b|\bdevelopment (?:of this \w+ )?has (?:been )?(?:moved|ceased|stopped|ended|discontinued)\b|\b(?:this|it) (?:is|will be) the final release\b|\bfinal release of this\b|^(?:deprecated|archived|unmaintained|no longer maintained)\b\s*(?:[:.!–—-]|$)|\bonly receive critical (?:security|bug|updates|fixes)|^(?:it|this)\s+(?:is|has been|was) (?:now )?(?:deprecated|superseded)\b|\b(?:mcp|server|repository|repo|project|package) (?:is|has been|was) (?:now )?(?:deprecated|superseded)\b`)
	noticeRE   = regexp.MustCompile(`(?i)\b(?:deprecated|deprecation|archived|no longer (?:actively )?(?:maintained|supported)|unmaintained|discontinued|end[- ]of[- ]life|superseded|retired|obsolete|repository moved|has moved|project moved)\b`)
	softRE     = regexp.MustCompile(`(?i)\b(?:may (?:be )?(?:sunset|deprecated|discontinued|archived|removed)|(?:will be|being) (?:sunset|phased out|replaced|deprecated|archived)|(?:is|was|has been|been) replaced by|we (?:recommend|suggest|encourage)[^.]{0,60} instead\b|please use [^.]{3,80} instead\b|use the (?:new |official )[^.]{0,60}(?:server|version)[^.]{0,20} instead|not (?:be )?(?:actively )?monitor(?:ed|ing)|issues (?:are|and pull requests are|and prs are) not (?:actively )?(?:monitored|reviewed)|consider (?:using|switching to|migrating to) the (?:new|official)|prioriti[sz]ing[^.]{0,80}(?:remote|instead)|looking for (?:a )?(?:new )?maintainers?)\b`)
	negatedRE  = regexp.MustCompile(`(?i)\bwhether\b|\bnot (?:been )?deprecated\b|\bif (?:this|the|your|a|it|you)\b|\b(?:filter|list|show|include|exclude|check)s? (?:for )?(?:archived|deprecated)|\bdeprecated (?:tools?|apis?|options?|fields?|parameters?|flags?|endpoints?|methods?|functions?|features?|transport|sse|aliases|env|environment|commands?|settings?|versions? of (?:node|python)|models?)\b|\b(?:api|sse|transport|option|flag|parameter|tool|endpoint|field|image|command|variable|mode|method|account|feature|setting|syntax|alias|file|channel|thread|note|issue|page|card|board|data|support|behaviou?r|name) (?:is|was|are|has been|have been|will be) (?:now )?(?:deprecated|archived|retired|obsolete|replaced|no longer)`)
	partRE     = regexp.MustCompile(`(?i)\b(?:branch|tool|option|flag|parameter|endpoint|transport|feature|section|setting|release|example|tag|env(?:ironment)? variable)s?\b[^.]{0,40}\b(?:deprecated|archived|no longer)`)
	alertRE    = regexp.MustCompile(`(?i)^\[!(caution|warning|important|note|tip)\]\s*`)
	sentenceRE = regexp.MustCompile(`[^.!?\n]+(?:[.!?](?:\S[^.!?\n]*)?)*`)
	successor  = regexp.MustCompile(`(?i)\b(?:instead|in favou?r of|replaced by|superseded by|moved to|migrat(?:e|ed|ing)|successor|new (?:home|repository|repo|location|version|server)|official|now (?:lives|available|maintained|part|built)|continue[sd]?|switch to|use|see|built into|available (?:at|in))\b`)
)

func (r *Document) deprecation(blocks []block) {
	chars := 0
	declared, soft := -1, -1
	alert := ""
	for i, b := range blocks {
		if b.kind == code || b.kind == marked || b.text == "" {
			continue
		}
		top := chars < 1500
		chars += len(b.text)
		t := b.text
		if m := alertRE.FindStringSubmatch(t); m != nil {
			alert = strings.ToLower(m[1])
			t = strings.TrimSpace(t[len(m[0]):])
			if len(r.Alerts) < 20 {
				r.Alerts = append(r.Alerts, untyped.Short(t))
			}
		} else if !b.quote {
			alert = ""
		}
		if b.kind == row || b.kind == rawHTML && !top {
			continue
		}
		loud := b.kind == heading && b.level <= 2 && top || (alert == "caution" || alert == "warning") && (top || i < len(blocks)/4)
		for _, s := range sentences(t) {
			if negatedRE.MatchString(s) {
				continue
			}
			switch {
			case declared < 0 && (declaredRE.MatchString(s) || movedAway(s)):
				declared = i
				r.DeprecationText = untyped.Short(s)
			case declared < 0 && (top || loud) && pastRE.MatchString(s) && b.kind != item && (b.kind != heading || loud && !listed(blocks, i)) && !partRE.MatchString(s):
				declared = i
				r.DeprecationText = untyped.Short(s)
			case declared < 0 && loud && noticeRE.MatchString(s) && !partRE.MatchString(s) && !listed(blocks, i):
				declared = i
				r.DeprecationText = untyped.Short(s)
			case declared < 0 && soft < 0 && top && softRE.MatchString(s) && b.kind != heading:
				soft = i
				r.DeprecationText = untyped.Short(s)
			}
		}
		if declared >= 0 {
			break
		}
	}
	at := declared
	switch {
	case declared >= 0:
		r.Deprecation = "declared"
		if blocks[at].kind == heading {
			r.DeprecationText = noticeText(blocks, at)
		}
	case soft >= 0:
		r.Deprecation = "soft"
		at = soft
	default:
		return
	}
	for j := at; j < len(blocks) && j < at+4; j++ {
		b := blocks[j]
		if j > at && b.kind == heading && b.level <= 2 && blocks[at].kind != heading {
			break
		}
		if j > at && !successor.MatchString(b.text) && blocks[at].kind != heading {
			continue
		}
		for _, l := range b.links {
			if l.text != "" && (strings.HasPrefix(l.url, "https://") || strings.HasPrefix(l.url, "http://")) {
				r.Successor = untyped.Short(l.url)
				return
			}
		}
	}
}

// noticeText returns the first sentence below a heading that is a notice, or the
// heading's words if there is none.
func noticeText(blocks []block, at int) string {
	for _, b := range blocks[at+1 : min(at+4, len(blocks))] {
		if b.kind == heading {
			break
		}
		if b.kind != paragraph {
			continue
		}
		t := strings.TrimSpace(alertRE.ReplaceAllString(b.text, ""))
		if list := sentences(t); len(list) > 0 && len(strings.Fields(list[0])) >= 4 {
			return untyped.Short(list[0])
		}
	}
	return untyped.Short(strings.TrimSpace(pictures.ReplaceAllString(strings.ReplaceAll(blocks[at].text, "\ufe0f", ""), "")))
}

// movedAway says whether a sentence tells that the whole project is elsewhere
// now; "the server is built with TypeScript" is not that.
func movedAway(s string) bool {
	m := movedRE.FindString(s)
	if m == "" {
		return false
	}
	m = strings.ToLower(m)
	for _, part := range []string{"built with", "integrated with", "built by", "built in", "integrated by", "merged with"} {
		if strings.HasSuffix(m, part) {
			return false
		}
	}
	return true
}

// listed says whether a heading is over a list of several others' entries, as
// "## Archived" in a catalogue is.
func listed(blocks []block, i int) bool {
	if blocks[i].kind != heading {
		return false
	}
	n := 0
	for _, b := range blocks[i+1:] {
		if b.kind == heading {
			break
		}
		if (b.kind == item || b.kind == row) && len(b.links) > 0 {
			n++
		}
	}
	return n >= 2
}

func sentences(s string) []string {
	if len(s) > 16<<10 {
		s = s[:16<<10]
	}
	out := sentenceRE.FindAllString(s, 200)
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out
}
