package parquet

import (
	"encoding/binary"
	"fmt"
	"sync"
	"unsafe"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/plain"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/format"
)

// maxPage is the largest size of a page in bytes, and maxValues the largest number of its values.
const (
	maxPage   = 256 << 20
	maxValues = 1 << 24
)

// oldDictionary is PLAIN_DICTIONARY, the deprecated name of Dictionary, which is found in files of
// other programs.
const oldDictionary format.Encoding = 2

// compressor compresses at the fastest level, because compression takes time in every run and
// slower levels save little more.
var compressor = sync.OnceValue(func() *zstd.Encoder {
	return sound(zstd.NewWriter(
		nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(512<<10),
		zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(false),
	))
})

var decompressor = sync.OnceValue(func() *zstd.Decoder {
	return sound(zstd.NewReader(nil, zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(maxPage)))
})

// decompress decompresses a page of size bytes.
func decompress(codec format.CompressionCodec, b []byte, size int) ([]byte, error) {
	switch codec {
	case format.Uncompressed:
		return b, nil
	case format.Zstd:
		return decompressor().DecodeAll(b, make([]byte, 0, min(size, 1<<20)))
	}
	return nil, fmt.Errorf("it is compressed by %v, expected %v", codec, format.Zstd)
}

// encodings lists the encodings that are written or read. With DeltaLengthByteArray, the lengths of
// all texts come first.
var encodings = map[format.Encoding]encoding.Encoding{
	Plain: &plain.Encoding{}, Delta: &delta.BinaryPackedEncoding{}, Dictionary: &rle.DictionaryEncoding{},
	oldDictionary:               &rle.DictionaryEncoding{},
	format.DeltaLengthByteArray: &delta.LengthByteArrayEncoding{},
}

// Values holds values of a column, in the slice for their type: integers, floating-point numbers,
// or text.
type Values struct {
	Ints   []int64
	Floats []float64
	Texts  []string
}

// Len returns the number of values.
func (v *Values) Len() int { return len(v.Ints) + len(v.Floats) + len(v.Texts) }

// cut removes and returns the first n values.
func (v *Values) cut(n int) (first Values) {
	switch {
	case v.Ints != nil:
		first.Ints, v.Ints = v.Ints[:n], v.Ints[n:]
	case v.Floats != nil:
		first.Floats, v.Floats = v.Floats[:n], v.Floats[n:]
	default:
		first.Texts, v.Texts = v.Texts[:n], v.Texts[n:]
	}
	return first
}

// decodeValues decodes n values of a page. Texts may be encoded as codes of a dictionary.
func decodeValues(kind Kind, by format.Encoding, b []byte, n int, dictionary []string) (v Values, err error) {
	defer recovered(&err)
	e := encodings[by]
	if e == nil {
		return v, fmt.Errorf("its encoding %v cannot be read", by)
	}
	if claimed(by, b) > uint64(n)+7 { // bit-packed values are padded to whole bytes
		return v, errBroken
	}
	switch {
	case kind == Text && (by == Dictionary || by == oldDictionary):
		codes := sound(e.DecodeInt32(nil, b))
		v.Texts = make([]string, min(n, len(codes)))
		for i := range v.Texts {
			v.Texts[i] = dictionary[codes[i]]
		}
	case kind == Text:
		v.Texts = decodeTexts(e, b)
	case kind == Int32:
		v.Ints = converted[int64](sound(e.DecodeInt32(nil, b)))
	case kind == Int64:
		v.Ints = sound(e.DecodeInt64(nil, b))
	case kind == Float:
		v.Floats = converted[float64](sound(e.DecodeFloat(nil, b)))
	case kind == Double:
		v.Floats = sound(e.DecodeDouble(nil, b))
	default:
		return v, fmt.Errorf("its type %v cannot be read", kind)
	}
	if v.Len() != n {
		return v, errBroken
	}
	return v, nil
}

func decodeTexts(e encoding.Encoding, b []byte) []string {
	all, ends, err := e.DecodeByteArray(make([]byte, 0, len(b)), b, nil)
	texts := make([]string, len(sound(ends, err))-1)
	whole := unsafe.String(unsafe.SliceData(all), len(all))
	for i := range texts {
		texts[i] = whole[ends[i]:ends[i+1]]
	}
	return texts
}

// converted converts numbers to another type.
func converted[To, From int32 | int64 | float32 | float64](from []From) []To {
	to := make([]To, len(from))
	for i, x := range from {
		to[i] = To(x)
	}
	return to
}

// claimed returns the number of values that encoded data claims to contain, in those cases in which
// the library would allocate memory for them in advance.
func claimed(by format.Encoding, b []byte) (n uint64) {
	switch by {
	case Delta, format.DeltaLengthByteArray:
		for range 2 { // the sizes of blocks
			_, size := binary.Uvarint(b)
			b = b[size:]
		}
		n, _ = binary.Uvarint(b)
	case Dictionary, oldDictionary: // runs of one code, and of bit-packed codes
		width := uint64(b[0])
		for b = b[1:]; len(b) > 0 && n <= maxValues; {
			head, size := binary.Uvarint(b)
			codes, bytes := head>>1, (width+7)/8
			if size <= 0 || codes > maxValues {
				return maxValues + 8
			}
			if head&1 != 0 {
				codes, bytes = 8*codes, codes*width
			}
			n += codes
			b = b[min(uint64(size)+bytes, uint64(len(b))):]
		}
	}
	return n
}
