package allprof_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast/trace"
	"fabricast/trace/allprof"
)

// ranks is the number of ranks of the traces in these tests.
const ranks = 4

// open writes text as the trace file of rank 1, and files of other ranks that contain only MPI_Init
// and MPI_Finalize.
func open(t interface {
	Helper()
	Fatal(...any)
}, dir, text string,
) (trace.Source, error) {
	t.Helper()
	for rank := range ranks {
		b := fmt.Sprintf(
			"# htor's PMPI Tracer 1 Output File\n# hostname: n%d.\n\nMPI_Init:-:1:2:1000\n",
			rank,
		)
		if rank == 1 {
			b += text
		}
		if rank != 1 || !strings.HasSuffix(text, "cut") {
			b += "MPI_Finalize:2000000:-\n"
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("pmpi-trace-rank-%d.txt", rank)), []byte(b), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return allprof.Open(dir)
}

// read returns the records of rank 1, without the computation before the last call. It copies the
// slices in them.
func read(s trace.Source) (list []trace.Record, err error) {
	stream, err := s.Open(1)
	if err != nil {
		return nil, err
	}
	for {
		var r trace.Record
		if err := stream.Next(&r); err != nil {
			if err == io.EOF {
				err = nil
			}
			return list, err
		}
		r.Requests, r.Call.Blocks = slices.Clone(r.Requests), slices.Clone(r.Call.Blocks)
		if r.Kind != trace.Compute {
			list = append(list, r)
		}
	}
}

func collective(o trace.Operation) trace.Record { return trace.Record{Kind: trace.Collective, Call: o} }

func message(kind trace.Kind, m trace.Message) trace.Record {
	return trace.Record{Kind: kind, Message: m}
}

// line returns the line of a call with the given name and arguments. It expands the letters for
// datatypes (I, D) and communicators (W, S, H) in the arguments.
func line(name, arguments string) string {
	arguments = strings.NewReplacer("I", "0,4,4", "D", "11,8,8", "W", "91,1,4", "S", "92,0,1", "H", "93,1,2").
		Replace(arguments)
	return "MPI_" + name + ":1500:" + arguments + ":1510\n"
}

// TestCalls reads every MPI call that is relevant to a replay.
func TestCalls(t *testing.T) {
	for text, want := range map[string][]trace.Record{
		line("Send", "77:5:D:2:7:W") + line("Ssend", " 77 : 5 : D : 2 : 7 : W "): {
			message(trace.Send, trace.Message{Peer: 2, Tag: 7, Size: 40}), message(trace.Send, trace.Message{Peer: 2, Tag: 7, Size: 40}),
		},
		line("Send", "77:5:D:-2:7:W"): nil,
		line("Recv", "77:5:D:-1:-1:W:99"): {
			message(trace.Receive, trace.Message{Receive: true, Peer: trace.Any, Tag: trace.Any, Size: 40}),
		},
		line("Send", "77:5:D:0:7:S"): {message(trace.Send, trace.Message{Peer: 1, Group: trace.Self, Tag: 7, Size: 40})},
		line("Send", "77:5:D:0:7:H"): {{Kind: trace.Skipped, Name: "MPI_Send in a communicator of some of the ranks, which the trace does not name"}},
		line("Irecv", "77:5:D:0:7:W:1000") + line("Isend", "77:5:D:0:7:W:1008") + line("Isend", "77:5:D:0:7:W:1016") +
			line("Waitall", "2:1000:0") + line("Wait", "1016:0") + line("Wait", "1016:0"): {
			message(trace.Start, trace.Message{Receive: true, Tag: 7, Size: 40, Request: 1000}),
			message(trace.Start, trace.Message{Tag: 7, Size: 40, Request: 1008}),
			message(trace.Start, trace.Message{Tag: 7, Size: 40, Request: 1016}),
			{Kind: trace.Wait, Requests: []uint64{1000, 1008}},
			{Kind: trace.Wait, Requests: []uint64{1016}},
		},
		line("Isend", "77:5:D:0:7:W:1000") + line("Isend", "77:5:D:0:7:W:1004") + line("Isend", "77:5:D:0:7:W:1008") + line("Waitall", "2:1000:0"): {
			message(trace.Start, trace.Message{Tag: 7, Size: 40, Request: 1000}),
			message(trace.Start, trace.Message{Tag: 7, Size: 40, Request: 1004}),
			message(trace.Start, trace.Message{Tag: 7, Size: 40, Request: 1008}),
			{Kind: trace.Wait, Requests: []uint64{1000, 1004}},
		},
		line("Send_init", "77:5:D:0:7:W:1000") + line("Recv_init", "77:5:D:0:7:W:1008") + line("Startall", "2:1000") +
			line("Waitall", "2:1000:0") + line("Start", "1008"): {
			message(trace.Start, trace.Message{Tag: 7, Size: 40, Request: 1000}),
			message(trace.Start, trace.Message{Receive: true, Tag: 7, Size: 40, Request: 1008}),
			{Kind: trace.Wait, Requests: []uint64{1000, 1008}},
			message(trace.Start, trace.Message{Receive: true, Tag: 7, Size: 40, Request: 1008}),
		},
		line("Sendrecv", "77:5:D:2:7:78:6:I:3:8:W:99") + line("Sendrecv", "77:5:D:-2:7:78:6:I:3:8:W:99") + line("Sendrecv_replace", "77:5:D:2:7:3:8:W:99"): {
			{Kind: trace.Exchange, Message: trace.Message{Peer: 2, Tag: 7, Size: 40}, Other: trace.Message{Receive: true, Peer: 3, Tag: 8, Size: 24}},
			message(trace.Receive, trace.Message{Receive: true, Peer: 3, Tag: 8, Size: 24}),
			{Kind: trace.Exchange, Message: trace.Message{Peer: 2, Tag: 7, Size: 40}, Other: trace.Message{Receive: true, Peer: 3, Tag: 8, Size: 40}},
		},
		line("Test", "1000:5:6"): {{Kind: trace.Skipped, Name: "MPI_Test, whose outcome the trace does not have"}},
		line("Barrier", "W") + line("Bcast", "7:10:I:2:W") + line("Gather", "7:10:I:8:11:I:2:W") + line("Gather", "7:-1:I:8:11:I:1:W") +
			line("Scatter", "7:10:I:8:11:I:2:W") + line("Scatter", "7:10:I:8:-1:I:1:W"): {
			collective(trace.Operation{}), collective(trace.Operation{Kind: trace.Broadcast, Size: 40, Root: 2}),
			collective(trace.Operation{Kind: trace.Gather, Size: 40, Root: 2}), collective(trace.Operation{Kind: trace.Gather, Size: 44, Root: 1}),
			collective(trace.Operation{Kind: trace.Scatter, Size: 44, Root: 2}), collective(trace.Operation{Kind: trace.Scatter, Size: 40, Root: 1}),
		},
		line("Allgather", "7:-1:I:8:11:I:W") + line("Alltoall", "7:-1:I:8:11:I:W") + line("Reduce", "7:8:3:I:2:1:W") + line("Allreduce", "7:8:3:I:2:W") +
			line("Scan", "7:8:3:I:2:W") + line("Exscan", "7:8:3:I:2:W") + line("Allreduce", "7:8:3:I:2:S"): {
			collective(trace.Operation{Kind: trace.Allgather, Size: 44}), collective(trace.Operation{Kind: trace.Alltoall, Size: 44}),
			collective(trace.Operation{Kind: trace.Reduce, Size: 12, Root: 1}), collective(trace.Operation{Kind: trace.Allreduce, Size: 12}),
			collective(trace.Operation{Kind: trace.Scan, Size: 12}), collective(trace.Operation{Kind: trace.Exscan, Size: 12}),
		},
		line("Gatherv", "7:10:I:8:9:1,2,3,4:9:0,0,0,0:I:2:W") + line("Gatherv", "7:10:I:8:9:1,2,3,4:9:0,0,0,0:I:1:W") +
			line("Scatterv", "7:9:1,2,3,4:9:0,0,0,0:I:8:10:I:2:W") + line("Scatterv", "7:9:1,2,3,4:9:0,0,0,0:I:8:10:I:1:W"): {
			collective(trace.Operation{Kind: trace.Gather, Uneven: true, Size: 40, Root: 2}), collective(trace.Operation{Kind: trace.Gather, Uneven: true, Size: 8, Root: 1}),
			collective(trace.Operation{Kind: trace.Scatter, Uneven: true, Size: 40, Root: 2}),
			collective(trace.Operation{Kind: trace.Scatter, Uneven: true, Blocks: []int64{4, 8, 12, 16}, Root: 1}),
		},
		line("Allgatherv", "7:-1:I:8:9:1,2,3,4:9:0,0,0,0:I:W") + line("Alltoallv", "7:9:1,2,3,4:9:0,0,0,0:I:8:9:5,6,7,8:9:0,0,0,0:D:W") +
			line("Reduce_scatter", "7:8:9:1,2,3,4:I:2:W"): {
			collective(trace.Operation{Kind: trace.Allgather, Uneven: true, Size: 8}),
			collective(trace.Operation{Kind: trace.Alltoall, Uneven: true, Blocks: []int64{4, 8, 12, 16}}),
			collective(trace.Operation{Kind: trace.ReduceScatter, Uneven: true, Blocks: []int64{4, 8, 12, 16}}),
		},
		line("Comm_rank", "W:5") + line("Type_commit", "9") + "# a comment\n\n": nil,
	} {
		s, err := open(t, t.TempDir(), text)
		if err != nil || s.Ranks() != ranks {
			t.Fatal(err)
		}
		if got, err := read(s); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v\n got %+v\nwant %+v", text, err, got, want)
		}
	}
}

