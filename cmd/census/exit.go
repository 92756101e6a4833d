package main

import "errors"

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
