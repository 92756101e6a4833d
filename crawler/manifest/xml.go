package manifest

import (
	"bytes"
	"encoding/xml"
	"io"

	"mcpcensus/crawler/untyped"
)

// decodeXML decodes a document of any declared encoding as UTF-8.
func decodeXML[T any](b []byte) (v T, err error) {
	if b, err = untyped.Text(b, untyped.MaxSize); err != nil {
		return v, err
	}
	d := xml.NewDecoder(bytes.NewReader(b))
	d.Strict = false
	d.Entity = xml.HTMLEntity
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	return v, d.Decode(&v)
}

// An xmlText is the text of an element, trimmed and cut as by [untyped.Short].
type xmlText string

// UnmarshalText implements [encoding.TextUnmarshaler].
func (t *xmlText) UnmarshalText(b []byte) error {
	*t = xmlText(untyped.Short(string(b)))
	return nil
}

func strs(list []xmlText) (out []string) {
	for _, t := range bounded(list) {
		out = append(out, string(t))
	}
	return out
}

// bounded cuts a list to [untyped.MaxList].
func bounded[T any](list []T) []T { return list[:min(len(list), untyped.MaxList)] }

// properties are the texts of elements by name. The first of each name wins.
type properties map[string]string

// UnmarshalXML implements [xml.Unmarshaler].
func (p *properties) UnmarshalXML(d *xml.Decoder, start xml.StartElement) error {
	var all struct {
		List []struct {
			XMLName xml.Name
			Value   xmlText `xml:",chardata"`
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
