package goal_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast/trace"
	"fabricast/trace/goal"
)

// node describes a GOAL task, which tests write to a file.
type node struct {
	kind              uint8 // 1 send, 2 receive, 3 computation
	peer, tag         uint32
	size              uint64
	cpu, nic          uint8
	requires, started []int // tasks whose end and tasks whose start it waits for
}

// anyOf is the peer or tag that means any.
const anyOf = 1<<32 - 1

// draw draws random tasks for all ranks.
func draw(t *rapid.T) (ranks [][]node) {
	n := rapid.IntRange(1, 5).Draw(t, "ranks")
	for range n {
		tasks := rapid.IntRange(0, 30).Draw(t, "tasks")
		var list []node
		for range tasks {
			d := node{
				kind: rapid.Uint8Range(1, 3).
					Draw(t, "kind"),
				size: rapid.Uint64Range(0, 1<<40).Draw(t, "size"),
				cpu:  rapid.Uint8().Draw(t, "cpu"), nic: rapid.Uint8Range(0, 2).Draw(t, "nic"),
			}
			if d.kind < 3 {
				d.peer, d.tag = rapid.Uint32Range(0, uint32(n-1)).
					Draw(t, "peer"),
					rapid.Uint32Range(0, anyOf-1).
						Draw(t, "tag")
			}
			if d.kind == 2 && rapid.Bool().Draw(t, "any") {
				d.peer, d.tag = anyOf, anyOf
			}
			others := rapid.SliceOfNDistinct(rapid.IntRange(0, tasks-1), 0, 3, rapid.ID[int])
			d.requires, d.started = others.Draw(t, "requires"), others.Draw(t, "irequires")
			list = append(list, d)
		}
		ranks = append(ranks, list)
	}
	return ranks
}

