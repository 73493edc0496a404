package parquet

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// plain appends values in PLAIN encoding.
func plain(b []byte, kind Kind, v *Values) []byte {
	b = slices.Grow(b, 8*len(v.Ints)+8*len(v.Floats))
	switch kind {
	case Bool:
		return packBits(b, v.Ints, 1)
	case Int32:
		for _, x := range v.Ints {
			b = binary.LittleEndian.AppendUint32(b, uint32(x))
		}
	case Int64:
		for _, x := range v.Ints {
			b = binary.LittleEndian.AppendUint64(b, uint64(x))
		}
	case Float:
		for _, x := range v.Floats {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
		}
	case Double:
		for _, x := range v.Floats {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
	default:
		size := 0
		for _, s := range v.Texts {
			size += len(s)
		}
		b = slices.Grow(b, size+4*len(v.Texts))
		for _, s := range v.Texts {
			b = append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
		}
	}
	return b
}

// packBits appends values of width bits each, lowest bit first.
func packBits[T int64 | uint32 | uint64](b []byte, values []T, width int) []byte {
	var word uint64
	n := 0 // bits of it
	for _, v := range values {
		word |= uint64(v) << n
		if n += width; n >= 64 {
			b = binary.LittleEndian.AppendUint64(b, word)
			n -= 64
			word = uint64(v) >> (width - n)
		}
	}
	for ; n > 0; n -= 8 {
		b = append(b, byte(word))
		word >>= 8
	}
	return b
}

// deltaBlock is the number of differences in a block. deltaMini is that of a miniblock, each of
// which has its own bit width.
const (
	deltaBlock = 128
	deltaMini  = 32
)

// deltas appends integers in DELTA_BINARY_PACKED encoding.
func deltas(b []byte, kind Kind, values []int64) []byte {
	b = binary.AppendUvarint(b, deltaBlock)
	b = binary.AppendUvarint(b, deltaBlock/deltaMini)
	b = binary.AppendUvarint(b, uint64(len(values)))
	first := int64(0)
	if len(values) > 0 {
		first = values[0]
	}
	b = binary.AppendVarint(b, first)
	for i := 1; i < len(values); i += deltaBlock {
		b = deltaBlockOf(b, kind, values[i-1:min(i+deltaBlock, len(values))])
	}
	return b
}

// deltaBlockOf appends a block with the differences of adjacent values. Differences wrap around, at
// 32 bits in Int32 columns.
func deltaBlockOf(b []byte, kind Kind, values []int64) []byte {
	var differences [deltaBlock]int64
	n := len(values) - 1
	for i := range n {
		d := values[i+1] - values[i]
		if kind == Int32 {
			d = int64(int32(d))
		}
		differences[i] = d
	}
	least := slices.Min(differences[:n])
	var above [deltaBlock]uint64 // the least
	for i := range n {
		above[i] = uint64(differences[i] - least)
	}
	b = binary.AppendVarint(b, least)
	var widths [deltaBlock / deltaMini]byte
	for i := range widths {
		widths[i] = byte(bits.Len64(slices.Max(above[i*deltaMini : (i+1)*deltaMini])))
	}
	b = append(b, widths[:]...)
	for i := 0; i < n; i += deltaMini {
		b = packBits(b, above[i:i+deltaMini], int(widths[i/deltaMini]))
	}
	return b
}

// runs appends codes of width bits in the format's hybrid of runs and packed bits.
func runs(b []byte, codes []uint32, width int) []byte {
	for len(codes) > 0 {
		if n := sameFrom(codes, len(codes)); n >= 8 {
			b = binary.AppendUvarint(b, uint64(n)<<1)
			for k := 0; k < width; k += 8 {
				b = append(b, byte(codes[0]>>k))
			}
			codes = codes[n:]
			continue
		}
		n := 0
		for n < len(codes) && sameFrom(codes[n:], 8) < 8 {
			n += 8
		}
		packed := codes[:min(n, len(codes))]
		b = binary.AppendUvarint(b, uint64(n/8)<<1|1)
		end := len(b) + n/8*width
		b = packBits(b, packed, width)
		b = append(b, make([]byte, end-len(b))...)
		codes = codes[len(packed):]
	}
	return b
}

// sameFrom returns how many of the first codes are equal, at most limit.
func sameFrom(codes []uint32, limit int) int {
	n := 1
	for n < min(limit, len(codes)) && codes[n] == codes[0] {
		n++
	}
	return n
}
