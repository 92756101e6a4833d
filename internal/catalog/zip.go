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
	last sums // of the last entry, whose comma is only in the checksum when another follows
}

// zips are the list entries of a chunk, each as DEFLATE blocks. The last of
// them is a stored one on a byte boundary, which holds a comma: with its length
// and the comma taken off, a block of other text can follow instead.
type zips struct {
	blocks []byte
	starts [perChunk + 1]uint32 // of the entries in blocks, and their end
	sums   [perChunk]sums
	upTo   [perChunk]uint32 // checksums of all entries before each
}

// sums are what a list entry adds to a checksum.
type sums struct {
	size         uint32 // without the comma; 0: there is no entry
	crc, shift   uint32 // without the comma; see advance
	crcs, shifts uint32 // with the comma
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
func (z *Zip) Basic(i *Item) {
	p := i.home.zip()
	z.add(run{i.home, i.place, i.place + 1}, p, p.blocks[p.starts[i.place]:p.starts[i.place+1]])
}

// add appends the list entries of a run, whose blocks those are.
func (z *Zip) add(r run, p *zips, blocks []byte) {
	z.comma()
	if last := r.to - 1; last > r.from { // all but the last, with their commas
		size := r.chunk.starts[last] - r.chunk.starts[r.from]
		shift := advance(int(size))
		z.crc = multiply(shift, z.crc^p.upTo[r.from]) ^ p.upTo[last]
		z.size += size
	}
	z.b = append(z.b, blocks...)
	z.last = p.sums[r.to-1]
}

// comma takes the last entry into the checksum, with its comma.
func (z *Zip) comma() {
	if z.last.size > 0 {
		z.crc = multiply(z.last.shifts, z.crc) ^ z.last.crcs
		z.size += z.last.size + 1
	}
}

// End appends tail, which is at most 64 kB, and returns the body.
func (z *Zip) End(tail []byte) []byte {
	if l := z.last; l.size > 0 {
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

// zip returns the chunk's list entries compressed, made when one of them is
// first asked for: its neighbours are on the same pages.
func (c *chunk) zip() *zips {
	if z := c.zips.Load(); z != nil {
		return z
	}
	return c.compress()
}

func (c *chunk) compress() *zips {
	f := flaters.Get().(*flater)
	defer flaters.Put(f)
	f.b.Reset()
	out := new(zips)
	crc := uint32(0)
	for n, i := range c.items {
		raw := i.basic[:len(i.basic)-1]
		f.w.Reset(&f.b)
		_, _ = f.w.Write(raw) // a bytes.Buffer takes everything
		_ = f.w.Flush()
		f.b.Truncate(f.b.Len() - lengthSize)
		f.b.Write([]byte{1, 0, 0xfe, 0xff, ','})
		out.starts[n+1] = uint32(f.b.Len())
		out.sums[n] = sums{
			size: uint32(len(raw)), crc: crc32.ChecksumIEEE(raw), shift: advance(len(raw)),
			crcs: crc32.ChecksumIEEE(i.basic), shifts: advance(len(i.basic)),
		}
		out.upTo[n] = crc
		crc = crc32.Update(crc, crc32.IEEETable, i.basic)
	}
	out.blocks = bytes.Clone(f.b.Bytes())
	c.zips.Store(out)
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

// advance returns x to the power of the bits of n bytes, which are less than
// 4 GiB.
func advance(n int) uint32 {
	p := advances[0][n&0xff]
	for k := 1; n > 0xff; k++ {
		n >>= 8
		p = multiply(p, advances[k][n&0xff])
	}
	return p
}

// advances are what advance returns for each byte of n.
var advances = func() (t [4][256]uint32) {
	step := uint32(1) << 23 // of one byte
	for k := range t {
		p := uint32(1) << 31
		for n := range t[k] {
			t[k][n], p = p, multiply(p, step)
		}
		step = p
	}
	return t
}()
