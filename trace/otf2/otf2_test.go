package otf2_test

import (
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast/trace"
	"fabricast/trace/otf2"
)

// IDs of the regions in the test program in C that writes archives.
const (
	inSend = iota
	inIsend
	inRecv
	inIrecv
	inWaitall
	inSendrecv
	inAllreduce
	inUser
	inPut
)

// drawn is a random archive: the script for the test program that writes it, and the records that a
// reader must return.
type drawn struct {
	t      *rapid.T
	ranks  int
	script strings.Builder
	want   [][]trace.Record
	time   int64 // current time of the rank that is being drawn, in ticks
	ended  int64 // end of its last call, in ps
	open   []trace.Message
	puts   []uint64 // matching IDs of puts and gets that are not complete
	next   uint64
}

// picoseconds converts ticks of the test program's clock, which has 3 ticks per nanosecond.
func picoseconds(ticks int64) int64 {
	ps := new(big.Int).Mul(big.NewInt(ticks), big.NewInt(1_000_000_000_000))
	return ps.Div(ps, big.NewInt(3_000_000_000)).Int64()
}

// pass advances the time by a random duration and returns it.
func (d *drawn) pass() int64 {
	d.time += rapid.Int64Range(0, 1<<rapid.IntRange(0, 40).Draw(d.t, "bits")).Draw(d.t, "ticks")
	return d.time
}

func (d *drawn) add(rank int, r trace.Record) { d.want[rank] = append(d.want[rank], r) }

// compute adds the computation since the last call to the expected records.
func (d *drawn) compute(rank int) {
	now := picoseconds(d.time)
	if now > d.ended {
		d.add(rank, trace.Record{Kind: trace.Compute, Duration: now - d.ended})
	}
	d.ended = now
}

// call adds an MPI call to the script. events adds the events within the call.
func (d *drawn) call(rank, region int, events func()) {
	fmt.Fprintf(&d.script, "enter %d %d %d\n", rank, d.pass(), region)
	d.compute(rank)
	events()
	fmt.Fprintf(&d.script, "leave %d %d %d\n", rank, d.pass(), region)
	d.ended = picoseconds(d.time)
}

// message draws a send or receive in the world (communicator 7, with local ID 3) or in the
// communicator of the even ranks.
func (d *drawn) message(rank int, receive bool) (m trace.Message, text string) {
	communicator, peers := 3, d.ranks
	if rank%2 == 0 && rapid.Bool().Draw(d.t, "even ranks") {
		communicator, peers = 9, (d.ranks+1)/2
	}
	peer := rapid.IntRange(0, peers-1).Draw(d.t, "peer")
	m = trace.Message{
		Receive: receive, Peer: int32(peer), Tag: rapid.Int32Range(0, 1<<31-1).Draw(d.t, "tag"),
		Size: rapid.Int64Range(0, 1<<40).Draw(d.t, "size"),
	}
	if communicator == 9 {
		m.Peer, m.Group = int32(2*peer), 1
	}
	return m, fmt.Sprintf("%d %d %d %d", peer, communicator, m.Tag, m.Size)
}

// step adds a random MPI call of a rank to the archive.
func (d *drawn) step(rank int) {
	switch kind := rapid.IntRange(0, 8).Draw(d.t, "call"); kind {
	case inSend, inRecv:
		m, text := d.message(rank, kind == inRecv)
		name, record := "send", trace.Send
		if m.Receive {
			name, record = "recv", trace.Receive
		}
		d.call(rank, kind, func() { fmt.Fprintf(&d.script, "%s %d %d %s\n", name, rank, d.pass(), text) })
		d.add(rank, trace.Record{Kind: record, Message: m})
	case inIsend, inIrecv:
		d.start(rank, kind)
	case inWaitall:
		d.wait(rank)
	case inSendrecv:
		send, to := d.message(rank, false)
		receive, from := d.message(rank, true)
		d.call(rank, kind, func() {
			fmt.Fprintf(&d.script, "send %d %d %s\nrecv %d %d %s\n", rank, d.pass(), to, rank, d.pass(), from)
		})
		d.add(rank, trace.Record{Kind: trace.Exchange, Message: send, Other: receive})
	case inAllreduce:
		size := rapid.Int64Range(0, 1<<30).Draw(d.t, "size") * int64(d.ranks-1)
		total := size * int64(d.ranks)
		d.call(
			rank,
			kind,
			func() { fmt.Fprintf(&d.script, "collective %d %d 11 3 -1 %d %d\n", rank, d.pass(), total, total) },
		)
		d.add(
			rank,
			trace.Record{Kind: trace.Collective, Call: trace.Operation{Kind: trace.Allreduce, Size: size}},
		)
	case inUser:
		fmt.Fprintf(&d.script, "enter %d %d %d\n", rank, d.pass(), inUser)
		d.compute(rank)
		d.add(rank, trace.Record{Kind: trace.Enter, Name: "compute"})
		fmt.Fprintf(&d.script, "leave %d %d %d\n", rank, d.pass(), inUser)
		d.compute(rank)
		d.add(rank, trace.Record{Kind: trace.Leave, Name: "compute"})
	case inPut:
		if rapid.Bool().Draw(d.t, "window") {
			d.access(rank)
			return
		}
		d.call(rank, kind, func() { fmt.Fprintf(&d.script, "put %d %d 0 100\n", rank, d.pass()) })
		d.add(rank, trace.Record{Kind: trace.Skipped, Name: "MPI_Put"})
	}
}

