package registry

import (
	"errors"
	"testing"
)

func TestErrorText(t *testing.T) {
	cause := errors.New("it has more than 4 MB of data")
	for name, test := range map[string]struct {
		err  *Error
		want string
	}{
		"no cause": {Errorf(ErrUnavailable, "It was not read."), "It was not read."},
		"a cause": {Wrap(ErrUnavailable, cause, "It was not read"),
			"It was not read: it has more than 4 MB of data"},
		"a cause in the message": {Wrap(ErrUnavailable, cause, "It was not read: "+cause.Error()),
			"It was not read: it has more than 4 MB of data"},
	} {
		if got := test.err.Error(); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
