// Package jsonobject decodes JSON objects with the order and repetition of their
// members, which encoding/json drops.
package jsonobject

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// A Member is one name of an object with its value as JSON.
type Member struct {
	Name  string
	Value json.RawMessage
}

// Members returns the members of a JSON object in order, with repeated names. The error
// describes why data is not one JSON object and can continue a sentence: "it is
// malformed near byte 7".
func Members(data []byte) (members []Member, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("it is not an object")
	}
	for d.More() {
		var m Member
		t, err := d.Token()
		if err == nil {
			m.Name = t.(string) // the decoder accepts nothing else here
			err = d.Decode(&m.Value)
		}
		if err != nil {
			return nil, fmt.Errorf("it is malformed near byte %d", d.InputOffset())
		}
		members = append(members, m)
	}
	if _, err := d.Token(); err != nil {
		return nil, errors.New("its end is missing")
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("more text follows it")
	}
	return members, nil
}
