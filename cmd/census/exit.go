package main

import (
	"errors"
	"strconv"
)

// join is errors.Join, but returns a single error unwrapped.
func join(a, b error) error {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return errors.Join(a, b)
}

// Exit statuses of census check.
const (
	exitNoServer = 3
	exitNotFound = 4
	exitNoScore  = 5
)

// A statusError ends the program with a status. Its error may be nil: then
// everything was printed.
type statusError struct {
	status int
	error
}

func (e statusError) Error() string {
	if e.error == nil {
		return "exit status " + strconv.Itoa(e.status)
	}
	return e.error.Error()
}

func (e statusError) Unwrap() error { return e.error }
