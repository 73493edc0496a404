package chakra_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"pgregory.net/rapid"

	"fabricast/trace"
	"fabricast/trace/chakra"
)

// node describes a Chakra node, which tests write to a file.
type node struct {
	id, start, duration uint64
	name                string
	kind                int
	deps                []uint64
	numbers             map[string]int64
	texts               map[string]string
}

// attribute appends a numeric attribute. field selects its numeric type.
func attribute(b []byte, name string, field protowire.Number, v int64) []byte {
	a := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), name)
	switch field {
	case 3:
		a = protowire.AppendFixed64(
			protowire.AppendTag(a, field, protowire.Fixed64Type), math.Float64bits(float64(v)),
		)
	case 15, 17:
		a = protowire.AppendVarint(
			protowire.AppendTag(a, field, protowire.VarintType), protowire.EncodeZigZag(v),
		)
	case 19, 23:
		a = protowire.AppendFixed32(protowire.AppendTag(a, field, protowire.Fixed32Type), uint32(v))
	case 21, 25:
		a = protowire.AppendFixed64(protowire.AppendTag(a, field, protowire.Fixed64Type), uint64(v))
	default:
		a = protowire.AppendVarint(protowire.AppendTag(a, field, protowire.VarintType), uint64(v))
	}
	return protowire.AppendBytes(protowire.AppendTag(b, 10, protowire.BytesType), a)
}

// delimited appends a message, preceded by its length.
func delimited(b, message []byte) []byte {
	return append(protowire.AppendVarint(b, uint64(len(message))), message...)
}

// metadata returns the first message of a file.
func metadata() []byte {
	return delimited(nil, protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "0.0.4"))
}

// proto returns a node as a protocol buffer message. It omits integers that are 0, as proto3 does.
func (n *node) proto(field func() protowire.Number, packed bool) []byte {
	var b []byte
	number := func(f protowire.Number, v uint64) {
		if v != 0 {
			b = protowire.AppendVarint(protowire.AppendTag(b, f, protowire.VarintType), v)
		}
	}
	number(1, n.id)
	b = protowire.AppendString(protowire.AppendTag(b, 2, protowire.BytesType), n.name)
	number(3, uint64(n.kind))
	// a control dependency
	b = protowire.AppendVarint(protowire.AppendTag(b, 4, protowire.VarintType), 999_999)
	if packed && len(n.deps) > 0 {
		var list []byte
		for _, d := range n.deps {
			list = protowire.AppendVarint(list, d)
		}
		b = protowire.AppendBytes(protowire.AppendTag(b, 5, protowire.BytesType), list)
	} else {
		for _, d := range n.deps {
			b = protowire.AppendVarint(protowire.AppendTag(b, 5, protowire.VarintType), d)
		}
	}
	number(6, n.start)
	number(7, n.duration)
	b = protowire.AppendBytes(protowire.AppendTag(b, 8, protowire.BytesType), []byte("\x0a\x02[]"))
	for _, k := range slices.Sorted(maps.Keys(n.numbers)) {
		b = attribute(b, k, field(), n.numbers[k])
	}
	for k, v := range n.texts {
		a := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), k)
		a = protowire.AppendString(protowire.AppendTag(a, 29, protowire.BytesType), v)
		b = protowire.AppendBytes(protowire.AppendTag(b, 10, protowire.BytesType), a)
	}
	return b
}

