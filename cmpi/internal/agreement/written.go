package agreement

import (
	"encoding/binary"

	"fabricast/cmpi/internal/host"
)

// writtenAttendance is an attendance for another process. A part is followed by the name of its function.
type writtenAttendance struct {
	Context, Nth  int32 // turn
	Size, Came    int32 // ranks: of the communicator; those that have called
	Differ        bool
	Types         writtenTypes
	Lowest, Other writtenPart
}

type writtenTypes struct {
	Rank, Other               int32
	Signature, OtherSignature int32
	Typed, Differ             bool
}

type writtenPart struct {
	Rank, What, Root, Op int32
	Background           bool
	Bytes                int64
	Counts               uint64
	Name                 int32 // bytes
}

func (p *part) write() writtenPart {
	return writtenPart{
		int32(p.rank), p.what, p.root, p.data.op, p.background, p.data.bytes, p.data.counts,
		int32(len(nameOf(p))),
	}
}

func nameOf(p *part) string {
	if p.name == nil {
		return ""
	}
	return host.Text(p.name)
}

// write returns an attendance for other processes, which must know the signatures.
func (t *attendance) write(of turn) []byte {
	p := &t.types
	data, _ := binary.Append(nil, binary.LittleEndian, writtenAttendance{
		of.context, of.nth, t.size, t.came, t.differ,
		writtenTypes{
			int32(p.rank), int32(p.other),
			int32(p.signature), int32(p.otherSignature),
			p.typed, p.differ,
		},
		t.lowest.write(), t.other.write(),
	})
	return append(append(data, nameOf(&t.lowest)...), nameOf(&t.other)...)
}

// read returns the part that has been written, with a name in the C side's memory.
func (w *writtenPart) read(name []byte) part {
	return part{
		int(w.Rank), w.What, w.Root, w.Background, host.KeptText(string(name[:w.Name])),
		share{w.Bytes, w.Counts, w.Op},
	}
}
