// Package dockerrun parses the arguments of "docker run", as docker and podman read them. Which
// options may be offered or used is decided by the callers.
package dockerrun

import (
	"encoding/csv"
	"regexp"
	"strings"
)

// A Run is a parsed command line of "docker run".
type Run struct {
	Options []Option
	// Unknown is an option that may take the next word: what follows it is not known. Else "".
	Unknown string
	Image   string   // "" if there is none, or it is not known
	Args    []string // the words after the image
	At      int      // position of the image, or of the first word that was not read
}

// An Option is an option with its value.
type Option struct {
	// Name is the long name without dashes, such as "env" for -e; the whole word, with its value
	// if it is joined, of an unknown option.
	Name  string
	Known bool
	Takes bool   // takes a value
	Value string // also of a switch with an explicit value, such as --rm=false
	// At is the position of the first of its N words. Switches in one word, such as -it, have
	// the same position.
	At, N int
}

func (o Option) Lacks() bool { return o.Takes && o.N == 0 }

// Variable returns the variable that the value of --env sets; set is false for a variable that is
// passed on from the environment.
func (o Option) Variable() (name, value string, set bool) { return strings.Cut(o.Value, "=") }

// values and switches are the long names of options; a letter before a colon is the short form.
var (
	values = named(`add-host annotation a:attach blkio-weight blkio-weight-device cap-add cap-drop
		cgroup-parent cgroupns cidfile cpu-count cpu-percent cpu-period cpu-quota cpu-rt-period
		cpu-rt-runtime c:cpu-shares cpus cpuset-cpus cpuset-mems detach-keys device
		device-cgroup-rule device-read-bps device-read-iops device-write-bps device-write-iops dns
		dns-option dns-search domainname entrypoint e:env env-file expose gpus group-add
		health-cmd health-interval health-retries health-start-interval health-start-period
		health-timeout h:hostname io-maxbandwidth io-maxiops ip ip6 ipc isolation kernel-memory
		l:label label-file link link-local-ip log-driver log-opt mac-address m:memory
		memory-reservation memory-swap memory-swappiness mount name network network-alias
		oom-score-adj pid pids-limit platform p:publish pull restart runtime secret security-opt
		shm-size stop-signal stop-timeout storage-opt sysctl tmpfs ulimit u:user userns uts
		v:volume volume-driver volumes-from w:workdir
		arch authfile blkio-weight-device cert-dir cgroup-conf chrootdirs conmon-pidfile creds
		decryption-key env-merge gidmap group-entry health-log-destination health-max-log-count
		health-max-log-size health-on-failure health-startup-cmd health-startup-interval
		health-startup-retries health-startup-success health-startup-timeout hosts-file hostuser
		image-volume init-ctr init-path intel-rdt-closid os passwd-entry personality pidfile pod
		pod-id-file preserve-fd preserve-fds rdt-class requires retry retry-delay sdnotify
		seccomp-policy shm-size-systemd subgidname subuidname systemd timeout tz uidmap umask
		unsetenv variant`)
	switches = named(`d:detach disable-content-trust env-host help http-proxy init i:interactive
		no-healthcheck no-hostname no-hosts oom-kill-disable passwd privileged P:publish-all q:quiet
		read-only read-only-tmpfs replace rm rmi rootfs sig-proxy tls-verify t:tty unsetenv-all
		use-api-socket`)
	aliases = map[string]string{"dns-opt": "dns-option", "net": "network", "net-alias": "network-alias"}
)

// named returns the long names of options by their long names and letters.
func named(list string) map[string]string {
	out := map[string]string{}
	for name := range strings.FieldsSeq(list) {
		letter, long, ok := strings.Cut(name, ":")
		if !ok {
			long = letter
		}
		out[letter], out[long] = long, long
	}
	return out
}

// Name returns the long name of the first option in a word such as -e, --env=A or -it. It returns
// "" unless all of the word are known options: programs in images have options such as -port,
// which is not -p with a value.
func Name(word string) string {
	options := Parse([]string{word}).Options
	for _, o := range options {
		if !o.Known || o.Takes && !o.Lacks() && !strings.HasPrefix(word, "--") {
			return ""
		}
	}
	if len(options) == 0 {
		return ""
	}
	return options[0].Name
}

// Parse parses the words after "run".
func Parse(words []string) Run {
	r := Run{At: len(words)}
	for i := 0; i < len(words); {
		word := words[i]
		switch {
		case r.Unknown != "":
			r.At = i
			return r
		case word == "--":
			i++
		case len(word) > 1 && word[0] == '-':
			i += r.option(words, i)
			continue
		}
		if i < len(words) {
			r.Image, r.Args, r.At = words[i], words[i+1:], i
		}
		break
	}
	return r
}