// access draws a put, a get or a fence on RMA window 5, which includes all ranks.
func (d *drawn) access(rank int) {
	d.next++
	r := trace.Record{Kind: trace.Put, Message: trace.Message{
		Peer: rapid.Int32Range(0, int32(d.ranks)-1).Draw(d.t, "target"), Tag: trace.NoTag,
		Size: rapid.Int64Range(0, 1<<40).
			Draw(d.t, "size"),
		Request: d.next | 1<<63, Options: trace.MessageOptions{Context: 2},
	}}
	name := rapid.SampledFrom([]string{"rput", "rget", "fence"}).Draw(d.t, "access")
	d.call(rank, inPut, func() {
		if name == "fence" {
			fmt.Fprintf(&d.script, "fence %d %d 5\n", rank, d.pass())
			return
		}
		m := &r.Message
		fmt.Fprintf(&d.script, "%s %d %d 5 %d %d %d\n", name, rank, d.pass(), m.Peer, m.Size, d.next)
		d.puts = append(d.puts, d.next)
	})
	switch name {
	case "rget":
		r.Kind = trace.Get
	case "fence":
		r = trace.Record{Kind: trace.Collective}
	}
	d.add(rank, r)
}

// start draws the start of a nonblocking send or receive. The source, tag and size of a receive are
// only in its completion.
func (d *drawn) start(rank, kind int) {
	m, text := d.message(rank, kind == inIrecv)
	d.next += rapid.Uint64Range(1, 1<<40).Draw(d.t, "request")
	m.Request = d.next
	d.call(rank, kind, func() {
		if m.Receive {
			fmt.Fprintf(&d.script, "post %d %d %d\n", rank, d.pass(), m.Request)
		} else {
			fmt.Fprintf(&d.script, "isend %d %d %s %d\n", rank, d.pass(), text, m.Request)
		}
	})
	d.open = append(d.open, m)
	d.add(rank, trace.Record{Kind: trace.Start, Message: m})
}

// wait draws a call that completes some of the open requests.
func (d *drawn) wait(rank int) {
	var requests []uint64
	d.call(rank, inWaitall, func() {
		for len(d.open) > 0 && rapid.IntRange(0, 3).Draw(d.t, "more") > 0 {
			i := rapid.IntRange(0, len(d.open)-1).Draw(d.t, "which")
			m := d.open[i]
			d.open = append(d.open[:i:i], d.open[i+1:]...)
			requests = append(requests, m.Request)
			d.complete(rank, m)
		}
		for len(d.puts) > 0 && rapid.Bool().Draw(d.t, "done") {
			fmt.Fprintf(&d.script, "rdone %d %d 5 %d\n", rank, d.pass(), d.puts[0])
			requests = append(requests, d.puts[0]|1<<63)
			d.puts = d.puts[1:]
		}
	})
	if len(requests) > 0 {
		d.add(rank, trace.Record{Kind: trace.Wait, Requests: requests})
	}
}

