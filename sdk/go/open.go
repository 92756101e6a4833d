package census

import (
	"encoding/json"
	"reflect"
	"strings"
)

// readOpen decodes an object into a struct, and the members without a field into
// others.
func readOpen[T any](text []byte, fields any, others *map[string]T) error {
	if err := json.Unmarshal(text, fields); err != nil {
		return err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	t := reflect.TypeOf(fields).Elem()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		delete(all, name)
	}
	*others = nil
	for name, member := range all {
		var v T
		if json.Unmarshal(member, &v) != nil {
			continue // of a type that is not known yet
		}
		if *others == nil {
			*others = map[string]T{}
		}
		(*others)[name] = v
	}
	return nil
}

// writeOpen encodes a struct and the other members as one object.
func writeOpen[T any](fields any, others map[string]T) ([]byte, error) {
	text, err := json.Marshal(fields)
	if err != nil || len(others) == 0 {
		return text, err
	}
	all := map[string]any{}
	for name, v := range others {
		all[name] = v
	}
	named := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &named); err != nil {
		return nil, err
	}
	for name, v := range named {
		all[name] = v
	}
	return json.Marshal(all)
}
