package install

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"

	"mcpcensus/internal/text"
)

// An object is a JSON object with ordered members.
type object []member

type member struct {
	key   string
	value any
}

// MarshalJSON implements json.Marshaler.
func (o object) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, compact(m.key)...), ':')
		b = append(b, compact(m.value)...)
	}
	return append(b, '}'), nil
}

// compact returns JSON without spaces and HTML escapes.
func compact(v any) []byte {
	b, err := text.JSON(v)
	if err != nil {
		panic("install: " + err.Error()) // strings, booleans, lists and objects always encode
	}
	return b
}

func indented(o object) string {
	var b bytes.Buffer
	if err := json.Indent(&b, compact(o), "", "  "); err != nil {
		panic("install: " + err.Error())
	}
	return b.String()
}

var unescaped = strings.NewReplacer("+", "%20", "%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A",
	"*")

// component is JavaScript's encodeURIComponent.
func component(s string) string { return unescaped.Replace(url.QueryEscape(s)) }

// jsonComponent returns an object as JSON, encoded by component.
func jsonComponent(o object) string { return component(string(compact(o))) }