// complete adds the completion of the nonblocking send or receive m to the script.
func (d *drawn) complete(rank int, m trace.Message) {
	if !m.Receive {
		fmt.Fprintf(&d.script, "sent %d %d %d\n", rank, d.pass(), m.Request)
		return
	}
	communicator, peer := 3, m.Peer
	if m.Group == 1 {
		communicator, peer = 9, m.Peer/2
	}
	fmt.Fprintf(
		&d.script, "irecv %d %d %d %d %d %d %d\n", rank, d.pass(), peer, communicator, m.Tag,
		m.Size, m.Request,
	)
}

// draw draws an archive with the given number of calls per rank. It expects that the reader omits
// receives that never complete.
func draw(t *rapid.T, calls int) *drawn {
	d := &drawn{t: t, ranks: rapid.IntRange(2, 5).Draw(t, "ranks")}
	d.want = make([][]trace.Record, d.ranks)
	world, even := "comm 7", "comm 9"
	for r := range d.ranks {
		world += fmt.Sprintf(" %d", r)
		if r%2 == 0 {
			even += fmt.Sprintf(" %d", r)
		}
	}
	d.foreign(20)
	fmt.Fprintf(&d.script, "%s\n", world)
	d.foreign(30)
	fmt.Fprintf(&d.script, "%s\nwin 5 7\n", even)
	d.foreign(40)
	for r := range d.ranks {
		d.puts = nil
		d.time, d.open = rapid.Int64Range(0, 1<<50).Draw(t, "begin"), nil
		d.ended = picoseconds(d.time)
		fmt.Fprintf(&d.script, "map %d 3 7\nmeasure %d %d 1\n", r, r, d.time)
		for range calls {
			d.step(r)
		}
		d.want[r] = withoutOpen(d.want[r], d.open)
	}
	return d
}

// foreign draws communicators of groups of paradigms other than MPI, with IDs from id on. Their
// members are not ranks.
func (d *drawn) foreign(id int) {
	const mpi = 4
	for ; rapid.IntRange(0, 2).Draw(d.t, "another foreign communicator") > 0 && id%10 < 3; id++ {
		paradigm := rapid.IntRange(1, 15).Filter(func(n int) bool { return n != mpi }).Draw(d.t, "paradigm")
		kind := rapid.IntRange(4, 6).Draw(d.t, "type of its group")
		fmt.Fprintf(&d.script, "foreign %d %d %d", id, paradigm, kind)
		for range rapid.IntRange(0, 4).Draw(d.t, "members") {
			fmt.Fprintf(&d.script, " %d", rapid.IntRange(0, 40).Draw(d.t, "member"))
		}
		d.script.WriteByte('\n')
	}
}

// withoutOpen returns records without the receives in open, which never complete.
func withoutOpen(records []trace.Record, open []trace.Message) (list []trace.Record) {
	never := map[uint64]bool{}
	for _, m := range open {
		never[m.Request] = m.Receive
	}
	for _, r := range records {
		if r.Kind != trace.Start || !r.Message.Receive || !never[r.Message.Request] {
			list = append(list, r)
		}
	}
	return list
}

// read returns all records of a rank, with consecutive computations merged, and the number of
// events.
func read(t interface{ Fatal(...any) }, s trace.Source, rank int) (list []trace.Record, events int64) {
	stream, err := s.Open(rank)
	if err != nil {
		t.Fatal(err)
	}
	for {
		var r trace.Record
		err := stream.Next(&r)
		if err == io.EOF {
			return merged(list), stream.Events()
		}
		if err != nil {
			t.Fatal(err)
		}
		r.Requests = slices.Clone(r.Requests) // they are valid until the next record is read
		list = append(list, r)
	}
}

// merged returns records with consecutive computations merged.
func merged(records []trace.Record) (list []trace.Record) {
	for _, r := range records {
		if n := len(list); n > 0 && r.Kind == trace.Compute && list[n-1].Kind == trace.Compute {
			list[n-1].Duration += r.Duration
			continue
		}
		list = append(list, r)
	}
	return list
}

// writer builds the test program in C that writes archives with the OTF2 library, and returns its
// path.
func writer(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "writer")
	if out, err := exec.Command("gcc", "-o", program, "testdata/writer.c", "-lotf2").CombinedOutput(); err != nil {
		t.Fatalf(
			"the OTF2 library is needed (Debian: libotf2-trace-dev, libopen-trace-format2-dev): %v\n%s",
			err, out,
		)
	}
	return program
}