// option adds the options in the word at i and returns the number of words that it read.
func (r *Run) option(words []string, i int) int {
	word := words[i]
	if name, long := strings.CutPrefix(word, "--"); long {
		name, value, joined := strings.Cut(name, "=")
		if alias := aliases[name]; alias != "" {
			name = alias
		}
		switch {
		case len(name) == 1 || values[name]+switches[name] == "":
			return r.unknown(word, joined, i)
		case switches[name] != "" || joined:
			return r.add(Option{Name: name, Known: true, Takes: values[name] != "", Value: value,
				At: i, N: 1})
		}
		return r.valued(name, words, i)
	}
	return r.letters(words, i)
}

// letters adds the options in a word such as -it or -eNAME.
func (r *Run) letters(words []string, i int) int {
	word := words[i]
	for k := 1; k < len(word); k++ {
		letter, rest := word[k:k+1], word[k+1:]
		value, joined := strings.CutPrefix(rest, "=")
		switch {
		case values[letter] != "" && rest != "":
			return r.add(Option{Name: values[letter], Known: true, Takes: true, Value: value,
				At: i, N: 1})
		case values[letter] != "":
			return r.valued(values[letter], words, i)
		case switches[letter] == "":
			return r.unknown(word, joined, i)
		case joined:
			return r.add(Option{Name: switches[letter], Known: true, Value: value, At: i, N: 1})
		}
		r.add(Option{Name: switches[letter], Known: true, At: i, N: 1})
	}
	return 1
}

// unknown adds an unknown option, whose value may be joined.
func (r *Run) unknown(word string, joined bool, i int) int {
	if !joined {
		r.Unknown = word
	}
	return r.add(Option{Name: word, At: i, N: 1})
}

// valued adds an option with its value in the next word.
func (r *Run) valued(name string, words []string, i int) int {
	o := Option{Name: name, Known: true, Takes: true, At: i}
	if i+1 == len(words) {
		r.add(o)
		return 1
	}
	o.Value, o.N = words[i+1], 2
	return r.add(o)
}

func (r *Run) add(o Option) int {
	r.Options = append(r.Options, o)
	return o.N
}

// A Mount is what --mount or --volume make available in the container.
type Mount struct {
	Type   string // "bind", "volume", or as written
	Source string // "" for a volume without a name
	Target string
	// Others are the names of further fields of --mount, in lower case.
	Others []string
	// At is the position of the source in the value, -1 if it is not there as it is.
	At int
}

var volumeName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)

// IsVolume reports whether the source of a mount names a volume, not a folder of the host.
func IsVolume(source string) bool { return volumeName.MatchString(source) }

// Mount returns the mount of an option; ok is false for other options and invalid values.
func (o Option) Mount() (m Mount, ok bool) {
	switch o.Name {
	case "volume":
		return volumeMount(o.Value)
	case "mount":
		return parseMount(o.Value)
	}
	return m, false
}

func volumeMount(value string) (m Mount, ok bool) {
	m.Type = "volume"
	switch parts := volumeParts(value); len(parts) {
	case 1:
		m.Target, m.At = parts[0], -1
	case 2, 3:
		m.Source, m.Target = parts[0], parts[1]
		if !IsVolume(m.Source) {
			m.Type = "bind"
		}
	default:
		return m, false
	}
	return m, m.Target != ""
}

// volumeParts splits source:target:mode, except after the letter of a drive and in braces.
func volumeParts(value string) (parts []string) {
	start, depth := 0, 0
	for i, c := range value {
		isDrive := i == start+1 && strings.ContainsAny(value[start:i], letters)
		switch {
		case c == '{':
			depth++
		case c == '}':
			depth--
		case c == ':' && depth == 0 && !isDrive:
			parts, start = append(parts, value[start:i]), i+1
		}
	}
	return append(parts, value[start:])
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

func parseMount(value string) (m Mount, ok bool) {
	fields, err := csv.NewReader(strings.NewReader(value)).Read()
	if err != nil {
		return m, false
	}
	m.Type, m.At = "volume", -1
	for _, field := range fields {
		key, text, _ := strings.Cut(field, "=")
		switch key = strings.ToLower(key); key {
		case "type":
			m.Type = strings.ToLower(text)
		case "source", "src":
			m.Source = text
			if i := strings.Index(value, field); i >= 0 {
				m.At = i + len(field) - len(text)
			}
		case "target", "destination", "dst":
			m.Target = text
		default:
			m.Others = append(m.Others, key)
		}
	}
	return m, true
}
