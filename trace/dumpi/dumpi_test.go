package dumpi

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast/trace"
)

// read returns the records of a rank. It copies the slices in them.
func read(s trace.Source, rank int) (list []trace.Record, faults trace.Faults, err error) {
	stream, err := s.Open(rank)
	if err != nil {
		return nil, faults, err
	}
	for {
		var r trace.Record
		if err := stream.Next(&r); err != nil {
			if err == io.EOF {
				err = nil
			}
			return list, stream.Faults(), err
		}
		r.Requests, r.Call.Blocks = slices.Clone(r.Requests), slices.Clone(r.Call.Blocks)
		list = append(list, r)
	}
}

// single reads calls as those of rank 0 of 4, and omits computation. The user-defined datatype 28
// has 24 bytes.
func single(t testing.TB, calls func(w *writer)) ([]trace.Record, error) {
	t.Helper()
	w := &writer{}
	calls(w)
	empty := &writer{}
	sizes := make([]int32, 29)
	sizes[28] = 24
	s, err := Open(write(t, t.TempDir(), w.bytes(sizes...), empty.bytes(), empty.bytes(), empty.bytes()))
	if err != nil {
		return nil, err
	}
	list, _, err := read(s, 0)
	return list, err
}

const (
	world = uint16(commWorld)
	aInt  = uint16(9) // 4 bytes
)

// functions that return records
func collective(o trace.Operation) trace.Record { return trace.Record{Kind: trace.Collective, Call: o} }

func message(kind trace.Kind, m trace.Message) trace.Record {
	return trace.Record{Kind: kind, Message: m}
}

func waits(requests ...uint64) trace.Record {
	return trace.Record{Kind: trace.Wait, Requests: requests}
}

