package aicb_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"fabricast/internal/input"
	"fabricast/trace"
	"fabricast/trace/aicb"
)

// open writes a workload and opens it.
func open(t *testing.T, text string) (trace.Graph, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "workload.txt")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return aicb.Open(path)
}

// tasks returns the tasks of a rank.
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

const head = "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 2 pp: 2 vpp: 1 ga: 1 all_gpus: 32 " +
	"checkpoints: 0 checkpoint_initiates: 0 pp_comm 64\n"

// TestGroups: tensor ranks are next to one another, then those of experts, of data, of stages.
func TestGroups(t *testing.T) {
	g, err := open(t, head+"1\nx -1 1 ALLREDUCE 8 1 ALLTOALL_EP 8 1 ALLGATHER_DP_EP 8 1\n")
	if err != nil {
		t.Fatal(err)
	}
	want := [][]int32{{12, 13}, {13, 15}, {1, 5, 9, 13}}
	var got [][]int32
	for _, task := range tasks(t, g, 13) {
		if task.Kind == trace.TaskCollective {
			got = append(got, g.Groups()[task.Call.Group])
		}
	}
	want[2] = []int32{1, 5, 9, 13}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("groups of GPU 13: %v, want %v", got, want)
	}
	g, _ = open(t, head+"1\nx -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 8 1\n")
	for _, task := range tasks(t, g, 17) {
		if ranks := g.Groups()[task.Call.Group]; task.Kind == trace.TaskCollective && (len(ranks) != 8 || ranks[0] != 17) {
			t.Errorf("data group of GPU 17: %v", ranks)
		}
	}
}

// TestPasses: layers go forwards and then backwards. The next pass waits for the collectives of the
// forward pass and the input's gradient, and nothing but the update for that of the weights'.
func TestPasses(t *testing.T) {
	g, err := open(t, head+"2\na -1 1 ALLGATHER 9 2 NONE 0 3 REDUCESCATTER 80 4\nb -1 5 NONE 7 6 ALLTOALL 10 7 NONE 0 8\n")
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		name  string
		kind  trace.TaskKind
		value int64 // time or bytes
		after []int64
	}
	want := []row{
		{"", trace.TaskNothing, 0, nil},
		{"a forward", trace.TaskCompute, 1000, nil},
		{"a forward", trace.TaskCollective, 5, []int64{1}},
		{"b forward", trace.TaskCompute, 5000, []int64{2}},
		{"b input gradient", trace.TaskCompute, 6000, []int64{3}},
		{"b input gradient", trace.TaskCollective, 5, []int64{4}},
		{"b weight gradient", trace.TaskCompute, 7000, []int64{5}},
		{"a input gradient", trace.TaskCompute, 2000, []int64{6}},
		{"a weight gradient", trace.TaskCompute, 3000, []int64{7}},
		{"a weight gradient", trace.TaskCollective, 10, []int64{8}},
		{"a update", trace.TaskCompute, 4000, []int64{9}},
	}
	var got []row
	for _, task := range tasks(t, g, 0) {
		got = append(got, row{task.Name, task.Kind, task.Duration + task.Call.Size, task.After})
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("tasks\n%v, want\n%v", got, want)
	}
}

// TestRecomputation: before the backward pass of a layer, the forward passes from the last
// checkpoint on are repeated.
func TestRecomputation(t *testing.T) {
	text := strings.Replace(head, "checkpoints: 0 checkpoint_initiates: 0", "checkpoints: 2 0 1 checkpoint_initiates: 1 2", 1)
	g, err := open(t, text+"3\na -1 1 NONE 0 1 NONE 0 1 NONE 0 0\nb -1 1 NONE 0 1 NONE 0 1 NONE 0 0\nc -1 1 NONE 0 1 NONE 0 1 NONE 0 0\n")
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, task := range tasks(t, g, 0) {
		if strings.HasSuffix(task.Name, " forward") {
			order = append(order, task.Name[:1])
		}
	}
	if got := strings.Join(order, ""); got != "abcb" {
		t.Errorf("forward passes of %s, want abcb", got)
	}
}

// TestWrong: errors name the line and the field.
func TestWrong(t *testing.T) {
	const one = "1\nx -1 1 NONE 0 1 NONE 0 1 NONE 0 0\n"
	for text, want := range map[string]string{
		"HYBRID_TRANSFORMER_NEW all_gpus: 8\n" + one:                              `line 1: parallelization: found "HYBRID_TRANSFORMER_NEW"`,
		"HYBRID_TRANSFORMER all_gpus: 8 model_parallel_NPU_group: 3\n" + one:      "line 1: model_parallel_NPU_group: found 3, expected a divisor of 8 GPUs",
		"HYBRID_TRANSFORMER pp: 1\n" + one:                                        "line 1: all_gpus: found",
		"HYBRID_TRANSFORMER all_gpus: 8 checkpoints: 3 1\n" + one:                 `line 1: checkpoints: found "3"`,
		"HYBRID_TRANSFORMER all_gpus: 8 checkpoint_initiates: 1 0\n" + one:        "line 1: checkpoint_initiates: found layer 0",
		"HYBRID_TRANSFORMER all_gpus: 8 tp: 3\n" + one:                            `line 1: head: found "tp:"`,
		"HYBRID_TRANSFORMER all_gpus: 8\n2\nx -1 1 NONE 0 1 NONE 0 1 NONE 0 0\n":  "line 3: layer 2 of 2: found the end of the file",
		"HYBRID_TRANSFORMER all_gpus: 8\n1\nx -1 1 NONE 0 1 NONE 0 1 NONE 0\n":    "line 3: layer: found 11 words",
		"HYBRID_TRANSFORMER all_gpus: 8\n1\nx -1 1 SUM 0 1 NONE 0 1 NONE 0 0\n":   `line 3: forward collective: found "SUM"`,
		"HYBRID_TRANSFORMER all_gpus: 8\n1\nx -1 1 NONE 0 -1 NONE 0 1 NONE 0 0\n": `line 3: input gradient time: found "-1"`,
		"HYBRID_TRANSFORMER all_gpus: 8\n" + one + "y\n":                          `line 4: line: found "y", expected no more than 1 layers`,
	} {
		if _, err := open(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v lacks %q", text, err, want)
		}
	}
}

// FuzzWorkload: whatever a file contains, reading it ends, and errors name a place.
func FuzzWorkload(f *testing.F) {
	sample, err := os.ReadFile("../testdata/aicb/workload.txt")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(sample))
	f.Fuzz(func(t *testing.T, text string) {
		var wrong *trace.Error
		var unreadable *input.Error
		if _, err := open(t, text); err != nil && !errors.As(err, &wrong) && !errors.As(err, &unreadable) {
			t.Fatalf("%T: %v", err, err)
		}
	})
}
