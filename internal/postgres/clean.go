package postgres

import (
	"bytes"
	"database/sql/driver"
	"encoding/json"

	"github.com/lib/pq"

	"mcpcensus/internal/text"
)

// cleanText returns s in a form that Postgres accepts.
func cleanText(s string) string { return text.Valid(s) }

// toJSON returns v as JSON that Postgres accepts: without the escape \u0000, which is
// valid JSON but not a valid Postgres text.
func toJSON(v any) ([]byte, error) {
	b, err := json.Marshal(v) // replaces invalid UTF-8 itself
	if err != nil {
		return nil, err
	}
	return cleanJSON(b), nil
}

// An AsJSON is written as the JSON of its value, without characters that Postgres rejects and
// without HTML escapes. A JSON null becomes NULL.
type AsJSON struct{ V any }

// Value implements [driver.Valuer].
func (j AsJSON) Value() (driver.Value, error) {
	b, err := text.JSON(j.V)
	if err != nil || string(b) == "null" {
		return nil, err
	}
	return string(cleanJSON(b)), nil
}

// A jsonColumn reads JSON into V. NULL leaves V unchanged.
type jsonColumn[T any] struct{ V T }

// Scan implements [sql.Scanner].
func (c *jsonColumn[T]) Scan(value any) error {
	b, _ := value.([]byte)
	if b == nil {
		return nil
	}
	return json.Unmarshal(b, &c.V)
}

func cleanTexts(texts []string) pq.StringArray { return Mapped(texts, text.Valid) }

// Mapped returns f of each value.
func Mapped[V, W any](values []V, f func(V) W) []W {
	all := make([]W, len(values))
	for i, v := range values {
		all[i] = f(v)
	}
	return all
}

func cleanJSON(b []byte) []byte {
	nul := []byte(`\u0000`)
	for from := 0; ; {
		i := bytes.Index(b[from:], nul)
		if i < 0 {
			return b
		}
		i += from
		// After an odd number of backslashes this one is itself escaped.
		before := 0
		for i-before > 0 && b[i-before-1] == '\\' {
			before++
		}
		if before%2 == 0 {
			copy(b[i:], `\ufffd`)
		}
		from = i + len(nul)
	}
}