// TestCalls reads every MPI call that is relevant to a replay.
func TestCalls(t *testing.T) {
	one := []int32{1, 2, 3, 4}
	for _, c := range []struct {
		calls func(call func(f uint16, a ...any))
		want  []trace.Record
	}{
		{func(call func(uint16, ...any)) {
			for _, f := range []uint16{send, bsend, ssend, rsend} {
				call(f, int32(5), uint16(28), int32(2), int32(7), world)
			}
		}, slices.Repeat([]trace.Record{message(trace.Send, trace.Message{Peer: 2, Tag: 7, Size: 120})}, 4)},
		{func(call func(uint16, ...any)) {
			call(send, int32(5), uint16(28), int32(-2), int32(7), world) // to MPI_PROC_NULL
		}, nil},
		{func(call func(uint16, ...any)) {
			call(recv, int32(5), aInt, int32(2), int32(-1), world, []status32{})
			call(recv, int32(5), aInt, int32(-1), int32(-1), world, []status32{{source: 3, tag: 9}})
			call(recv, int32(5), aInt, int32(-1), int32(4), world, []status32{})
		}, []trace.Record{
			message(trace.Receive, trace.Message{Receive: true, Peer: 2, Tag: trace.Any, Size: 20}),
			message(trace.Receive, trace.Message{Receive: true, Peer: 3, Tag: 9, Size: 20}),
			message(trace.Receive, trace.Message{Receive: true, Peer: trace.Any, Tag: 4, Size: 20}),
		}},
		{func(call func(uint16, ...any)) {
			call(irecv, int32(1), aInt, int32(-1), int32(-1), world, int32(5))
			call(isend, int32(1), aInt, int32(1), int32(3), world, int32(6))
			call(test, int32(6), int32(0), []status32{})
			call(waitAll, int32(2), []int32{5, 6}, []status32{{source: 2, tag: 8}, {source: 77, tag: 88}})
		}, []trace.Record{
			message(trace.Start, trace.Message{Receive: true, Peer: 2, Tag: 8, Size: 4, Request: 5}),
			message(trace.Start, trace.Message{Peer: 1, Tag: 3, Size: 4, Request: 6}),
			waits(5, 6),
		}},
		{func(call func(uint16, ...any)) {
			call(waitAny, int32(2), []int32{5, 6}, int32(1), []status32{})
			call(testAny, int32(2), []int32{5, 6}, int32(1), int32(0), []status32{})
			call(testAny, int32(2), []int32{5, 6}, int32(0), int32(1), []status32{})
			call(testAll, int32(2), []int32{5, 6}, int32(0), []status32{})
			call(testAll, int32(2), []int32{5, 6}, int32(1), []status32{})
			call(waitSome, int32(3), []int32{5, 6, 7}, int32(2), []int32{0, 2}, []status32{})
			call(testSome, int32(3), []int32{5, 6, 7}, int32(0), []int32{}, []status32{})
			call(test, int32(4), int32(1), []status32{})
		}, []trace.Record{waits(6), waits(5), waits(5, 6), waits(5, 7), waits(4)}},
		{func(call func(uint16, ...any)) { // persistent requests
			call(recvInit, int32(1), aInt, int32(1), int32(2), world, int32(5))
			call(sendInit, int32(1), aInt, int32(1), int32(2), world, int32(6))
			call(startAll, int32(2), []int32{5, 6})
			call(start, int32(6))
		}, []trace.Record{
			message(trace.Start, trace.Message{Receive: true, Peer: 1, Tag: 2, Size: 4, Request: 5}),
			message(trace.Start, trace.Message{Peer: 1, Tag: 2, Size: 4, Request: 6}),
			message(trace.Start, trace.Message{Peer: 1, Tag: 2, Size: 4, Request: 6}),
		}},
		{func(call func(uint16, ...any)) { // cancelled receives
			call(irecv, int32(1), aInt, int32(-1), int32(-1), world, int32(5))
			call(cancel, int32(5))
			call(irecv, int32(1), aInt, int32(1), int32(0), world, int32(5))
			call(cancel, int32(5))
		}, []trace.Record{
			message(trace.Start, trace.Message{Receive: true, Peer: 1, Size: 4, Request: 5}),
			{Kind: trace.Skipped, Name: "MPI_Cancel"},
		}},
		{func(call func(uint16, ...any)) {
			call(sendrecv, int32(1), aInt, int32(1), int32(2), int32(3), aInt, int32(3), int32(4), world, []status32{})
			call(sendrecv, int32(1), aInt, int32(1), int32(2), int32(3), aInt, int32(-2), int32(4), world, []status32{})
			call(sendrecv, int32(1), aInt, int32(-2), int32(2), int32(3), aInt, int32(3), int32(4), world, []status32{})
			call(sendrecvReplace, int32(2), aInt, int32(1), int32(2), int32(3), int32(4), world, []status32{})
		}, []trace.Record{
			{Kind: trace.Exchange, Message: trace.Message{Peer: 1, Tag: 2, Size: 4}, Other: trace.Message{Receive: true, Peer: 3, Tag: 4, Size: 12}},
			message(trace.Send, trace.Message{Peer: 1, Tag: 2, Size: 4}),
			message(trace.Receive, trace.Message{Receive: true, Peer: 3, Tag: 4, Size: 12}),
			{Kind: trace.Exchange, Message: trace.Message{Peer: 1, Tag: 2, Size: 8}, Other: trace.Message{Receive: true, Peer: 3, Tag: 4, Size: 8}},
		}},
		{func(call func(uint16, ...any)) {
			call(52, world)
			call(53, int32(10), aInt, int32(2), world)
			call(54, int32(0), int32(10), aInt, int32(2), world)
			call(54, int32(0), int32(-9), aInt, int32(0), world, int32(7), aInt)
			call(55, int32(0), int32(4), int32(10), aInt, int32(2), world, aInt)
			call(55, int32(0), int32(4), int32(-9), aInt, int32(0), world, one, one, aInt)
			call(56, int32(0), int32(10), aInt, int32(2), world)
			call(56, int32(0), int32(-9), aInt, int32(0), world, int32(7), aInt)
			call(57, int32(0), int32(4), aInt, int32(10), aInt, int32(2), world)
			call(57, int32(0), int32(4), aInt, int32(10), aInt, int32(0), world, one, one)
			call(58, int32(-9), aInt, int32(3), aInt, world)
			call(59, int32(4), int32(-9), aInt, one, one, aInt, world)
			call(60, int32(-9), aInt, int32(3), aInt, world)
			call(61, int32(4), one, one, aInt, one, one, uint16(28), world)
			call(61, int32(4), []int32{}, []int32{}, aInt, one, one, uint16(28), world) // with MPI_IN_PLACE
			call(62, int32(3), aInt, uint8(3), int32(1), world)
			call(65, int32(3), aInt, uint8(3), world)
			call(66, int32(4), one, aInt, uint8(3), world)
			call(67, int32(3), aInt, uint8(3), world)
			call(155, int32(4), one, one, []uint16{9, 9, 28, 9}, one, one, []uint16{28, 28, 28, 28}, world)
			call(155, int32(4), []int32{}, []int32{}, []uint16{}, one, one, []uint16{9, 9, 9, 28}, world)
			call(156, int32(3), aInt, uint8(3), world)
			call(65, int32(3), aInt, uint8(3), uint16(commSelf))
		}, []trace.Record{
			collective(trace.Operation{}),
			collective(trace.Operation{Kind: trace.Broadcast, Size: 40, Root: 2}),
			collective(trace.Operation{Kind: trace.Gather, Size: 40, Root: 2}),
			collective(trace.Operation{Kind: trace.Gather, Size: 28}),
			collective(trace.Operation{Kind: trace.Gather, Size: 40, Root: 2, Uneven: true}),
			collective(trace.Operation{Kind: trace.Gather, Size: 4, Uneven: true}),
			collective(trace.Operation{Kind: trace.Scatter, Size: 40, Root: 2}),
			collective(trace.Operation{Kind: trace.Scatter, Size: 28}),
			collective(trace.Operation{Kind: trace.Scatter, Size: 40, Root: 2, Uneven: true}),
			collective(trace.Operation{Kind: trace.Scatter, Uneven: true, Blocks: []int64{4, 8, 12, 16}}),
			collective(trace.Operation{Kind: trace.Allgather, Size: 12}),
			collective(trace.Operation{Kind: trace.Allgather, Size: 4, Uneven: true}),
			collective(trace.Operation{Kind: trace.Alltoall, Size: 12}),
			collective(trace.Operation{Kind: trace.Alltoall, Uneven: true, Blocks: []int64{4, 8, 12, 16}}),
			collective(trace.Operation{Kind: trace.Alltoall, Uneven: true, Blocks: []int64{24, 48, 72, 96}}),
			collective(trace.Operation{Kind: trace.Reduce, Size: 12, Root: 1}),
			collective(trace.Operation{Kind: trace.Allreduce, Size: 12}),
			collective(trace.Operation{Kind: trace.ReduceScatter, Uneven: true, Blocks: []int64{4, 8, 12, 16}}),
			collective(trace.Operation{Kind: trace.Scan, Size: 12}),
			collective(trace.Operation{Kind: trace.Alltoall, Uneven: true, Blocks: []int64{4, 8, 72, 16}}),
			collective(trace.Operation{Kind: trace.Alltoall, Uneven: true, Blocks: []int64{4, 8, 12, 96}}),
			collective(trace.Operation{Kind: trace.Exscan, Size: 12}),
		}},
		{func(call func(uint16, ...any)) { // datatypes that are not in the section of datatype sizes
			call(35, int32(3), aInt, uint16(30))
			call(36, int32(2), int32(3), int32(100), uint16(30), uint16(31))
			call(38, int32(2), []int32{2, 3}, []int32{0, 9}, uint16(31), uint16(32))
			call(40, int32(2), []int32{2, 1}, []int32{0, 9}, []uint16{32, aInt}, uint16(33))
			for datatype := uint16(30); datatype <= 33; datatype++ {
				call(send, int32(1), datatype, int32(1), int32(0), world)
			}
		}, []trace.Record{
			message(trace.Send, trace.Message{Peer: 1, Size: 12}),
			message(trace.Send, trace.Message{Peer: 1, Size: 72}),
			message(trace.Send, trace.Message{Peer: 1, Size: 360}),
			message(trace.Send, trace.Message{Peer: 1, Size: 724}),
		}},
		{func(call func(uint16, ...any)) {
			call(functionEnter, uint64(0xabc))
			call(143, int32(1), aInt, int32(1), int32(0), int32(1), aInt, uint16(1))
			call(functionLeave, uint64(0xabd))
			call(send, int32(1), aInt, int32(1), int32(0), uint16(77))
		}, []trace.Record{
			{Kind: trace.Enter, Name: "work"},
			{Kind: trace.Skipped, Name: "MPI_Put"},
			{Kind: trace.Leave, Name: "function at 0xabd"},
			{Kind: trace.Skipped, Name: "MPI_Send in a communicator whose ranks are not known"},
		}},
	} {
		var last string
		got, err := single(t, func(w *writer) {
			c.calls(func(f uint16, a ...any) {
				last = functions[f].name
				w.call(f, 0, 1, a...)
			})
		})
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("up to %s: %v\n got %+v\nwant %+v", last, err, got, c.want)
		}
	}
}

