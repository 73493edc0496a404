package cmpi

import (
	"encoding/binary"

	"fabricast/cmpi/internal/host"
)

// Where several processes share a run, each looks at the calls of its own ranks. When all of these
// have called a collective, the process that compares the calls of the communicator receives
// them later.

// written is an attendance for another process. A part is followed by the name of its function.
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

// written returns the attendances that are open, for other processes.
func (a *agreement) written() (list [][]byte) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	for of, t := range a.open {
		list = append(list, t.write(of))
	}
	return list
}

// keeper returns the process that keeps the books of a communicator.
func (a *abroad) keeper(t turn) int {
	number, _ := a.world.Communicator(t.context)
	return number % a.world.Processes()
}

// pass sends the process that compares calls what all ranks here have called in a turn, and
// forgets it. REQUIRES: the lock of the agreement.
func (j *Job) pass(of turn, t *attendance) {
	keeper := j.abroad.keeper(of)
	if keeper == j.abroad.world.Process() {
		return
	}
	j.sendTypes(t)
	j.abroad.kinds.attendance.Send(keeper, false, struct{}{}, t.write(of))
	j.agreement.forget(of, t)
}

// sendTypes makes other processes know the signatures of an attendance.
func (j *Job) sendTypes(t *attendance) {
	for _, s := range []signature{t.types.signature, t.types.otherSignature} {
		j.sendSignature(uint64(s.number()) << markShift)
	}
}

// receiveAttendance adds what ranks of another process have called in a turn.
func (j *Job) receiveAttendance(process int, data []byte) {
	var w writtenAttendance
	n, _ := binary.Decode(data, binary.LittleEndian, &w)
	lowest := w.Lowest.read(data[n:])
	other := w.Other.read(data[n+int(w.Lowest.Name):])
	a := &j.agreement
	a.mutex.Lock()
	defer a.mutex.Unlock()
	of := turn{w.Context, w.Nth}
	all := a.attendance(of)
	all.size = w.Size
	came := all.came + w.Came
	all.add(&lowest)
	if w.Differ {
		all.add(&other)
	}
	all.came = came
	j.addTypes(process, all, &w)
	a.settled(of, all)
}

// addTypes adds the datatypes of another process's ranks.
func (j *Job) addTypes(process int, all *attendance, w *writtenAttendance) {
	known := func(s int32) signature {
		return signature(s&^(1<<signatureBits-1) | j.abroad.signature(process, signature(s).number()))
	}
	t := &w.Types
	if t.Typed {
		all.types.add(int(t.Rank), known(t.Signature), all.lowest.data.bytes)
	}
	if t.Differ {
		all.types.add(int(t.Other), known(t.OtherSignature), all.lowest.data.bytes)
	}
}

// read returns the part that has been written, with a name in the C side's memory.
func (w *writtenPart) read(name []byte) part {
	return part{
		int(w.Rank), w.What, w.Root, w.Background, host.KeptText(string(name[:w.Name])),
		share{w.Bytes, w.Counts, w.Op},
	}
}

// settled forgets a turn in which all ranks have called and agree. REQUIRES: the lock.
func (a *agreement) settled(t turn, all *attendance) {
	if all.came == all.size && !all.differ && !all.types.differ {
		a.forget(t, all)
	}
}
