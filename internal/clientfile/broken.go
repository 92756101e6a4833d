package clientfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/pelletier/go-toml/v2"
)

// plain returns an error of a parser in words for people, on one line, with line and
// column where they are known.
func plain(err error) error {
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("it must be an object, got %s", e.Value)
	}
	if e, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, column := e.Position()
		return at(line, column, strings.TrimPrefix(e.Error(), "toml: "))
	}
	var e yaml.Error
	if errors.As(err, &e) {
		text := e.GetMessage()
		if strings.Contains(text, "cannot unmarshal") {
			text = "it must be a mapping"
		}
		if t := e.GetToken(); t != nil && t.Position != nil {
			return at(t.Position.Line, t.Position.Column, text)
		}
		return errors.New(oneLine(text))
	}
	text := strings.TrimPrefix(err.Error(), "hujson: ")
	for _, w := range wordings {
		text = w.pattern.ReplaceAllString(text, w.text)
	}
	return errors.New(oneLine(text))
}

func at(line, column int, text string) error {
	return fmt.Errorf("line %d, column %d: %s", line, column, oneLine(text))
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// wordings map messages of the JSON parser to plainer ones.
var wordings = []struct {
	pattern *regexp.Regexp
	text    string
}{
	{regexp.MustCompile(`(?:parsing [a-z ]+: )?unexpected EOF$`), "the file ends too early"},
	{regexp.MustCompile(`invalid literal: (.*)$`), `"$1" is not a value`},
	{regexp.MustCompile(` \(expecting (.*)\)$`), ", expected $1"},
}
