package git

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"mcpcensus/crawler/git/gittest"
)

// Kinds of entries in packs.
const (
	kindBlob     = 3
	kindOfsDelta = 6
	kindRefDelta = 7
)

var testLimits = packLimits{objects: 2_000, object: 1 << 20, inflated: 8 << 20, depth: 100}

// delta returns a delta that copies a base of a size and appends text.
func delta(base int, text string) []byte {
	b := binary.AppendUvarint(nil, uint64(base))
	b = binary.AppendUvarint(b, uint64(base+len(text)))
	b = append(b, 0x80|0x10|0x20|0x40, byte(base), byte(base>>8), byte(base>>16)) // copy from 0
	return append(append(b, byte(len(text))), text...)
}

// ofs returns the encoded distance of an offset delta to its base.
func ofs(n int) []byte {
	b := []byte{byte(n & 0x7f)}
	for n >>= 7; n > 0; n >>= 7 {
		n--
		b = append([]byte{byte(0x80 | n&0x7f)}, b...)
	}
	return b
}

// raw returns the bytes of an ID.
func raw(id string) []byte {
	b, err := hex.DecodeString(id)
	if err != nil {
		panic(err)
	}
	return b
}

func blobOf(text string) gittest.Object { return gittest.Object{Kind: "blob", Data: []byte(text)} }

// A packTest writes the entries of a pack.
type packTest struct {
	bytes.Buffer
	last int // offset of the last entry
}

func (p *packTest) entry(kind, size int, base, content []byte) {
	p.last = p.Len()
	gittest.PackEntry(&p.Buffer, kind, size, base, content)
}

