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
// programs make, with its results, and every change that others make to their memory. When the run
// is resumed from a checkpoint, the programs run again and are fed with the journal, without a
// network, until it is used up. Then they are in the state in which they were saved.
//
// A journal is a sequence of records. Each consists of a byte, its kind, and numbers as varints.
// Records are in the order in which things have happened in the block. The windows define the order
// between blocks: what a rank learns from another block has happened there in an earlier window. So
// programs also find the same values in memory that they share within the process. Message contents
// are not in the journal, because the programs send the same contents again; only their hashes are.

// Journal is the journal of one block. The block either writes it or is fed with it.
type Journal struct {
	World  *core.Shared
	Number int // index of the block among the blocks of all processes
	Time   fabric.VirtualTime
	Window int64 // ps: start of the latest window with a record
	// Inside: a call is being executed. It may make other calls, which are part of it and are not
	// recorded.
	Inside bool
	puts   uint64 // number of contents that the block has stored
	Kept   uint32 // buffer of the latest receive; 0 if it has none

	records []byte // records that have not been flushed
	Flush   func(block int, records []byte)
	Feed    *Feed // feeds the programs; nil while the journal is written
}

// journalChunk is the approximate size in bytes of the records that are flushed at once.
const journalChunk = 256 << 10

// Kinds of records that are not calls. Those of calls are below 64.
const (
	recWindow    = 64 + iota // a later window starts: its distance from the previous one (ps)
	recResume                // a program is resumed: its slot
	recReturned              // the program has returned
	recEnded                 // the program has returned for good
	recFull                  // there is no capacity for more operations
	recMet                   // a message has matched a receive: buffer, contents
	recDescribed             // the same, with the envelope: also source, tag and size
	recAnswered              // a cancel request has been answered: buffer, result
	RecPut                   // contents were written to a region: place, contents
	RecFetched               // contents were read from a region: place, combination, receiving rank
	RecCombined              // a region was combined with contents: place, combination, contents
	RecChanged               // a word of a region was changed: place, change, operand, compare value
	recDropped               // contents are no longer needed
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

// results appends the results of a call to its record.
func (j *Journal) results(numbers ...int64) {
	b := j.records
	for _, n := range numbers {
		b = binary.AppendVarint(b, n)
	}
	j.records = b
}

// Resumes records that the program in a slot is resumed.
func (j *Journal) Resumes(slot int32) {
	if j.Inside = false; j.Feed != nil {
		return
	}
	j.moved()
	j.add(recResume, int64(slot))
}

// moved records the start of a later window, if there is one.
func (j *Journal) moved() {
	if now := j.Time.GVT(); now != j.Window {
		if len(j.records) >= journalChunk {
			j.FlushAll()
		}
		j.add(recWindow, now-j.Window)
		j.Window = now
	}
}

// FlushAll flushes all records.
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

// Fits records that there is no capacity for more operations, if so. In a replay it returns the
// recorded result.
func (j *Journal) Fits(fits bool) bool {
	if j.Feed != nil {
		return !j.Feed.isNext(recFull)
	}
	if !fits {
		j.add(recFull)
	}
	return fits
}

// HashOf returns a hash of contents that are sent; 0 if there are none.
func HashOf(buf model.Buf) int64 {
	if len(buf.Bytes()) == 0 {
		return 0
	}
	return int64(crc32.Checksum(buf.Bytes(), castagnoli)) + 1
}

// HashOfRequests returns a hash of a list of requests.
func HashOfRequests(requests []model.Request) int64 {
	h := uint32(len(requests))
	for _, q := range requests {
		h = (h ^ q.ID) * 16777619
	}
	return int64(h)
}

// Stowed labels contents that the block has stored.
func (j *Journal) Stowed(handle uint32) {
	if !j.writes() || handle == 0 {
		return
	}
	j.puts++
	j.World.Payloads.Label(handle, j.label())
}

// label returns the label of the contents that were stored last.
func (j *Journal) label() uint64 { return uint64(j.Number)<<labelBits | j.puts }

// labelBits is the number of bits of a label that count the contents of a block.
const labelBits = 40

// labelled returns the label of contents as two numbers for a record; 0 and 0 if there are none.
func (j *Journal) labelled(handle uint32) (block, count int64) {
	if handle == 0 {
		return 0, 0
	}
	l := j.World.Payloads.View(handle).Label
	return int64(l >> labelBits), int64(l & (1<<labelBits - 1))
}

// Met records that a message has matched a receive.
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

// Answered records the reply to a cancel request.
func (j *Journal) Answered(buffer uint32, taken int64) {
	if j.writes() {
		j.moved()
		j.add(recAnswered, int64(buffer), taken)
	}
}

// Dropped records that contents are no longer needed.
func (j *Journal) Dropped(payload uint32) {
	if j.writes() {
		j.moved()
		block, count := j.labelled(payload)
		j.add(recDropped, block, count)
	}
}

// AtPlace records an operation on part of a rank's memory.
func (j *Journal) AtPlace(kind byte, r *core.Rank, x *fabric.Extra, more ...int64) {
	if !j.writes() {
		return
	}
	j.moved()
	slot := j.World.Slot(r.ID)
	j.add(kind, int64(slot), int64(x.Remote), int64(x.Place), x.Length)
	j.results(more...)
}

// AtPlaceWith is like AtPlace for an operation that has contents.
func (j *Journal) AtPlaceWith(kind byte, r *core.Rank, x *fabric.Extra, payload uint32, more ...int64) {
	if j.writes() {
		block, count := j.labelled(payload)
		j.AtPlace(kind, r, x, block, count)
		j.results(more...)
	}
}

// MetBy records that a message has matched a receive.
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

// Call starts a call of a program. It returns true if the journal has supplied the results.
// Otherwise the caller must execute the call, and then call Done.
func (j *Journal) Call(kind byte, arguments ...int64) (fed bool) {
	if j.Feed != nil {
		j.Feed.call(kind, arguments)
		return true
	}
	j.add(kind, arguments...)
	j.Inside, j.Kept = true, 0
	return false
}

// Done ends a call that has been executed.
func (j *Journal) Done(results ...int64) {
	j.Inside = false
	j.results(results...)
}
