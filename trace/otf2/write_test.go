package otf2_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast/trace"
	"fabricast/trace/otf2"
)

// program draws random records of a rank: all kinds of records that an archive can represent.
type program struct {
	t       *rapid.T
	rank    int32
	groups  [][]int32
	ranks   int
	open    []trace.Message
	next    uint64
	records []trace.Record
}

// group draws a group that contains the rank, and another rank in it.
func (p *program) group() (group, peer int32) {
	group = rapid.Int32Range(-1, int32(len(p.groups))-1).Draw(p.t, "group")
	switch {
	case group == trace.Self:
		return group, p.rank
	case p.groups[group] == nil:
		return group, rapid.Int32Range(0, int32(p.ranks)-1).Draw(p.t, "peer")
	}
	return group, rapid.SampledFrom(p.groups[group]).Draw(p.t, "peer")
}

// message draws a send or receive. A receive may have any source, any tag and an unknown size.
func (p *program) message(receive bool) (m trace.Message) {
	m.Receive = receive
	m.Group, m.Peer = p.group()
	m.Tag = rapid.Int32Min(0).Draw(p.t, "tag")
	m.Size = rapid.Int64Range(0, 1<<40).Draw(p.t, "size")
	if receive && rapid.Bool().Draw(p.t, "any source") {
		m.Peer = trace.Any
	}
	if receive && rapid.Bool().Draw(p.t, "any tag") {
		m.Tag = trace.Any
	}
	return m
}

// request removes and returns an open nonblocking send or receive, if there is one.
func (p *program) request() (m trace.Message, found bool) {
	if len(p.open) == 0 {
		return m, false
	}
	i := rapid.IntRange(0, len(p.open)-1).Draw(p.t, "which")
	m = p.open[i]
	p.open = append(p.open[:i:i], p.open[i+1:]...)
	return m, true
}

// step draws a record.
func (p *program) step() {
	duration := rapid.Int64Range(0, 1<<rapid.IntRange(0, 50).Draw(p.t, "bits"))
	r := trace.Record{Kind: trace.Kind(rapid.IntRange(0, int(trace.LastKind)).Draw(p.t, "kind"))}
	switch r.Kind {
	case trace.Compute, trace.Software:
		r.Duration = duration.Draw(p.t, "duration")
	case trace.Send, trace.Receive:
		r.Message = p.message(r.Kind == trace.Receive)
	case trace.Exchange:
		r.Message, r.Other = p.message(false), p.message(true)
	case trace.Probe:
		r.Message = p.message(true)
	case trace.Start:
		r.Message = p.message(rapid.Bool().Draw(p.t, "receive"))
		most := 1
		if r.Message.Receive {
			most = 3
		}
		r.Message.Options.Context = uint8(rapid.IntRange(0, most).Draw(p.t, "context"))
		if !r.Message.Receive && rapid.Bool().Draw(p.t, "options") {
			o := &r.Message.Options
			o.Protocol, o.Copies = 2, 1
			o.NIC, o.Gap = rapid.Int32Range(0, 9).Draw(p.t, "nic"), rapid.Uint32().Draw(p.t, "gap")
		}
		p.next += rapid.Uint64Range(1, 1<<40).Draw(p.t, "request")
		r.Message.Request = p.next
		p.open = append(p.open, r.Message)
	case trace.Put, trace.Get:
		p.access(&r)
	case trace.Beside:
		p.next++
		r.Duration, r.Message.Request = duration.Draw(p.t, "duration"), p.next
		p.open = append(p.open, r.Message)
	case trace.Wait:
		for m, found := p.request(); found; m, found = p.request() {
			r.Requests = append(r.Requests, m.Request)
			if rapid.IntRange(0, 2).Draw(p.t, "more") == 0 {
				break
			}
		}
		if r.Requests == nil {
			return
		}
	case trace.Cancel:
		m, found := p.request()
		if !found || !m.Receive {
			return
		}
		r.Message.Request = m.Request
	case trace.Collective:
		p.collective(&r)
	case trace.Test: // not supported by archives
		return
	default:
		r.Name = rapid.StringMatching("[a-zA-Z: é_]{0,300}").Draw(p.t, "name")
	}
	p.records = append(p.records, r)
}

