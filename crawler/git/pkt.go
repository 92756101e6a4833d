package git

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxPacket is the size of the longest packet of git's protocol, with its length.
const maxPacket = 65520

// A packetKind is the kind of a packet of git's pkt-line format.
type packetKind int

const (
	packetData packetKind = iota
	packetFlush
	packetDelim
	packetEnd
)

// A packetReader reads the packets of a response.
type packetReader struct {
	r   *bufio.Reader
	buf []byte
}

func newPacketReader(r io.Reader) *packetReader {
	return &packetReader{r: bufio.NewReaderSize(r, 32<<10)}
}

// next returns the next packet. Its data is valid until the next call. The error is errCut if the
// response ends, also between two packets.
func (p *packetReader) next() (packetKind, []byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(p.r, head[:]); err != nil {
		return 0, nil, ended(err)
	}
	var size [2]byte
	if _, err := hex.Decode(size[:], head[:]); err != nil {
		return 0, nil, corruptf("it is not in git's format")
	}
	n := int(size[0])<<8 | int(size[1])
	switch {
	case n == 0:
		return packetFlush, nil, nil
	case n == 1:
		return packetDelim, nil, nil
	case n == 2:
		return packetEnd, nil, nil
	case n < 4 || n > maxPacket:
		return 0, nil, corruptf("a packet has the length %d", n)
	}
	if cap(p.buf) < n {
		p.buf = make([]byte, maxPacket)
	}
	data := p.buf[:n-4]
	if _, err := io.ReadFull(p.r, data); err != nil {
		return 0, nil, ended(err)
	}
	return packetData, data, nil
}

// line returns the next packet as a line without its end. An ERR packet is a [remoteError].
func (p *packetReader) line() (packetKind, string, error) {
	kind, data, err := p.next()
	if err != nil || kind != packetData {
		return kind, "", err
	}
	if message, ok := bytes.CutPrefix(data, []byte("ERR ")); ok {
		return kind, "", &remoteError{strings.TrimSpace(string(message))}
	}
	return kind, strings.TrimSuffix(string(data), "\n"), nil
}

// ended returns errCut for the end of a response, and other errors unchanged.
func ended(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errCut
	}
	return err
}

// A bandReader reads the pack in the packets of a side band. It returns io.EOF after the flush
// packet, errCut if there is none, and a [remoteError] for the server's errors.
type bandReader struct {
	packets *packetReader
	rest    []byte
	err     error
}

// The bands of a packfile section.
const (
	bandData     = 1
	bandProgress = 2
	bandError    = 3
)

func (b *bandReader) Read(p []byte) (int, error) {
	for len(b.rest) == 0 {
		if b.err == nil {
			b.rest, b.err = b.next()
		}
		if b.err != nil {
			return 0, b.err
		}
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

// next returns the data of the next packet, nil if it has none.
func (b *bandReader) next() ([]byte, error) {
	kind, data, err := b.packets.next()
	switch {
	case err != nil:
		return nil, err
	case kind == packetFlush, kind == packetEnd:
		return nil, io.EOF
	case kind != packetData || len(data) == 0:
		return nil, corruptf("a packet of the pack has no band")
	}
	switch data[0] {
	case bandData:
		return data[1:], nil
	case bandProgress:
		return nil, nil
	case bandError:
		return nil, &remoteError{strings.TrimSpace(string(data[1:]))}
	}
	return nil, corruptf("a packet of the pack has the band %d", data[0])
}

// A message is a request of protocol version 2.
type message struct{ bytes.Buffer }

func (m *message) line(format string, args ...any) {
	text := fmt.Sprintf(format, args...) + "\n"
	fmt.Fprintf(m, "%04x%s", len(text)+4, text)
}

func (m *message) delim() { m.WriteString("0001") }
func (m *message) flush() { m.WriteString("0000") }

// A boundedReader fails with a [limitError] after a number of bytes.
type boundedReader struct {
	r    io.Reader
	left int64
	max  int64
}

func (b *boundedReader) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, &limitError{"more than " + megabytes(b.max) + " of data"}
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

func megabytes(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MB", n>>20)
	}
	return fmt.Sprintf("%d kB", n>>10)
}
