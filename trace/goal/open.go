package goal

import (
	"encoding/binary"
	"fmt"
	"path/filepath"

	"fabricast/internal/input"
	"fabricast/trace"
)

// Is reports whether begin is the start of a schedule file, in text or binary form.
func Is(begin []byte) bool {
	if len(begin) >= 8 {
		if n := binary.LittleEndian.Uint64(begin); n == magic || n == unfinished {
			return true
		}
	}
	l := lexer{data: begin, whole: true}
	t, err := l.next()
	return err == nil && t.kind == word && string(t.text) == "num_ranks"
}

// Open opens a schedule. path is its file, or the folder that contains it.
func Open(path string) (trace.Graph, error) {
	info, err := input.About(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		if path, err = schedule(path); err != nil {
			return nil, err
		}
	}
	file := trace.Share(path, 1)
	w := file.Pieces(base + headerSize)
	begin, err := w.Peek(8)
	if err != nil {
		return nil, err
	}
	if len(begin) >= 8 && begin[4]|begin[5]|begin[6]|begin[7] == 0 {
		return openBinary(file)
	}
	return openText(file)
}

// schedule returns the path of the only file in the folder dir that ends in .goal.
func schedule(dir string) (string, error) {
	entries, err := trace.Files(dir)
	if err != nil {
		return "", err
	}
	found := ""
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".goal" {
			continue
		}
		if found != "" {
			return "", &trace.Error{
				File:     dir,
				What:     "schedule",
				Found:    found + " and " + e.Name(),
				Expected: "one file that ends in .goal",
			}
		}
		found = e.Name()
	}
	if found == "" {
		return "", &trace.Error{
			File:     dir,
			What:     "schedule",
			Found:    "none",
			Expected: "a file that ends in .goal",
		}
	}
	return filepath.Join(dir, found), nil
}

// Values of fields.kind, as in binary files.
const (
	sends    = 1
	receives = 2
	computes = 3
)

// wildcard is the peer or tag of a receive from any source or with any tag.
const wildcard = 1<<32 - 1

// fields holds the fields of a task. They are the same in the text form and the binary form.
type fields struct {
	kind     uint8
	peer     uint32
	size     uint64 // bytes, or ns for computations
	tag      uint32
	cpu, nic uint8
}

// Maximum size of a message in bytes, and maximum duration of a computation in ns.
const (
	maxBytes = 1 << 40
	maxNS    = 1 << 51 // 26 days
)

// check checks that all fields are in range; ranks is the number of ranks. If one is not, it
// returns the value found and a description of the valid values, otherwise "".
func (f *fields) check(ranks int) (found, expected string) {
	wild := f.kind == receives
	switch {
	case f.kind < sends || f.kind > computes:
		return fmt.Sprintf("type %d", f.kind), "1 (send), 2 (receive) or 3 (computation)"
	case f.kind == computes:
		if f.size > maxNS {
			return fmt.Sprintf("%d ns", f.size), "a computation of at most 26 days"
		}
	case f.size > maxBytes:
		return fmt.Sprintf("%d bytes", f.size), "a message of at most 1 TiB"
	case uint64(f.peer) >= uint64(ranks) && !(wild && f.peer == wildcard):
		return fmt.Sprintf("rank %d", f.peer), fmt.Sprintf("a rank below %d", ranks)
	case f.tag == wildcard && !wild:
		return "tag -1", "a tag from 0"
	}
	return "", ""
}

// task fills in t from the fields. nics means that the schedule uses more than one NIC.
func (f *fields) task(t *trace.Task, nics bool) {
	if f.kind == computes {
		t.Kind, t.Duration, t.Lane = trace.TaskCompute, 1000*int64(f.size), int32(f.cpu)
		return
	}
	t.Kind, t.Lane = trace.TaskSend, int32(f.cpu)
	t.Message = trace.Message{Peer: int32(f.peer), Tag: int32(f.tag), Size: int64(f.size)}
	if nics {
		t.NIC = 1 + int32(f.nic)
	}
	if f.kind == receives {
		t.Kind, t.Message.Receive = trace.TaskReceive, true
	}
}

// reset clears t, but keeps the memory of its slices for reuse.
func reset(t *trace.Task) {
	*t = trace.Task{
		After:    t.After[:0],
		Started:  t.Started[:0],
		Before:   t.Before[:0],
		BeforeAt: t.BeforeAt[:0],
		Sends:    t.Sends[:0],
	}
}
