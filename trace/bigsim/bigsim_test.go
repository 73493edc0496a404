package bigsim_test

import (
	"encoding/binary"
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
	"fabricast/trace/bigsim"
)

// block describes an execution block.
type block struct {
	pe, message int32 // sending PE and ID of the message that started it
	first       bool
	name        string
	start, last float64
	messages    []message
	after       []int32
	events      int
}

// message describes a message that an execution block sends.
type message struct {
	number, node int32
	thread       int16
	size         int32
	offset       float64 // seconds since the start of the block
}

// shape describes an emulated machine and the format of its logs.
type shape struct {
	nodes, threads, files int
	version               int32
	order                 binary.AppendByteOrder
}

// machine returns the description of the machine at the start of every file.
func (s *shape) machine() []byte {
	little := byte(0)
	if s.order == binary.LittleEndian {
		little = 1
	}
	return []byte{0x10, 0xea, 0xbd, 0xf9, 1, 1, 2, 4, 8, 16, little, 4, 8, 1, 1, 8}
}

// i32 appends numbers of 4 bytes.
func (s *shape) i32(b []byte, list ...int32) []byte {
	for _, v := range list {
		b = s.order.AppendUint32(b, uint32(v))
	}
	return b
}

// f64 appends numbers of 8 bytes.
func (s *shape) f64(b []byte, list ...float64) []byte {
	for _, v := range list {
		b, _ = binary.Append(b, s.order.(binary.ByteOrder), v)
	}
	return b
}

// block appends an execution block to b.
func (s *shape) block(b []byte, seqno int, d *block) []byte {
	b = s.i32(b, 7, int32(seqno), d.pe, d.message)
	if s.version >= 6 {
		b = s.i32(s.order.AppendUint16(b, 3), 99)
	}
	if s.version >= 4 {
		b = s.order.AppendUint16(b, 5)
	}
	b = s.f64(b, -1, 0, d.start, d.last, d.start+d.last)
	flag := byte(0)
	if d.first {
		flag = 1
	}
	b = append(append(b, flag), append([]byte(d.name), make([]byte, 20-len(d.name))...)...)
	objects := []int32{1, 2, 3, 4}
	if s.version == 2 {
		objects = objects[:3]
	}
	b = s.i32(b, objects...)
	b = s.i32(b, int32(len(d.messages)))
	for _, m := range d.messages {
		b = s.f64(s.i32(b, m.number, m.node), d.start+m.offset, d.start+m.offset)
		b = s.i32(s.order.AppendUint16(b, uint16(m.thread)), m.size, 1)
	}
	b = s.i32(b, int32(d.events))
	for i := range d.events {
		b = s.f64(append(b, byte(1+i%3)), 0.5)
		if i%3 == 0 {
			b = s.i32(b, 8)
		} else {
			b = append(s.i32(b, 3), "abc"...)
		}
	}
	b = s.i32(s.i32(b, int32(len(d.after))), d.after...)
	return s.i32(b, 2, 1, 2)
}

