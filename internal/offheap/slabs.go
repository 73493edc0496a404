package offheap

import (
	"runtime"
	"unsafe"
)

// Slabs provides small arrays that are needed until nothing refers to the Slabs any more. Few arrays take
// little memory, and many are in a few large pieces. The zero value is ready to use.
type Slabs struct {
	arena *Arena
	rest  []byte // of the last piece
	taken int    // bytes of all pieces
}

// Sizes of pieces in bytes. A piece is as long as all before it.
const (
	firstSlab = 64 << 10
	lastSlab  = 8 << 20
)

// Cut returns a zeroed array of n elements, which must not contain pointers into the Go heap.
func Cut[T any](s *Slabs, n int) ([]T, error) {
	const word = unsafe.Sizeof(uint64(0))
	size := int((uintptr(n)*unsafe.Sizeof(*new(T)) + word - 1) &^ (word - 1))
	if size == 0 {
		return nil, nil
	}
	if size > len(s.rest) {
		if err := s.grow(size); err != nil {
			return nil, err
		}
	}
	piece := s.rest[:size]
	s.rest = s.rest[size:]
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(piece))), n), nil
}

// grow takes another piece, for an array of the given size.
func (s *Slabs) grow(size int) error {
	if s.arena == nil {
		s.arena = &Arena{}
		runtime.AddCleanup(s, func(a *Arena) { a.Free() }, s.arena)
	}
	piece, err := Make[byte](s.arena, max(size, min(lastSlab, max(firstSlab, s.taken))))
	if err != nil {
		return err
	}
	s.taken += len(piece)
	s.rest = piece
	return nil
}
