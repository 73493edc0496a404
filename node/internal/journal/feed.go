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

// Feed is a journal with which the programs of a block are fed.
type Feed struct {
	*Feeds
	Journal *Journal
	Runs    runsAgain
	records []byte // read and not yet used
	More    func() ([]byte, error)
	Results []int64 // of the latest call
	given   []int64 // arguments of a call, as noted
	Live    map[uint32]core.Buffer
	Numbers []uint64   // calls so far, by slot
	slot    int32      // of the program that runs
	last    model.Kind // how it returned
	err     error
}

// runsAgain is a block whose programs run again.
type runsAgain interface {
	// rankAt returns the world rank in a slot.
	RankAt(slot int32) int
	// again has the program in a slot go on. It returns why the program returned, and its error if it
	// has failed.
	RunAgain(slot int32) (last model.Kind, err error)
	// ended releases a program that has returned for good.
	Ended(slot int32)
	// memoryOf returns the contents of a region of the rank in a slot, nil if it has none. It returns
	// false if there is no such region.
	MemoryOf(slot int32, region int64) (data []byte, open bool)
}

// Feeds is what the feeds of all blocks share.
type Feeds struct {
	Contents map[uint64]core.Contents // in flight to ranks of this process, by label
	// by the number that a combination had, the one that it has now
	Combinations map[int64]int64
	// alias makes a combination known in all processes by the number that it had before
	Alias  func(before, now int64)
	Across *feedsAcross // nil if there is one process
	Err    error
}

// fail keeps the first error.
func (s *Feeds) fail(err error) {
	if s.Err == nil {
		s.Err = err
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

var ErrJournal = &JournalError{"a journal that cannot be read", "one as a run with checkpoints writes it"}

// fill reads on if too few records are at hand for one of any length. At the end it reports false.
func (f *Feed) fill() bool {
	const longest = 256 // bytes of a record
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

// isNext reports whether the next record is of a kind without numbers, and passes it if so.
func (f *Feed) isNext(kind byte) bool {
	if !f.fill() || f.records[0] != kind {
		return false
	}
	f.records = f.records[1:]
	return true
}

// number reads a number.
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

// list reads so many numbers.
func (f *Feed) list(to []int64, n int) []int64 {
	to = to[:0]
	for range n {
		to = append(to, f.number())
	}
	return to
}

// call compares a call of the program with the one in the journal, and reads its
// results. If they differ, it panics, to end the program.
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

// differ ends the run again of a program that does something else than before.
func (f *Feed) differ(before, again string) {
	f.fail(&DivergedError{
		Rank: f.Runs.RankAt(f.slot), Call: f.Numbers[f.slot], Before: before, Again: again,
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

// Keep records where contents go that a buffer of the block stands for.
func (f *Feed) Keep(id uint32, data []byte, delivery *model.Delivery) {
	if id != 0 {
		f.Live[id] = core.Buffer{Data: data, Delivery: delivery}
	}
}

// TakeBuffer removes a buffer, and returns it.
func (f *Feed) TakeBuffer(id uint32) core.Buffer {
	b := f.Live[id]
	delete(f.Live, id)
	return b
}

// Stow keeps contents that a program sends again to a rank.
func (f *Feed) Stow(data []byte, mark uint64, to int32) {
	f.Journal.puts++
	c := core.Contents{Data: data, Mark: mark, Label: f.Journal.label()}
	if f.Across != nil && f.Across.send(to, &c) {
		return
	}
	c.Data = append([]byte(nil), data...)
	f.Contents[c.Label] = c
}

// take removes contents by the two numbers of their label, and returns them.
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

// Same records which number a combination has now. It also goes by the one that it had.
func (f *Feed) Same(before, now int64) {
	if f.Combinations[before] != now {
		f.Combinations[before] = now
		f.Alias(before, now)
	}
}

// window returns the begin of the next window with records (ps); math.MaxInt64 if there is none.
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

// pass feeds the programs with the records of a window.
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

// resume lets the program of a slot go on.
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

// Ended records an error unless the program has ended as it has before.
func (f *Feed) Ended(same bool) {
	if !same {
		f.Numbers[f.slot]++
		f.fail(&DivergedError{
			Rank: f.Runs.RankAt(f.slot), Call: f.Numbers[f.slot],
			Before: "a wait or an end", Again: "the other",
		})
	}
}

// missing records that the program does not make the call that is next in the journal.
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

// memory does to the memory of programs what a record says.
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

// place does to a part of a region what a record says.
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

// regionOf returns a part of a region; nil if it has no contents.
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

// Envelope returns the results of a call as the description of a message.
func (f *Feed) Envelope() model.Envelope {
	return model.Envelope{Source: int32(f.Results[0]), Tag: int32(f.Results[1]), Size: units.Bytes(f.Results[2])}
}

// Request returns the result of a call as a request.
func (f *Feed) Request() model.Request { return model.Request{ID: uint32(f.Results[0])} }

// PassAll feeds programs window by window, until nothing is left.
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