// write writes an archive in chunks of 256 KiB.
func write(t interface {
	Helper()
	Fatalf(string, ...any)
}, program, dir string, d *drawn,
) {
	t.Helper()
	cmd := exec.Command(program, dir, fmt.Sprint(d.ranks), "262144")
	cmd.Stdin = strings.NewReader(d.script.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestThreads reads processes with two threads each. One thread of rank 0 sends while the other
// thread waits for a message that rank 1 sends later.
func TestThreads(t *testing.T) {
	// As in archives of Score-P, communicators of other paradigms (pthreads, OpenMP and all
	// measured locations) are defined before and after those of MPI.
	const script = `foreign 0 7 4 0 1 2 3
foreign 1 7 5 0 2
foreign 2 3 5 1 3
comm 7 0 1
foreign 9 6 4 0 1 2 3
enter 0 100 2
recv 0 900 1 7 1 64
leave 0 900 2
enter 0 1200 7
leave 0 1200 7
enter 2 100 7
enter 2 300 0
send 2 310 1 7 2 32
leave 2 310 0
enter 2 1000 1
isend 2 1001 1 7 3 16 5
leave 2 1001 1
enter 2 1002 4
sent 2 1100 5
leave 2 1100 4
leave 2 1200 7
enter 1 100 2
recv 1 500 0 7 2 32
leave 1 500 2
enter 1 600 0
send 1 610 0 7 1 64
leave 1 610 0
enter 1 620 2
recv 1 1110 0 7 3 16
leave 1 1110 2
`
	dir := t.TempDir()
	cmd := exec.Command(writer(t), dir, "2", "262144", "2")
	cmd.Stdin = strings.NewReader(script)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s, err := otf2.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	records, events := read(t, s, 0)
	compute := func(ps int64) trace.Record { return trace.Record{Kind: trace.Compute, Duration: ps} }
	start := func(m trace.Message) trace.Record { return trace.Record{Kind: trace.Start, Message: m} }
	wait := func(id uint64) trace.Record { return trace.Record{Kind: trace.Wait, Requests: []uint64{id}} }
	want := []trace.Record{
		start(trace.Message{Receive: true, Peer: 1, Tag: 1, Size: 64, Request: 1}),
		start(trace.Message{Peer: 1, Tag: 2, Size: 32, Request: 2}),
		wait(1),
		compute(33_333), // 100 ticks of the 300
		wait(2),
		start(trace.Message{Peer: 1, Tag: 3, Size: 16, Request: 3}),
		compute(66_667),
		{Kind: trace.Enter, Name: "compute"},
		{Kind: trace.Leave, Name: "compute"},
		wait(3),
	}
	if !reflect.DeepEqual(records, want) {
		t.Errorf("found\n%+v, want\n%+v", records, want)
	}
	if events != 16 {
		t.Errorf("%d events, want 16", events)
	}
	if list, _ := read(t, s, 1); len(list) == 0 {
		t.Error("nothing of rank 1")
	}
}

// TestLibrary reads random archives written by the OTF2 library.
func TestLibrary(t *testing.T) {
	program := writer(t)
	t.Run("drawn", rapid.MakeCheck(func(r *rapid.T) {
		d := draw(r, 12)
		dir := filepath.Join(t.TempDir(), "archive")
		write(r, program, dir, d)
		compare(r, dir, d)
	}))
	t.Run("many chunks", func(t *testing.T) {
		d := &drawn{ranks: 2, want: make([][]trace.Record, 2)}
		d.script.WriteString("comm 7 0 1\n")
		for i := range int64(20_000) {
			fmt.Fprintf(
				&d.script, "enter 0 %d 2\nrecv 0 %d 1 7 %d %d\nleave 0 %d 2\n", 9*i, 9*i+1, i, 3*i,
				9*i+3,
			)
			if i > 0 {
				d.add(0, trace.Record{Kind: trace.Compute, Duration: 2000})
			}
			d.add(
				0,
				trace.Record{
					Kind:    trace.Receive,
					Message: trace.Message{Receive: true, Peer: 1, Tag: int32(i), Size: 3 * i},
				},
			)
		}
		dir := filepath.Join(t.TempDir(), "archive")
		write(t, program, dir, d)
		compare(t, dir, d)
	})
}

// compare reads an archive and compares the records with the expected ones.
func compare(t interface {
	Fatal(...any)
	Fatalf(string, ...any)
}, dir string, d *drawn,
) {
	s, err := otf2.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if s.Ranks() != d.ranks {
		t.Fatalf("%d ranks, want %d", s.Ranks(), d.ranks)
	}
	for rank, want := range d.want {
		got, _ := read(t, s, rank)
		if !reflect.DeepEqual(merged(want), got) {
			t.Fatalf("rank %d: %s", rank, difference(merged(want), got))
		}
	}
}

// difference describes the first difference between two lists of records.
func difference(want, got []trace.Record) string {
	for i := range want {
		if i >= len(got) || !reflect.DeepEqual(want[i], got[i]) {
			var found any = "nothing"
			if i < len(got) {
				found = got[i]
			}
			return fmt.Sprintf("record %d: %+v, want %+v", i, found, want[i])
		}
	}
	return fmt.Sprintf("%d records, want %d", len(got), len(want))
}

// sample is the path of an archive written by Score-P.
const sample = "../testdata/otf2/stencil4d-32"

// TestScoreP reads an archive of Score-P completely, and compares the number of events with that
// reported by otf2-print.
func TestScoreP(t *testing.T) {
	out, err := exec.Command("otf2-print", sample+"/traces.otf2").Output()
	if err != nil {
		t.Fatalf("otf2-print is needed (Debian: otf2-tools): %v", err)
	}
	want := int64(0)
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		if len(words) > 2 && strings.Trim(words[1], "0123456789") == "" &&
			strings.Trim(words[2], "0123456789") == "" {
			want++
		}
	}
	s, err := otf2.Open(sample)
	if err != nil {
		t.Fatal(err)
	}
	var events, sent, bytes int64
	for rank := range s.Ranks() {
		records, n := read(t, s, rank)
		events += n
		for _, r := range records {
			if r.Kind == trace.Send {
				sent++
				bytes += r.Message.Size
			}
		}
	}
	if events != want || want < 4000 {
		t.Errorf("%d events, the tool prints %d", events, want)
	}
	if sent != 512 || bytes != 512*131072 {
		t.Errorf("%d sends of %d bytes together, want 512 of 128 KiB each", sent, bytes)
	}
}

// copied returns the folder of a copy of the sample that a test may modify.
func copied(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(sample)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestDamage truncates a file of an archive anywhere, or changes a byte. The reader must either
// succeed or return a *trace.Error.
func TestDamage(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		dir := copied(t)
		victim := filepath.Join(
			dir,
			rapid.SampledFrom([]string{"traces.otf2", "traces.def", "traces/1.evt", "traces/1.def"}).
				Draw(r, "file"),
		)
		text, err := os.ReadFile(victim)
		if err != nil {
			r.Fatal(err)
		}
		if rapid.Bool().Draw(r, "cut") {
			text = text[:rapid.IntRange(0, len(text)-1).Draw(r, "length")]
		} else {
			text[rapid.IntRange(0, len(text)-1).Draw(r, "where")] ^= byte(rapid.IntRange(1, 255).Draw(r, "bits"))
		}
		replace(r, victim, text)
		readAll(r, dir)
	})
}

