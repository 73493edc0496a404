package node

import (
	"encoding/binary"
	"hash/crc32"

	"fabricast/fabric"
	"fabricast/internal/units"
)

// A program with a stack cannot be saved. Instead a block keeps a journal: every call that its
// programs make, with what they are told, and everything that others do to their memory. When the
// run goes on from a file, the programs run again and are fed with the journal, without a network,
// until it is used up. Then they are where they were.
//
// A journal is a sequence of records. Each is a byte, the kind, and numbers as varints. Records
// are in the order in which things have happened in the block. Between blocks the windows give the
// order: what a rank learns from another block has happened there in an earlier window. So the
// programs also find again what they share in memory of the process. Contents of messages are not
// in the journal, because the programs send the same again; only hashes of them are.

// journal is that of one block, which writes it, or is fed with it.
type journal struct {
	world  *shared
	number int // of the block among those of all processes
	time   fabric.VirtualTime
	window int64 // ps: begin of the latest window with a record
	// a call is being carried out, which may use other calls; they are part of it
	inside bool
	puts   uint64 // contents that the block has put into the store
	kept   uint32 // the buffer of the latest receive, 0 if it has none

	records []byte // not yet flushed
	flush   func(block int, records []byte)
	feed    *feed // that the programs are fed with; nil while the journal is written
}

// journalChunk is about how many bytes of records are flushed at once.
const journalChunk = 256 << 10

// Kinds of records that are no calls. Those of calls are below 64.
const (
	recWindow   = 64 + iota // a later window begins: its distance from the one before (ps)
	recResume               // a program is resumed: its slot
	recReturned             // it has returned
	recEnded                // it has returned for good
	recFull                 // no more operations fit
	recMet                  // a message has met its receive: buffer, contents
	recTold                 // the same, for one that is told of: source, tag and size besides
	recAnswered             // a cancel has been answered: buffer, answer
	recPut                  // contents have come into a region: place, contents
	recFetched              // contents were made of a region: place, combination, rank that gets them
	recCombined             // a region was combined with contents: place, combination, contents
	recChanged              // a word of a region was changed: place, change, operand, operand
	recDropped              // nobody needs contents any more
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// writes reports whether the block writes a journal. j may be nil.
func (j *journal) writes() bool { return j != nil && j.feed == nil }

// add appends a record.
func (j *journal) add(kind byte, numbers ...int64) {
	b := append(j.records, kind)
	for _, n := range numbers {
		b = binary.AppendVarint(b, n)
	}
	j.records = b
}

// results appends what a program is told.
func (j *journal) results(numbers ...int64) {
	b := j.records
	for _, n := range numbers {
		b = binary.AppendVarint(b, n)
	}
	j.records = b
}

// resumes notes that the program of a slot goes on.
func (j *journal) resumes(slot int32) {
	if j.inside = false; j.feed != nil {
		return
	}
	j.moved()
	j.add(recResume, int64(slot))
}

// moved notes that a later window has begun, if one has.
func (j *journal) moved() {
	if now := j.time.GVT(); now != j.window {
		if len(j.records) >= journalChunk {
			j.flushAll()
		}
		j.add(recWindow, now-j.window)
		j.window = now
	}
}

// flushAll hands over all records.
func (j *journal) flushAll() {
	if len(j.records) > 0 {
		j.flush(j.number, j.records)
		j.records = j.records[:0]
	}
}

// returned notes that the program has returned.
func (j *journal) returned(last Kind) {
	switch {
	case j.feed != nil:
	case last == Exit:
		j.add(recEnded)
	default:
		j.add(recReturned)
	}
}

// fits notes that no more operations fit, if so. A program that is fed is told what it was told.
func (j *journal) fits(fits bool) bool {
	if j.feed != nil {
		return !j.feed.isNext(recFull)
	}
	if !fits {
		j.add(recFull)
	}
	return fits
}

// hash returns a hash of contents that are sent; 0 if there are none.
func hashOf(buf Buf) int64 {
	if len(buf.Bytes()) == 0 {
		return 0
	}
	return int64(crc32.Checksum(buf.Bytes(), castagnoli)) + 1
}

// hashOfRequests returns a hash of some requests.
func hashOfRequests(requests []Request) int64 {
	h := uint32(len(requests))
	for _, q := range requests {
		h = (h ^ q.ID) * 16777619
	}
	return int64(h)
}

// stowed labels contents that the block has put into the store.
func (j *journal) stowed(handle uint32) {
	if !j.writes() || handle == 0 {
		return
	}
	j.puts++
	j.world.payloads.label(handle, j.label())
}

// label returns the label of the contents that were put last.
func (j *journal) label() uint64 { return uint64(j.number)<<labelBits | j.puts }

// labelBits is how many bits of a label count the contents of a block.
const labelBits = 40

// labelled returns the label of contents as two numbers of a record; 0 and 0 if there are none.
func (j *journal) labelled(handle uint32) (block, count int64) {
	if handle == 0 {
		return 0, 0
	}
	l := j.world.payloads.view(handle).label
	return int64(l >> labelBits), int64(l & (1<<labelBits - 1))
}

// met notes that a message has met its receive.
func (j *journal) met(buffer, payload uint32, told *Told, e Envelope) {
	if !j.writes() || buffer|payload == 0 {
		return
	}
	j.moved()
	block, count := j.labelled(payload)
	if told == nil {
		j.add(recMet, int64(buffer), block, count)
		return
	}
	j.add(recTold, int64(buffer), block, count, int64(e.Source), int64(e.Tag), int64(e.Size))
}

// answered notes that a cancel has been answered.
func (j *journal) answered(buffer uint32, taken int64) {
	if j.writes() {
		j.moved()
		j.add(recAnswered, int64(buffer), taken)
	}
}

// dropped notes that nobody needs contents any more.
func (j *journal) dropped(payload uint32) {
	if j.writes() {
		j.moved()
		block, count := j.labelled(payload)
		j.add(recDropped, block, count)
	}
}

// atPlace notes something that is done to a part of a rank's memory.
func (j *journal) atPlace(kind byte, r *rank, x *fabric.Extra, more ...int64) {
	if !j.writes() {
		return
	}
	j.moved()
	slot := j.world.slot(r.id)
	j.add(kind, int64(slot), int64(x.Remote), int64(x.Place), x.Length)
	j.results(more...)
}

// atPlaceWith does what atPlace does, for something that is done with contents.
func (j *journal) atPlaceWith(kind byte, r *rank, x *fabric.Extra, payload uint32, more ...int64) {
	if j.writes() {
		block, count := j.labelled(payload)
		j.atPlace(kind, r, x, block, count)
		j.results(more...)
	}
}

// metBy notes that a message has met a receive.
func (j *journal) metBy(p *requests, q *receive, u *unexpected) {
	if !j.writes() {
		return
	}
	var told *Told
	number := p.buffer(q)
	if number != 0 {
		told = p.buffers.at(number).told
	}
	j.met(number, u.payload, told, Envelope{Source: u.source, Tag: u.tag, Size: units.Bytes(u.size)})
}

// call begins a call of a program. It returns true if the journal has the outcome, and false if the
// call is to be carried out now. Then done must follow.
func (j *journal) call(kind byte, arguments ...int64) (fed bool) {
	if j.feed != nil {
		j.feed.call(kind, arguments)
		return true
	}
	j.add(kind, arguments...)
	j.inside, j.kept = true, 0
	return false
}

// done ends a call that has been carried out.
func (j *journal) done(results ...int64) {
	j.inside = false
	j.results(results...)
}