func TestPack(t *testing.T) {
	one := blobOf("one")
	for name, test := range map[string]struct {
		count int
		write func(p *packTest)
		want  []string // contents
		err   error    // kind
		text  string
	}{
		"objects": {2, func(p *packTest) {
			p.entry(kindBlob, 3, nil, []byte("one"))
			p.entry(kindBlob, 0, nil, nil)
		}, []string{"one", ""}, nil, ""},
		"offset delta": {2, func(p *packTest) {
			p.entry(kindBlob, 3, nil, []byte("one"))
			d, at := delta(3, "+two"), p.Len()
			p.entry(kindOfsDelta, len(d), ofs(at-p.last), d)
		}, []string{"one", "one+two"}, nil, ""},
		"delta before base": {3, func(p *packTest) {
			d := delta(7, "+3")
			p.entry(kindRefDelta, len(d), raw(blobOf("one+two").ID()), d)
			d = delta(3, "+two")
			p.entry(kindRefDelta, len(d), raw(one.ID()), d)
			p.entry(kindBlob, 3, nil, []byte("one"))
		}, []string{"one", "one+two", "one+two+3"}, nil, ""},
		"no base": {2, func(p *packTest) {
			d := delta(3, "+")
			p.entry(kindRefDelta, len(d), raw(blobOf("else").ID()), d)
			p.entry(kindBlob, 3, nil, []byte("one"))
		}, []string{"one"}, errCorrupt, "1 deltas have no base"},
		"own base": {1, func(p *packTest) {
			d := delta(0, "x")
			p.entry(kindRefDelta, len(d), raw(blobOf("x").ID()), d)
		}, nil, errCorrupt, "no base"},
		"base between entries": {2, func(p *packTest) {
			p.entry(kindBlob, 3, nil, []byte("one"))
			d := delta(3, "+")
			p.entry(kindOfsDelta, len(d), ofs(2), d)
		}, []string{"one"}, errCorrupt, "no base"},
		"base after": {1, func(p *packTest) {
			d := delta(3, "+")
			p.entry(kindOfsDelta, len(d), ofs(5000), d)
		}, nil, errCorrupt, "offset"},
		"wrong base size": {2, func(p *packTest) {
			p.entry(kindBlob, 3, nil, []byte("one"))
			d := delta(4, "+")
			p.entry(kindRefDelta, len(d), raw(one.ID()), d)
		}, []string{"one"}, errCorrupt, "a delta is invalid"},
		"delta of garbage": {2, func(p *packTest) {
			p.entry(kindBlob, 3, nil, []byte("one"))
			p.entry(kindRefDelta, 3, raw(one.ID()), []byte("\xff\xff\xff"))
		}, []string{"one"}, errCorrupt, "a delta is invalid"},
		"too short": {1, func(p *packTest) { p.entry(kindBlob, 5, nil, []byte("one")) }, nil,
			errCorrupt, "3 bytes instead of 5"},
		"too long": {1, func(p *packTest) { p.entry(kindBlob, 1, nil, []byte("one")) }, nil,
			errCorrupt, "exceeds declared size"},
		"type 5": {1, func(p *packTest) { p.entry(5, 3, nil, []byte("one")) }, nil, errCorrupt, "type 5"},
		"type 0": {1, func(p *packTest) { p.entry(0, 3, nil, []byte("one")) }, nil, errCorrupt, "type 0"},
		"fewer": {2, func(p *packTest) { p.entry(kindBlob, 3, nil, []byte("one")) },
			[]string{"one"}, nil, "any"},
		"10 million": {10_000_000, func(p *packTest) { p.entry(kindBlob, 3, nil, []byte("one")) },
			[]string{"one"}, nil, "any"},
		"too many": {10_000_000, func(p *packTest) {
			for range 2_001 {
				p.entry(kindBlob, 3, nil, []byte("one"))
			}
		}, []string{"one"}, errLimit, "more than 2,000 objects"},
		"claims 10 GB": {2, func(p *packTest) {
			p.entry(kindBlob, 3, nil, []byte("one"))
			p.entry(kindBlob, 10<<30, nil, make([]byte, 64<<20))
		}, []string{"one"}, errLimit, "more than 8 MB"},
		"bomb": {2, func(p *packTest) {
			p.entry(kindBlob, 3, nil, []byte("one"))
			p.entry(kindBlob, 10, nil, make([]byte, 64<<20))
		}, []string{"one"}, errCorrupt, "exceeds declared size"},
		"large": {2, func(p *packTest) {
			p.entry(kindBlob, 3<<20, nil, make([]byte, 3<<20))
			p.entry(kindBlob, 3, nil, []byte("one"))
		}, []string{"LARGE", "one"}, nil, ""},
		"delta of large": {3, func(p *packTest) {
			p.entry(kindBlob, 3<<20, nil, make([]byte, 3<<20))
			d, at := delta(3<<20, "+"), p.Len()
			p.entry(kindOfsDelta, len(d), ofs(at-p.last), d)
			p.entry(kindBlob, 3, nil, []byte("one"))
		}, []string{"LARGE", "one"}, nil, ""},
		"delta claims 2^60": {2, func(p *packTest) {
			p.entry(kindBlob, 3, nil, []byte("one"))
			d := append(binary.AppendUvarint([]byte{3}, 1<<60), 0x91, 0, 3)
			p.entry(kindRefDelta, len(d), raw(one.ID()), d)
		}, []string{"one"}, nil, ""},
		"many large deltas": {1001, func(p *packTest) {
			p.entry(kindBlob, 65_000, nil, make([]byte, 65_000))
			id := raw(blobOf(string(make([]byte, 65_000))).ID())
			for i := range 1000 {
				d := delta(65_000, fmt.Sprint(i))
				p.entry(kindRefDelta, len(d), id, d)
			}
		}, nil, errLimit, "more than 8 MB"},
		"chain": {201, func(p *packTest) {
			p.entry(kindBlob, 3, nil, []byte("one"))
			for i := range 200 {
				d, at := delta(3+i, "x"), p.Len()
				p.entry(kindOfsDelta, len(d), ofs(at-p.last), d)
			}
		}, nil, errLimit, "a chain of more than 100 deltas"},
	} {
		t.Run(name, func(t *testing.T) {
			var p packTest
			gittest.PackHeader(&p.Buffer, test.count)
			test.write(&p)
			packed := gittest.PackEnd(&p.Buffer)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got, err := readPack(bytes.NewReader(packed), testLimits)
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
				t.Errorf("allocated %d MB", used>>20)
			}
			switch {
			case test.text == "any": // the checksum is taken for an entry
				if err == nil {
					t.Error("no error")
				}
			case test.err == nil && err != nil || !errors.Is(err, test.err),
				err != nil && !strings.Contains(err.Error(), test.text):
				t.Errorf("got %v, want %v: %s", err, test.err, test.text)
			}
			if test.want == nil {
				return
			}
			contents := map[string]int{}
			for id, o := range got.objects {
				text := string(o.data)
				if int64(len(text)) < o.size {
					text = "LARGE"
				} else if id != blobOf(text).ID() {
					t.Errorf("%s is not the ID of %q", id, text)
				}
				contents[text]++
			}
			want := map[string]int{}
			for _, text := range test.want {
				want[text]++
			}
			if diff := gocmp.Diff(want, contents); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestCutPack cuts a pack at each byte, and changes each byte.
func TestCutPack(t *testing.T) {
	var p packTest
	gittest.PackHeader(&p.Buffer, 3)
	p.entry(kindBlob, 3, nil, []byte("one"))
	d, at := delta(3, "+two"), p.Len()
	p.entry(kindOfsDelta, len(d), ofs(at-p.last), d)
	p.entry(kindBlob, 100, nil, []byte(noise(1, 100)))
	whole := gittest.PackEnd(&p.Buffer)
	valid := map[string]bool{blobOf("one").ID(): true, blobOf("one+two").ID(): true,
		blobOf(noise(1, 100)).ID(): true}
	for i := range whole {
		got, err := readPack(bytes.NewReader(whole[:i]), testLimits)
		if !errors.Is(err, errCut) {
			t.Errorf("cut at %d: %v", i, err)
		}
		for id := range got.objects {
			if !valid[id] {
				t.Errorf("cut at %d: unknown object %s", i, id)
			}
		}
		changed := bytes.Clone(whole)
		changed[i] ^= 0x55
		if _, err := readPack(bytes.NewReader(changed), testLimits); err == nil {
			t.Errorf("changed at %d: no error", i)
		}
	}
}

// TestSourceError shows that the error of the response is not replaced by one of the pack.
func TestSourceError(t *testing.T) {
	p := gittest.Pack(blobOf("one"), blobOf(noise(1, 5000)))
	for i := range len(p) - 1 {
		broken := errors.New("broken")
		_, err := readPack(io.MultiReader(bytes.NewReader(p[:i]), failing{broken}), testLimits)
		if !errors.Is(err, broken) {
			t.Fatalf("at %d: %v", i, err)
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func FuzzPack(f *testing.F) {
	f.Add(gittest.Pack(blobOf("one"), blobOf("two")))
	var p packTest
	gittest.PackHeader(&p.Buffer, 2)
	p.entry(kindBlob, 3, nil, []byte("one"))
	d := delta(3, "+two")
	p.entry(kindRefDelta, len(d), raw(blobOf("one").ID()), d)
	f.Add(gittest.PackEnd(&p.Buffer))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, _ := readPack(bytes.NewReader(data), testLimits)
		var sum int64
		for _, o := range got.objects {
			sum += int64(len(o.data))
		}
		if sum > testLimits.inflated {
			t.Errorf("%d bytes", sum)
		}
	})
}

func FuzzResponse(f *testing.F) {
	f.Add([]byte(gittest.Line("shallow-info\n") + gittest.Line("shallow %040d", 1) + "0001" +
		gittest.Line("packfile\n") + gittest.Band(gittest.Pack(blobOf("one")))))
	f.Add([]byte(gittest.Line("ERR no")))
	f.Fuzz(func(t *testing.T, data []byte) {
		got := fetched{shallow: map[string]bool{}}
		err := got.read(newPacketReader(bytes.NewReader(data)), testLimits)
		if err == nil && len(data) == 0 {
			t.Error("no error")
		}
		r := Repository{client: &Client{lim: Limits{}.withDefaults()}}
		_ = r.parseRefs(newPacketReader(bytes.NewReader(data)))
		if r.Head != "" && !isID(r.Head) {
			t.Errorf("head %q", r.Head)
		}
		_, _ = readCapabilities(newPacketReader(bytes.NewReader(data)))
	})
}

func FuzzObjects(f *testing.F) {
	f.Add(gittest.Entry("100644", "a", strings.Repeat("1", 40)))
	f.Add([]byte("tree " + strings.Repeat("1", 40) + "\nauthor A <a@b> 1 +0000\n\nx"))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, ok := parseTree(data)
		size := 0
		for _, e := range entries {
			size += len(e.name) + 22
		}
		if size > len(data) || ok && len(data) > 0 && len(entries) == 0 {
			t.Errorf("%d entries of %d bytes", len(entries), len(data))
		}
		c, ok := parseCommit("", data)
		if ok != isID(c.Tree) || len(c.Subject) > maxMessage || len(c.Author.Name) > maxMessage ||
			c.Author.At.Year() > 9999 {
			t.Errorf("%+v", c)
		}
	})
}

func TestCommit(t *testing.T) {
	tree, parent := strings.Repeat("1", 40), strings.Repeat("2", 40)
	for name, test := range map[string]struct {
		data string
		want Commit
		ok   bool
	}{
		"usual": {"tree " + tree + "\nparent " + parent + "\nauthor A B <a@b> 100 +0200\n" +
			"committer C <c> 200 -0100\n\nOne\ntwo\n",
			Commit{Tree: tree, Parents: []string{parent}, Author: sig("A B", "a@b", 100),
				Committer: sig("C", "c", 200), Subject: "One"}, true},
		"signed": {"tree " + tree + "\nauthor A <a> 1 +0000\ngpgsig -----BEGIN\n parent " + parent +
			"\n -----END\n\n\nOne",
			Commit{Tree: tree, Author: sig("A", "a", 1), Subject: "One"}, true},
		"trees": {"tree " + tree + "\ntree " + parent + "\n\n", Commit{Tree: tree}, true},
		"no tree": {"parent " + parent + "\n\nx",
			Commit{Parents: []string{parent}, Subject: "x"}, false},
		"forged": {"tree " + tree + "\nauthor A <a> 99999999999999 +0000\ncommitter B <b> -5 +0000\n\nx",
			Commit{Tree: tree, Author: Signature{Name: "A", Email: "a"},
				Committer: Signature{Name: "B", Email: "b"}, Subject: "x"}, true},
		"brackets": {"tree " + tree + "\nauthor A <<a>> 1 +0000\n\nx",
			Commit{Tree: tree, Author: sig("A", "<a>", 1), Subject: "x"}, true},
		"no e-mail": {"tree " + tree + "\nauthor A\ncommitter <\n\nx",
			Commit{Tree: tree, Author: Signature{Name: "A"}, Subject: "x"}, true},
		"empty": {"", Commit{}, false},
	} {
		got, ok := parseCommit("", []byte(test.data))
		if diff := gocmp.Diff(test.want, got); diff != "" || ok != test.ok {
			t.Errorf("%s: %v, %s", name, ok, diff)
		}
	}
	many, _ := parseCommit("", []byte("tree "+tree+strings.Repeat("\nparent "+parent, 100_000)))
	if len(many.Parents) != maxParents {
		t.Errorf("%d parents", len(many.Parents))
	}
}

func sig(name, email string, at int64) Signature {
	return Signature{Name: name, Email: email, At: time.Unix(at, 0).UTC()}
}