// replace replaces the contents of a file.
func replace(t interface{ Fatal(...any) }, name string, text []byte) {
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// readAll reads an archive as far as possible. All errors must be errors of the trace.
func readAll(t interface{ Fatalf(string, ...any) }, path string) {
	s, err := otf2.Open(path)
	for rank := 0; err == nil && rank < s.Ranks(); rank++ {
		var stream trace.Stream
		if stream, err = s.Open(rank); err != nil {
			break
		}
		var r trace.Record
		for err = stream.Next(&r); err == nil; err = stream.Next(&r) {
		}
		if err == io.EOF {
			err = nil
		}
	}
	var damage *trace.Error
	if err != nil && !errors.As(err, &damage) {
		t.Fatalf("%T: %v", err, err)
	}
}

// fuzzFile reads arbitrary bytes as a file of an archive.
func fuzzFile(f *testing.F, name string) {
	dir := copied(f)
	victim := filepath.Join(dir, name)
	text, err := os.ReadFile(victim)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Fuzz(func(t *testing.T, text []byte) {
		replace(t, victim, text)
		readAll(t, dir)
	})
}

func FuzzEvents(f *testing.F)      { fuzzFile(f, "traces/0.evt") }
func FuzzDefinitions(f *testing.F) { fuzzFile(f, "traces.def") }
func FuzzLocal(f *testing.F)       { fuzzFile(f, "traces/0.def") }
