package manifest

import (
	"bytes"
	"encoding/xml"
	"io"

	"mcpcensus/crawler/untyped"
)

// decodeXML decodes a document of any declared encoding as UTF-8.
func decodeXML(b []byte, v any) error {
	b, err := untyped.Text(b, untyped.MaxSize)
	if err != nil {
		return err
	}
	d := xml.NewDecoder(bytes.NewReader(b))
	d.Strict = false
	d.Entity = xml.HTMLEntity
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	return d.Decode(v)
}

// text is the text of an element, trimmed and cut as [untyped.Short] does.
type text string

// UnmarshalText implements [encoding.TextUnmarshaler].
func (t *text) UnmarshalText(b []byte) error {
	*t = text(untyped.Short(string(b)))
	return nil
}

func strs(list []text) []string {
	var out []string
	for _, t := range list[:min(len(list), untyped.MaxList)] {
		out = append(out, string(t))
	}
	return out
}

// properties are the texts of elements by name. The first of a name counts.
type properties map[string]string

// UnmarshalXML implements [xml.Unmarshaler].
func (p *properties) UnmarshalXML(d *xml.Decoder, start xml.StartElement) error {
	var all struct {
		List []struct {
			XMLName xml.Name
			Value   text `xml:",chardata"`
		} `xml:",any"`
	}
	if err := d.DecodeElement(&all, &start); err != nil {
		return err
	}
	if *p == nil {
		*p = properties{}
	}
	for _, e := range all.List {
		if name := e.XMLName.Local; (*p)[name] == "" {
			(*p)[name] = string(e.Value)
		}
	}
	return nil
}