// write writes a trace into a folder.
func (s *shape) write(t interface{ Fatal(...any) }, dir string, pes [][]block) {
	put := func(name string, b []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b := s.i32(
		s.machine(), int32(s.nodes*s.threads), int32(s.nodes), 1, 1, 1, int32(s.threads), 0, 2,
		int32(s.files), s.version,
	)
	put("bgTrace", b)
	for file := range s.files {
		var logs [][]byte
		for node := file; node < s.nodes; node += s.files {
			for thread := range s.threads {
				list := pes[node*s.threads+thread]
				b := s.i32(nil, int32(len(list)))
				for i := range list {
					b = s.block(b, i, &list[i])
				}
				logs = append(logs, b)
			}
		}
		b := s.i32(s.machine(), int32(len(logs)))
		at := len(b) + 4*len(logs)
		for _, l := range logs {
			b = s.i32(b, int32(at))
			at += len(l)
		}
		put(fmt.Sprintf("bgTrace%d", file), append(b, slices.Concat(logs...)...))
	}
}

// read returns the tasks of a rank. It copies the slices in them.
func read(g trace.Graph, rank int) (list []trace.Task, faults trace.Faults, err error) {
	s, err := g.OpenTasks(rank)
	if err != nil {
		return nil, faults, err
	}
	var t trace.Task
	for err = s.Next(&t); err == nil; err = s.Next(&t) {
		c := t
		c.After, c.Started, c.Before, c.BeforeAt, c.Sends = slices.Clone(
			t.After,
		), nil, nil, nil, slices.Clone(t.Sends)
		list = append(list, c)
	}
	if err == io.EOF {
		err = nil
	}
	return list, s.Faults(), err
}

// receivers returns the PEs that receive a message.
func (s *shape) receivers(m *message) (list []int32) {
	for pe := range s.nodes * s.threads {
		node, thread := pe/s.threads, pe%s.threads
		in := false
		switch {
		case m.node == -1:
			in = true
		case m.node <= -100 && m.thread >= 0:
			in = node != int(-100-m.node) || thread != int(m.thread)
		case m.node <= -100:
			in = node != int(-100-m.node)
		case m.thread >= 0:
			in = node == int(m.node) && thread == int(m.thread)
		case m.thread <= -100:
			in = node == int(m.node) && thread != int(-100-m.thread)
		default:
			in = node == int(m.node)
		}
		if in {
			list = append(list, int32(pe))
		}
	}
	return list
}

// drawMessage draws a message, to one thread or to many.
func (s *shape) drawMessage(t *rapid.T, number int32, last float64) message {
	node, thread := int32(rapid.IntRange(0, s.nodes-1).Draw(t, "node")), int16(
		rapid.IntRange(0, s.threads-1).Draw(t, "thread"),
	)
	m := message{number: number, node: node, thread: thread, size: rapid.Int32Range(0, 1<<30).Draw(t, "size")}
	switch rapid.IntRange(0, 5).Draw(t, "receivers") {
	case 1:
		m.node, m.thread = -1, -1
	case 2:
		m.node, m.thread = -100-node, -1
	case 3:
		m.node = -100 - node
	case 4:
		m.thread = -1
	case 5:
		m.thread = -100 - thread
	}
	m.offset = last * float64(rapid.IntRange(0, 4).Draw(t, "offset")) / 4
	return m
}

// TestTasks reads execution blocks of random machines, from files of random version and byte order.
// Times are multiples of 2^-20 s, which a float64 represents exactly.
func TestTasks(t *testing.T) {
	dir := t.TempDir()
	const tick = 1.0 / (1 << 20)
	picoseconds := func(seconds float64) int64 { return int64(seconds*1e12 + 0.5) }
	rapid.Check(t, func(t *rapid.T) {
		s := shape{
			nodes: rapid.IntRange(1, 4).Draw(t, "nodes"), threads: rapid.IntRange(1, 3).Draw(t, "threads"),
			version: rapid.Int32Range(2, 6).
				Draw(t, "version"),
			order: rapid.SampledFrom([]binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian}).
				Draw(t, "order"),
		}
		s.files = rapid.IntRange(1, s.nodes).Draw(t, "files")
		region := rapid.Bool().Draw(t, "region of interest")
		const begin = 50 // ID of the message that starts the region of interest
		var pes [][]block
		var want [][]trace.Task
		for pe := range s.nodes * s.threads {
			var list []block
			var tasks []trace.Task
			var numbers []int64 // indices of the tasks of the blocks
			before := 0         // number of blocks before the region
			if region {
				before = rapid.IntRange(1, 5).Draw(t, "before")
			}
			count := before + rapid.IntRange(1, 10).Draw(t, "blocks")
			end := count
			if rapid.Bool().Draw(t, "end event") {
				end = rapid.IntRange(before, count-1).Draw(t, "end")
			}
			for i := range count {
				d := block{
					pe: -1, message: -1, start: tick * float64(10*i), last: tick * float64(rapid.IntRange(-1, 9).Draw(t, "duration")),
					name: rapid.SampledFrom([]string{"user_code", "msgep", "AMPI_Send", "TCHARM_Element", "exactly twenty bytes"}).
						Draw(t, "name"),
					events: rapid.IntRange(0, 4).Draw(t, "events"),
				}
				if rapid.Bool().Draw(t, "started by a message") {
					d.pe, d.message = int32(
						rapid.IntRange(0, s.nodes*s.threads-1).Draw(t, "sender"),
					), int32(100+i)
				}
				d.first = region && pe == 0 && i == 0
				switch i {
				case before:
					if region {
						d.pe, d.message = 0, begin
					}
					if end == i {
						d.name = "AMPI_BgSetEndEvent"
					}
				case end:
					d.name = "AMPI_BgSetEndEvent"
				}
				if d.first {
					d.messages = append(d.messages, message{number: begin, node: -1, thread: -1, size: 8})
				}
				for m := range rapid.IntRange(0, 3).Draw(t, "messages") {
					d.messages = append(d.messages, s.drawMessage(t, int32(1000*i+m+200), max(0, d.last)))
				}
				if i > 0 {
					d.after = rapid.SliceOfNDistinct(rapid.Int32Range(0, int32(i-1)), 0, 3, rapid.ID[int32]).
						Draw(t, "after")
				}
				list = append(list, d)
				if i < before || i > end {
					continue
				}
				task := trace.Task{Kind: trace.TaskCompute, Name: d.name}
				if d.pe >= 0 && !(region && i == before) {
					task.After = append(task.After, int64(len(tasks)))
					tasks = append(
						tasks,
						trace.Task{
							Kind:    trace.TaskReceive,
							Message: trace.Message{Receive: true, Peer: d.pe, Tag: d.message, Size: 1 << 40},
						},
					)
				}
				for _, a := range d.after {
					if int(a) >= before {
						task.After = append(task.After, numbers[int(a)-before])
					}
				}
				runtime := d.name == "msgep" || strings.HasPrefix(d.name, "AMPI_")
				if !runtime {
					task.Duration = picoseconds(max(0, d.last))
				}
				for _, m := range d.messages {
					for _, to := range s.receivers(&m) {
						task.Sends = append(
							task.Sends,
							trace.OffsetSend{
								Offset:  min(picoseconds(m.offset), task.Duration),
								Message: trace.Message{Peer: to, Tag: m.number, Size: int64(m.size)},
							},
						)
					}
				}
				slices.SortStableFunc(
					task.Sends,
					func(a, b trace.OffsetSend) int { return int(min(1, max(-1, a.Offset-b.Offset))) },
				)
				numbers = append(numbers, int64(len(tasks)))
				tasks = append(tasks, task)
			}
			pes, want = append(pes, list), append(want, tasks)
		}
		s.write(t, dir, pes)
		g, err := bigsim.Open(
			rapid.SampledFrom([]string{dir, dir + "/bgTrace", dir + "/bgTrace0"}).Draw(t, "path"),
		)
		if err != nil || g.Ranks() != len(pes) {
			t.Fatal(err)
		}
		for pe := range pes {
			got, _, err := read(g, pe)
			if err != nil || len(got) != len(want[pe]) {
				t.Fatalf("rank %d: %d tasks, %v; want %d", pe, len(got), err, len(want[pe]))
			}
			for i := range got {
				if len(got[i].After) == 0 {
					got[i].After = nil
				}
				if len(got[i].Sends) == 0 {
					got[i].Sends = nil
				}
				if !reflect.DeepEqual(got[i], want[pe][i]) {
					t.Fatalf("rank %d, task %d:\n got %+v\nwant %+v", pe, i, got[i], want[pe][i])
				}
			}
		}
	})
}

