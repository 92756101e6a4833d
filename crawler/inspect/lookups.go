package inspect

import (
	"encoding/binary"
	"io"
	"net"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"mcpcensus/internal/hosts"
	"mcpcensus/internal/registry"
)

// lookupsPath is the socket of nscd in the sandbox.
const lookupsPath = "/var/run/nscd/socket"

// A lookups records the host names that processes of a sandbox look up, and responds that
// they do not exist. It speaks the protocol of nscd, which glibc queries before files and
// DNS. A DNS server is no alternative: port 53 requires root.
type lookups struct {
	listener net.Listener
	ended    chan struct{}
	names    []string // owned by serve
}

// listenForLookups starts recording at a new Unix socket.
func listenForLookups(path string) (*lookups, error) {
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	l := &lookups{listener: listener, ended: make(chan struct{})}
	if err := os.Chmod(path, 0o666); err != nil {
		listener.Close()
		return nil, err
	}
	go l.serve()
	return l, nil
}

// close ends the recording and returns the distinct names in order of their first lookup.
func (l *lookups) close() []string {
	l.listener.Close()
	<-l.ended
	return l.names
}

func (l *lookups) serve() {
	defer close(l.ended)
	for {
		c, err := l.listener.Accept()
		if err != nil {
			return
		}
		_ = c.SetDeadline(time.Now().Add(200 * time.Millisecond))
		_ = l.respond(c) // on failure the connection is closed without a response
		c.Close()
	}
}

// Constants of nscd's protocol.
const (
	nscdVersion   = 2
	hostByName    = 4
	hostByNameV6  = 5
	addressesOf   = 14
	hostNotFound  = 1
	longestLookup = 254 // bytes, with the final NUL
)

// respond responds to one request. Requests for anything but host names get no response, so that
// glibc reads files instead.
func (l *lookups) respond(c io.ReadWriter) error {
	var request struct{ Version, Type, Length int32 }
	if err := binary.Read(c, binary.NativeEndian, &request); err != nil {
		return err
	}
	if request.Version != nscdVersion || request.Length < 2 || request.Length > longestLookup {
		return nil
	}
	key := make([]byte, request.Length)
	if _, err := io.ReadFull(c, key); err != nil {
		return err
	}
	name := strings.ToLower(strings.TrimSuffix(strings.TrimRight(string(key), "\x00"), "."))
	local := hosts.KindOf(name) == hosts.Loopback || name == "sandbox"
	switch {
	case request.Type == addressesOf && local:
		return write(c, []int32{nscdVersion, 1, 2, 20, int32(len(key)), 0}, net.IPv4(127, 0, 0, 1).To4(),
			net.IPv6loopback, []byte{2, 10}, key)
	case request.Type == addressesOf:
		l.note(name)
		return write(c, []int32{nscdVersion, 0, 0, 0, 0, hostNotFound})
	case (request.Type == hostByName || request.Type == hostByNameV6) && !local:
		l.note(name)
		return write(c, []int32{nscdVersion, 0, 0, 0, 0, 0, 0, hostNotFound})
	}
	return nil
}

func write(w io.Writer, head []int32, parts ...[]byte) error {
	b, err := binary.Append(nil, binary.NativeEndian, head)
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, slices.Concat(parts...)...))
	return err
}

var hostName = regexp.MustCompile(`^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$`)

// note records a name if it is a fully qualified host name.
func (l *lookups) note(name string) {
	if len(l.names) < registry.MaxHosts && hostName.MatchString(name) && !slices.Contains(l.names, name) {
		l.names = append(l.names, name)
	}
}