// forms returns nodes in all file formats, by file name.
func forms(nodes []node, field func() protowire.Number, packed bool) map[string][]byte {
	proto := metadata()
	var list, objects []any
	for _, n := range nodes {
		proto = delimited(proto, n.proto(field, packed))
		members := map[string]any{
			"Id":              n.id,
			"Name":            n.name,
			"NodeType":        n.kind,
			"data_deps":       n.deps,
			"ctrlDeps":        []int{3},
			"runtime":         n.duration,
			"startTimeMicros": n.start,
		}
		if n.deps == nil {
			members["data_deps"] = []uint64{}
		}
		var attributes []any
		for k, v := range n.numbers {
			members[k] = v
			attributes = append(attributes, map[string]any{"name": k, "int64Val": fmt.Sprint(v)})
		}
		for k, v := range n.texts {
			members[k] = v
			attributes = append(attributes, map[string]any{"name": k, "stringVal": v})
		}
		list = append(list, members)
		deps := []string{}
		for _, d := range n.deps {
			deps = append(deps, fmt.Sprint(d))
		}
		types := []string{
			"INVALID_NODE",
			"METADATA_NODE",
			"MEM_LOAD_NODE",
			"MEM_STORE_NODE",
			"COMP_NODE",
			"COMM_SEND_NODE",
			"COMM_RECV_NODE",
			"COMM_COLL_NODE",
		}
		objects = append(objects, map[string]any{
			"id": fmt.Sprint(n.id), "name": n.name, "type": types[n.kind], "dataDeps": deps,
			"startTimeMicros": fmt.Sprint(n.start),
			"durationMicros":  fmt.Sprint(n.duration), "attr": attributes,
		})
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write(proto)
	_ = z.Close()
	text, _ := json.Marshal(
		map[string]any{"aversion": []int{1}, "workload_graph": list, "ztail": map[string]int{"x": 1}},
	)
	printed := []byte("{\n  \"version\": \"0.0.4\"\n}")
	for _, o := range objects {
		b, _ := json.MarshalIndent(o, "", "  ")
		printed = append(printed, b...)
	}
	return map[string][]byte{"m.0.et": proto, "z.0.et": zipped.Bytes(), "m.0.json": text, "p.0.json": printed}
}

// open writes the files of all ranks and the process groups, and opens the trace. Only the file of
// rank 0 contains nodes.
func open(t interface {
	Helper()
	Fatal(...any)
}, dir, name string, b []byte, ranks int, groups string,
) (trace.Graph, error) {
	t.Helper()
	put := func(name string, b []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put(name, b)
	for rank := 1; rank < ranks; rank++ {
		put(strings.Replace(name, ".0.", fmt.Sprintf(".%d.", rank), 1), metadata())
	}
	if groups != "" {
		put("groups.json", []byte(groups))
	}
	return chakra.Open(filepath.Join(dir, name), trace.Options{Operations: trace.Rates{2e9}})
}

// read returns the tasks of rank 0. It moves all dependencies to After of the waiting tasks, in
// order.
func read(g trace.Graph) (list []trace.Task, err error) {
	s, err := g.OpenTasks(0)
	if err != nil {
		return nil, err
	}
	var t trace.Task
	var before [][]int64
	for err = s.Next(&t); err == nil; err = s.Next(&t) {
		before = append(before, slices.Clone(t.Before))
		c := t
		c.After, c.Started, c.Before, c.BeforeAt, c.Sends = slices.Clone(t.After), nil, nil, nil, nil
		list = append(list, c)
	}
	if err != io.EOF {
		return list, err
	}
	for i := range list {
		for _, o := range before[i] {
			list[o].After = append(list[o].After, int64(i))
			list[o].Awaits--
		}
	}
	for i := range list {
		slices.Sort(list[i].After)
	}
	return list, nil
}

// kinds holds nodes with attributes, and the tasks that they must become.
var kinds = []struct {
	node node
	want trace.Task
}{
	{node{kind: 1}, trace.Task{Kind: trace.TaskNothing}},
	{node{kind: 0}, trace.Task{Kind: trace.TaskNothing, Skipped: "node of an unknown type"}},
	{node{kind: 4, duration: 7}, trace.Task{Kind: trace.TaskCompute, Lane: 1, Duration: 7_000_000}},
	{
		node{kind: 4, duration: 7, numbers: map[string]int64{"is_cpu_op": 1, "num_ops": 5}},
		trace.Task{Kind: trace.TaskCompute, Duration: 7_000_000},
	},
	{
		node{kind: 4, numbers: map[string]int64{"num_ops": 5}},
		trace.Task{Kind: trace.TaskCompute, Lane: 1, Duration: 2500},
	},
	{node{kind: 4}, trace.Task{Kind: trace.TaskCompute, Lane: 1}},
	{node{kind: 2}, trace.Task{Kind: trace.TaskNothing, Skipped: "access to memory without a duration"}},
	{node{kind: 3, duration: 2}, trace.Task{Kind: trace.TaskCompute, Lane: 1, Duration: 2_000_000}},
	{
		node{
			kind:    5,
			numbers: map[string]int64{"comm_dst": 1, "comm_size": 100, "comm_tag": 9, "comm_type": 5},
		},
		trace.Task{Kind: trace.TaskSend, Message: trace.Message{Peer: 1, Size: 100, Tag: 9}},
	},
	{
		node{kind: 6, numbers: map[string]int64{"comm_src": 1, "comm_size": 100}},
		trace.Task{Kind: trace.TaskReceive, Message: trace.Message{Receive: true, Peer: 1, Size: 100}},
	},
	{
		node{kind: 6, numbers: map[string]int64{"comm_size": 100}},
		trace.Task{Kind: trace.TaskNothing, Skipped: "message without comm_src"},
	},
	{
		node{kind: 7, duration: 5, numbers: map[string]int64{"is_cpu_op": 1, "comm_type": 0}},
		trace.Task{Kind: trace.TaskCompute, Duration: 5_000_000},
	},
	{
		node{kind: 7, numbers: map[string]int64{"comm_type": 0, "comm_size": 100}},
		collective(trace.Allreduce, 0, 100),
	},
	{
		node{kind: 7, numbers: map[string]int64{"comm_type": 1, "comm_size": 100}},
		collective(trace.Reduce, 0, 100),
	},
	{
		node{kind: 7, numbers: map[string]int64{"comm_type": 2, "comm_size": 100}},
		collective(trace.Allgather, 0, 100),
	},
	{
		node{kind: 7, numbers: map[string]int64{"comm_type": 3, "comm_size": 100}},
		collective(trace.Gather, 0, 100),
	},
	{
		node{kind: 7, numbers: map[string]int64{"comm_type": 4, "comm_size": 100}},
		collective(trace.Scatter, 0, 34),
	},
	{
		node{kind: 7, numbers: map[string]int64{"comm_type": 5, "comm_size": 100}},
		collective(trace.Broadcast, 0, 100),
	},
	{
		node{kind: 7, numbers: map[string]int64{"comm_type": 6, "comm_size": 100}},
		collective(trace.Alltoall, 0, 34),
	},
	{
		node{
			kind:    7,
			numbers: map[string]int64{"comm_type": 7, "comm_size": 100},
			texts:   map[string]string{"pg_name": "7"},
		},
		collective(trace.ReduceScatter, 2, 50),
	},
	{
		node{
			kind:    7,
			numbers: map[string]int64{"comm_type": 8, "comm_size": 100},
			texts:   map[string]string{"pg_name": "3"},
		},
		collective(trace.ReduceScatter, 1, 34),
	},
	{
		node{kind: 7, numbers: map[string]int64{"comm_type": 9, "comm_size": 100}},
		collective(trace.Barrier, 0, 0),
	},
	{
		node{kind: 7, name: "ncclKernel_AllGather_RING", numbers: map[string]int64{"comm_size": 100}},
		collective(trace.Allgather, 0, 100),
	},
	{
		node{kind: 7, name: "nccl", numbers: map[string]int64{"comm_size": 100}},
		trace.Task{
			Kind:    trace.TaskNothing,
			Skipped: "collective without comm_type, and with a name that does not say",
		},
	},
}

func collective(kind trace.CollectiveKind, group int32, size int64) trace.Task {
	return trace.Task{Kind: trace.TaskCollective, Call: trace.Operation{Kind: kind, Group: group, Size: size}}
}

// groups is the file of process groups in the tests, for three ranks.
const groups = `{"3": [0, 1, 2], "7": [2, 0], "8": [1]}`

// TestForms checks that all file formats yield the same tasks, for nodes with random IDs, order,
// dependencies and numeric types of attributes.
func TestForms(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(1, 25).Draw(t, "nodes")
		ids := rapid.SliceOfNDistinct(rapid.Uint64Range(0, 60), count, count, rapid.ID[uint64]).Draw(t, "ids")
		if rapid.Bool().Draw(t, "ascending") {
			slices.Sort(ids)
		}
		var nodes []node
		var want []trace.Task
		first, last := uint64(math.MaxUint64), uint64(0)
		for i, id := range ids {
			k := rapid.SampledFrom(kinds).Draw(t, "kind")
			n, task := k.node, k.want
			n.id, task.Name = id, k.node.name
			if n.name == "" {
				n.name = fmt.Sprintf("node %d", i)
				task.Name = n.name
			}
			if n.start = rapid.Uint64Range(0, 1<<40).Draw(t, "start"); n.start > 0 {
				first, last = min(first, n.start), max(last, n.start+n.duration)
			}
			for _, other := range rapid.SliceOfNDistinct(rapid.IntRange(0, count-1), 0, 3, rapid.ID[int]).Draw(t, "deps") {
				n.deps, task.After = append(n.deps, ids[other]), append(task.After, int64(other))
			}
			slices.Sort(task.After)
			nodes, want = append(nodes, n), append(want, task)
		}
		numbers := rapid.SampledFrom([]protowire.Number{3, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25})
		for name, b := range forms(nodes, func() protowire.Number { return numbers.Draw(t, "number") }, rapid.Bool().Draw(t, "packed")) {
			if !chakra.Is(b[:min(len(b), 512)]) {
				t.Fatalf("%s is not recognized: %q", name, b)
			}
			g, err := open(t, dir, name, b, 3, groups)
			if err != nil || g.Ranks() != 3 {
				t.Fatalf("%s: %v", name, err)
			}
			got, err := read(g)
			if err != nil || len(got) != len(want) {
				t.Fatalf("%s: %d tasks, %v; want %d", name, len(got), err, len(want))
			}
			for i := range want {
				if len(got[i].After) == 0 {
					got[i].After = nil
				}
				if !reflect.DeepEqual(got[i], want[i]) {
					t.Fatalf("%s, task %d:\n got %+v\nwant %+v", name, i, got[i], want[i])
				}
			}
			s, _ := g.OpenTasks(0)
			var task trace.Task
			for s.Next(&task) == nil {
			}
			if last > 0 && s.Recorded() != int64(min(last-first, 1<<41))*1_000_000 {
				t.Fatalf("%s: recorded %d ps", name, s.Recorded())
			}
		}
	})
}

