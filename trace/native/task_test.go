package native_test

import (
	"io"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"fabricast/trace"
	"fabricast/trace/native"
)

// drain reads all records or tasks of a rank.
func drain(t trace.Trace, rank int) error {
	if g, tasks := t.(trace.Graph); tasks {
		stream, err := g.OpenTasks(rank)
		var task trace.Task
		for err == nil {
			err = stream.Next(&task)
		}
		return err
	}
	stream, err := t.(trace.Source).Open(rank)
	var r trace.Record
	for err == nil {
		err = stream.Next(&r)
	}
	return err
}

// tasksToDamage returns the contents of a trace file with tasks of all kinds.
func tasksToDamage(t testing.TB) []byte {
	path := filepath.Join(t.TempDir(), "tasks.fbt")
	w, err := native.Create(path, t.TempDir(), 2)
	if err != nil {
		t.Fatal(err)
	}
	for rank := range 2 {
		for _, task := range []trace.Task{
			{Duration: 900, Lane: 1, Sends: []trace.OffsetSend{{Offset: 7, Message: trace.Message{Peer: 1, Size: 9}}}, Name: "a"},
			{Kind: trace.TaskSend, Message: trace.Message{Peer: 1, Size: 3}, NIC: 1, After: []int64{0}, Before: []int64{2}},
			{Kind: trace.TaskReceive, Message: trace.Message{Receive: true, Peer: trace.Any}, Started: []int64{0}, Awaits: 1},
			{Kind: trace.TaskCollective, Call: trace.Operation{Kind: trace.Alltoall, Uneven: true, Blocks: []int64{1, 2}}},
			{Kind: trace.TaskNothing, Skipped: "b", BeforeAt: []int64{5}},
		} {
			w.Rank(rank).WriteTask(&task)
		}
	}
	if err := w.Close([][]int32{nil}, 1); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// drawTask draws a task and sets the fields that are used for its kind.
func drawTask(t *rapid.T, ranks int) (k trace.Task) {
	number, small := rapid.Int64Range(0, 1<<40), rapid.Int32Range(0, 1<<31-1)
	numbers := rapid.SliceOfN(number, 0, 3)
	message := func(receives bool) trace.Message {
		m := trace.Message{
			Receive: receives, Peer: rapid.Int32Range(0, int32(ranks)-1).Draw(t, "peer"),
			Tag: rapid.Int32().Draw(t, "tag"), Group: rapid.Int32Range(-1, 1).Draw(t, "group"),
			Size: number.Draw(t, "size"),
		}
		if receives && rapid.Bool().Draw(t, "any") {
			m.Peer = trace.Any
		}
		return m
	}
	k.Kind = trace.TaskKind(rapid.IntRange(0, int(trace.TaskNothing)).Draw(t, "kind"))
	switch k.Kind {
	case trace.TaskCompute:
		k.Duration, k.Lane = number.Draw(t, "duration"), small.Draw(t, "lane")
		for at := int64(0); rapid.Bool().Draw(t, "sends"); {
			at = rapid.Int64Range(at, k.Duration).Draw(t, "offset")
			k.Sends = append(k.Sends, trace.OffsetSend{Offset: at, Message: message(false)})
		}
	case trace.TaskSend:
		k.Message, k.NIC = message(false), small.Draw(t, "nic")
	case trace.TaskReceive:
		k.Message = message(true)
	case trace.TaskCollective:
		k.Call = trace.Operation{
			Kind:   trace.CollectiveKind(rapid.IntRange(0, int(trace.Exscan)).Draw(t, "call")),
			Size:   number.Draw(t, "size"),
			Uneven: rapid.Bool().Draw(t, "uneven"),
		}
		if rapid.Bool().Draw(t, "blocks") {
			k.Call.Blocks = rapid.SliceOfN(number, ranks, ranks).Draw(t, "blocks")
		}
	case trace.TaskNothing:
		k.Skipped = rapid.String().Draw(t, "skipped")
	}
	k.Name, k.Awaits = rapid.String().Draw(t, "name"), int64(small.Draw(t, "awaits"))
	k.After, k.Started = numbers.Draw(t, "after"), numbers.Draw(t, "started")
	k.Before, k.BeforeAt = numbers.Draw(t, "before"), numbers.Draw(t, "beforeAt")
	return k
}

// TestTasks checks that written tasks are read unchanged. Empty slices may be nil.
func TestTasks(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		ranks := rapid.IntRange(1, 3).Draw(t, "ranks")
		path := filepath.Join(folder, "x.fbt")
		w, err := native.Create(path, folder, ranks)
		if err != nil {
			t.Fatal(err)
		}
		want := make([][]trace.Task, ranks)
		for range rapid.IntRange(1, 30).Draw(t, "tasks") {
			rank := rapid.IntRange(0, ranks-1).Draw(t, "rank")
			k := drawTask(t, ranks)
			want[rank] = append(want[rank], k)
			w.Rank(rank).WriteTask(&k)
		}
		if err := w.Close([][]int32{nil, nil}, 1); err != nil {
			t.Fatal(err)
		}
		opened, err := native.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		for rank := range ranks {
			stream, err := opened.(trace.Graph).OpenTasks(rank)
			if err != nil {
				t.Fatal(err)
			}
			var got trace.Task
			for n := range want[rank] {
				if err := stream.Next(&got); err != nil {
					t.Fatalf("rank %d, task %d: %v", rank, n, err)
				}
				if !reflect.DeepEqual(withoutEmpty(got), withoutEmpty(want[rank][n])) {
					t.Fatalf("rank %d, task %d: %+v, want %+v", rank, n, got, want[rank][n])
				}
			}
			if err := stream.Next(&got); err != io.EOF {
				t.Fatalf("rank %d: %v", rank, err)
			}
		}
	})
}

// withoutEmpty replaces empty slices of the task by nil.
func withoutEmpty(k trace.Task) trace.Task {
	for _, list := range []*[]int64{&k.After, &k.Started, &k.Before, &k.BeforeAt, &k.Call.Blocks} {
		if len(*list) == 0 {
			*list = nil
		}
	}
	if len(k.Sends) == 0 {
		k.Sends = nil
	}
	return k
}
