package readme

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcpcensus/crawler/settings"
	"mcpcensus/crawler/untyped"
)

var (
	// titledVariable matches a heading or list item that begins with a variable, with its
	// state before or after it: "TIDE_ZONE (optional)", "[Optional] TIDE_ZONE: …".
	titledVariable = regexp.MustCompile(
		`^(?:[(\[](?i:(optional|required))[)\]]\s*)?([A-Z][A-Z0-9]*_[A-Z0-9_]{1,99})(?:\s*[(\[](?i:(optional|required))[)\]])?(?:\s*[:–—-]\s*(.*))?$`)
	// namedAfter matches a description followed by the variable in parentheses.
	namedAfter = regexp.MustCompile(`^([^()]{3,100}) \(([A-Z][A-Z0-9]*_[A-Z0-9_]{1,99})\)[.:]?$`)
	// setTo matches the value or purpose of a variable.
	setTo = regexp.MustCompile(`\b[Ss]et(?:ting)? (?:the )?(?:env(?:ironment)? var(?:iable)? )?` +
		`([A-Z][A-Z0-9]*_[A-Z0-9_]{1,99})(?: env(?:ironment)? var(?:iable)?)? to ` +
		`((?:(?:true|false|on|off|yes|no|[0-9]+|"[^"]{1,40}"|'[^']{1,40}') (?:to|for|if|when) )?[a-z][^.;(]{8,300})`)
	// remarked matches a line of code that sets a variable, with a comment after it.
	remarked = regexp.MustCompile(`(?m)^[ \t]*(?:export |set |\$env:|-e )?"?([A-Z][A-Z0-9]*_[A-Z0-9_]{1,99})"?` +
		`(?:=|\s*[:=]\s+)(?:"[^"\n]*"|'[^'\n]*'|[^\s"',#]*),?[ \t]+(?:#|//)[ \t]*(\S[^\n]{7,300})$`)
	// systems matches comments about the systems to which a line applies.
	systems = regexp.MustCompile(`(?i)^(?:on |for )?(?:linux|mac ?os|windows|powershell|bash|zsh|cmd|unix)\b`)
)

// explain describes the known variables that lack a description, by headings above their
// descriptions, sentences about their values, and comments in code.
func (l *variableList) explain(blocks []block) {
	for i := range blocks {
		b := &blocks[i]
		switch b.kind {
		case code:
			for _, m := range remarked.FindAllStringSubmatch(b.text, 100) {
				if !systems.MatchString(m[2]) {
					l.explained(m[1], m[2])
				}
			}
			continue
		case heading, item:
			l.titled(b, blocks[i+1:])
		}
		if b.kind == item {
			if m := namedAfter.FindStringSubmatch(b.text); m != nil {
				l.explained(m[2], m[1])
			}
		}
		for _, m := range setTo.FindAllStringSubmatch(b.text, 20) {
			l.explained(m[1], m[2])
		}
	}
}

// titled describes the variable at the beginning of a heading, before its section, or of a list
// item.
func (l *variableList) titled(b *block, section []block) {
	m := titledVariable.FindStringSubmatch(b.text)
	if m == nil {
		return
	}
	i, known := l.index[m[2]]
	if !known {
		return
	}
	switch strings.ToLower(m[1] + m[3]) {
	case "optional":
		l.all[i].Need = settings.Optional
	case "required":
		if need := l.all[i].Need; need != settings.Optional && need != settings.Conditional {
			l.all[i].Need = settings.Required
		}
	}
	text := m[4]
	if b.kind == heading && len(section) > 0 && (section[0].kind == paragraph || section[0].kind == item) {
		text = section[0].text
		if conditionalWord.MatchString(text) {
			l.all[i].Need = settings.Conditional
		}
	}
	l.explained(m[2], text)
}

// explained sets the description of a known variable without one.
func (l *variableList) explained(name, text string) {
	i, known := l.index[name]
	text = strings.TrimSpace(text)
	if before, _, ok := strings.Cut(text, ": "+name+"="); ok { // an example
		text = before
	}
	if !known || l.all[i].Description != "" || text == "" || fragment.MatchString(text) {
		return
	}
	first, n := utf8.DecodeRuneInString(text)
	l.all[i].Description = untyped.Short(string(unicode.ToUpper(first)) + text[n:])
}