// text returns the tasks of ranks as a schedule in text form. The statement of a dependency follows
// the later of its two tasks, immediately or after a random number of other tasks.
func text(t *rapid.T, ranks [][]node) string {
	var b strings.Builder
	space := func() string {
		return rapid.SampledFrom([]string{" ", "\t", " // a comment }\n", " /* rank 0 { */ ", "\n\n"}).
			Draw(t, "space")
	}
	fmt.Fprintf(&b, "// written by a test\nnum_ranks%s%d\n", space(), len(ranks))
	numbered, late := rapid.Bool().Draw(t, "numbered"), rapid.IntRange(0, 8).Draw(t, "late")
	order := rapid.Permutation(numbers(len(ranks))).Draw(t, "order")
	for _, rank := range order {
		list := ranks[rank]
		name := func(i int) string {
			if numbered {
				return fmt.Sprintf("l%d", i+1)
			}
			return fmt.Sprintf("a%dx%c", i*7%len(list), 'a'+rune(i%5)) + fmt.Sprintf("_%d", i)
		}
		fmt.Fprintf(&b, "rank %d%s{%s", rank, space(), space())
		for i := range len(list) + late {
			if i < len(list) {
				fmt.Fprintf(&b, "%s:%s%s\n", name(i), space(), operation(list[i]))
			}
			// Write the dependencies whose later task is i-late, in the order of the waiting tasks.
			ready := i - late
			for w := range list {
				for _, o := range list[w].requires {
					if max(w, o) == ready {
						fmt.Fprintf(&b, "%s%srequires%s%s\n", name(w), space(), space(), name(o))
					}
				}
				for _, o := range list[w].started {
					if max(w, o) == ready {
						fmt.Fprintf(&b, "%s irequires %s\n", name(w), name(o))
					}
				}
			}
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// numbers returns the integers from 0 to n-1.
func numbers(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

// operation returns the text of a task.
func operation(d node) string {
	peer, tag := fmt.Sprint(d.peer), fmt.Sprint(d.tag)
	if d.kind == 2 && d.peer == anyOf {
		peer, tag = "-1", "-1"
	}
	switch d.kind {
	case 1:
		return fmt.Sprintf("send %db to %s tag %s cpu %d nic %d", d.size, peer, tag, d.cpu, d.nic)
	case 2:
		return fmt.Sprintf("recv %db from %s nic %d cpu %d tag %s", d.size, peer, d.nic, d.cpu, tag)
	}
	return fmt.Sprintf("calc %d cpu %d nic %d", d.size, d.cpu, d.nic)
}

// bytes returns the tasks of ranks as a binary schedule.
func bytes(ranks [][]node) []byte { return bytesBehind(ranks, nil) }

// bytesBehind is like bytes, but appends the slice behind to each task. LogGOPSim2 appends 65
// bytes.
func bytesBehind(ranks [][]node, behind []byte) []byte {
	const header, entry = 14, 16
	le := binary.LittleEndian
	var nics uint8
	var parts [][]byte
	for _, list := range ranks {
		ends, starts := make([][]uint32, len(list)), make([][]uint32, len(list))
		var roots, next []byte
		count := uint32(0)
		for i, d := range list {
			nics = max(nics, d.nic)
			if len(d.requires)+len(d.started) == 0 {
				roots, count = le.AppendUint32(roots, uint32(i)), count+1
			}
			for _, o := range d.requires {
				ends[o] = append(ends[o], uint32(i))
			}
			for _, o := range d.started {
				starts[o] = append(starts[o], uint32(i))
			}
		}
		b := le.AppendUint32(le.AppendUint32(nil, uint32(len(list))), count)
		b = append(b, roots...)
		edges := uint32(0)
		for i, d := range list {
			b = append(le.AppendUint32(b, uint32(len(d.requires)+len(d.started))), d.kind)
			b = le.AppendUint32(le.AppendUint64(le.AppendUint32(b, d.peer), d.size), d.tag)
			b = append(b, d.cpu, d.nic)
			for _, others := range [][]uint32{ends[i], starts[i]} {
				at := edges
				if len(others) == 0 {
					at = 999 // arbitrary; LogGOPSim's writers do not set the offset of an empty list either
				}
				b = le.AppendUint32(le.AppendUint32(b, uint32(len(others))), at)
				for _, o := range others {
					next, edges = le.AppendUint32(next, o), edges+1
				}
			}
			b = append(b, behind...)
		}
		parts = append(parts, append(b, next...))
	}
	b := le.AppendUint32(le.AppendUint64(nil, 4223), uint32(len(ranks)))
	b = append(b, 255, nics)
	at := uint64(header - 8 + entry*len(ranks))
	for _, p := range parts {
		b = le.AppendUint64(le.AppendUint64(b, at), at+uint64(len(p)))
		at += uint64(len(p))
	}
	return append(b, slices.Concat(parts...)...)
}

// open writes b to a file and opens it as a schedule.
func open(t interface {
	Helper()
	Fatal(...any)
}, path string, b []byte,
) (trace.Graph, error) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return goal.Open(path)
}

// read returns the tasks of a rank. It moves all dependencies to After and Started of the waiting
// tasks, in order.
func read(g trace.Graph, rank int) (list []trace.Task, err error) { return readBy(g.OpenTasks, rank) }

func readBy(open func(rank int) (trace.TaskStream, error), rank int) (list []trace.Task, err error) {
	s, err := open(rank)
	if err != nil {
		return nil, err
	}
	var t trace.Task
	var before, beforeAt [][]int64
	for err = s.Next(&t); err == nil; err = s.Next(&t) {
		before, beforeAt = append(before, slices.Clone(t.Before)), append(beforeAt, slices.Clone(t.BeforeAt))
		c := t
		c.After, c.Started, c.Before, c.BeforeAt, c.Sends = slices.Clone(t.After), slices.Clone(
			t.Started,
		), nil, nil, nil
		list = append(list, c)
	}
	if err != io.EOF {
		return list, err
	}
	for i := range list {
		for _, o := range before[i] {
			list[o].After = append(list[o].After, int64(i))
		}
		for _, o := range beforeAt[i] {
			list[o].Started = append(list[o].Started, int64(i))
		}
	}
	for i := range list {
		slices.Sort(list[i].After)
		slices.Sort(list[i].Started)
		if a := list[i].Awaits; a != 0 && int(a) != len(list[i].After)+len(list[i].Started) {
			return nil, fmt.Errorf("task %d awaits %d", i, a)
		}
		list[i].Awaits = 0
	}
	return list, nil
}

// want returns the tasks that a reader must return for list.
func want(list []node, nics bool) (tasks []trace.Task) {
	numbers := func(list []int) (n []int64) {
		for _, i := range list {
			n = append(n, int64(i))
		}
		slices.Sort(n)
		return n
	}
	for _, d := range list {
		t := trace.Task{
			Kind:    trace.TaskCompute,
			Lane:    int32(d.cpu),
			After:   numbers(d.requires),
			Started: numbers(d.started),
		}
		if d.kind == 3 {
			t.Duration = 1000 * int64(d.size)
		} else {
			t.Kind = trace.TaskSend
			t.Message = trace.Message{Peer: int32(d.peer), Tag: int32(d.tag), Size: int64(d.size)}
			if nics {
				t.NIC = 1 + int32(d.nic)
			}
		}
		if d.kind == 2 {
			t.Kind, t.Message.Receive = trace.TaskReceive, true
		}
		tasks = append(tasks, t)
	}
	return tasks
}

// same reports whether a and b are equal.
func same(a, b []trace.Task) bool {
	return slices.EqualFunc(a, b, func(a, b trace.Task) bool {
		equal := slices.Equal(a.After, b.After) && slices.Equal(a.Started, b.Started)
		a.After, a.Started, b.After, b.Started = nil, nil, nil, nil
		return equal && reflect.DeepEqual(a, b)
	})
}

// TestForms checks that the same tasks are read from text and from the binary forms of LogGOPSim
// and LogGOPSim2.
func TestForms(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		ranks := draw(t)
		nics := slices.ContainsFunc(
			ranks,
			func(l []node) bool { return slices.ContainsFunc(l, func(d node) bool { return d.nic > 0 }) },
		)
		// fields for Portals 4, which are 0 in schedules without it
		portals := make([]byte, 104-39)
		for name, b := range map[string][]byte{
			"a.goal": []byte(text(t, ranks)), "a.bin": bytes(ranks), "a2.bin": bytesBehind(ranks, portals),
		} {
			if !goal.Is(b[:min(len(b), 512)]) {
				t.Fatalf("%s is not recognized", name)
			}
			g, err := open(t, filepath.Join(dir, name), b)
			if err != nil || g.Ranks() != len(ranks) {
				t.Fatalf("%s: %v", name, err)
			}
			inTurn := trace.InTurn(g)
			for _, rank := range slices.Concat(rapid.Permutation(numbers(len(ranks))).Draw(t, "order"), numbers(len(ranks))) {
				if again, err := readBy(inTurn, rank); err != nil || !same(again, want(ranks[rank], nics)) {
					t.Fatalf("%s, rank %d in turn: %v\n got %+v\nwant %+v", name, rank, err, again, want(ranks[rank], nics))
				}
				got, err := read(g, rank)
				if err != nil || !same(got, want(ranks[rank], nics)) {
					t.Fatalf(
						"%s, rank %d: %v\n got %+v\nwant %+v\n%s",
						name, rank, err, got, want(ranks[rank], nics), b,
					)
				}
			}
		}
	})
}

// TestWrongText checks the error messages for invalid schedules in text form.
func TestWrongText(t *testing.T) {
	for text, want := range map[string]string{
		"num_ranks 0":                                                         `line 1: schedule: found "0", expected the number of ranks, a number from 1`,
		"num_ranks 9":                                                         "found 9, expected no more than 11 bytes can hold",
		"num_ranks 1\nrank 0 {\ncalc x\n}":                                    `line 3: schedule: found "x", expected a size`,
		"num_ranks 1\nrank 0 {\ncalc -1\n}":                                   `line 3: schedule: found "-1"`,
		"num_ranks 1\nrank 0 {\nclac 1\n}":                                    `line 3: schedule: found "clac", expected send, recv, calc, or the label of a task`,
		"num_ranks 1\nrank 0 {\nsend 5b to 1\n}":                              `line 3: schedule: found "rank 1", expected a rank below 1`,
		"num_ranks 1\nrank 0 {\nsend 5b to -1\n}":                             `line 3: schedule: found "-1"`,
		"num_ranks 1\nrank 0 {\nsend 5b from 0\n}":                            `line 3: schedule: found "from", expected to`,
		"num_ranks 1\nrank 0 {\nsend 2000000000000b":                          `line 3: schedule: found "2000000000000", expected a size, a number up to`,
		"num_ranks 1\nrank 0 {\nsend 5b to 0 tag -1\n":                        `line 3: schedule: found "-1"`,
		"num_ranks 1\nrank 0 {\ncalc 1 cpu 256\n":                             `line 3: schedule: found "256"`,
		"num_ranks 1\nrank 0 {\ncalc 1\n":                                     "line 4: schedule: found the end of the file, expected a task, a dependency or }",
		"num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires c\n}":        `line 5: schedule: found "c", expected the label of a task before line 5`,
		"num_ranks 1\nrank 0 {\na: calc 1\nb irequires a\n}":                  `line 4: schedule: found "b"`,
		"num_ranks 1\nrank 1 {\n}":                                            `line 2: schedule: found "1"`,
		"num_ranks 1\nrank 0 {\n}\nrank 0 {\n}":                               `line 4: schedule: found "rank", expected rank 0 only once`,
		"num_ranks 2\nrank 1 {\n}\n":                                          "found no tasks of rank 0, expected those of 2 ranks",
		"num_ranks 1\nrank 0 {\n" + strings.Repeat("a", 2000) + ": calc 1\n}": "expected a word of up to 1,024 characters",
	} {
		g, err := open(t, filepath.Join(t.TempDir(), "a.goal"), []byte(text))
		if err == nil {
			_, err = read(g, 0)
		}
		var e *trace.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}

// TestWrongRank checks that after an error in the tasks of a rank, the tasks before the error and
// those of other ranks can still be read.
func TestWrongRank(t *testing.T) {
	g, err := open(
		t,
		filepath.Join(t.TempDir(), "a.goal"),
		[]byte("num_ranks 3\nrank 0 {\ncalc 1\n}\nrank 1 {\ncalc 1\ncalc 2\ncalc y }\nrank 2 {\ncalc 1\n}\n"),
	)
	if err != nil {
		t.Fatal(err)
	}
	for rank, want := range []int{1, 2, 1} {
		if list, err := read(g, rank); len(list) != want || (err != nil) != (rank == 1) {
			t.Errorf("rank %d: %d tasks, %v", rank, len(list), err)
		}
	}
}

// TestWrongBinary checks that a binary schedule that is truncated anywhere, or has any byte
// changed, is either read or rejected with an error that states the offset.
func TestWrongBinary(t *testing.T) {
	ranks := [][]node{
		{{kind: 3, size: 5}, {kind: 1, peer: 1, size: 8, requires: []int{0}}},
		{{kind: 2, peer: 0, size: 8}, {kind: 3, size: 9, started: []int{0}}},
	}
	whole := bytes(ranks)
	name := filepath.Join(t.TempDir(), "a.bin")
	try := func(b []byte) error {
		g, err := open(t, name, b)
		for rank := 0; err == nil && rank < min(g.Ranks(), 2); rank++ {
			_, inTurn := readBy(trace.InTurn(g), rank)
			if _, err = read(g, rank); fmt.Sprint(err) != fmt.Sprint(inTurn) {
				t.Fatalf("error %v, in turn %v", err, inTurn)
			}
		}
		var e *trace.Error
		if err != nil && !errors.As(err, &e) && !strings.Contains(err.Error(), "awaits") {
			t.Fatalf("%T: %v", err, err)
		}
		return err
	}
	for n := range whole {
		if n >= 8 && try(whole[:n]) == nil {
			t.Errorf("no error in the first %d bytes", n)
		}
	}
	for want, change := range map[string]func(b []byte){
		"file: found the mark of one whose writing":               func(b []byte) { binary.LittleEndian.PutUint64(b, 2342) },
		"byte 8: num_ranks: found 77":                             func(b []byte) { b[8] = 77 },
		"place of the rank: found 38 to 38":                       func(b []byte) { copy(b[22:30], b[14:22]) },
		"task 0: found type 9":                                    func(b []byte) { b[62] = 9 },
		"task 1: found rank 7":                                    func(b []byte) { b[102] = 7 },
		"tasks: found 99 with 1":                                  func(b []byte) { b[46] = 99 },
		"task 0: successors: found 9 from 0 on, expected up to 1": func(b []byte) { b[81] = 9 },
		"task 0: successor: found 2, expected a task below 2":     func(b []byte) { b[136] = 2 },
		"successors: found 0 of all tasks, expected 1":            func(b []byte) { b[81] = 0 },
	} {
		b := slices.Clone(whole)
		change(b)
		if err := try(b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// TestSample reads an example schedule of LogGOPSim.
func TestSample(t *testing.T) {
	g, err := goal.Open("../testdata/goal/binary_tree_32.goal")
	if err != nil || g.Ranks() != 32 {
		t.Fatal(err)
	}
	sends, receives := 0, 0
	for rank := range g.Ranks() {
		list, err := read(g, rank)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range list {
			switch {
			case d.Kind == trace.TaskReceive:
				receives++
			case d.Kind == trace.TaskSend && (rank == 0) == (len(d.After) == 0):
				sends++
			}
		}
	}
	if sends != 31 || receives != 31 {
		t.Errorf("%d sends and %d receives, want 31 of each", sends, receives)
	}
}

// chain returns n tasks, each of which depends on the previous one.
func chain(n int) (list []node) {
	for i := range n {
		d := node{kind: uint8(1 + i%3), size: 100}
		if i > 0 {
			d.requires = []int{i - 1}
		}
		list = append(list, d)
	}
	return list
}

// drain reads all tasks of rank 0.
func drain(g trace.Graph) error {
	s, err := g.OpenTasks(0)
	if err != nil {
		return err
	}
	var t trace.Task
	for err == nil {
		err = s.Next(&t)
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// TestMemory checks that the memory allocated to read a schedule does not depend on the number of
// tasks, in both forms.
func TestMemory(t *testing.T) {
	allocated := func(name string, b []byte) uint64 {
		g, err := open(t, filepath.Join(t.TempDir(), name), b)
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := drain(g); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	written := func(n int) []byte {
		var b strings.Builder
		b.WriteString("num_ranks 1\nrank 0 {\n")
		for i, d := range chain(n) {
			fmt.Fprintf(&b, "l%d: %s\n", i, operation(d))
			if i > 0 {
				fmt.Fprintf(&b, "l%d requires l%d\n", i, i-1)
			}
		}
		return []byte(b.String() + "}\n")
	}
	const few, many, limit = 10_000, 200_000, 1 << 20
	if a, b := allocated("a.bin", bytes([][]node{chain(few)})), allocated("a.bin", bytes([][]node{chain(many)})); b > a+limit {
		t.Errorf("binary: %d bytes for %d tasks, %d for %d", b, many, a, few)
	}
	if a, b := allocated("a.goal", written(few)), allocated("a.goal", written(many)); b > a+limit {
		t.Errorf("text: %d bytes for %d tasks, %d for %d", b, many, a, few)
	}
}

// BenchmarkBinary reports the number of tasks read per second.
func BenchmarkBinary(b *testing.B) {
	const tasks = 1_000_000
	g, err := open(b, filepath.Join(b.TempDir(), "a.bin"), bytes([][]node{chain(tasks)}))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := drain(g); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(tasks)*float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
}

// FuzzGoal reads arbitrary bytes as a schedule.
func FuzzGoal(f *testing.F) {
	sample, err := os.ReadFile("../testdata/goal/binary_tree_32.goal")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(sample[:300])
	f.Add(
		[]byte("num_ranks 1 rank 0 { a: calc 1 cpu 2 /* */ b: recv 3b from -1 tag -1 // x\n b irequires a }"),
	)
	f.Add(bytes([][]node{chain(3), {{kind: 2, peer: anyOf, tag: anyOf, nic: 1}}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		g, err := open(t, filepath.Join(t.TempDir(), "a.goal"), b)
		for rank := 0; err == nil && rank < min(g.Ranks(), 4); rank++ {
			var s trace.TaskStream
			if s, err = g.OpenTasks(rank); err == nil {
				var task trace.Task
				for err = s.Next(&task); err == nil; err = s.Next(&task) {
				}
			}
			if err == io.EOF {
				err = nil
			}
		}
		var wrong *trace.Error
		if err != nil && !errors.As(err, &wrong) {
			t.Fatalf("%T: %v", err, err)
		}
	})
}
