package parquet

import (
	"encoding/binary"
	"maps"
	"math/bits"
	"slices"
)

func thriftVarint(v int64) []byte { return binary.AppendVarint(nil, v) }

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

// plainInt appends an integer in PLAIN encoding.
func plainInt(b []byte, kind Kind, v int64) []byte {
	if kind == Int32 {
		return binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return binary.LittleEndian.AppendUint64(b, uint64(v))
}

// plainText appends a text in PLAIN encoding.
func plainText(b []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
}

// packBits appends values of width bits each, lowest bit first.
func packBits(b []byte, values []uint64, width int) []byte {
	var word uint64
	n := 0 // bits of it
	for _, v := range values {
		word |= v << n
		if n += width; n >= 64 {
			b = binary.LittleEndian.AppendUint64(b, word)
			n -= 64
			word = v >> (width - n)
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

// deltaInts appends integers in DELTA_BINARY_PACKED encoding.
func deltaInts(b []byte, kind Kind, values []int64) []byte {
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
	var packed []uint64
	for i := 0; i < len(codes); {
		if n := sameFrom(codes[i:], len(codes)); n >= 8 {
			b = binary.AppendUvarint(b, uint64(n)<<1)
			for k := 0; k < width; k += 8 {
				b = append(b, byte(codes[i]>>k))
			}
			i += n
			continue
		}
		end := i
		for end < len(codes) && sameFrom(codes[end:], 8) < 8 {
			end += 8
		}
		packed = packed[:0]
		for _, c := range codes[i:min(end, len(codes))] {
			packed = append(packed, uint64(c))
		}
		for len(packed)%8 != 0 { // at the very end
			packed = append(packed, 0)
		}
		b = binary.AppendUvarint(b, uint64(len(packed)/8)<<1|1)
		b = packBits(b, packed, width)
		i = end
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
