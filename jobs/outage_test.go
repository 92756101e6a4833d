package jobs

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"mcpcensus/internal/postgres"
)

// An outage whose errors name the work of each attempt is two lines; what operators must do is one
// more.
func TestOutage(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	var o Outage
	for _, err := range []error{nil, errors.New("a: refused"), errors.New("b: refused"), postgres.ErrNewer,
		postgres.ErrNewer, nil, nil} {
		o.Note(t.Context(), slog.New(slog.NewTextHandler(&out, nil)), "jobs", err)
	}
	var levels []string
	for line := range strings.Lines(out.String()) {
		levels = append(levels, strings.Fields(line)[1])
	}
	if got := strings.Join(levels, " "); got != "level=ERROR level=ERROR level=INFO" {
		t.Errorf("%s:\n%s", got, &out)
	}
}