// small returns a trace of two PEs in one file.
func small() (shape, [][]block) {
	return shape{nodes: 2, threads: 1, files: 1, version: 6, order: binary.LittleEndian}, [][]block{
		{
			{pe: -1, name: "user_code", last: 1, messages: []message{{number: 5, node: 1, size: 9}}},
			{pe: -1, name: "user_code", last: 1, after: []int32{0}, events: 3},
		},
		{{pe: 0, message: 5, name: "msgep"}},
	}
}

// TestTruncated truncates the logs at every byte. The blocks before the end must be read, and the
// truncation must be reported.
func TestTruncated(t *testing.T) {
	dir := t.TempDir()
	s, pes := small()
	s.write(t, dir, pes)
	whole, err := os.ReadFile(filepath.Join(dir, "bgTrace0"))
	if err != nil {
		t.Fatal(err)
	}
	for size := range whole {
		if err := os.WriteFile(filepath.Join(dir, "bgTrace0"), whole[:size], 0o644); err != nil {
			t.Fatal(err)
		}
		g, err := bigsim.Open(dir)
		tasks := 0
		for rank := 0; err == nil && rank < 2; rank++ {
			var list []trace.Task
			list, _, err = read(g, rank)
			tasks += len(list)
		}
		var e *trace.Error
		if !errors.As(err, &e) || tasks > 3 {
			t.Fatalf("%d bytes: %d tasks, %v", size, tasks, err)
		}
	}
}

