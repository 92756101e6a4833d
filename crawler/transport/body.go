package transport

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
)

// A boundedBody fails with ErrBodyTooLarge after a number of bytes. Closing it releases the
// request's timeout.
type boundedBody struct {
	io.ReadCloser // an http.MaxBytesReader
	cancel        context.CancelFunc
}

func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		err = ErrBodyTooLarge
	}
	return n, err
}

func (b *boundedBody) Close() error {
	err := b.ReadCloser.Close()
	b.cancel()
	return err
}

// peek returns up to n bytes from the start of the body, which remains unread.
func peek(resp *http.Response, n int64) []byte {
	head, err := io.ReadAll(io.LimitReader(resp.Body, n))
	resp.Body = &bufferedBody{Reader: io.MultiReader(bytes.NewReader(head), errReader{err}, resp.Body),
		Closer: resp.Body}
	return head
}

type bufferedBody struct {
	io.Reader
	io.Closer
}

// An errReader returns its error, or io.EOF if it is nil.
type errReader struct{ err error }

func (e errReader) Read([]byte) (int, error) {
	if e.err != nil {
		return 0, e.err
	}
	return 0, io.EOF
}
