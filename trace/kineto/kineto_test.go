package kineto_test

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"fabricast/internal/input"
	"fabricast/trace"
	"fabricast/trace/kineto"
)

// open writes the profiles of ranks, the odd ones as gzip files, and opens them.
func open(t *testing.T, texts ...string) (trace.Graph, error) {
	t.Helper()
	dir := t.TempDir()
	for i, text := range texts {
		f, err := os.Create(filepath.Join(dir, fmt.Sprintf("p%d.json", i)))
		if err != nil {
			t.Fatal(err)
		}
		var to io.WriteCloser = f
		if i%2 == 1 {
			to = gzip.NewWriter(f)
		}
		if _, err := io.WriteString(to, text); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(to.Close()); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	return kineto.Open(dir)
}

func tasks(t *testing.T, g trace.Graph, rank int) (list []trace.Task) {
	t.Helper()
	s, err := g.OpenTasks(rank)
	for err == nil {
		var task trace.Task
		if err = s.Next(&task); err == nil {
			list = append(list, task)
		}
	}
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return list
}

// profile is a profile of a rank with some events.
func profile(rank, world int, events ...string) string {
	return fmt.Sprintf(`{"schemaVersion": 1, "distributedInfo": {"rank": %d, "world_size": %d,
		"pg_config": [{"pg_name": "9", "ranks": [2, 0]}]}, "traceEvents": [%s]}`, rank, world, strings.Join(events, ","))
}

// kernel is an event of a kernel in a stream, with further arguments.
func kernel(stream int, start, duration float64, args string) string {
	return fmt.Sprintf(
		`{"ph": "X", "cat": "kernel", "name": "k", "ts": %v, "dur": %v, "tid": 1, "args": {"stream": %d%s}}`,
		start, duration, stream, args,
	)
}

// row is what is compared of a task.
type row struct {
	kind  trace.TaskKind
	lane  int32
	value int64 // ps, or bytes
	after []int64
}

func rows(tasks []trace.Task) (list []row) {
	for _, t := range tasks {
		list = append(list, row{t.Kind, t.Lane, t.Duration + t.Call.Size + t.Message.Size, t.After})
	}
	return list
}

// TestStreams: a kernel waits for the one before it in its stream, and for one of another stream that
// ended since; what is left is delay.
func TestStreams(t *testing.T) {
	g, err := kineto.Open("../testdata/kineto/rank1.pt.trace.json")
	if err != nil {
		t.Fatal(err)
	}
	const us = 1_000_000
	want := []row{
		{trace.TaskCompute, 0, 100.5 * us, nil},
		{trace.TaskCompute, 0, 40.5 * us, []int64{0}},
		{trace.TaskCompute, 1, 2.5 * us, []int64{0}},
		{trace.TaskCollective, 1, 131072, []int64{2}},
		{trace.TaskCompute, 0, 12 * us, []int64{1, 3}},
	}
	if got := rows(tasks(t, g, 1)); !reflect.DeepEqual(got, want) {
		t.Errorf("tasks\n%v, want\n%v", got, want)
	}
	s, _ := g.OpenTasks(0)
	if s.Recorded() != 175*us {
		t.Errorf("recorded %d ps", s.Recorded())
	}
}

// TestTimes: only distances count, of times since 1970 as in old profiles, and of those since a time
// that is up to three months ago.
func TestTimes(t *testing.T) {
	for _, begin := range []string{"0", "-0.002", "7889237000000.250", "1623143089861351"} {
		base, _ := strconv.ParseFloat(begin, 64)
		g, err := open(t, strings.Replace(profile(0, 1, kernel(1, 77, 1, ""), kernel(1, base+3, 1, "")), "77", begin, 1))
		if err != nil {
			t.Errorf("%s: %v", begin, err)
			continue
		}
		want := []row{{trace.TaskCompute, 0, 1_000_000, nil}, {trace.TaskCompute, 0, 3_000_000, []int64{0}}}
		if got := rows(tasks(t, g, 0)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: tasks %v, want %v", begin, got, want)
		}
	}
}

// TestCalls: sizes by type and collective, groups by their ranks, those of pg_config for a list that
// is cut off, uneven parts, messages.
func TestCalls(t *testing.T) {
	call := func(name, more string) string {
		return kernel(7, 1, 1, `, "Collective name": "`+name+`", "dtype": "Half", "In msg nelems": 300, "Out msg nelems": 100`+more)
	}
	events := []string{
		call("_allgather_base", `, "Process Group Ranks": "[0, 2]"`),
		call("_reduce_scatter_base", `, "Process Group Ranks": "[0, 1, 2]", "Group size": 3`),
		call("all_to_allv", `, "Process Group Ranks": "[0, ..., 2]", "Process Group Name": "9", "Group size": 2, "In split size": "[1, 2]"`),
		call("allreduce", `, "Group size": 2, "Global rank start": 0, "Global rank stride": 2`),
		call("send", `, "Dst Rank": 2, "Process Group Ranks": "[0, 1, 2]"`),
		call("frobnicate", ""),
		kernel(7, 1, 1, `, "External id": 5`),
		`{"ph": "X", "cat": "kernel", "name": "ncclKernel_AllReduce", "ts": 9, "dur": 1, "args": {"stream": 7, "External id": 5}}`,
		`{"ph": "X", "cat": "kernel", "name": "ncclKernel_AllReduce", "ts": 10, "dur": 1, "args": {"stream": 7, "External id": 6}}`,
		`{"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "ts": 0, "dur": 1, "args": {"External id": 5,
			"Collective name": "allreduce", "In msg nelems": 8, "dtype": "Float", "Process Group Ranks": "[0, 2]"}}`,
	}
	g, err := open(t, profile(1, 3), profile(0, 3, events...), profile(2, 3))
	if err != nil {
		t.Fatal(err)
	}
	if want := [][]int32{nil, {0, 2}, {2, 0}}; !reflect.DeepEqual(g.Groups(), want) {
		t.Errorf("groups %v, want %v", g.Groups(), want)
	}
	var got []string
	for _, task := range tasks(t, g, 0) {
		switch task.Kind {
		case trace.TaskCollective:
			c := task.Call
			got = append(got, fmt.Sprint(c.Kind, " ", c.Group, " ", c.Size, " ", c.Blocks))
		case trace.TaskSend:
			got = append(got, fmt.Sprint("send ", task.Message.Peer, " ", task.Message.Size))
		case trace.TaskNothing:
			got = append(got, task.Skipped)
		}
	}
	want := []string{
		"allgather 1 600 []", "reduce-scatter 0 200 []", "alltoall 2 300 [200 400]", "allreduce 1 600 []", "send 2 600",
		`collective "frobnicate"`, "allreduce 1 32 []", "collective without sizes",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("calls\n%q, want\n%q", got, want)
	}
}

// TestSameRanks: groups of the same ranks are told apart, also where only their names say so, as their
// collectives may have another order at each rank.
func TestSameRanks(t *testing.T) {
	call := func(name, group string) string {
		return kernel(1, 1, 1, `, "Collective name": "`+name+`", "In msg nelems": 4, "Process Group Ranks": "[0, 1, 2]", "Process Group Name": "`+group+`"`)
	}
	allreduce, broadcast := call("allreduce", "a"), call("broadcast", "b")
	g, err := open(t, profile(0, 3, allreduce, broadcast), profile(1, 3, broadcast, allreduce))
	if err != nil {
		t.Fatal(err)
	}
	if want := [][]int32{nil, {0, 1, 2}}; !reflect.DeepEqual(g.Groups(), want) {
		t.Errorf("groups %v, want %v", g.Groups(), want)
	}
	for rank := range 3 { // the last one has no profile
		for _, task := range tasks(t, g, rank) {
			want := int32(0)
			if task.Call.Kind == trace.Broadcast {
				want = 1
			}
			if task.Kind == trace.TaskCollective && task.Call.Group != want {
				t.Errorf("rank %d: %v of group %d", rank, task.Call.Kind, task.Call.Group)
			}
		}
	}
}

// TestOneProfile: ranks without a profile do what the one before them does, in groups of their own.
func TestOneProfile(t *testing.T) {
	call := func(ranks string) string {
		return kernel(1, 1, 1, `, "Collective name": "allreduce", "In msg nelems": 4, "Process Group Ranks": "`+ranks+`"`)
	}
	g, err := open(t, profile(4, 8, call("[4, 5, 6, 7]"), call("[0, 4]"), call("[0, 1, 2, 3, 4, 5, 6, 7]")))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, task := range tasks(t, g, 1) {
		if task.Kind == trace.TaskCollective {
			got = append(got, fmt.Sprint(g.Groups()[task.Call.Group]))
		} else {
			got = append(got, task.Skipped)
		}
	}
	want := []string{"[0 1 2 3]", "[1 5]", "[]", "own profile of a rank, which repeats rank 4"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("rank 1: %q, want %q", got, want)
	}
}

// TestWrong: errors name the file, the place and the field.
func TestWrong(t *testing.T) {
	for want, texts := range map[string][]string{
		"profiles: found none of rank 1 in the folder, expected one for each rank, since that of rank 0 has messages": {
			profile(0, 2, kernel(1, 1, 1, `, "Collective name": "send", "Dst Rank": 1`)),
		},
		"since that of rank 0 has the group [0 3]": {
			profile(0, 4, kernel(1, 1, 1, `, "Collective name": "x", "Process Group Ranks": "[0, 3]"`)),
		},
		"rank: found 0, as in p0.json":                                 {profile(0, 2), profile(0, 2)},
		"distributedInfo: found rank 2 of 2":                           {profile(2, 2)},
		`dtype: found "Quad", expected a type of PyTorch`:              {profile(0, 1, kernel(1, 1, 1, `, "Collective name": "x", "dtype": "Quad"`))},
		"In msg nelems: found -1, expected a whole number":             {profile(0, 1, kernel(1, 1, 1, `, "Collective name": "x", "In msg nelems": -1`))},
		"Process Group Ranks: found some of 2 ranks":                   {profile(0, 1, kernel(1, 1, 1, `, "Collective name": "x", "Group size": 2, "Process Group Ranks": "[0, ..., 3]"`))},
		"Process Group Ranks: found [0 5], expected ranks below 1":     {profile(0, 1, kernel(1, 1, 1, `, "Collective name": "x", "Process Group Ranks": "[0, 5]"`))},
		`Process Group Ranks: found "all", expected a list of ranks`:   {profile(0, 1, kernel(1, 1, 1, `, "Collective name": "x", "Process Group Ranks": "all"`))},
		"ts: found nothing, expected a time in us":                     {profile(0, 1, `{"ph": "X", "cat": "kernel", "name": "k", "dur": 1}`)},
		`ts: found "k", 1600000000000001000 ns after the first kernel`: {profile(0, 1, kernel(1, 0, 1, ""), kernel(1, 1.6e15, 1, ""))},
		"ts: found \"1e+16\", expected a time in us":                   {profile(0, 1, kernel(1, 1e16, 1, ""))},
		"dur: found \"-1\", expected a time in us":                     {profile(0, 1, kernel(1, 1, -1, ""))},
		"profile: found no traceEvents":                                {`{"schemaVersion": 1}`},
		"JSON: found the end of the file":                              {`{"schemaVersion": 1, "traceEvents": [`},
	} {
		if _, err := open(t, texts...); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), ".json") {
			t.Errorf("%v lacks %q", err, want)
		}
	}
}

// FuzzProfile: whatever a file contains, reading it ends, and errors name a place.
func FuzzProfile(f *testing.F) {
	sample, err := os.ReadFile("../testdata/kineto/rank0.pt.trace.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(sample))
	f.Add(profile(0, 1, kernel(1, 1, 1, "")))
	f.Fuzz(func(t *testing.T, text string) {
		var wrong *trace.Error
		var unreadable *input.Error
		g, err := open(t, text)
		if err == nil && g.Ranks() > 0 {
			tasks(t, g, 0)
		} else if err != nil && !errors.As(err, &wrong) && !errors.As(err, &unreadable) {
			t.Fatalf("%T: %v", err, err)
		}
	})
}
