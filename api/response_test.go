package api

import (
	"fmt"
	"testing"
)

func TestResponses(t *testing.T) {
	c := newResponses(1 << 20)
	body := make([]byte, 1000)
	first := Key{"v", "first"}
	c.add(first, false, &Response{Body: body})
	for n := range 5000 {
		c.add(Key{"v", fmt.Sprint(n)}, false, &Response{Body: body})
		if n%7 == 0 {
			c.get(first, false)
		}
	}
	cached := c.entries.Len()
	if total := c.bytes.Load(); total > 1<<20 || cached < 700 || cached > 900 {
		t.Errorf("%d responses of 1 kB are cached, %d bytes", cached, total)
	}
	if _, ok := c.get(first, false); !ok {
		t.Error("a response in use was evicted")
	}
	if _, ok := c.get(first, true); ok {
		t.Error("a plain response is cached as a compressed one")
	}
}
