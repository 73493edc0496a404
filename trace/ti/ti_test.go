package ti_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"fabricast/internal/input"
	"fabricast/trace"
	"fabricast/trace/ti"
)

// open writes text to a file and opens it as a trace of all ranks.
func open(t testing.TB, text string) (trace.Source, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "trace.txt")
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return ti.Open(name, trace.Options{Operations: trace.Rates{2e9}})
}

// read returns the records of a rank. It copies the slices in them.
func read(s trace.Source, rank int) (list []trace.Record, err error) {
	stream, err := s.Open(rank)
	if err != nil {
		return nil, err
	}
	for {
		var r trace.Record
		if err := stream.Next(&r); err == io.EOF {
			return list, nil
		} else if err != nil {
			return list, err
		}
		list = append(list, r)
	}
}

// collective returns a record of a collective.
func collective(o trace.Operation) trace.Record { return trace.Record{Kind: trace.Collective, Call: o} }

// message returns a record of a send or receive.
func message(kind trace.Kind, m trace.Message) trace.Record {
	return trace.Record{Kind: kind, Message: m}
}

// TestActions reads every kind of action, as rank 0 of 3.
func TestActions(t *testing.T) {
	const pre = "0 init\n1 init\n2 init\n"
	for text, want := range map[string][]trace.Record{
		"0 finalize\n0 comm_size 3\n0 comm_split\n0 comm_dup\n0 location x.c 7": nil,
		"# a comment\n\n0 compute 5e3":                                          {{Kind: trace.Compute, Duration: 2_500_000}},
		"0 sleep 0.25":                                                          {{Kind: trace.Compute, Duration: 250_000_000_000}},
		"0 compute -5":                                                          nil,
		"0 send 1 7 100":                                                        {message(trace.Send, trace.Message{Peer: 1, Tag: 7, Size: 100})},
		"0 send 1 7 100 0":                                                      {message(trace.Send, trace.Message{Peer: 1, Tag: 7, Size: 800})},
		"0 recv 2 -1 -1":                                                        {message(trace.Receive, trace.Message{Receive: true, Peer: 2, Tag: trace.Any, Size: 1 << 40})},
		"0 recv -1 3 5 1":                                                       {message(trace.Receive, trace.Message{Receive: true, Peer: trace.Any, Tag: 3, Size: 20})},
		"0 irecv 1 0 8\n0 isend 2 4 9\n0 isend 2 4 9\n0 wait 0 2 4\n0 waitall\n0 waitall\n0 wait 5 5 5": {
			message(trace.Start, trace.Message{Receive: true, Peer: 1, Size: 8, Request: 1}),
			message(trace.Start, trace.Message{Peer: 2, Tag: 4, Size: 9, Request: 2}),
			message(trace.Start, trace.Message{Peer: 2, Tag: 4, Size: 9, Request: 3}),
			{Kind: trace.Wait, Requests: []uint64{2}},
			{Kind: trace.Wait, Requests: []uint64{1, 3}},
		},
		// requests without a wait are waited for at the end
		"0 irecv 1 0 8\n0 test 1 0 0\n0 test 1 0 7": {
			message(trace.Start, trace.Message{Receive: true, Peer: 1, Size: 8, Request: 1}),
			message(trace.Test, trace.Message{Request: 1}),
			{Kind: trace.Wait, Requests: []uint64{1}},
		},
		"0 sendRecv 10 1 20 2 6 1": {{
			Kind: trace.Exchange, Message: trace.Message{Peer: 1, Size: 10}, Other: trace.Message{Receive: true, Peer: 2, Size: 80},
		}},
		"0 barrier":                       {collective(trace.Operation{})},
		"0 bcast 10":                      {collective(trace.Operation{Kind: trace.Broadcast, Size: 10})},
		"0 bcast 10 2 0":                  {collective(trace.Operation{Kind: trace.Broadcast, Size: 80, Root: 2})},
		"0 reduce 10 4e3 1 1":             {collective(trace.Operation{Kind: trace.Reduce, Size: 40, Root: 1}), {Kind: trace.Compute, Duration: 2_000_000}},
		"0 allreduce 10 4e3":              {collective(trace.Operation{Kind: trace.Allreduce, Size: 10}), {Kind: trace.Compute, Duration: 2_000_000}},
		"0 alltoall 5 5 0 0":              {collective(trace.Operation{Kind: trace.Alltoall, Size: 40})},
		"0 allgather 5 5":                 {collective(trace.Operation{Kind: trace.Allgather, Size: 5})},
		"0 gather 5 5 2 0 0":              {collective(trace.Operation{Kind: trace.Gather, Size: 40, Root: 2})},
		"0 scatter 5 6 1":                 {collective(trace.Operation{Kind: trace.Scatter, Size: 6, Root: 1})},
		"0 scan 5 0":                      {collective(trace.Operation{Kind: trace.Scan, Size: 5})},
		"0 exscan 5 2e3":                  {collective(trace.Operation{Kind: trace.Exscan, Size: 5}), {Kind: trace.Compute, Duration: 1_000_000}},
		"0 alltoallv 9 1 2 3 9 4 5 6":     {collective(trace.Operation{Kind: trace.Alltoall, Uneven: true, Blocks: []int64{1, 2, 3}})},
		"0 alltoallv 9 1 2 3 9 4 5 6 0 0": {collective(trace.Operation{Kind: trace.Alltoall, Uneven: true, Blocks: []int64{8, 16, 24}})},
		"0 gatherv 5 1 2 3 2":             {collective(trace.Operation{Kind: trace.Gather, Uneven: true, Size: 5, Root: 2})},
		"0 allgatherv 5 1 2 3":            {collective(trace.Operation{Kind: trace.Allgather, Uneven: true, Size: 5})},
		"0 scatterv 1 2 3 5 0":            {collective(trace.Operation{Kind: trace.Scatter, Uneven: true, Blocks: []int64{1, 2, 3}})},
		"0 scatterv 1 2 3 5 1":            {collective(trace.Operation{Kind: trace.Scatter, Uneven: true, Root: 1})},
		"0 reducescatter 1 2 3 2e3":       {collective(trace.Operation{Kind: trace.ReduceScatter, Uneven: true, Blocks: []int64{1, 2, 3}}), {Kind: trace.Compute, Duration: 1_000_000}},
	} {
		s, err := open(t, pre+text+"\n1 send 0 0 1\n")
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		got, err := read(s, 0)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
	}
}

