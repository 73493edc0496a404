package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"fabricast/internal/units"
	"fabricast/node/internal/core"
	"fabricast/node/internal/model"
)

// Feed replays a journal: it feeds the programs of a block with its records.
type Feed struct {
	*Feeds
	Journal *Journal
	Runs    runsAgain
	records []byte // records read but not yet used
	More    func() ([]byte, error)
	Results []int64 // results of the latest call
	given   []int64 // recorded arguments of a call
	Live    map[uint32]core.Buffer
	Numbers []uint64   // number of calls so far, by slot
	slot    int32      // slot of the program that runs
	last    model.Kind // reason why the program returned
	err     error
}

// runsAgain is the interface to a block whose programs run again.
type runsAgain interface {
	// RankAt returns the world rank in a slot.
	RankAt(slot int32) int
	// RunAgain resumes the program in a slot. It returns the reason why the program returned, and
	// its error if it has failed.
	RunAgain(slot int32) (last model.Kind, err error)
	// Ended releases a program that has returned for good.
	Ended(slot int32)
	// MemoryOf returns the contents of a region of the rank in a slot; nil if the region has none.
	// open is false if there is no such region.
	MemoryOf(slot int32, region int64) (data []byte, open bool)
}

// Feeds is the state shared by the feeds of all blocks.
type Feeds struct {
	Contents map[uint64]core.Contents // contents in flight to ranks of this process, by label
	// Combinations maps former IDs of combinations to their present IDs.
	Combinations map[int64]int64
	// Alias makes a combination accessible under its former ID in all processes.
	Alias  func(before, now int64)
	Across *feedsAcross // nil for a single process
	Err    error
}

// fail records the first error.
func (s *Feeds) fail(err error) {
	if s.Err == nil {
		s.Err = err
	}
}

// JournalError reports an unusable journal.
type JournalError struct{ Found, Expected string }

func (e *JournalError) Error() string { return "found " + e.Found + ", expected " + e.Expected }

// DivergedError reports a program that, run again, does not make the calls that it made before.
type DivergedError struct {
	Rank   int
	Call   uint64 // index of the call at this rank, counted from 1
	Before string // the recorded call
	Again  string // the call made now
}

func (e *DivergedError) Error() string {
	return fmt.Sprintf(
		"the program does not do the same again: call %d of rank %d was %s, now it is %s",
		e.Call, e.Rank, e.Before, e.Again,
	)
}

var errCancelled = errors.New("the run was interrupted while its programs ran again")

var ErrJournal = &JournalError{"a journal that cannot be read", "one as a run with checkpoints writes it"}

// fill reads more records if the buffer might not hold a complete one. It returns false at the end
// of the journal.
func (f *Feed) fill() bool {
	const longest = 256 // maximum size of a record, in bytes
	if f.Journal.World.Cancelled.Load() {
		f.fail(errCancelled)
	}
	for len(f.records) < longest && f.More != nil {
		next, err := f.More()
		if err != nil {
			f.More = nil
			if !errors.Is(err, io.EOF) {
				f.fail(err)
			}
			break
		}
		f.records = append(f.records[:len(f.records):len(f.records)], next...)
	}
	return len(f.records) > 0 && f.err == nil
}

func (f *Feed) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}

// isNext reports whether the next record has the given kind, which must be one without numbers. If
// so, it consumes the record.
func (f *Feed) isNext(kind byte) bool {
	if !f.fill() || f.records[0] != kind {
		return false
	}
	f.records = f.records[1:]
	return true
}

// number reads one number.
func (f *Feed) number() int64 {
	n, size := binary.Varint(f.records)
	if size <= 0 {
		f.fail(ErrJournal)
		f.records = nil
		return 0
	}
	f.records = f.records[size:]
	return n
}

// list reads n numbers.
func (f *Feed) list(to []int64, n int) []int64 {
	to = to[:0]
	for range n {
		to = append(to, f.number())
	}
	return to
}

