package parquet

import (
	"encoding/binary"
	"fmt"
	"math"
)

// decodeValues decodes n values of a page.
func decodeValues(kind Kind, encoding int32, b []byte, n int, dictionary *Values) (v Values, err error) {
	switch {
	case encoding == encodePlain:
		return decodePlain(kind, b, n)
	case encoding == encodeDictionary || encoding == encodePlainDictionary:
		return decodeDictionary(b, n, dictionary)
	case encoding == encodeDelta && (kind == Int32 || kind == Int64):
		v.Ints, _, err = decodeDelta(kind, b, n)
	case encoding == encodeDeltaLength && kind == Text:
		v.Texts, err = decodeDeltaLength(b, n)
	default:
		err = fmt.Errorf("values of type %d by encoding %d cannot be read", kind, encoding)
	}
	return v, err
}

// valueBits are the least sizes of values in PLAIN encoding.
var valueBits = map[Kind]int{Bool: 1, Int32: 32, Int64: 64, Float: 32, Double: 64, Text: 32}

func decodePlain(kind Kind, b []byte, n int) (v Values, err error) {
	size := valueBits[kind]
	if size == 0 {
		return v, fmt.Errorf("values of type %d cannot be read", kind)
	}
	if len(b) < (n*size+7)/8 {
		return v, errBroken
	}
	switch kind {
	case Text:
		v.Texts, err = decodeTexts(b, n)
		return v, err
	case Float, Double:
		v.Floats = make([]float64, n)
	default:
		v.Ints = make([]int64, n)
	}
	for i := range n {
		switch kind {
		case Bool:
			v.Ints[i] = int64(b[i/8] >> (i % 8) & 1)
		case Int32:
			v.Ints[i] = int64(int32(binary.LittleEndian.Uint32(b[4*i:])))
		case Int64:
			v.Ints[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
		case Float:
			v.Floats[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
		default:
			v.Floats[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		}
	}
	return v, nil
}

func decodeTexts(b []byte, n int) ([]string, error) {
	texts, all := make([]string, n), string(b)
	for i := range texts {
		if len(b) < 4 {
			return nil, errBroken
		}
		end := 4 + uint64(binary.LittleEndian.Uint32(b))
		if end > uint64(len(b)) {
			return nil, errBroken
		}
		texts[i] = all[4:end]
		b, all = b[end:], all[end:]
	}
	return texts, nil
}

func decodeDictionary(b []byte, n int, dictionary *Values) (Values, error) {
	if len(b) == 0 || b[0] > 32 {
		return Values{}, errBroken
	}
	codes, err := decodeRuns(b[1:], int(b[0]), n)
	if err != nil {
		return Values{}, err
	}
	for _, c := range codes {
		if uint64(c) >= uint64(dictionary.Len()) {
			return Values{}, errBroken
		}
	}
	return Values{
		pick(dictionary.Ints, codes), pick(dictionary.Floats, codes), pick(dictionary.Texts, codes),
	}, nil
}

// pick returns elements by their numbers; nil if there are none at all.
func pick[T any](from []T, codes []uint32) []T {
	if from == nil {
		return nil
	}
	out := make([]T, len(codes))
	for i, c := range codes {
		out[i] = from[c]
	}
	return out
}

// decodeRuns decodes n codes of width bits, at most 32, from the format's hybrid of runs and packed
// bits.
func decodeRuns(b []byte, width, n int) ([]uint32, error) {
	codes := make([]uint32, 0, n)
	for len(codes) < n {
		head, size := binary.Uvarint(b)
		if size <= 0 || head>>1 == 0 {
			return nil, errBroken
		}
		b = b[size:]
		if head&1 != 0 {
			count := min(int(min(head>>1, maxValues))*8, n-len(codes))
			if len(b) < (count*width+7)/8 {
				return nil, errBroken
			}
			codes = unpackBits(codes, b, width, count)
			b = b[min(uint64(len(b)), (head>>1)*uint64(width)):]
			continue
		}
		if size = (width + 7) / 8; len(b) < size {
			return nil, errBroken
		}
		var code [4]byte
		copy(code[:], b[:size])
		for range min(head>>1, uint64(n-len(codes))) {
			codes = append(codes, binary.LittleEndian.Uint32(code[:]))
		}
		b = b[size:]
	}
	return codes, nil
}

// unpackBits appends n values of width bits each, starting with the lowest bit of b, which must
// hold all of them.
func unpackBits[T uint32 | uint64](to []T, b []byte, width, n int) []T {
	mask := ^uint64(0) >> (64 - width) // 0 for width 0
	for i := range n {
		at, shift := i*width/8, i*width%8
		var v uint64
		if len(b)-at >= 8 {
			v = binary.LittleEndian.Uint64(b[at:]) >> shift
		} else {
			for k, part := range b[at:] {
				v |= uint64(part) << (8 * k)
			}
			v >>= shift
		}
		if shift+width > 64 {
			v |= uint64(b[at+8]) << (64 - shift)
		}
		to = append(to, T(v&mask))
	}
	return to
}

// decodeDelta decodes n integers of DELTA_BINARY_PACKED, and returns the bytes after them.
func decodeDelta(kind Kind, b []byte, n int) (values []int64, rest []byte, err error) {
	r := &thriftReader{b: b} // it has numbers of the same form
	block, minis, count, first := r.uvarint(), r.uvarint(), r.uvarint(), r.varint()
	if r.err != nil || count != uint64(n) || minis == 0 || block == 0 || block > 1<<16 || block%minis != 0 ||
		block/minis%8 != 0 {
		return nil, nil, errBroken
	}
	values = make([]int64, 0, n)
	if n > 0 {
		values = append(values, first)
	}
	var packed []uint64
	for len(values) < n && r.err == nil {
		least := r.varint()
		for _, width := range r.next(minis) {
			if len(values) == n {
				break
			}
			mini := r.next(block / minis * uint64(width) / 8)
			if width > 64 || r.err != nil {
				return nil, nil, errBroken
			}
			packed = unpackBits(packed[:0], mini, int(width), min(int(block/minis), n-len(values)))
			for _, above := range packed {
				v := values[len(values)-1] + least + int64(above)
				if kind == Int32 {
					v = int64(int32(v))
				}
				values = append(values, v)
			}
		}
	}
	return values, r.b, r.err
}

// decodeDeltaLength decodes n texts of DELTA_LENGTH_BYTE_ARRAY, in which all lengths come first.
// Earlier versions of Fabricast wrote it.
func decodeDeltaLength(b []byte, n int) ([]string, error) {
	sizes, rest, err := decodeDelta(Int32, b, n)
	if err != nil {
		return nil, err
	}
	all := string(rest)
	texts := make([]string, n)
	for i, size := range sizes {
		if size < 0 || size > int64(len(all)) {
			return nil, errBroken
		}
		texts[i], all = all[:size], all[size:]
	}
	return texts, nil
}