// TestWrong checks the error messages for invalid lines.
func TestWrong(t *testing.T) {
	for text, want := range map[string]string{
		line("Send", "77:5:D:4:7:W"):                                      `rank-1.txt: line 5: MPI_Send: rank: found "4"`,
		line("Send", "77:5:D:2:-1:W"):                                     `line 5: MPI_Send: tag: found "-1"`,
		line("Send", "77:5:D:2:7"):                                        `line 5: MPI_Send: communicator: found "the end of the line"`,
		line("Send", "77:5:9:2:7:W"):                                      `line 5: MPI_Send: datatype: found "9"`,
		line("Send", "77:x:D:2:7:W"):                                      `line 5: MPI_Send: count: found "x"`,
		line("Send", "77:-5:D:2:7:W"):                                     `line 5: MPI_Send: count: found "-5"`,
		line("Send", "77:500000000000:D:2:7:W"):                           `line 5: MPI_Send: count: found "500000000000 elements of 8 bytes"`,
		line("Bcast", "7:10:I:4:W"):                                       `line 5: MPI_Bcast: root: found "4"`,
		line("Reduce_scatter", "7:8:9:1,2:I:2:W"):                         `line 5: MPI_Reduce_scatter: counts: found "2 of them"`,
		line("Waitall", "-1:8:9"):                                         `line 5: MPI_Waitall: count: found "-1"`,
		"MPI_Barrier:soon:91,1,4:2\n":                                     `line 5: MPI_Barrier: time: found "soon"`,
		"MPI_Barrier\n":                                                   `line 5: call: found "MPI_Barrier"`,
		line("Barrier", "W") + "MPI_Barrier:1:91,1,4:12cut":               `line 6: line: found "MPI_Barrier without an end of the line"`,
		line("Barrier", "W") + "# cut":                                    `line 7: call: found "the end of the file", expected MPI_Finalize`,
		line("Barrier", "W") + "MPI_Sendrecv_replace:1:1:2:3:4:5:6:7:8\n": `line 6: MPI_Sendrecv_replace: arguments: found "7", expected nine`,
	} {
		s, err := open(t, t.TempDir(), text)
		if err == nil {
			_, err = read(s)
		}
		var e *trace.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}

// TestTimes checks that the computation is the time between calls, for random times in microseconds
// with fractions.
func TestTimes(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		// ns; MPI_Init ended at 1 ms
		now, want, negative := int64(1_000_000), []int64(nil), int64(0)
		write := func(ns int64) string {
			switch rapid.IntRange(0, 1).Draw(t, "digits") {
			case 0:
				return fmt.Sprintf("%d.%03d000", ns/1000, ns%1000)
			default:
				return fmt.Sprintf("%d.%03d", ns/1000, ns%1000)
			}
		}
		for range rapid.IntRange(0, 20).Draw(t, "calls") {
			begin := now + rapid.Int64Range(-1000, 1<<40).Draw(t, "computation")
			end := begin + rapid.Int64Range(0, 1<<30).Draw(t, "duration")
			fmt.Fprintf(&text, "MPI_Comm_rank:%s:91,1,4:7:%s\n", write(begin), write(end))
			switch {
			case begin < now:
				negative++
			case begin > now:
				want = append(want, 1000*(begin-now))
			}
			now = max(now, end)
		}
		s, err := open(t, dir, text.String()+fmt.Sprintf("MPI_Finalize:%d:-\n# cut", (now+999)/1000))
		if err != nil {
			t.Fatal(err)
		}
		if d := (now+999)/1000*1000 - now; d > 0 {
			want = append(want, 1000*d)
		}
		stream, err := s.Open(1)
		if err != nil {
			t.Fatal(err)
		}
		var got []int64
		var r trace.Record
		for err = stream.Next(&r); err == nil; err = stream.Next(&r) {
			got = append(got, r.Duration)
		}
		if err != io.EOF || !slices.Equal(got, want) || stream.Faults().NegativeTimes != negative {
			t.Fatalf("%v, %v, %+v; want %v, %d", got, err, stream.Faults(), want, negative)
		}
	})
}

