package cluster

import (
	"iter"
	"unsafe"
)

// Bytes returns the memory of a slice whose values contain no pointers.
func Bytes[T any](s []T) []byte {
	var t T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(t)))
}

// piece is the number of values sent at once, so that no process needs memory for all.
const piece = 1 << 13

// Bring sends the values of each process to the processes for which `to` is true. These receive
// them by calls of take, in the order of the processes, without their own values. T must contain no
// pointers.
func Bring[T any](g Collective, own iter.Seq[T], to func(process int) bool, take func(process int, value T)) {
	next, stop := iter.Pull(own)
	defer stop()
	out, list := make([][]byte, g.Size()), make([]T, 0, piece)
	for more := []int64{0}; ; more[0] = 0 {
		list = fill(list[:0], next)
		if len(list) > 0 {
			more[0] = -1
		}
		if g.Least(more); more[0] == 0 {
			return
		}
		for p := range out {
			if p != g.Rank() && to(p) {
				out[p] = Bytes(list)
			}
		}
		for p, data := range g.Exchange(out) {
			if p != g.Rank() {
				each(data, func(value T) { take(p, value) })
			}
		}
	}
}

// fill appends values to a list until it has a piece of them.
func fill[T any](list []T, next func() (T, bool)) []T {
	for len(list) < piece {
		value, ok := next()
		if !ok {
			break
		}
		list = append(list, value)
	}
	return list
}

// each calls do for each value in data from Bytes.
func each[T any](data []byte, do func(T)) {
	value := make([]T, 1)
	for size := len(Bytes(value)); len(data) > 0; data = data[size:] {
		copy(Bytes(value), data)
		do(value[0])
	}
}

// ToAll and ToFirst select all processes, or the first one, as receivers of Bring.
func ToAll(int) bool           { return true }
func ToFirst(process int) bool { return process == 0 }
