package journal

import (
	"encoding/binary"
	"hash/crc32"

	"fabricast/node/internal/core"
	"fabricast/node/internal/model"

	"fabricast/fabric"
	"fabricast/internal/units"
)

// A program with a stack cannot be saved. Instead a block keeps a journal: every call that its
// programs make, with its results, and everything that others do to their memory. When the
// run goes on from a file, the programs run again and are fed with the journal, without a network,
// until it is used up. Then they are where they were.
//
// A journal is a sequence of records. Each is a byte, the kind, and numbers as varints. Records
// are in the order in which things have happened in the block. Between blocks the windows give the
// order: what a rank learns from another block has happened there in an earlier window. So the
// programs also find again what they share in memory of the process. Contents of messages are not
// in the journal, because the programs send the same again; only hashes of them are.

// Journal is that of one block, which writes it, or is fed with it.
type Journal struct {
	World  *core.Shared
	Number int // of the block among those of all processes
	Time   fabric.VirtualTime
	Window int64 // ps: begin of the latest window with a record
	// a call is being carried out, which may use other calls; they are part of it
	Inside bool
	puts   uint64 // contents that the block has put into the store
	Kept   uint32 // the buffer of the latest receive, 0 if it has none

	records []byte // not yet flushed
	Flush   func(block int, records []byte)
	Feed    *Feed // that the programs are fed with; nil while the journal is written
}

// journalChunk is about how many bytes of records are flushed at once.
const journalChunk = 256 << 10