// FuzzCalls reads arbitrary text as a trace.
func FuzzCalls(f *testing.F) {
	f.Add(line("Sendrecv", "77:5:D:2:7:78:6:I:3:8:W:99") +
		line("Alltoallv", "7:9:1,2,3,4:9:0,0,0,0:I:8:9:5,6,7,8:9:0,0,0,0:D:W"))
	f.Add(line("Recv_init", "77:5:D:0:7:W:1008") + line("Startall", "2:1000") +
		line("Waitall", "2:1000:0") + line("Gatherv", "7:10:I:8:9:1,2,3,4:9:0,0,0,0:I:1:W"))
	f.Fuzz(func(t *testing.T, text string) {
		s, err := open(t, t.TempDir(), text)
		if err == nil {
			_, err = read(s)
		}
		var wrong *trace.Error
		if err != nil && !errors.As(err, &wrong) {
			t.Fatalf("%T: %v", err, err)
		}
	})
}

// BenchmarkRead reports the number of calls read per second.
func BenchmarkRead(b *testing.B) {
	const calls = 90_000
	s, err := open(
		b,
		b.TempDir(),
		strings.Repeat(
			line("Irecv", "77:5:D:0:7:W:1000")+line("Send", "77:5:D:2:7:W")+line("Wait", "1000:5"),
			calls/3,
		),
	)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		stream, err := s.Open(1)
		if err != nil {
			b.Fatal(err)
		}
		var r trace.Record
		for err == nil {
			err = stream.Next(&r)
		}
	}
	b.ReportMetric(float64(calls)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}