// TestWrong checks the error messages for invalid calls.
func TestWrong(t *testing.T) {
	for want, calls := range map[string]func(w *writer){
		`app-0000.bin: byte 16: MPI_Send: rank: found 4`: func(w *writer) { w.call(send, 0, 0, int32(1), aInt, int32(4), int32(0), world) },
		`byte 16: MPI_Send: count: found -1`:             func(w *writer) { w.call(send, 0, 0, int32(-1), aInt, int32(1), int32(0), world) },
		`MPI_Send: count: found 1000 elements of 48000000000 bytes`: func(w *writer) {
			w.call(35, 0, 0, int32(2e9), uint16(28), uint16(30))
			w.call(send, 0, 0, int32(1000), uint16(30), int32(1), int32(0), world)
		},
		`byte 16: MPI_Send: datatype: found 29`:       func(w *writer) { w.call(send, 0, 0, int32(1), uint16(29), int32(1), int32(0), world) },
		`byte 16: MPI_Send: tag: found -1`:            func(w *writer) { w.call(send, 0, 0, int32(1), aInt, int32(1), int32(-1), world) },
		`MPI_Bcast: root: found 4`:                    func(w *writer) { w.call(53, 0, 0, int32(1), aInt, int32(4), world) },
		`MPI_Reduce_scatter: counts: found 2 of them`: func(w *writer) { w.call(66, 0, 0, int32(4), []int32{1, 2}, aInt, uint8(0), world) },
		`MPI_Waitsome: index: found 3`:                func(w *writer) { w.call(waitSome, 0, 0, int32(1), []int32{4}, int32(1), []int32{3}, []status32{}) },
		`function: found 290`:                         func(w *writer) { w.call(290, 0, 0) },
		`function: found 4660`:                        func(w *writer) { w.body = value(nil, uint16(0x1234)) },
		`footer: found 3 calls of MPI_Barrier, 0 of them not recorded, expected 1 recorded`: func(w *writer) { w.call(52, 0, 0, world); w.counts[52] = 3 },
		`footer: found 1 calls of MPI_Barrier, 1 of them not recorded, expected 1 recorded`: func(w *writer) { w.call(52, 0, 0, world); w.ignored[52] = 1 },
		`footer: found 0 calls of MPI_Barrier, 2 of them not recorded, expected 0 recorded`: func(w *writer) { w.ignored[52] = 2 },
		`body: found its end at byte 18`: func(w *writer) { w.body = value(nil, uint16(endOfStream), uint16(0)) },
	} {
		_, err := single(t, calls)
		var e *trace.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// TestEveryFunction reads calls of all functions with random arguments, up to the last byte of the
// body.
func TestEveryFunction(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		w := &writer{}
		var want []uint16
		for range rapid.IntRange(1, 40).Draw(t, "calls") {
			f := rapid.Uint16Range(0, endOfStream-1).Draw(t, "function")
			if functions[f].name == "" {
				continue
			}
			w.call(f, 0, 1, arbitrary(t, functions[f].args)...)
			want = append(want, f)
		}
		name := filepath.Join(dir, "app-0000.bin")
		if err := os.WriteFile(name, w.bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		l, err := readLayout(name)
		if err != nil {
			t.Fatal(err)
		}
		r := (&source{files: []string{name}}).records(0, l)
		for i := 0; ; i++ {
			more, err := r.next()
			switch {
			case err != nil:
				t.Fatal(err)
			case more && (i >= len(want) || r.record.function != want[i]):
				t.Fatalf("call %d: %d, want %v", i, r.record.function, want)
			case !more && i < len(want):
				t.Fatalf("%d calls, want %d", i, len(want))
			}
			if !more {
				return
			}
		}
	})
}

// TestTimes reads the computation between calls, with a wrap-around of the seconds and with times
// that decrease.
func TestTimes(t *testing.T) {
	const second = 1_000_000_000
	w := &writer{now: 65_530 * second}
	w.call(52, 0, 3*second, world)
	w.call(52, 10*second, second, world) // 65,543 s do not fit in 16 bits
	w.call(52, 7, 0, world)
	w.call(52, -second, second+5, world)
	dir := t.TempDir()
	s, err := Open(write(t, dir, w.bytes()))
	if err != nil {
		t.Fatal(err)
	}
	list, faults, err := read(s, 0)
	var got []int64
	for _, r := range list {
		if r.Kind == trace.Compute {
			got = append(got, r.Duration)
		}
	}
	want := []int64{10 * second * 1000, 7000}
	if err != nil || !slices.Equal(got, want) || faults.NegativeTimes != 1 {
		t.Errorf("computation %v, %+v, %v; want %v", got, faults, err, want)
	}
	stream, err := s.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	var r trace.Record
	for err == nil {
		err = stream.Next(&r)
	}
	if got := stream.Recorded(); got != 1000*(14*second+7+5) {
		t.Errorf("recorded %d ps", got)
	}
}
