package catalog

import (
	"slices"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// Records of one kind are alike: most of their bytes are member names and
// texts that every record has. A codec compresses each on its own against a
// dictionary of a few of them, so that one can be read without its neighbours.
type codec interface {
	encode(dst, b []byte) []byte
	// decode appends what encode was given. What the package stored itself is
	// sound, so an error means a broken program: it panics.
	decode(dst, b []byte) []byte
}

// codecs are those of one generation of dictionaries. Items keep the ones they
// were encoded with.
type codecs struct {
	encodes                            Encode
	entry, detail, health, doc, record codec
}

// maxDict is how much of the samples a dictionary holds.
const maxDict = 64 << 10

func dictionary(samples [][]byte) []byte {
	var all []byte
	for _, s := range samples {
		if len(all)+len(s) > maxDict {
			break
		}
		all = append(all, s...)
	}
	return all
}

// newQuick returns a codec that reads at the speed of a copy.
func newQuick(samples [][]byte) codec {
	d := dictionary(samples)
	if len(d) < s2.MinDictSize {
		return quick{}
	}
	return quick{s2.MakeDict(d, nil)}
}

type quick struct{ dict *s2.Dict }

func (q quick) encode(dst, b []byte) []byte {
	n := len(dst)
	dst = slices.Grow(dst, s2.MaxEncodedLen(len(b)))
	room := dst[n:cap(dst)]
	if q.dict == nil {
		room = s2.Encode(room, b)
	} else {
		room = q.dict.Encode(room, b)
	}
	return dst[:n+len(room)]
}

func (q quick) decode(dst, b []byte) []byte {
	n, err := s2.DecodedLen(b)
	if err != nil {
		panic("catalog: " + err.Error())
	}
	if n == 0 {
		return dst
	}
	start := len(dst)
	if cap(dst)-start < n {
		grown := make([]byte, start, 2*(start+n))
		copy(grown, dst)
		dst = grown
	}
	room := dst[start : start+n]
	var out []byte
	if q.dict == nil {
		out, err = s2.Decode(room, b)
	} else {
		out, err = q.dict.Decode(room, b)
	}
	if err != nil {
		panic("catalog: " + err.Error())
	}
	if &out[0] != &room[0] {
		return append(dst, out...)
	}
	return dst[:start+n]
}

// newDense returns a codec that takes half the space of a quick one and twice
// its time.
func newDense(samples [][]byte) codec {
	eo := []zstd.EOption{
		zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false), zstd.WithWindowSize(128 << 10),
		zstd.WithEncoderConcurrency(2), zstd.WithLowerEncoderMem(true),
	}
	do := []zstd.DOption{zstd.WithDecoderConcurrency(0), zstd.WithDecoderLowmem(true)}
	if d := dictionary(samples); len(d) >= 1024 {
		eo = append(eo, zstd.WithEncoderDictRaw(1, d))
		do = append(do, zstd.WithDecoderDictRaw(1, d))
	}
	w, err := zstd.NewWriter(nil, eo...)
	if err != nil {
		panic("catalog: " + err.Error())
	}
	r, err := zstd.NewReader(nil, do...)
	if err != nil {
		panic("catalog: " + err.Error())
	}
	return dense{w, r}
}

type dense struct {
	w *zstd.Encoder
	r *zstd.Decoder
}

func (d dense) encode(dst, b []byte) []byte { return d.w.EncodeAll(b, dst) }

func (d dense) decode(dst, b []byte) []byte {
	out, err := d.r.DecodeAll(b, dst)
	if err != nil {
		panic("catalog: " + err.Error())
	}
	return out
}