// access draws a put or get.
func (p *program) access(r *trace.Record) {
	m := &r.Message
	m.Peer, m.Tag = rapid.Int32Range(0, int32(p.ranks)-1).Draw(p.t, "peer"), trace.NoTag
	m.Size = rapid.Int64Range(0, 1<<40).Draw(p.t, "size")
	m.Options.NIC, m.Options.Gap = rapid.Int32Range(0, 9).Draw(p.t, "nic"), rapid.Uint32().Draw(p.t, "gap")
	if rapid.Bool().Draw(p.t, "waited for") || r.Kind == trace.Get {
		p.next++
		m.Request = p.next
		p.open = append(p.open, *m)
	}
	if r.Kind == trace.Put {
		m.Group, m.Peer = p.group()
		m.Options.Context = uint8(rapid.IntRange(2, 3).Draw(p.t, "context"))
		m.Tag = rapid.Int32Min(-1).Draw(p.t, "tag")
	}
}

// collective draws a collective of a group that contains the rank, in a form that some trace format
// can contain.
func (p *program) collective(r *trace.Record) {
	o := &r.Call
	o.Kind = trace.CollectiveKind(rapid.IntRange(0, int(trace.Exscan)).Draw(p.t, "collective"))
	n := p.ranks
	if o.Group, _ = p.group(); o.Group == trace.Self {
		o.Group = 0
	}
	if list := p.groups[o.Group]; list != nil {
		n = len(list)
	}
	switch o.Kind {
	case trace.Broadcast, trace.Gather, trace.Scatter, trace.Reduce:
		o.Root = rapid.Int32Range(0, int32(n)-1).Draw(p.t, "root")
	}
	switch o.Kind {
	case trace.Gather, trace.Scatter, trace.Allgather, trace.Alltoall, trace.ReduceScatter:
		o.Uneven = rapid.Bool().Draw(p.t, "uneven")
		if o.Uneven && rapid.Bool().Draw(p.t, "blocks") {
			o.Blocks = rapid.SliceOfN(rapid.Int64Range(0, 1<<40), n, n).Draw(p.t, "sizes")
		}
	}
	if o.Kind != trace.Barrier {
		o.Size = rapid.Int64Range(0, 1<<40).Draw(p.t, "size")
	}
}

// printed runs otf2-print, which must not report an error, and counts the events by kind.
func printed(t interface {
	Helper()
	Fatalf(string, ...any)
}, archive string,
) (kinds map[string]int64, events int64) {
	t.Helper()
	cmd := exec.Command("otf2-print", filepath.Join(archive, otf2.AnchorName))
	var out, wrong bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &wrong
	if err := cmd.Run(); err != nil || wrong.Len() > 0 {
		t.Fatalf("otf2-print (Debian: otf2-tools): %v\n%s", err, wrong.String())
	}
	kinds = map[string]int64{}
	for line := range strings.Lines(out.String()) {
		words := strings.Fields(line)
		if len(words) > 2 && strings.Trim(words[1]+words[2], "0123456789") == "" {
			kinds[words[0]]++
			events++
		}
	}
	return kinds, events
}

// completed converts records to the form that a reader yields: it removes computations of zero
// duration and merges consecutive computations.
func completed(records []trace.Record) (list []trace.Record) {
	for _, r := range records {
		if r.Kind == trace.Compute && r.Duration == 0 {
			continue
		}
		list = append(list, r)
	}
	return merged(list)
}