// one returns a file that contains one node.
func one(n node) []byte {
	return delimited(metadata(), n.proto(func() protowire.Number { return 9 }, true))
}

// TestWrong checks the error messages for invalid nodes.
func TestWrong(t *testing.T) {
	for _, c := range []struct {
		node node
		want string
	}{
		{node{id: 5, kind: 5, numbers: map[string]int64{"comm_dst": 3}}, "m.0.et: byte 8: node 5: comm_dst: found 3, expected a rank below 3"},
		{node{id: 5, kind: 6, numbers: map[string]int64{"comm_src": 0, "comm_tag": -2}}, "node 5: comm_tag: found -2"},
		{node{id: 5, kind: 7, numbers: map[string]int64{"comm_type": 10}}, "node 5: comm_type: found 10, expected 0 to 9"},
		{node{id: 5, kind: 7, numbers: map[string]int64{"comm_type": 0, "comm_size": 1<<40 + 1}}, "node 5: comm_size: found 1099511627777"},
		{node{id: 5, kind: 7, numbers: map[string]int64{"comm_type": 0}, texts: map[string]string{"pg_name": "9"}}, `node 5: pg_name: found "9", expected a process group of groups.json`},
		{node{id: 5, kind: 7, numbers: map[string]int64{"comm_type": 0}, texts: map[string]string{"pg_name": "8"}}, `node 5: pg_name: found "8", which rank 0 is not in`},
		{node{id: 5, kind: 9}, "node 5: type: found 9"},
		{node{id: 5, kind: 4, duration: 1 << 60}, "node 5: duration: found 1152921504606846976 us"},
		{node{id: 5, kind: 4, numbers: map[string]int64{"num_ops": 1 << 62}}, "node 5: num_ops: found 4611686018427387904"},
		{node{id: 5, kind: 4, deps: []uint64{6}}, "node 5: data_deps: found node 6, which the file does not have"},
	} {
		g, err := open(t, t.TempDir(), "m.0.et", one(c.node), 3, groups)
		if err == nil {
			_, err = read(g)
		}
		var e *trace.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
	twice := append(one(node{id: 5, kind: 4}), one(node{id: 5, kind: 4})[len(metadata()):]...)
	g, err := open(t, t.TempDir(), "m.0.et", twice, 1, "")
	if err == nil {
		_, err = read(g)
	}
	if err == nil ||
		!strings.Contains(err.Error(), "node 5: id: found 5, expected one that no other node has") {
		t.Errorf("error %v of a node that comes twice", err)
	}
}

// TestGroups checks the error messages for invalid process groups, and traces without process
// groups.
func TestGroups(t *testing.T) {
	in := func(group string) []byte {
		return one(
			node{
				id:      5,
				kind:    7,
				numbers: map[string]int64{"comm_type": 0, "comm_size": 8},
				texts:   map[string]string{"pg_name": group},
			},
		)
	}
	for _, c := range []struct{ group, file, want string }{
		{"0", "", ""},
		{"1", "", `found "1", expected a JSON file beside the trace with the ranks of process groups`},
		{"0", groups, `found "0", expected a process group of groups.json`},
		{"7", groups, ""},
		{"7", `{"7": [0, 3]}`, `process group "7": found rank 3, expected each rank below 3 at most once`},
		{"7", `{"7": [0, 0]}`, `process group "7": found rank 0`},
		{"7", `{"7": []}`, `process group "7": found no rank`},
		{"1", `{"7": "something else"}`, "expected a JSON file beside the trace"},
	} {
		g, err := open(t, t.TempDir(), "m.0.et", in(c.group), 3, c.file)
		if err == nil {
			_, err = read(g)
		}
		if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v", c, err)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "more.json"), []byte(groups), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, dir, "m.0.et", in("7"), 3, groups); err == nil ||
		!strings.Contains(err.Error(), "groups.json and more.json, expected one file") {
		t.Errorf("error %v of two files with groups", err)
	}
}

// TestTruncated truncates files of every format at every byte. The nodes before the end must be
// read, and the truncation must be reported unless it is between two nodes.
func TestTruncated(t *testing.T) {
	nodes := []node{
		{id: 1, kind: 4, duration: 7, name: "a"},
		{id: 2, kind: 4, duration: 8, name: "b", deps: []uint64{1}},
		{id: 3, kind: 4, name: "c", numbers: map[string]int64{"num_ops": 99}},
	}
	dir := t.TempDir()
	for name, whole := range forms(nodes, func() protowire.Number { return 9 }, true) {
		clean := 0
		for size := 20; size < len(whole); size++ {
			g, err := open(t, dir, name, whole[:size], 1, "")
			var list []trace.Task
			if err == nil {
				list, err = read(g)
			}
			var e *trace.Error
			switch {
			case err == nil:
				clean++
			case !errors.As(err, &e):
				t.Fatalf("%s, %d bytes: %v", name, size, err)
			}
			if len(list) > 3 {
				t.Fatalf("%s, %d bytes: %d tasks", name, size, len(list))
			}
		}
		if most := map[string]int{"m.0.et": 2, "p.0.json": 3}[name]; clean > most {
			t.Errorf("%s: %d cuts were not noticed, want at most %d, between nodes", name, clean, most)
		}
	}
}

// TestSamples reads example traces of ASTRA-sim.
func TestSamples(t *testing.T) {
	for name, want := range map[string]map[trace.TaskKind]int{
		"all_reduce-8":     {trace.TaskCollective: 1},
		"ring_allreduce-8": {trace.TaskSend: 14, trace.TaskReceive: 14, trace.TaskCompute: 7},
	} {
		g, err := chakra.Open("../testdata/chakra/"+name, trace.Options{})
		if err != nil || g.Ranks() != 8 {
			t.Fatalf("%s: %v", name, err)
		}
		list, err := read(g)
		got := map[trace.TaskKind]int{}
		for _, task := range list {
			got[task.Kind]++
		}
		if err != nil || !maps.Equal(got, want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// FuzzNodes reads arbitrary bytes as the file of a rank.
func FuzzNodes(f *testing.F) {
	var nodes []node
	for i, k := range kinds {
		n := k.node
		n.id, n.deps = uint64(i*2), []uint64{uint64(i)}
		nodes = append(nodes, n)
	}
	for _, b := range forms(nodes[:6], func() protowire.Number { return 9 }, true) {
		f.Add(b)
	}
	f.Add(one(nodes[len(nodes)-5]))
	f.Fuzz(func(t *testing.T, b []byte) {
		g, err := open(t, t.TempDir(), "m.0.et", b, 3, groups)
		if err == nil {
			_, err = read(g)
		}
		var wrong *trace.Error
		if err != nil && !errors.As(err, &wrong) {
			t.Fatalf("%T: %v", err, err)
		}
	})
}

// BenchmarkProto reports the number of nodes read per second.
func BenchmarkProto(b *testing.B) {
	const count = 50_000
	file := metadata()
	for i := range count {
		n := node{
			id:      uint64(i),
			kind:    7,
			name:    "ncclKernel_AllReduce",
			numbers: map[string]int64{"comm_type": 0, "comm_size": 100},
		}
		if i > 0 {
			n.deps = []uint64{uint64(i - 1)}
		}
		file = delimited(file, n.proto(func() protowire.Number { return 9 }, true))
	}
	g, err := open(b, b.TempDir(), "m.0.et", file, 1, "")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s, err := g.OpenTasks(0)
		var task trace.Task
		for err == nil {
			err = s.Next(&task)
		}
	}
	b.ReportMetric(float64(count)*float64(b.N)/b.Elapsed().Seconds(), "nodes/s")
}

// communications holds a valid node of each kind of communication.
var communications = []node{
	{kind: 5, numbers: map[string]int64{"comm_dst": 1, "comm_size": 8, "comm_tag": 3}},
	{kind: 7, numbers: map[string]int64{"comm_type": 0, "comm_size": 8}},
	{kind: 7, numbers: map[string]int64{"comm_type": 6, "comm_size": 8}},
}

// TestNamesTheNode reads several nodes of which one is invalid, in every file format and with every
// numeric type. The error message must state the node, the attribute, and the value as it was
// written.
func TestNamesTheNode(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		nodes := make([]node, rapid.IntRange(2, 6).Draw(t, "nodes"))
		for i := range nodes {
			nodes[i] = node{id: uint64(3 * i), name: "compute", kind: 4, duration: 1}
		}
		at := rapid.IntRange(0, len(nodes)-1).Draw(t, "wrong node")
		bad := rapid.SampledFrom(communications).Draw(t, "kind")
		bad.id, bad.name, bad.numbers = nodes[at].id, "", maps.Clone(bad.numbers)
		value := -rapid.Int64Range(1, 1<<20).Draw(t, "value") // a float32 represents it exactly
		var want string
		switch name := rapid.SampledFrom(slices.Sorted(maps.Keys(bad.numbers))).Draw(t, "attribute"); {
		case rapid.Bool().Draw(t, "dependency"):
			bad.deps = []uint64{7_000}
			want = "data_deps: found node 7000"
		case name == "comm_size" && rapid.Bool().Draw(t, "none"):
			delete(bad.numbers, name)
			want = "comm_size: found none"
		default:
			bad.numbers[name] = value
			want = fmt.Sprintf("%s: found %d", name, value)
		}
		nodes[at] = bad
		field := func() protowire.Number {
			return rapid.SampledFrom([]protowire.Number{3, 7, 9, 15, 17, 23, 25}).Draw(t, "type of number")
		}
		for name, text := range forms(nodes, field, true) {
			g, err := open(t, dir, name, text, 3, "")
			if err == nil {
				_, err = read(g)
			}
			if want := fmt.Sprintf("node %d: %s", bad.id, want); err == nil || !strings.Contains(err.Error(), want) {
				t.Fatalf("%s: error %v, want %s", name, err, want)
			}
		}
	})
}
