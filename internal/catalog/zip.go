package catalog

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"sync"

	"github.com/klauspost/compress/flate"
)

// A Zip is a gzip body (RFC 1952) put together, between Begin and End, from list entries that were
// compressed one by one, each once: DEFLATE lets blocks follow each other, and
// the checksum of the whole follows from those of the parts. It is larger than
// the same text compressed at once, and a hundred times quicker to make.
type Zip struct {
	b    []byte
	crc  uint32
	size uint32
	last *zipped // whose comma is only in the checksum when another follows
}

// zipped is a list entry as DEFLATE blocks. The last of them is a stored one on
// a byte boundary, which holds a comma: with its length and the comma taken
// off, a block of other text can follow instead.
type zipped struct {
	blocks       []byte
	size         uint32 // of the entry without the comma
	crc, shift   uint32 // of the entry without the comma; see advance
	crcs, shifts uint32 // of the entry with the comma
}

const (
	// lengthSize is that of a stored block's length and its complement.
	lengthSize = 4
	commaSize  = lengthSize + 1
)

// Begin starts a body with head, which is at most 64 kB, in dst.
func (z *Zip) Begin(dst []byte, head string) {
	*z = Zip{b: append(dst, 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff)}
	z.b = append(z.b, 0)
	z.store([]byte(head))
}

// store appends the length and the bytes of a stored block.
func (z *Zip) store(s []byte) {
	z.b = binary.LittleEndian.AppendUint16(z.b, uint16(len(s)))
	z.b = binary.LittleEndian.AppendUint16(z.b, ^uint16(len(s)))
	z.b = append(z.b, s...)
	z.crc = crc32.Update(z.crc, crc32.IEEETable, s)
	z.size += uint32(len(s))
}

// Basic appends the list entry of i, after a comma if one stands before it.
func (z *Zip) Basic(i *Item) { z.add(i.zip()) }

func (z *Zip) add(p *zipped) {
	if l := z.last; l != nil {
		z.crc = multiply(l.shifts, z.crc) ^ l.crcs
		z.size += l.size + 1
	}
	z.b = append(z.b, p.blocks...)
	z.last = p
}

// End appends tail, which is at most 64 kB, and returns the body.
func (z *Zip) End(tail []byte) []byte {
	if l := z.last; l != nil {
		z.crc = multiply(l.shift, z.crc) ^ l.crc
		z.size += l.size
		z.b = z.b[:len(z.b)-commaSize]
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

// zip returns the list entry compressed. When it is first asked for, the whole
// chunk is made, since its neighbours are on the same pages.
func (i *Item) zip() *zipped {
	if z := i.home.zips.Load(); z != nil {
		return &(*z)[i.place]
	}
	return &i.home.zip()[i.place]
}

func (c *chunk) zip() []zipped {
	f := flaters.Get().(*flater)
	defer flaters.Put(f)
	f.b.Reset()
	out := make([]zipped, len(c.items))
	ends := make([]int, len(c.items))
	for n, i := range c.items {
		raw := i.basic[:len(i.basic)-1]
		f.w.Reset(&f.b)
		_, _ = f.w.Write(raw) // a bytes.Buffer takes everything
		_ = f.w.Flush()
		f.b.Truncate(f.b.Len() - lengthSize)
		f.b.Write([]byte{1, 0, 0xfe, 0xff, ','})
		ends[n] = f.b.Len()
		out[n] = zipped{
			size: uint32(len(raw)), crc: crc32.ChecksumIEEE(raw), shift: advance(len(raw)),
			crcs: crc32.ChecksumIEEE(i.basic), shifts: advance(len(i.basic)),
		}
	}
	all, start := bytes.Clone(f.b.Bytes()), 0
	for n, end := range ends {
		out[n].blocks, start = all[start:end:end], end
	}
	c.zips.Store(&out)
	return out
}

// The CRC of two texts after each other is that of the first times x to the
// power of the bits of the second, plus that of the second, as polynomials over
// GF(2) modulo the generator. The highest bit stands for x to the power of 0.

// multiply returns the product of two polynomials.
func multiply(a, b uint32) uint32 {
	var p uint32
	for range 8 { // without branches, which nobody could foresee
		p ^= b & -(a >> 31)
		b = b>>1 ^ crc32.IEEE&-(b&1)
		p ^= b & -(a >> 30 & 1)
		b = b>>1 ^ crc32.IEEE&-(b&1)
		p ^= b & -(a >> 29 & 1)
		b = b>>1 ^ crc32.IEEE&-(b&1)
		p ^= b & -(a >> 28 & 1)
		b = b>>1 ^ crc32.IEEE&-(b&1)
		a <<= 4
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