// TestWrong checks the error messages for invalid traces.
func TestWrong(t *testing.T) {
	for want, change := range map[string]func(s *shape, pes [][]block){
		"bgTrace: byte 16: version: found 7, expected 2 to 6":               func(s *shape, _ [][]block) { s.version = 7 },
		"bgTrace0: byte 28: block 0: receiver of a message: found thread 0": func(_ *shape, pes [][]block) { pes[0][0].messages[0].node = 2 },
		"block 0: size of a message: found -1":                              func(_ *shape, pes [][]block) { pes[0][0].messages[0].size = -1 },
		"block 0: sender of its message: found 2":                           func(_ *shape, pes [][]block) { pes[0][0].pe = 2 },
		"block 0: block before it: found 1, expected a number below 0":      func(_ *shape, pes [][]block) { pes[0][0].after = []int32{1} },
		"no block that message 5 of rank 0 starts": func(_ *shape, pes [][]block) {
			pes[0][0].first = true
			pes[1][0].message = 6
		},
	} {
		dir := t.TempDir()
		s, pes := small()
		change(&s, pes)
		s.write(t, dir, pes)
		g, err := bigsim.Open(dir)
		if err == nil {
			_, _, err = read(g, 0)
		}
		want = strings.Replace(want, "byte 28: ", "", 1)
		var e *trace.Error
		if !errors.As(err, &e) ||
			!strings.Contains(
				strings.Replace(err.Error(), fmt.Sprintf("byte %d: ", e.Offset), "", 1),
				strings.Replace(want, "byte 16: ", "", 1),
			) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	dir := t.TempDir()
	s, pes := small()
	s.write(t, dir, pes)
	if err := os.Remove(filepath.Join(dir, "bgTrace0")); err != nil {
		t.Fatal(err)
	}
	if _, err := bigsim.Open(dir); err == nil ||
		!strings.Contains(err.Error(), "files of logs: found no bgTrace0, expected 1 of them") {
		t.Errorf("error %v without the logs", err)
	}
}

// TestSample reads the region of interest of a run of Adaptive MPI: a Jacobi iteration on 32 PEs.
// The number of messages must be that of the program, and every message must have a receive.
func TestSample(t *testing.T) {
	g, err := bigsim.Open("../testdata/bigsim/jacobi2d-32")
	if err != nil || g.Ranks() != 32 {
		t.Fatal(err)
	}
	type id struct{ from, to, number int32 }
	open := map[id]int{}
	messages, others, bytes := 0, 0, int64(0)
	for rank := range g.Ranks() {
		list, faults, err := read(g, rank)
		if err != nil || faults != (trace.Faults{}) {
			t.Fatal(err, faults)
		}
		for _, task := range list {
			if m := task.Message; task.Kind == trace.TaskReceive {
				open[id{m.Peer, int32(rank), m.Tag}]--
			}
			for _, s := range task.Sends {
				open[id{int32(rank), s.Message.Peer, s.Message.Tag}]++
				messages++
				if int(s.Message.Peer) != rank {
					others, bytes = others+1, bytes+s.Message.Size
				}
			}
		}
	}
	for m, n := range open {
		if n != 0 {
			t.Errorf("message %+v is sent %d times more than received", m, n)
		}
	}
	if messages != 1008 || others != 671 || bytes != 289_376 {
		t.Errorf(
			"%d messages, %d of them with %d bytes to other ranks; want 1008, 671, 289376",
			messages, others, bytes,
		)
	}
}

// FuzzLogs reads arbitrary bytes as the main file and the logs.
func FuzzLogs(f *testing.F) {
	dir := f.TempDir()
	s, pes := small()
	s.write(f, dir, pes)
	machine, _ := os.ReadFile(filepath.Join(dir, "bgTrace"))
	logs, _ := os.ReadFile(filepath.Join(dir, "bgTrace0"))
	f.Add(machine, logs)
	pes[0][0].first, pes[0][0].messages[0].node = true, -1
	s.write(f, dir, pes)
	logs, _ = os.ReadFile(filepath.Join(dir, "bgTrace0"))
	f.Add(machine, logs)
	f.Fuzz(func(t *testing.T, machine, logs []byte) {
		dir := t.TempDir()
		for name, b := range map[string][]byte{"bgTrace": machine, "bgTrace0": logs} {
			if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		g, err := bigsim.Open(dir)
		for rank := 0; err == nil && rank < min(g.Ranks(), 4); rank++ {
			_, _, err = read(g, rank)
		}
		var wrong *trace.Error
		if err != nil && !errors.As(err, &wrong) {
			t.Fatalf("%T: %v", err, err)
		}
	})
}