// TestRates checks that computation rates are assigned to ranks round-robin.
func TestRates(t *testing.T) {
	name := filepath.Join(t.TempDir(), "trace.txt")
	text := "0 compute 1e6\n1 compute 1e6\n2 compute 1e6\n"
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := ti.Open(name, trace.Options{Operations: trace.Rates{1e9, 2e9}})
	if err != nil {
		t.Fatal(err)
	}
	for rank, want := range []int64{1_000_000_000, 500_000_000, 1_000_000_000} {
		if got, err := read(s, rank); err != nil || len(got) != 1 || got[0].Duration != want {
			t.Errorf("rank %d: %+v, %v; want %d ps", rank, got, err, want)
		}
	}
}

// TestDefaultType checks that an argument of init makes double the default datatype.
func TestDefaultType(t *testing.T) {
	s, err := open(t, "0 init 1\n0 bcast 3\n")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := read(s, 0); err != nil || got[0].Call.Size != 24 {
		t.Errorf("%+v, %v; want 24 bytes", got, err)
	}
}

// TestWrong checks the error messages for invalid lines.
func TestWrong(t *testing.T) {
	for line, want := range map[string]string{
		"0 sned 1 0 5":           `line 4: action: found "sned"`,
		"0":                      `line 4: action: found "0"`,
		"0 send 9 0 5":           `line 4: rank: found "9"`,
		"0 send x 0 5":           `line 4: rank: found "x"`,
		"0 send 1 0":             `line 4: count: found "0 send 1 0"`,
		"0 send 1 0 -5":          `line 4: count: found "-5"`,
		"0 send 1 0 9e12":        `line 4: count: found "9e12"`,
		"0 send 1 9e9 5":         `line 4: tag: found "9e9"`,
		"0 send 1 0 5 99":        `line 4: datatype: found "99"`,
		"0 compute much":         `line 4: operations: found "much"`,
		"0 compute NaN":          `line 4: operations: found "NaN"`,
		"0 bcast 5 -1":           `line 4: root: found "-1"`,
		"0 alltoallv 9 1 2 9":    `line 4: counts: found "0 alltoallv with 4 numbers"`,
		"zero send 1 0 5":        `line 4: rank: found "zero"`,
		"0 sleep 1e12":           `line 4: computation: found "1e12"`,
		"0 reducescatter 1 2 -3": `line 4: count: found "-3"`,
	} {
		s, err := open(t, "0 init\n1 init\n2 init\n"+line+"\n")
		if err == nil {
			_, err = read(s, 0)
		}
		var e *trace.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", line, err, want)
		}
	}
}

