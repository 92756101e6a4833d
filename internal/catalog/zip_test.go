package catalog

import (
	"bytes"
	"compress/gzip"
	"hash/crc32"
	"io"
	"os/exec"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// unzip decodes with the standard library's decoder, which shares nothing with
// the encoder, and checks that nothing stands behind the first member.
func unzip(t interface{ Fatal(...any) }, b []byte) string {
	in := bytes.NewReader(b)
	r, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	r.Multistream(false)
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if in.Len() > 0 {
		t.Fatal("bytes behind the body:", in.Len())
	}
	return string(out)
}

func TestZippedEntriesAreTheSameTextAsPlainOnes(t *testing.T) {
	all := servers(300)
	for i := range all {
		all[i].Description = strings.Repeat(all[i].Description, i%7*i%11)
	}
	c := New(encodeForTest)
	if err := c.Apply(all, nil, 300); err != nil {
		t.Fatal(err)
	}
	l := c.View().List("", ByQuality, -1)
	rapid.Check(t, func(t *rapid.T) {
		head, tail := rapid.StringN(0, 100, 60_000).Draw(t, "head"), rapid.StringN(0, 100, 60_000).Draw(t, "tail")
		from := rapid.IntRange(0, l.Total()).Draw(t, "from")
		to := min(l.Total(), from+rapid.IntRange(0, 100).Draw(t, "limit"))
		z := new(Zip)
		z.Begin(nil, head)
		if rapid.Bool().Draw(t, "one by one") {
			for i := from; i < to; i++ {
				z.Basic(l.At(i))
			}
		} else {
			l.ZipBasics(z, from, to)
		}
		want := head + plain(l, from, to) + tail
		if got := unzip(t, z.End([]byte(tail))); got != want {
			t.Fatalf("got %q\nwant %q", got, want)
		}
	})
}

func plain(l List, from, to int) string {
	var b []byte
	for i := from; i < to; i++ {
		if i > from {
			b = append(b, ',')
		}
		b = l.At(i).AppendBasic(b)
	}
	if string(l.AppendBasics(nil, from, to)) != string(b) {
		panic("AppendBasics and AppendBasic differ")
	}
	return string(b)
}

func TestAnotherDecoderReadsZippedEntries(t *testing.T) {
	path, err := exec.LookPath("gzip")
	if err != nil {
		t.Skip("there is no gzip command to read the body with")
	}
	c := New(encodeForTest)
	if err := c.Apply(servers(50), nil, 50); err != nil {
		t.Fatal(err)
	}
	l := c.View().List("", ByStars, -1)
	z := new(Zip)
	z.Begin([]byte{}, "[")
	for i := range 50 {
		z.Basic(l.At(i))
	}
	cmd := exec.Command(path, "-dc")
	cmd.Stdin = bytes.NewReader(z.End([]byte("]")))
	out, err := cmd.CombinedOutput()
	if want := "[" + string(l.AppendBasics(nil, 0, 50)) + "]"; err != nil || string(out) != want {
		t.Errorf("%v: %.200s", err, out)
	}
}

func FuzzChecksumOfParts(f *testing.F) {
	f.Add([]byte("a"), []byte("b"))
	f.Add([]byte(""), []byte("some more text than the first"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		whole := crc32.ChecksumIEEE(append(bytes.Clone(a), b...))
		if got := multiply(advance(len(b)), crc32.ChecksumIEEE(a)) ^ crc32.ChecksumIEEE(b); got != whole {
			t.Errorf("%x, want %x", got, whole)
		}
	})
}

func BenchmarkZip(b *testing.B) {
	c := New(encodeForTest)
	if err := c.Apply(servers(20_000), nil, 20_000); err != nil {
		b.Fatal(err)
	}
	l := c.View().List("", ByQuality, -1)
	for i := range l.Total() {
		l.At(i).home.zip()
	}
	var buf []byte
	for n := 0; b.Loop(); n++ {
		z := new(Zip)
		z.Begin(buf[:0], "[")
		from := n * 7919 % (l.Total() - 20)
		for i := from; i < from+20; i++ {
			z.Basic(l.At(i))
		}
		buf = z.End([]byte("]"))
	}
}
