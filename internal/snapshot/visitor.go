package snapshot

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"
)

// Visitor visits a state, and saves or restores it.
type Visitor struct {
	restores bool
	bytes    []byte // saving: what has been saved; restoring: what has not been restored yet
	// checked means that the type and length of each visited value are checked against the saved
	// ones
	checked bool
	// exact means that equal states are saved as the same bytes
	exact bool
	// moves whole chunks to or from a file; nil in memory. last marks the end of a section
	flush func(chunk []byte, last bool) error
	fill  func() (chunk []byte, last bool, err error)
	once  []any // what Once has been asked for
	open  bool  // in a section
	last  bool  // restoring: the last chunk of the section has been read
	err   error
}

// chunkSize is the approximate size (bytes) of a write to a file.
const chunkSize = 1 << 20

// Restores reports whether the visitor restores the state; otherwise it saves it.
func (v *Visitor) Restores() bool { return v.restores }

// Fresh reports whether the visitor restores a state from a file, into a newly created model.
func (v *Visitor) Fresh() bool { return v.fill != nil }

// InMemory reports whether the state is saved in memory, or restored from there.
func (v *Visitor) InMemory() bool { return v.flush == nil && v.fill == nil }

// Err returns the first error.
func (v *Visitor) Err() error { return v.err }

// Fail records that a state cannot be restored. Only the first error is kept. Later visits have no
// effect.
func (v *Visitor) Fail(err error) {
	if v.err == nil {
		v.err = err
	}
}

// Value visits a value. T must not contain pointers.
func Value[T any](v *Visitor, p *T) {
	if v.checked {
		v.mark(printOf[T](), 1)
	}
	v.move(unsafe.Pointer(p), unsafe.Sizeof(*p))
	if v.exact && !v.restores {
		clearHoles[T](v, 1)
	}
}

// Values visits the elements of a slice whose length does not change during a run. T must not
// contain pointers.
func Values[T any](v *Visitor, s []T) {
	if v.checked {
		v.mark(printOf[T](), len(s))
	}
	var t T
	v.move(unsafe.Pointer(unsafe.SliceData(s)), uintptr(len(s))*unsafe.Sizeof(t))
	if v.exact && !v.restores {
		clearHoles[T](v, len(s))
	}
}

// List visits a slice and its length. When restoring, it reuses the slice's memory if it is large
// enough. T must not contain pointers.
func List[T any](v *Visitor, s *[]T) {
	n := v.Length(len(*s))
	if v.restores {
		if cap(*s) < n {
			*s = make([]T, n)
		}
		*s = (*s)[:n]
	}
	Values(v, *s)
}

// mostLength limits the length of a list, so that an invalid length is detected before memory is
// allocated.
const mostLength = 1 << 32

// Length visits a length. When saving, it saves n and returns it, even after an error. When
// restoring, it returns the saved length; 0 after an error.
func (v *Visitor) Length(n int) int {
	length := uint64(n)
	v.move(unsafe.Pointer(&length), unsafe.Sizeof(length))
	if !v.restores {
		return n
	}
	if v.err != nil {
		return 0
	}
	if length > mostLength {
		v.Fail(errOther)
		return 0
	}
	return int(length)
}

// Flag visits a bool. When saving, it saves is and returns it, even after an error. When restoring,
// it returns the saved value.
func (v *Visitor) Flag(is bool) bool {
	if is {
		return v.Length(1) == 1
	}
	return v.Length(0) == 1
}

var errOther = errors.New("the state is that of another model, or of another build of the program")

// Once reports whether a walk comes for the first time to what several values have in common, which is
// given by a pointer. So it is saved and restored with the first of them that the walk visits.
func (v *Visitor) Once(common any) bool {
	if slices.Contains(v.once, common) {
		return false
	}
	v.once = append(v.once, common)
	return true
}

// mark saves the type and number of the values that follow, or checks them.
func (v *Visitor) mark(print uint64, n int) {
	have := [2]uint64{print, uint64(n)}
	saved := have
	v.move(unsafe.Pointer(&saved), unsafe.Sizeof(saved))
	if v.err == nil && saved != have {
		v.Fail(fmt.Errorf("%w (%d elements, found %d)", errOther, n, saved[1]))
	}
}

// move saves n bytes, or restores them.
func (v *Visitor) move(p unsafe.Pointer, n uintptr) {
	if n == 0 || v.err != nil {
		return
	}
	state := unsafe.Slice((*byte)(p), n)
	v.open = true
	if v.restores {
		v.restore(state)
		return
	}
	if v.flush == nil {
		v.bytes = append(v.bytes, state...)
		return
	}
	for len(state) > 0 {
		k := min(len(state), chunkSize-len(v.bytes))
		v.bytes = append(v.bytes, state[:k]...)
		state = state[k:]
		if len(v.bytes) == chunkSize {
			v.Fail(v.flush(v.bytes, false))
			v.bytes = v.bytes[:0]
		}
	}
}

// restore fills a part of the state.
func (v *Visitor) restore(state []byte) {
	for len(state) > 0 && v.err == nil {
		if len(v.bytes) == 0 {
			if v.fill == nil || v.last {
				v.Fail(errOther)
				return
			}
			v.read()
		}
		k := copy(state, v.bytes)
		state, v.bytes = state[k:], v.bytes[k:]
	}
}
