// Package combination registers the operations of one-sided calls with the nodes: accumulates, and
// transfers to memory with gaps. Several processes that share a run know them by their descriptions.
package combination

import (
	"encoding/binary"
	"unsafe"

	"fabricast/cmpi/internal/host"
	"fabricast/node"
)

// Kinds of descriptions, the first byte of each.
const (
	basicKind uint8 = iota
	gapsKind
	swapKind
)

// basic is the key under which a predefined operation on a predefined type is registered.
type basic struct{ op, kind int32 }

// Description implements node.Described.
func (k basic) Description() []byte {
	d := binary.LittleEndian.AppendUint32([]byte{basicKind}, uint32(k.op))
	return binary.LittleEndian.AppendUint32(d, uint32(k.kind))
}

func (k basic) combine(memory, data []byte) { host.CombineBasic(k.op, k.kind, data, memory) }

// Basic returns the number of a predefined operation on a predefined type.
func Basic(w *node.World, op, kind int32) int64 {
	key := basic{op, kind}
	if n := w.Combination(key); n != 0 {
		return n
	}
	return w.Combine(key, key.combine)
}

// swap is the key under which swapIfEqual is registered.
type swap struct{}

// Description implements node.Described.
func (swap) Description() []byte { return []byte{swapKind} }

// Swap returns the number of the operation that replaces memory by the second half of the data if
// it equals the first half.
func Swap(w *node.World) int64 {
	if n := w.Combination(swap{}); n != 0 {
		return n
	}
	return w.Combine(swap{}, swapIfEqual)
}

func swapIfEqual(memory, data []byte) {
	if n := len(memory); string(memory) == string(data[:n]) {
		copy(memory, data[n:])
	}
}

// local is the key under which a predefined operation on memory with gaps is registered that only
// this process needs to know. The datatype describes the gaps.
type local struct {
	op     int32
	layout uintptr
}

// gaps is that key where several processes share the run: the operation, and the datatype as it is in
// memory.
type gaps string

// Description implements node.Described.
func (k gaps) Description() []byte { return append([]byte{gapsKind}, k...) }

// Gaps returns the number of a predefined operation on memory with gaps, which a datatype describes.
// shared says that other processes need to know it.
func Gaps(w *node.World, op int32, layout *byte, shared bool) int64 {
	var key any = local{op, uintptr(unsafe.Pointer(layout))}
	if shared {
		key = gaps(binary.LittleEndian.AppendUint32(nil, uint32(op))) + gaps(host.LayoutBytes(layout))
	}
	if n := w.Combination(key); n != 0 {
		return n
	}
	if shared {
		layout = host.CopiedLayout(host.LayoutBytes(layout))
	}
	return w.Scatter(key,
		func(data, memory []byte) { host.ScatterData(op, layout, data, memory) },
		func(data, memory []byte) { host.GatherData(layout, data, memory) })
}

// Of returns the functions that the description of another process stands for.
func Of(d []byte) (combine func(memory, data []byte), gather func(data, memory []byte)) {
	switch d[0] {
	case swapKind:
		return swapIfEqual, nil
	case basicKind:
		return basic{int32(binary.LittleEndian.Uint32(d[1:])), int32(binary.LittleEndian.Uint32(d[5:]))}.combine, nil
	}
	op, layout := int32(binary.LittleEndian.Uint32(d[1:])), host.CopiedLayout(d[5:])
	return func(memory, data []byte) { host.ScatterData(op, layout, data, memory) },
		func(data, memory []byte) { host.GatherData(layout, data, memory) }
}
