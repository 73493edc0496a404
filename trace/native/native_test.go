package native_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"fabricast/trace"
	"fabricast/trace/native"
)

// drawRecord draws a record and sets the fields that are used for its kind.
func drawRecord(t *rapid.T, ranks, groups int) (r trace.Record) {
	r.Kind = trace.Kind(rapid.IntRange(0, int(trace.LastKind)).Draw(t, "kind"))
	number := rapid.Int64Range(0, 1<<62)
	id := rapid.Uint64()
	message := func() trace.Message {
		m := trace.Message{
			Receive: r.Kind != trace.Put && r.Kind != trace.Get && rapid.Bool().
				Draw(t, "receive"),
			Peer: rapid.Int32Range(0, int32(ranks)-1).Draw(t, "peer"), Tag: rapid.Int32().Draw(t, "tag"),
			Group: rapid.Int32Range(-1, int32(groups)-1).
				Draw(t, "group"),
			Size: number.Draw(t, "size"), Request: id.Draw(t, "request"),
		}
		if m.Receive && rapid.Bool().Draw(t, "any") {
			m.Peer = trace.Any
		}
		if rapid.Bool().Draw(t, "options") {
			m.Options = trace.MessageOptions{
				Context:  1,
				Protocol: 2,
				Copies:   1,
				NIC:      rapid.Int32Range(0, 9).Draw(t, "nic"),
				Gap:      rapid.Uint32().Draw(t, "gap"),
			}
		}
		return m
	}
	switch r.Kind {
	case trace.Compute, trace.Software:
		r.Duration = number.Draw(t, "duration")
	case trace.Beside:
		r.Duration, r.Message.Request = number.Draw(t, "duration"), id.Draw(t, "request")
	case trace.Send, trace.Receive, trace.Start, trace.Probe, trace.Put, trace.Get:
		r.Message = message()
	case trace.Exchange:
		r.Message, r.Other = message(), message()
	case trace.Wait:
		r.Requests = rapid.SliceOfN(id, 1, 9).Draw(t, "requests")
	case trace.Cancel, trace.Test:
		r.Message.Request = id.Draw(t, "request")
	case trace.Collective:
		r.Call = trace.Operation{
			Kind:   trace.CollectiveKind(rapid.IntRange(0, int(trace.Exscan)).Draw(t, "call")),
			Size:   number.Draw(t, "size"),
			Uneven: rapid.Bool().Draw(t, "uneven"),
		}
		if rapid.Bool().Draw(t, "blocks") {
			r.Call.Blocks = rapid.SliceOfN(number, ranks, ranks).Draw(t, "blocks")
		}
	default:
		r.Name = rapid.String().Draw(t, "name")
	}
	return r
}

// TestRoundTrip checks that written records are read unchanged.
func TestRoundTrip(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		ranks := rapid.IntRange(1, 4).Draw(t, "ranks")
		groups := [][]int32{nil, {0}}
		want := make([][]trace.Record, ranks)
		path := filepath.Join(folder, "x.fbt")
		w, err := native.Create(path, folder, ranks)
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(0, 40).Draw(t, "records") {
			rank := rapid.IntRange(0, ranks-1).Draw(t, "rank")
			r := drawRecord(t, ranks, len(groups))
			want[rank] = append(want[rank], r)
			w.Rank(rank).Write(&r)
		}
		if err := w.Close(groups, 2.5); err != nil {
			t.Fatal(err)
		}
		opened, err := native.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		s := opened.(*native.Source)
		if s.Ranks() != ranks || !reflect.DeepEqual(s.Groups(), groups) || s.ComputeFactor() != 2.5 {
			t.Fatalf("%d ranks, groups %v, factor %v", s.Ranks(), s.Groups(), s.ComputeFactor())
		}
		for rank := range ranks {
			var got []trace.Record
			stream, err := s.Open(rank)
			for err == nil {
				var r trace.Record
				if err = stream.Next(&r); err == nil {
					got = append(got, r)
				}
			}
			if err != io.EOF || !reflect.DeepEqual(got, want[rank]) {
				t.Fatalf("rank %d: %v\n%+v, want\n%+v", rank, err, got, want[rank])
			}
		}
	})
	if left, _ := filepath.Glob(filepath.Join(folder, ".trace-*")); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// TestCutOff reads truncated files. Each rank must yield its records before the end of the file,
// and then an error that reports the truncation.
func TestCutOff(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "x.fbt")
	const ranks, records = 3, 40
	w, err := native.Create(path, folder, ranks)
	if err != nil {
		t.Fatal(err)
	}
	for i := range ranks * records {
		w.Rank(i % ranks).Write(&trace.Record{Kind: trace.Compute, Duration: int64(i)})
	}
	if err := w.Close([][]int32{nil}, 1); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	most := 0
	for length := range whole {
		if err := os.WriteFile(path, whole[:length], 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := native.Open(path)
		if err != nil {
			if most > 0 {
				t.Fatalf("%d of %d bytes: %v", length, len(whole), err)
			}
			continue
		}
		read := 0
		for rank := range ranks {
			stream, err := s.(*native.Source).Open(rank)
			r := trace.Record{}
			for n := 0; err == nil; n++ {
				if err = stream.Next(&r); err == nil {
					if read++; r.Kind != trace.Compute || r.Duration != int64(n*ranks+rank) {
						t.Fatalf("%d bytes: rank %d, record %d: %+v", length, rank, n, r)
					}
				}
			}
			var damage *trace.Error
			if err != io.EOF && (!errors.As(err, &damage) || damage.Found != "the end of the file") {
				t.Fatalf("%d bytes: rank %d: %v", length, rank, err)
			}
		}
		if read < most || read >= ranks*records {
			t.Fatalf("%d of %d bytes have %d records, fewer bytes %d", length, len(whole), read, most)
		}
		most = read
	}
	if most < ranks*records-1 {
		t.Errorf("all bytes but one have %d records", most)
	}
}

// FuzzOpen reads damaged files. Damage must be reported as an error that states the offset.
func FuzzOpen(f *testing.F) {
	folder := f.TempDir()
	path := filepath.Join(folder, "seed.fbt")
	w, err := native.Create(path, folder, 2)
	if err != nil {
		f.Fatal(err)
	}
	for rank := range 2 {
		for _, r := range []trace.Record{
			{Kind: trace.Compute, Duration: 1000},
			{Kind: trace.Start, Message: trace.Message{Peer: 1, Size: 9, Request: 1}},
			{Kind: trace.Wait, Requests: []uint64{1}},
			{Kind: trace.Enter, Name: "region"},
			{Kind: trace.Collective, Call: trace.Operation{Kind: trace.Alltoall, Uneven: true, Blocks: []int64{1, 2}}},
		} {
			w.Rank(rank).Write(&r)
		}
	}
	if err := w.Close([][]int32{nil, {1, 0}}, 1); err != nil {
		f.Fatal(err)
	}
	records, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range [][]byte{records, tasksToDamage(f)} {
		f.Add(seed)
		for i := range seed {
			damaged := append([]byte(nil), seed...)
			damaged[i] ^= 0x55
			f.Add(damaged)
			f.Add(seed[:i])
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "x.fbt")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := native.Open(path)
		var damage *trace.Error
		if err != nil {
			if !errors.As(err, &damage) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		for rank := range s.Ranks() {
			if err := drain(s, rank); err != io.EOF && !errors.As(err, &damage) {
				t.Fatalf("rank %d: %T: %v", rank, err, err)
			}
		}
	})
}
