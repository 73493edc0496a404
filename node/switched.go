package node

import (
	"errors"

	"fabricast/fabric"
	"fabricast/node/internal/core"
)

// Switched reports whether switches consume a message of a rank (see Options.Tree), or have sent it.
func Switched(m *fabric.Message) bool { return core.Switched(m) }

// SwitchedMark sets the fields by which a rank recognizes a message as one of the switches.
func SwitchedMark(m *fabric.Message) { m.Flags = core.SwitchedMessage }

// Errors of contents that switches cannot keep.
var (
	errAbroad = errors.New(
		"the run has several processes: switches take contents of messages only if all ranks are in one",
	)
	errKept = errors.New(
		"the run writes checkpoints or was resumed: switches take contents of messages only without them",
	)
)

// CanCombine returns an error if switches cannot combine contents in this run.
func (w *World) CanCombine() error {
	switch {
	case w.others != nil:
		return errAbroad
	case w.fed != nil:
		return errKept
	}
	return nil
}

// SwitchContents gives switches the contents behind a handle, and their combination. They are valid
// until DropContents.
func (w *World) SwitchContents(handle uint32) (data []byte, combination int64) {
	c := w.shared.Payloads.View(handle)
	return c.Data, int64(c.Mark)
}

// DropContents removes contents that a switch has combined.
func (w *World) DropContents(handle uint32) { w.shared.Payloads.Drop(handle) }

// PutContents stores a copy of what a switch sends, and returns its handle. Any number may be the
// switch's.
func (w *World) PutContents(number int32, data []byte, combination int64) uint32 {
	return w.shared.Payloads.Put(number, data, uint64(combination))
}

// Apply combines data with memory by a combination.
func (w *World) Apply(combination int64, memory, data []byte) {
	if with, known := w.shared.Combinations.Of(combination); known {
		with.Combine(memory, data)
	}
}