// TestFiles opens a trace of several files by the file that lists them and by their folder.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	list := "# ranks\n"
	for rank := range 11 {
		name := fmt.Sprintf("actions%d.txt", rank)
		list += name + "\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(fmt.Sprintf("%d init\n%d sleep %d\n", rank, rank, rank+1)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	index := filepath.Join(t.TempDir(), "index.txt")
	if err := os.WriteFile(index, []byte(strings.ReplaceAll(list, "actions", dir+"/actions")), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, index} {
		s, err := ti.Open(path, trace.Options{})
		if err != nil || s.Ranks() != 11 {
			t.Fatalf("%s: %v", path, err)
		}
		for rank := range 11 {
			if got, err := read(s, rank); err != nil || got[0].Duration != int64(rank+1)*1_000_000_000_000 {
				t.Errorf("%s, rank %d: %+v, %v", path, rank, got, err)
			}
		}
	}
	if err := os.Remove(filepath.Join(dir, "actions5.txt")); err != nil {
		t.Fatal(err)
	}
	if _, err := ti.Open(dir, trace.Options{}); err == nil ||
		!strings.Contains(err.Error(), "the file of rank 5") {
		t.Errorf("error %v of a folder without the file of rank 5", err)
	}
}

// FuzzActions reads arbitrary text as a trace.
func FuzzActions(f *testing.F) {
	for _, name := range []string{"actions_allreduce.txt", "actions_waitall.txt", "np32/ti_trace0.txt"} {
		text, err := os.ReadFile(filepath.Join("../testdata/ti", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(strings.Fields(text)) == 1 {
			return // a list of files
		}
		s, err := open(t, text)
		for rank := 0; err == nil && rank < min(s.Ranks(), 8); rank++ {
			_, err = read(s, rank)
		}
		var wrong *trace.Error
		var path *os.PathError
		var missing *input.Error // a file in a list of files
		if err != nil && !errors.As(err, &wrong) && !errors.As(err, &path) && !errors.As(err, &missing) {
			t.Fatalf("%T: %v", err, err)
		}
	})
}

// TestListsNameFilesFromHereOrBesideThem checks that file names in a list may be relative to the
// list or to the working directory.
func TestListsNameFilesFromHereOrBesideThem(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	for name, text := range map[string]string{
		"lists/a.txt": "beside.txt\nranks/here.txt\n", "lists/beside.txt": "0 compute 1e9\n",
		"ranks/here.txt": "1 compute 1e9\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	source, err := ti.Open(filepath.Join("lists", "a.txt"), trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for rank := range 2 {
		s, err := source.Open(rank)
		if err != nil {
			t.Fatal(err)
		}
		var r trace.Record
		if err := s.Next(&r); err != nil || r.Duration != 1e12 {
			t.Errorf("rank %d: %v, %+v", rank, err, r)
		}
	}
}