// TestWrite writes random records of all kinds. The OTF2 library must read the same events without
// an error, and the reader must return the same records.
func TestWrite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranks := rapid.IntRange(1, 4).Draw(t, "ranks")
		all, even := []int32{}, []int32{}
		for r := ranks - 1; r >= 0; r-- {
			all = append(all, int32(r))
			even = append(even, int32(r))
		}
		groups := [][]int32{nil, nil}
		if ranks > 1 {
			groups = append(groups, all, even)
		}
		dir, err := os.MkdirTemp("", "otf2-*")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		path := filepath.Join(dir, "a.otf2")
		w, err := otf2.Create(path, dir, ranks, func(group int32) []int32 { return groups[group] })
		if err != nil {
			t.Fatal(err)
		}
		want := make([][]trace.Record, ranks)
		sends := int64(0)
		for r := range ranks {
			p := program{t: t, rank: int32(r), groups: groups, ranks: ranks}
			for range rapid.IntRange(0, 30).Draw(t, "records") {
				p.step()
			}
			for i := range p.records {
				if err := w.Rank(r).Write(&p.records[i]); err != nil {
					t.Fatal(err)
				}
				if d := &p.records[i]; d.Kind == trace.Start && !d.Message.Receive {
					sends++
				}
			}
			want[r] = completed(p.records)
		}
		if err := w.Close(groups, 2.5); err != nil {
			t.Fatal(err)
		}
		s, err := otf2.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		factor := s.(interface{ ComputeFactor() float64 }).ComputeFactor()
		if s.Ranks() != ranks || !reflect.DeepEqual(s.Groups(), groups) || factor != 2.5 {
			t.Fatalf("%d ranks, groups %v, factor %v", s.Ranks(), s.Groups(), factor)
		}
		events := int64(0)
		for rank := range ranks {
			got, n := read(t, s, rank)
			events += n
			if !reflect.DeepEqual(want[rank], got) {
				t.Fatalf("rank %d: %s", rank, difference(want[rank], got))
			}
		}
		if !rapid.SampledFrom([]bool{true, false, false, false}).Draw(t, "printed") {
			return // otf2-print is slow
		}
		kinds, n := printed(t, path)
		if n != events || kinds["MPI_ISEND"] != sends || kinds["ENTER"]+kinds["LEAVE"] == 0 {
			t.Fatalf("the library finds %d events, %v; %d were written with %d sends", n, kinds, events, sends)
		}
	})
}

// TestWriteChunks writes more data than a chunk holds, for a rank whose file is written in pieces.
func TestWriteChunks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.otf2")
	w, err := otf2.Create(path, t.TempDir(), 2, func(int32) []int32 { return nil })
	if err != nil {
		t.Fatal(err)
	}
	var want []trace.Record
	for i := range int64(40_000) {
		r := trace.Record{Kind: trace.Send, Message: trace.Message{Peer: 1, Tag: int32(i), Size: i * i}}
		c := trace.Record{Kind: trace.Compute, Duration: i + 1}
		want = append(want, c, r)
		if err := errors.Join(w.Rank(0).Write(&c), w.Rank(0).Write(&r)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close([][]int32{nil}, 1); err != nil {
		t.Fatal(err)
	}
	if kinds, _ := printed(t, path); kinds["MPI_SEND"] != 40_000 {
		t.Errorf("the library finds %v", kinds)
	}
	s, err := otf2.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := read(t, s, 0); !reflect.DeepEqual(got, want) {
		t.Error(difference(want, got))
	}
}

// TestCannotHold checks that the error for a record that an archive cannot represent describes the
// record and states the rank.
func TestCannotHold(t *testing.T) {
	for _, c := range []struct {
		record trace.Record
		want   string
	}{
		{trace.Record{Kind: trace.Send, Message: trace.Message{Peer: 0, Group: 1}}, "rank 0, which is not in"},
		{trace.Record{Kind: trace.Send, Message: trace.Message{Peer: 0, Group: trace.Self}}, "of the rank alone"},
		{trace.Record{Kind: trace.Collective, Call: trace.Operation{Kind: trace.Scan, Uneven: true}}, "scan with blocks that differ"},
	} {
		w, err := otf2.Create(
			filepath.Join(t.TempDir(), "a.otf2"), t.TempDir(), 2,
			func(group int32) []int32 { return [][]int32{nil, {1}}[group] },
		)
		if err != nil {
			t.Fatal(err)
		}
		err = w.Rank(1).Write(&c.record)
		var held *trace.HoldError
		if !errors.As(err, &held) || held.Rank != 1 || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.record, err, c.want)
		}
		if closed := w.Close([][]int32{nil, {1}}, 1); fmt.Sprint(closed) != fmt.Sprint(err) {
			t.Errorf("Close: %v, want %v", closed, err)
		}
	}
}
