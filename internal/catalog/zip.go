package catalog

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"sync"

	"github.com/klauspost/compress/flate"
)

// A Zip is a gzip body (RFC 1952) put together from list entries that were
// compressed one by one, each once: DEFLATE lets blocks follow each other, and
// the checksum of the whole follows from those of the parts. It is larger than
// the same text compressed at once, and a hundred times quicker to make.
type Zip struct {
	b     []byte
	crc   uint32
	size  uint32
	after bool // an entry stands before
}

// zipped is a list entry as DEFLATE blocks. The last of them is a stored one
// of no bytes on a byte boundary, whose length stands in the last four bytes:
// setting another one puts text behind the entry.
type zipped struct {
	blocks []byte
	crc    uint32
	shift  uint32 // see advance
	size   uint32 // of the entry
}

// lengthSize is that of a stored block's length and its complement.
const lengthSize = 4

// NewZip starts a body with head, which is at most 64 kB, in dst.
func NewZip(dst []byte, head string) *Zip {
	z := &Zip{b: append(dst, 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff)}
	z.b = append(z.b, 0)
	z.store(head)
	return z
}

// store appends the length and the bytes of a stored block.
func (z *Zip) store(s string) {
	z.b = binary.LittleEndian.AppendUint16(z.b, uint16(len(s)))
	z.b = binary.LittleEndian.AppendUint16(z.b, ^uint16(len(s)))
	z.b = append(z.b, s...)
	z.crc = crc32.Update(z.crc, crc32.IEEETable, []byte(s))
	z.size += uint32(len(s))
}

// Basic appends the list entry of i, after a comma if one stands before it.
func (z *Zip) Basic(i *Item) { z.add(i.zip()) }

func (z *Zip) add(p *zipped) {
	if z.after {
		z.b = z.b[:len(z.b)-lengthSize]
		z.store(",")
	}
	z.b = append(z.b, p.blocks...)
	z.crc = multiply(p.shift, z.crc) ^ p.crc
	z.size += p.size
	z.after = true
}

// End appends tail, which is at most 64 kB, and returns the body.
func (z *Zip) End(tail string) []byte {
	if z.after {
		z.b = z.b[:len(z.b)-lengthSize]
	} else {
		z.b = append(z.b, 0)
	}
	z.store(tail)
	z.b = append(z.b, 3, 0) // a last block of no bytes
	z.b = binary.LittleEndian.AppendUint32(z.b, z.crc)
	return binary.LittleEndian.AppendUint32(z.b, z.size)
}

type flater struct {
	w *flate.Writer
	b bytes.Buffer
}

var flaters = sync.Pool{New: func() any {
	f := new(flater)
	w, err := flate.NewWriter(&f.b, 5)
	if err != nil {
		panic(err) // the level is a constant
	}
	f.w = w
	return f
}}

// zip returns the list entry compressed. It is made when it is first asked for.
func (i *Item) zip() *zipped {
	if z := i.zipped.Load(); z != nil {
		return z
	}
	raw := i.packed[:i.ends[0]]
	f := flaters.Get().(*flater)
	defer flaters.Put(f)
	f.b.Reset()
	f.w.Reset(&f.b)
	_, _ = f.w.Write(raw) // a bytes.Buffer takes everything
	_ = f.w.Flush()
	z := &zipped{bytes.Clone(f.b.Bytes()), crc32.ChecksumIEEE(raw), advance(len(raw)), uint32(len(raw))}
	i.zipped.Store(z)
	return z
}

// The CRC of two texts after each other is that of the first times x to the
// power of the bits of the second, plus that of the second, as polynomials over
// GF(2) modulo the generator. The highest bit stands for x to the power of 0.

// multiply returns the product of two polynomials.
func multiply(a, b uint32) uint32 {
	var p uint32
	for ; a != 0; a <<= 1 {
		if a>>31 != 0 {
			p ^= b
		}
		carry := b & 1
		b = b>>1 ^ crc32.IEEE&-carry
	}
	return p
}

// advance returns x to the power of the bits of n bytes.
func advance(n int) uint32 {
	p, square := uint32(1)<<31, uint32(1)<<23
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			p = multiply(p, square)
		}
		square = multiply(square, square)
	}
	return p
}