// call compares a call of the program with the one in the journal, and reads its results. If the
// calls differ, it panics, which ends the program.
func (f *Feed) call(kind byte, arguments []int64) {
	f.Numbers[f.slot]++
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
	f.Results = f.list(f.Results, form.results)
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

// differ ends the replay of a program that makes another call than before.
func (f *Feed) differ(before, again string) {
	f.fail(&DivergedError{
		Rank: f.Runs.RankAt(f.slot), Call: f.Numbers[f.slot], Before: before, Again: again,
	})
	panic(f.err)
}

// describe returns a description of a call.
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

// Keep records the destinations of a buffer of the block.
func (f *Feed) Keep(id uint32, data []byte, delivery *model.Delivery) {
	if id != 0 {
		f.Live[id] = core.Buffer{Data: data, Delivery: delivery}
	}
}

// TakeBuffer removes and returns a buffer.
func (f *Feed) TakeBuffer(id uint32) core.Buffer {
	b := f.Live[id]
	delete(f.Live, id)
	return b
}

// Stow stores contents that a program sends again to rank to.
func (f *Feed) Stow(data []byte, mark uint64, to int32) {
	f.Journal.puts++
	c := core.Contents{Data: data, Mark: mark, Label: f.Journal.label()}
	if f.Across != nil && f.Across.send(to, &c) {
		return
	}
	c.Data = append([]byte(nil), data...)
	f.Contents[c.Label] = c
}

// take reads the two numbers of a label, and removes and returns the contents with that label.
func (f *Feed) take() core.Contents {
	block, count := f.number(), f.number()
	if count == 0 {
		return core.Contents{}
	}
	label := uint64(block)<<labelBits | uint64(count)
	c, ok := f.Contents[label]
	if !ok {
		f.fail(ErrJournal)
	}
	delete(f.Contents, label)
	return c
}

// Same records the present ID of a combination, and makes it accessible under its former ID.
func (f *Feed) Same(before, now int64) {
	if f.Combinations[before] != now {
		f.Combinations[before] = now
		f.Alias(before, now)
	}
}

// window returns the start (ps) of the next window that has records; math.MaxInt64 if there is
// none.
func (f *Feed) window() int64 {
	if !f.fill() {
		return math.MaxInt64
	}
	if f.records[0] != recWindow {
		return f.Journal.Window
	}
	n, _ := binary.Varint(f.records[1:])
	return f.Journal.Window + n
}

// pass feeds the programs with the records of one window.
func (f *Feed) pass(window int64) {
	for f.fill() {
		kind := f.records[0]
		if kind == recWindow && f.window() != window {
			return
		}
		f.records = f.records[1:]
		switch kind {
		case recWindow:
			f.Journal.Window += f.number()
		case recResume:
			f.resume(int32(f.number()))
		default:
			f.memory(kind)
		}
	}
}

// resume resumes the program in a slot.
func (f *Feed) resume(slot int32) {
	if slot < 0 || int(slot) >= len(f.Numbers) {
		f.fail(ErrJournal)
		return
	}
	f.slot = slot
	last, err := f.Runs.RunAgain(slot)
	switch f.last = last; {
	case f.err != nil:
	case err != nil:
		f.fail(&core.RankError{Rank: f.Runs.RankAt(slot), Err: err})
	case f.isNext(recEnded):
		f.Runs.Ended(slot)
		f.Ended(last == model.Exit)
	case f.isNext(recReturned):
		f.Ended(last != model.Exit)
	default:
		f.Numbers[slot]++
		f.missing()
	}
}

// Ended records an error if the program has ended where it waited before, or vice versa.
func (f *Feed) Ended(same bool) {
	if !same {
		f.Numbers[f.slot]++
		f.fail(&DivergedError{
			Rank: f.Runs.RankAt(f.slot), Call: f.Numbers[f.slot],
			Before: "a wait or an end", Again: "the other",
		})
	}
}

// missing records an error for a program that does not make the next call in the journal.
func (f *Feed) missing() {
	before := "nothing"
	if f.fill() && f.records[0] < calls {
		kind := f.records[0]
		f.records = f.records[1:]
		before = describe(kind, f.list(f.given, len(callForms[kind].arguments)))
	}
	again := "none, it waits"
	if f.last == model.Exit {
		again = "none, it has ended"
	}
	f.fail(&DivergedError{
		Rank: f.Runs.RankAt(f.slot), Call: f.Numbers[f.slot], Before: before, Again: again,
	})
}

// memory applies a record that changes memory of programs.
func (f *Feed) memory(kind byte) {
	switch kind {
	case recMet:
		b := f.TakeBuffer(uint32(f.number()))
		copy(b.Data, f.take().Data)
	case recDescribed:
		b := f.TakeBuffer(uint32(f.number()))
		c := f.take()
		f.Results = f.list(f.Results, envelope)
		copy(b.Data, c.Data)
		if b.Delivery != nil {
			*b.Delivery = model.Delivery{Envelope: f.Envelope(), Mark: c.Mark}
		}
	case recAnswered:
		b := f.TakeBuffer(uint32(f.number()))
		n := f.number()
		if b.Delivery != nil {
			f.Results = append(f.Results[:0], 0, 0, n)
			b.Delivery.Size = f.Envelope().Size
		}
	case recDropped:
		f.take()
	case RecPut, RecFetched, RecCombined, RecChanged:
		f.place(kind)
	default:
		f.fail(ErrJournal)
	}
}

// place applies a record that concerns part of a region.
func (f *Feed) place(kind byte) {
	slot, region, first, length := f.number(), f.number(), f.number(), f.number()
	memory := f.regionOf(slot, region, first, length)
	switch kind {
	case RecPut:
		copy(memory, f.take().Data)
	case RecFetched:
		number, to := f.number(), f.number()
		if len(memory) == 0 {
			return
		}
		if number != 0 {
			if x, ok := f.Journal.World.Combinations.Of(number); ok && x.Gather != nil {
				data := make([]byte, len(memory))
				x.Gather(data, memory)
				memory = data
			}
		}
		f.Stow(memory, 0, int32(to))
	case RecCombined:
		data, number := f.take().Data, f.number()
		if len(memory) == 0 || len(data) == 0 {
			return
		}
		x, ok := f.Journal.World.Combinations.Of(number)
		if !ok {
			f.fail(ErrJournal)
			return
		}
		x.Combine(memory, data)
	case RecChanged:
		c, operand, compare := f.number(), f.number(), f.number()
		if len(memory) >= core.WordBytes {
			core.ChangeWord(memory, model.Change(c), operand, compare)
		}
	}
}

// regionOf returns part of a region; nil if the region has no contents.
func (f *Feed) regionOf(slot, number, first, length int64) []byte {
	if number == 0 {
		return nil
	}
	data, open := f.Runs.MemoryOf(int32(slot), number)
	if !open {
		f.fail(ErrJournal)
	}
	if data == nil {
		return nil
	}
	return data[first : first+length]
}

// Envelope returns the results of a call as an envelope.
func (f *Feed) Envelope() model.Envelope {
	return model.Envelope{Source: int32(f.Results[0]), Tag: int32(f.Results[1]), Size: units.Bytes(f.Results[2])}
}

// Request returns the result of a call as a request.
func (f *Feed) Request() model.Request { return model.Request{ID: uint32(f.Results[0])} }

// PassAll feeds the programs window by window, until the journals are used up.
func (s *Feeds) PassAll(list []*Feed) error {
	for {
		next := int64(math.MaxInt64)
		for _, f := range list {
			next = min(next, f.window())
			s.fail(f.err)
		}
		if s.Across != nil {
			next = s.Across.meet(s, next)
		}
		if s.Err != nil || next == math.MaxInt64 {
			return s.Err
		}
		for _, f := range list {
			if s.Err == nil && f.window() == next {
				f.pass(next)
			}
			s.fail(f.err)
		}
	}
}
