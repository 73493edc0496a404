package node

import (
	"encoding/binary"
	"errors"
	"fabricast/internal/units"
	"fmt"
	"io"
	"math"
	"strings"
)

// feed is a journal with which the programs of a block are fed.
type feed struct {
	*feeds
	journal *journal
	runs    runsAgain
	records []byte // read and not yet used
	more    func() ([]byte, error)
	told    []int64 // what the program is told by its latest call
	given   []int64 // arguments of a call, as noted
	live    map[uint32]buffer
	numbers []uint64 // calls so far, by slot
	slot    int32    // of the program that runs
	last    Kind     // how it returned
	err     error
}

// runsAgain is a block whose programs run again.
type runsAgain interface {
	// rankAt returns the world rank in a slot.
	rankAt(slot int32) int
	// again has the program in a slot go on. It returns why the program returned, and its error if it
	// has failed.
	again(slot int32) (last Kind, err error)
	// ended releases a program that has returned for good.
	ended(slot int32)
	// memoryOf returns the contents of a region of the rank in a slot, nil if it has none. It returns
	// false if there is no such region.
	memoryOf(slot int32, region int64) (data []byte, open bool)
}

// feeds is what the feeds of all blocks share.
type feeds struct {
	contents map[uint64]contents // in flight to ranks of this process, by label
	// by the number that a combination had, the one that it has now
	combinations map[int64]int64
	// alias makes a combination known in all processes by the number that it had before
	alias  func(before, now int64)
	across *feedsAcross // nil if there is one process
	err    error
}

// fail keeps the first error.
func (s *feeds) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// JournalError reports that a journal cannot be used.
type JournalError struct{ Found, Expected string }

func (e *JournalError) Error() string { return "found " + e.Found + ", expected " + e.Expected }

// DivergedError reports that a program, run again, does not do what it has done before.
type DivergedError struct {
	Rank   int
	Call   uint64 // number of the call of the rank, from 1
	Before string // what it did
	Again  string // what it does now
}

func (e *DivergedError) Error() string {
	return fmt.Sprintf(
		"the program does not do the same again: call %d of rank %d was %s, now it is %s",
		e.Call, e.Rank, e.Before, e.Again,
	)
}

var errCancelled = errors.New("the run was interrupted while its programs ran again")

var errJournal = &JournalError{"a journal that cannot be read", "one as a run with checkpoints writes it"}

// fill reads on if too few records are at hand for one of any length. At the end it reports false.
func (f *feed) fill() bool {
	const longest = 256 // bytes of a record
	if f.journal.world.cancelled.Load() {
		f.fail(errCancelled)
	}
	for len(f.records) < longest && f.more != nil {
		next, err := f.more()
		if err != nil {
			f.more = nil
			if !errors.Is(err, io.EOF) {
				f.fail(err)
			}
			break
		}
		f.records = append(f.records[:len(f.records):len(f.records)], next...)
	}
	return len(f.records) > 0 && f.err == nil
}

func (f *feed) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}

// isNext reports whether the next record is of a kind without numbers, and passes it if so.
func (f *feed) isNext(kind byte) bool {
	if !f.fill() || f.records[0] != kind {
		return false
	}
	f.records = f.records[1:]
	return true
}

// number reads a number.
func (f *feed) number() int64 {
	n, size := binary.Varint(f.records)
	if size <= 0 {
		f.fail(errJournal)
		f.records = nil
		return 0
	}
	f.records = f.records[size:]
	return n
}

// list reads so many numbers.
func (f *feed) list(to []int64, n int) []int64 {
	to = to[:0]
	for range n {
		to = append(to, f.number())
	}
	return to
}