// Kinds of records that are no calls. Those of calls are below 64.
const (
	recWindow    = 64 + iota // a later window begins: its distance from the one before (ps)
	recResume                // a program is resumed: its slot
	recReturned              // it has returned
	recEnded                 // it has returned for good
	recFull                  // no more operations fit
	recMet                   // a message has met its receive: buffer, contents
	recDescribed             // the same, with a description: source, tag and size besides
	recAnswered              // a cancel has been answered: buffer, answer
	RecPut                   // contents have come into a region: place, contents
	RecFetched               // contents were made of a region: place, combination, rank that gets them
	RecCombined              // a region was combined with contents: place, combination, contents
	RecChanged               // a word of a region was changed: place, change, operand, operand
	recDropped               // nobody needs contents any more
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// writes reports whether the block writes a journal. j may be nil.
func (j *Journal) writes() bool { return j != nil && j.Feed == nil }

// add appends a record.
func (j *Journal) add(kind byte, numbers ...int64) {
	b := append(j.records, kind)
	for _, n := range numbers {
		b = binary.AppendVarint(b, n)
	}
	j.records = b
}

// results appends the results of a call.
func (j *Journal) results(numbers ...int64) {
	b := j.records
	for _, n := range numbers {
		b = binary.AppendVarint(b, n)
	}
	j.records = b
}

// Resumes records that the program of a slot goes on.
func (j *Journal) Resumes(slot int32) {
	if j.Inside = false; j.Feed != nil {
		return
	}
	j.moved()
	j.add(recResume, int64(slot))
}

// moved records that a later window has begun, if one has.
func (j *Journal) moved() {
	if now := j.Time.GVT(); now != j.Window {
		if len(j.records) >= journalChunk {
			j.FlushAll()
		}
		j.add(recWindow, now-j.Window)
		j.Window = now
	}
}

// FlushAll hands over all records.
func (j *Journal) FlushAll() {
	if len(j.records) > 0 {
		j.Flush(j.Number, j.records)
		j.records = j.records[:0]
	}
}

// Returned records that the program has returned.
func (j *Journal) Returned(last model.Kind) {
	switch {
	case j.Feed != nil:
	case last == model.Exit:
		j.add(recEnded)
	default:
		j.add(recReturned)
	}
}

// Fits records that no more operations fit, if so. A program that is fed gets the same answer again.
func (j *Journal) Fits(fits bool) bool {
	if j.Feed != nil {
		return !j.Feed.isNext(recFull)
	}
	if !fits {
		j.add(recFull)
	}
	return fits
}

// hash returns a hash of contents that are sent; 0 if there are none.
func HashOf(buf model.Buf) int64 {
	if len(buf.Bytes()) == 0 {
		return 0
	}
	return int64(crc32.Checksum(buf.Bytes(), castagnoli)) + 1
}

// HashOfRequests returns a hash of some requests.
func HashOfRequests(requests []model.Request) int64 {
	h := uint32(len(requests))
	for _, q := range requests {
		h = (h ^ q.ID) * 16777619
	}
	return int64(h)
}

// Stowed labels contents that the block has put into the store.
func (j *Journal) Stowed(handle uint32) {
	if !j.writes() || handle == 0 {
		return
	}
	j.puts++
	j.World.Payloads.Label(handle, j.label())
}

// label returns the label of the contents that were put last.
func (j *Journal) label() uint64 { return uint64(j.Number)<<labelBits | j.puts }

// labelBits is how many bits of a label count the contents of a block.
const labelBits = 40

// labelled returns the label of contents as two numbers of a record; 0 and 0 if there are none.
func (j *Journal) labelled(handle uint32) (block, count int64) {
	if handle == 0 {
		return 0, 0
	}
	l := j.World.Payloads.View(handle).Label
	return int64(l >> labelBits), int64(l & (1<<labelBits - 1))
}

// Met records that a message has met its receive.
func (j *Journal) Met(buffer, payload uint32, delivery *model.Delivery, e model.Envelope) {
	if !j.writes() || buffer|payload == 0 {
		return
	}
	j.moved()
	block, count := j.labelled(payload)
	if delivery == nil {
		j.add(recMet, int64(buffer), block, count)
		return
	}
	j.add(recDescribed, int64(buffer), block, count, int64(e.Source), int64(e.Tag), int64(e.Size))
}

// Answered records that a cancel has been answered.
func (j *Journal) Answered(buffer uint32, taken int64) {
	if j.writes() {
		j.moved()
		j.add(recAnswered, int64(buffer), taken)
	}
}

// Dropped records that nobody needs contents any more.
func (j *Journal) Dropped(payload uint32) {
	if j.writes() {
		j.moved()
		block, count := j.labelled(payload)
		j.add(recDropped, block, count)
	}
}

// AtPlace records something that is done to a part of a rank's memory.
func (j *Journal) AtPlace(kind byte, r *core.Rank, x *fabric.Extra, more ...int64) {
	if !j.writes() {
		return
	}
	j.moved()
	slot := j.World.Slot(r.ID)
	j.add(kind, int64(slot), int64(x.Remote), int64(x.Place), x.Length)
	j.results(more...)
}

// AtPlaceWith does what atPlace does, for something that is done with contents.
func (j *Journal) AtPlaceWith(kind byte, r *core.Rank, x *fabric.Extra, payload uint32, more ...int64) {
	if j.writes() {
		block, count := j.labelled(payload)
		j.AtPlace(kind, r, x, block, count)
		j.results(more...)
	}
}

// MetBy records that a message has met a receive.
func (j *Journal) MetBy(p *core.Requests, q *core.ReceiveState, u *core.Unexpected) {
	if !j.writes() {
		return
	}
	var delivery *model.Delivery
	number := p.Buffer(q)
	if number != 0 {
		delivery = p.Buffers.At(number).Delivery
	}
	j.Met(number, u.Payload, delivery, model.Envelope{Source: u.Source, Tag: u.Tag, Size: units.Bytes(u.Size)})
}

// Call begins a call of a program. It returns true if the journal has the outcome, and false if the
// call is to be carried out now. Then done must follow.
func (j *Journal) Call(kind byte, arguments ...int64) (fed bool) {
	if j.Feed != nil {
		j.Feed.call(kind, arguments)
		return true
	}
	j.add(kind, arguments...)
	j.Inside, j.Kept = true, 0
	return false
}

// Done ends a call that has been carried out.
func (j *Journal) Done(results ...int64) {
	j.Inside = false
	j.results(results...)
}
