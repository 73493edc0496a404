package parquet

import (
	"encoding/binary"
	"fmt"
	"math"
)

// decodeValues decodes n values of a page.
func decodeValues(kind Kind, encoding int, b []byte, n int, dictionary *Values) (Values, error) {
	switch encoding {
	case encodePlain:
		return decodePlain(kind, b, n)
	case encodePlainDictionary, encodeDictionary:
		return decodeDictionary(kind, b, n, dictionary)
	case encodeDelta:
		if kind == Int32 || kind == Int64 {
			ints, _, err := decodeDelta(kind, b, n)
			return Values{Ints: ints}, err
		}
	case encodeDeltaLength:
		if kind == Text {
			return decodeDeltaLength(b, n)
		}
	case encodeRLE:
		if kind == Bool {
			return decodeTruths(b, n)
		}
	}
	return Values{}, fmt.Errorf("values of type %d by encoding %d cannot be read", kind, encoding)
}

func decodePlain(kind Kind, b []byte, n int) (Values, error) {
	size := map[Kind]int{Int32: 4, Int64: 8, Float: 4, Double: 8}[kind]
	switch {
	case kind == Text:
		return decodeTexts(b, n)
	case kind == Bool:
		if len(b) < (n+7)/8 {
			return Values{}, errBroken
		}
		ints := make([]int64, n)
		for i := range ints {
			ints[i] = int64(b[i/8] >> (i % 8) & 1)
		}
		return Values{Ints: ints}, nil
	case size == 0:
		return Values{}, fmt.Errorf("values of type %d cannot be read", kind)
	case len(b) < n*size:
		return Values{}, errBroken
	}
	var v Values
	if kind == Int32 || kind == Int64 {
		v.Ints = make([]int64, n)
	} else {
		v.Floats = make([]float64, n)
	}
	for i := range n {
		switch kind {
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

func decodeTexts(b []byte, n int) (Values, error) {
	if len(b) < 4*n {
		return Values{}, errBroken
	}
	all := string(b)
	texts := make([]string, n)
	at := 0
	for i := range texts {
		if len(b)-at < 4 {
			return Values{}, errBroken
		}
		size := binary.LittleEndian.Uint32(b[at:])
		at += 4
		if uint64(size) > uint64(len(b)-at) {
			return Values{}, errBroken
		}
		texts[i] = all[at : at+int(size)]
		at += int(size)
	}
	return Values{Texts: texts}, nil
}

func decodeDictionary(kind Kind, b []byte, n int, dictionary *Values) (Values, error) {
	if len(b) == 0 || b[0] > 32 || dictionary == nil {
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
	switch kind {
	case Text:
		return Values{Texts: pick(dictionary.Texts, codes)}, nil
	case Float, Double:
		return Values{Floats: pick(dictionary.Floats, codes)}, nil
	}
	return Values{Ints: pick(dictionary.Ints, codes)}, nil
}

func pick[T any](from []T, codes []uint32) []T {
	out := make([]T, len(codes))
	for i, c := range codes {
		out[i] = from[c]
	}
	return out
}

// decodeTruths decodes booleans: runs of one-bit codes, preceded by their length in bytes.
func decodeTruths(b []byte, n int) (Values, error) {
	if len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) > uint64(len(b)-4) {
		return Values{}, errBroken
	}
	codes, err := decodeRuns(b[4:4+binary.LittleEndian.Uint32(b)], 1, n)
	ints := make([]int64, len(codes))
	for i, c := range codes {
		ints[i] = int64(c)
	}
	return Values{Ints: ints}, err
}

// decodeRuns decodes n codes of width bits, at most 32, from the format's hybrid of runs and packed
// bits.
func decodeRuns(b []byte, width, n int) ([]uint32, error) {
	codes := make([]uint32, 0, n)
	var packed []uint64
	for len(codes) < n {
		head, size := binary.Uvarint(b)
		if size <= 0 || head>>1 == 0 {
			return nil, errBroken
		}
		b = b[size:]
		if head&1 == 0 {
			size := (width + 7) / 8
			if len(b) < size {
				return nil, errBroken
			}
			var code uint32
			for i, part := range b[:size] {
				code |= uint32(part) << (8 * i)
			}
			for range min(head>>1, uint64(n-len(codes))) {
				codes = append(codes, code)
			}
			b = b[size:]
			continue
		}
		count := int(min(head>>1, maxValues)) * 8
		if count = min(count, n-len(codes)); len(b) < (count*width+7)/8 {
			return nil, errBroken
		}
		packed = unpackBits(packed[:0], b, width, count)
		for _, v := range packed {
			codes = append(codes, uint32(v))
		}
		b = b[min(uint64(len(b)), (head>>1)*uint64(width)):]
	}
	return codes, nil
}

// unpackBits appends n values of width bits each, starting with the lowest bit of b, which must
// hold all of them.
func unpackBits(to []uint64, b []byte, width, n int) []uint64 {
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
		to = append(to, v&mask)
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
	d := deltaReader{r: r, kind: kind, mini: int(block / minis), minis: int(minis)}
	values = make([]int64, 0, n)
	if n > 0 {
		values = append(values, first)
	}
	for len(values) < n && r.err == nil {
		values = d.block(values, n)
	}
	return values, r.b, r.err
}

// deltaReader decodes blocks of differences.
type deltaReader struct {
	r           *thriftReader
	kind        Kind
	mini, minis int // differences per miniblock, miniblocks per block
	packed      []uint64
}

// block appends the values of a block, until there are n values in total.
func (d *deltaReader) block(values []int64, n int) []int64 {
	r := d.r
	least := r.varint()
	if len(r.b) < d.minis {
		r.fail()
		return values
	}
	widths := r.b[:d.minis]
	r.b = r.b[d.minis:]
	for _, width := range widths {
		if len(values) == n {
			break
		}
		size := d.mini * int(width) / 8
		if width > 64 || len(r.b) < size {
			r.fail()
			return values
		}
		d.packed = unpackBits(d.packed[:0], r.b[:size], int(width), min(d.mini, n-len(values)))
		r.b = r.b[size:]
		for _, above := range d.packed {
			v := values[len(values)-1] + least + int64(above)
			if d.kind == Int32 {
				v = int64(int32(v))
			}
			values = append(values, v)
		}
	}
	return values
}

// decodeDeltaLength decodes n texts of DELTA_LENGTH_BYTE_ARRAY, in which all lengths come first.
// Earlier versions of Fabricast wrote it.
func decodeDeltaLength(b []byte, n int) (Values, error) {
	sizes, rest, err := decodeDelta(Int32, b, n)
	if err != nil {
		return Values{}, err
	}
	all := string(rest)
	texts := make([]string, n)
	for i, size := range sizes {
		if size < 0 || size > int64(len(all)) {
			return Values{}, errBroken
		}
		texts[i], all = all[:size], all[size:]
	}
	return Values{Texts: texts}, nil
}