// call compares a call of the program with the one in the journal, and reads what the program is
// told. If they differ, it panics, to end the program.
func (f *feed) call(kind byte, arguments []int64) {
	f.numbers[f.slot]++
	if f.err != nil {
		panic(f.err)
	}
	if !f.fill() {
		f.differ("nothing", describe(kind, arguments))
	}
	before := f.records[0]
	if before >= calls {
		f.differ("none, it was waiting or had ended", describe(kind, arguments))
	}
	f.records = f.records[1:]
	form := &callForms[before]
	f.given = f.list(f.given, len(form.arguments))
	f.told = f.list(f.told, form.results)
	if f.err != nil {
		panic(f.err)
	}
	same := before == kind && len(arguments) == len(f.given)
	for i := range f.given {
		same = same && f.given[i] == arguments[i]
	}
	if !same {
		f.differ(describe(before, f.given), describe(kind, arguments))
	}
}

// differ ends the run again of a program that does something else than before.
func (f *feed) differ(before, again string) {
	f.fail(&DivergedError{
		Rank: f.runs.rankAt(f.slot), Call: f.numbers[f.slot], Before: before, Again: again,
	})
	panic(f.err)
}

// describe describes a call.
func describe(kind byte, arguments []int64) string {
	form := &callForms[kind]
	if len(form.arguments) == 0 {
		return "a " + form.name
	}
	var parts []string
	for i, name := range form.arguments {
		switch {
		case i >= len(arguments):
		case name == "hash":
			parts = append(parts, fmt.Sprintf("%s %08x", name, uint32(arguments[i])))
		case arguments[i] != 0 || i == 0:
			parts = append(parts, fmt.Sprintf("%s %d", name, arguments[i]))
		}
	}
	return "a " + form.name + " (" + strings.Join(parts, ", ") + ")"
}

// keep notes where contents go that a buffer of the block stands for.
func (f *feed) keep(id uint32, data []byte, told *Told) {
	if id != 0 {
		f.live[id] = buffer{data: data, told: told}
	}
}

// takeBuffer removes a buffer, and returns it.
func (f *feed) takeBuffer(id uint32) buffer {
	b := f.live[id]
	delete(f.live, id)
	return b
}

// stow keeps contents that a program sends again to a rank.
func (f *feed) stow(data []byte, mark uint64, to int32) {
	f.journal.puts++
	c := contents{data: data, mark: mark, label: f.journal.label()}
	if f.across != nil && f.across.send(to, &c) {
		return
	}
	c.data = append([]byte(nil), data...)
	f.contents[c.label] = c
}

// take removes contents by the two numbers of their label, and returns them.
func (f *feed) take() contents {
	block, count := f.number(), f.number()
	if count == 0 {
		return contents{}
	}
	label := uint64(block)<<labelBits | uint64(count)
	c, ok := f.contents[label]
	if !ok {
		f.fail(errJournal)
	}
	delete(f.contents, label)
	return c
}

// same notes which number a combination has now. It also goes by the one that it had.
func (f *feed) same(before, now int64) {
	if f.combinations[before] != now {
		f.combinations[before] = now
		f.alias(before, now)
	}
}

// window returns the begin of the next window with records (ps); math.MaxInt64 if there is none.
func (f *feed) window() int64 {
	if !f.fill() {
		return math.MaxInt64
	}
	if f.records[0] != recWindow {
		return f.journal.window
	}
	n, _ := binary.Varint(f.records[1:])
	return f.journal.window + n
}

// pass feeds the programs with the records of a window.
func (f *feed) pass(window int64) {
	for f.fill() {
		kind := f.records[0]
		if kind == recWindow && f.window() != window {
			return
		}
		f.records = f.records[1:]
		switch kind {
		case recWindow:
			f.journal.window += f.number()
		case recResume:
			f.resume(int32(f.number()))
		default:
			f.memory(kind)
		}
	}
}

// resume lets the program of a slot go on.
func (f *feed) resume(slot int32) {
	if slot < 0 || int(slot) >= len(f.numbers) {
		f.fail(errJournal)
		return
	}
	f.slot = slot
	last, err := f.runs.again(slot)
	switch f.last = last; {
	case f.err != nil:
	case err != nil:
		f.fail(&RankError{Rank: f.runs.rankAt(slot), Err: err})
	case f.isNext(recEnded):
		f.runs.ended(slot)
		f.ended(last == Exit)
	case f.isNext(recReturned):
		f.ended(last != Exit)
	default:
		f.numbers[slot]++
		f.missing()
	}
}

