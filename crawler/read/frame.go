package read

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"mcpcensus/crawler/detect"
	"mcpcensus/crawler/source"
	"mcpcensus/internal/registry"
)

// Limits of a message between a pool and its children, in bytes.
const (
	maxHeader = 64 << 20
	maxFiles  = 192 << 20
)

// A request is what a child is to read. One of its members is set.
type request struct {
	Servers *repository    `json:"servers,omitempty"`
	Imports *imports       `json:"imports,omitempty"`
	Unpack  *packed        `json:"unpack,omitempty"`
	Tools   *packageSource `json:"tools,omitempty"`
}

// repository asks for the servers of a repository. The files are its texts.
type repository struct {
	Snapshot registry.Snapshot  `json:"snapshot"`
	Listings []registry.Listing `json:"listings,omitempty"`
	Listed   bool               `json:"listed"` // Snapshot.Files is not nil
}

// imports asks for the listed paths that the files import.
type imports struct {
	Paths []string `json:"paths"`
}

// packed asks for the source files of an archive, which is the only file.
type packed struct {
	Name string `json:"name"`
}

// packageSource asks for the tools that the files register.
type packageSource struct {
	Required []string `json:"required,omitempty"` // environment variables
}

// A response is what a child has read.
type response struct {
	Servers *detect.Result `json:"servers,omitempty"`
	Imports []string       `json:"imports,omitempty"`
	Tools   *source.Result `json:"tools,omitempty"`
	// Suspicious are the suspicious parts of Tools.
	Suspicious []registry.SuspiciousText `json:"suspicious,omitempty"`
	Partial    bool                      `json:"partial,omitempty"` // of the files of an archive
	Problem    string                    `json:"problem,omitempty"` // why an archive cannot be read
	// Last reports that the child ends because it uses much memory.
	Last bool `json:"last,omitempty"`
}

// A message is a value, and the paths and sizes of the files whose texts follow it.
type message[T any] struct {
	Body  T          `json:"body"`
	Files []fileSize `json:"files,omitempty"`
}

type fileSize struct {
	Path string `json:"path"`
	Size int    `json:"size"`
}

func writeMessage[T any](w io.Writer, body T, files map[string]string) error {
	m := message[T]{Body: body}
	for _, p := range slices.Sorted(maps.Keys(files)) {
		m.Files = append(m.Files, fileSize{p, len(files[p])})
	}
	var header bytes.Buffer
	enc := json.NewEncoder(&header)
	enc.SetEscapeHTML(false) // schemas of tools stay as they are
	if err := enc.Encode(m); err != nil {
		return err
	}
	if err := binary.Write(w, binary.BigEndian, uint64(header.Len())); err != nil {
		return err
	}
	if _, err := header.WriteTo(w); err != nil {
		return err
	}
	for _, f := range m.Files {
		if _, err := io.WriteString(w, files[f.Path]); err != nil {
			return err
		}
	}
	return nil
}

// errMessage is the error of a message that is not one of [writeMessage].
var errMessage = errors.New("message is malformed")

// readMessage reads what [writeMessage] wrote. It returns io.EOF if there is no message.
func readMessage[T any](r io.Reader) (body T, files map[string]string, err error) {
	var m message[T]
	var n uint64
	if err := binary.Read(r, binary.BigEndian, &n); err != nil {
		return body, nil, err
	}
	if n > maxHeader {
		return body, nil, fmt.Errorf("%w: %d bytes", errMessage, n)
	}
	header := make([]byte, n)
	if _, err := io.ReadFull(r, header); err != nil {
		return body, nil, err
	}
	if err := json.Unmarshal(header, &m); err != nil {
		return body, nil, fmt.Errorf("%w: %w", errMessage, err)
	}
	files, left := make(map[string]string, len(m.Files)), maxFiles
	for _, f := range m.Files {
		if f.Size < 0 || f.Size > left {
			return body, nil, fmt.Errorf("%w: files are too large", errMessage)
		}
		left -= f.Size
		text := make([]byte, f.Size)
		if _, err := io.ReadFull(r, text); err != nil {
			return body, nil, err
		}
		files[f.Path] = string(text)
	}
	return m.Body, files, nil
}
