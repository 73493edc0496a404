package dumpi

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"

	"pgregory.net/rapid"
)

// writer writes the file of a rank.
type writer struct {
	body    []byte
	counts  [functionEnter]uint32 // number of calls, including ignored calls
	ignored [functionEnter]uint32
	now     int64 // ns
}

// status32 is a status to write.
type status32 struct {
	source, tag int32
	cancelled   uint8
}

// value appends arguments to b, encoded according to their Go types.
func value(b []byte, arguments ...any) []byte {
	for _, a := range arguments {
		switch v := a.(type) {
		case []int32:
			b = binary.BigEndian.AppendUint32(b, uint32(len(v)))
			b, _ = binary.Append(b, binary.BigEndian, v)
		case []uint16:
			b = binary.BigEndian.AppendUint32(b, uint32(len(v)))
			b, _ = binary.Append(b, binary.BigEndian, v)
		case []status32:
			b = binary.BigEndian.AppendUint32(b, uint32(len(v)))
			for _, s := range v {
				b = value(b, int32(-7), s.source, s.cancelled, uint8(3), s.tag)
			}
		default:
			b, _ = binary.Append(b, binary.BigEndian, v)
		}
	}
	return b
}

// call writes a call of function f that starts after ns after the previous call and takes lasts ns.
func (w *writer) call(f uint16, after, lasts int64, arguments ...any) {
	start := w.now + after
	w.now = start + lasts
	const second = 1_000_000_000
	seconds := func(t int64) []any { return []any{uint16(t / second), uint32(t % second)} }
	b := value(w.body, f, uint8(maskStatus|maskCPU|maskWall|maskThread|maskPerf), uint16(0))
	b = value(b, uint16(1), uint32(2), uint16(3), uint32(4)) // CPU times
	b = value(b, append(seconds(start), seconds(w.now)...)...)
	b = value(b, uint8(2), [4]uint64{1, 2, 3, 4}) // performance counters
	w.body = value(b, arguments...)
	if int(f) < len(w.counts) {
		w.counts[f]++
	}
}

// ignore counts a call of function f that is not recorded.
func (w *writer) ignore(f uint16) {
	w.counts[f]++
	w.ignored[f]++
}

// bytes returns the file, with the given sizes of datatypes.
func (w *writer) bytes(sizes ...int32) []byte {
	b := append(value([]byte(magic), int32(1), int32(2)), w.body...)
	b = value(b, uint16(endOfStream))
	header := len(b)
	b = value(b, [3]uint8{13, 0, 0}, uint64(99), uint16(1), uint8('h'), uint16(0), []int32{}, []int32{})
	footer := len(b)
	b = value(b, uint64(footMagic), w.counts, w.ignored)
	names := len(b)
	b = value(b, uint32(1), uint64(0xabc), uint16(4), [4]byte{'w', 'o', 'r', 'k'})
	types := len(b)
	b = value(b, sizes)
	return value(
		b, [8]byte([]byte(magic)), uint64(types), uint64(names), uint64(0), uint64(header),
		uint64(len(magic)), uint64(footer), uint64(0),
	)
}

// write writes the files of ranks and a metadata file, and returns the path of the metadata file.
func write(t interface {
	Helper()
	Fatal(...any)
}, dir string, files ...[]byte,
) string {
	t.Helper()
	for rank, b := range files {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("app-%04d.bin", rank)), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	meta := filepath.Join(dir, "app.meta")
	text := fmt.Sprintf("hostname=h\nnumprocs=%d\nfileprefix=/scratch/run/app\nversion=13\n", len(files))
	if err := os.WriteFile(meta, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return meta
}

// arbitrary draws random arguments of a function.
func arbitrary(t *rapid.T, args string) (list []any) {
	var ints []int
	n := func() int { return rapid.IntRange(0, 5).Draw(t, "length") }
	text := func() []any {
		s := rapid.SliceOfN(rapid.Byte(), 0, 9).Draw(t, "text")
		return []any{uint32(len(s)), s}
	}
	texts := func() []any {
		count := n()
		all := []any{uint32(count)}
		for range count {
			all = append(all, text()...)
		}
		return all
	}
	for i := 0; i < len(args); i++ {
		v := rapid.IntRange(0, 3).Draw(t, "value")
		switch args[i] {
		case 'i':
			list, ints = append(list, int32(v)), append(ints, v)
		case 'h':
			list, ints = append(list, uint16(v)), append(ints, v)
		case 'b':
			list, ints = append(list, uint8(v)), append(ints, v)
		case 'l':
			list, ints = append(list, uint64(v)), append(ints, v)
		case 'I':
			list = append(list, make([]int32, n()))
		case 'H':
			list = append(list, make([]uint16, n()))
		case 'B':
			count := n()
			list = append(list, uint32(count), make([]uint8, count))
		case 'J':
			count := n()
			list = append(list, uint32(count))
			for range count {
				list = append(list, make([]int32, 3))
			}
		case 'c':
			list = append(list, text()...)
		case 'C':
			list = append(list, texts()...)
		case 'D':
			count := n()
			list = append(list, uint32(count))
			for range count {
				list = append(list, texts()...)
			}
		case 'S':
			list = append(list, make([]status32, n()))
		case '?':
			i += 2
			if ints[args[i-1]-'0'] != ints[args[i]-'0'] {
				for i+1 < len(args) && args[i] != '.' {
					i++
				}
			}
		}
	}
	return list
}