// ended records an error unless the program has ended as it has before.
func (f *feed) ended(same bool) {
	if !same {
		f.numbers[f.slot]++
		f.fail(&DivergedError{
			Rank: f.runs.rankAt(f.slot), Call: f.numbers[f.slot],
			Before: "a wait or an end", Again: "the other",
		})
	}
}

// missing records that the program does not make the call that is next in the journal.
func (f *feed) missing() {
	before := "nothing"
	if f.fill() && f.records[0] < calls {
		kind := f.records[0]
		f.records = f.records[1:]
		before = describe(kind, f.list(f.given, len(callForms[kind].arguments)))
	}
	again := "none, it waits"
	if f.last == Exit {
		again = "none, it has ended"
	}
	f.fail(&DivergedError{
		Rank: f.runs.rankAt(f.slot), Call: f.numbers[f.slot], Before: before, Again: again,
	})
}

// memory does to the memory of programs what a record says.
func (f *feed) memory(kind byte) {
	switch kind {
	case recMet:
		b := f.takeBuffer(uint32(f.number()))
		copy(b.data, f.take().data)
	case recTold:
		b := f.takeBuffer(uint32(f.number()))
		c := f.take()
		f.told = f.list(f.told, envelope)
		copy(b.data, c.data)
		if b.told != nil {
			*b.told = Told{f.envelope(), c.mark}
		}
	case recAnswered:
		b := f.takeBuffer(uint32(f.number()))
		n := f.number()
		if b.told != nil {
			f.told = append(f.told[:0], 0, 0, n)
			b.told.Size = f.envelope().Size
		}
	case recDropped:
		f.take()
	case recPut, recFetched, recCombined, recChanged:
		f.place(kind)
	default:
		f.fail(errJournal)
	}
}

// place does to a part of a region what a record says.
func (f *feed) place(kind byte) {
	slot, region, first, length := f.number(), f.number(), f.number(), f.number()
	memory := f.regionOf(slot, region, first, length)
	switch kind {
	case recPut:
		copy(memory, f.take().data)
	case recFetched:
		number, to := f.number(), f.number()
		if len(memory) == 0 {
			return
		}
		if number != 0 {
			if x, ok := f.journal.world.combinations.of(number); ok && x.gather != nil {
				data := make([]byte, len(memory))
				x.gather(data, memory)
				memory = data
			}
		}
		f.stow(memory, 0, int32(to))
	case recCombined:
		data, number := f.take().data, f.number()
		if len(memory) == 0 || len(data) == 0 {
			return
		}
		x, ok := f.journal.world.combinations.of(number)
		if !ok {
			f.fail(errJournal)
			return
		}
		x.combine(memory, data)
	case recChanged:
		c, operand, compare := f.number(), f.number(), f.number()
		if len(memory) >= wordBytes {
			change(memory, Change(c), operand, compare)
		}
	}
}

// regionOf returns a part of a region; nil if it has no contents.
func (f *feed) regionOf(slot, number, first, length int64) []byte {
	if number == 0 {
		return nil
	}
	data, open := f.runs.memoryOf(int32(slot), number)
	if !open {
		f.fail(errJournal)
	}
	if data == nil {
		return nil
	}
	return data[first : first+length]
}

// envelope returns the message that a program is told of.
func (f *feed) envelope() Envelope {
	return Envelope{Source: int32(f.told[0]), Tag: int32(f.told[1]), Size: units.Bytes(f.told[2])}
}

// request returns the request that a program is told.
func (f *feed) request() Request { return Request{uint32(f.told[0])} }

// passAll feeds programs window by window, until nothing is left.
func (s *feeds) passAll(list []*feed) error {
	for {
		next := int64(math.MaxInt64)
		for _, f := range list {
			next = min(next, f.window())
			s.fail(f.err)
		}
		if s.across != nil {
			next = s.across.meet(s, next)
		}
		if s.err != nil || next == math.MaxInt64 {
			return s.err
		}
		for _, f := range list {
			if s.err == nil && f.window() == next {
				f.pass(next)
			}
			s.fail(f.err)
		}
	}
}
