package site

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// The page of tags waits for the first count, which others show nothing of.
func TestAwaitNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Site{Options: Options{Now: time.Now}}
		counted := &Names{}
		s.names.Get(s.Now(), func(context.Context) (*Names, error) {
			time.Sleep(2 * time.Second)
			return counted, nil
		})
		if s.Names(nil) != nil {
			t.Error("counted already")
		}
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if s.AwaitNames(short, nil) != nil {
			t.Error("counted within a second")
		}
		if s.AwaitNames(t.Context(), nil) != counted {
			t.Error("not counted")
		}
	})
}
