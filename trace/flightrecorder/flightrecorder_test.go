package flightrecorder_test

import (
	"bytes"
	"compress/gzip"
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
	"fabricast/trace/flightrecorder"
)

// open writes the dumps of ranks, the third one as a gzip file, and opens them.
func open(t *testing.T, texts ...string) (trace.Graph, error) {
	t.Helper()
	dir := t.TempDir()
	for i, text := range texts {
		name := fmt.Sprint("rank_", i)
		if i == 2 {
			var zipped bytes.Buffer
			z := gzip.NewWriter(&zipped)
			if _, err := io.WriteString(z, text); err != nil || z.Close() != nil {
				t.Fatal(err)
			}
			name, text = name+".gz", zipped.String()
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return flightrecorder.Open(dir)
}

// told says what a rank does.
func told(t *testing.T, g trace.Graph, rank int) (list []string) {
	t.Helper()
	s, err := g.OpenTasks(rank)
	for err == nil {
		var task trace.Task
		if err = s.Next(&task); err != nil {
			break
		}
		text := fmt.Sprint("until ", task.Duration)
		switch task.Kind {
		case trace.TaskNothing:
			text = task.Skipped
		case trace.TaskCollective:
			text = fmt.Sprint(task.Call.Kind, " ", task.Call.Size, " ", g.Groups()[task.Call.Group])
		case trace.TaskSend, trace.TaskReceive:
			text = fmt.Sprint(task.Name, ": ", task.Message.Peer, " ", task.Message.Size)
		}
		list = append(list, text)
	}
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return list
}

// TestDumps: sizes, groups and times are the same in pickles, of odd ranks, and JSON.
func TestDumps(t *testing.T) {
	g, err := flightrecorder.Open("../testdata/flightrecorder")
	if err != nil {
		t.Fatal(err)
	}
	for rank := range 4 {
		group := []string{"[0 1]", "[0 1]", "[2 3]", "[2 3]"}[rank]
		want := []string{
			"until 0", "allreduce 65536 " + group, "until 200000000", "allgather 4096 []", "until 300000000",
			"allreduce 65536 " + group,
		}
		if got := told(t, g, rank); !reflect.DeepEqual(got, want) {
			t.Errorf("rank %d: %q, want %q", rank, got, want)
		}
	}
}

// dump is a dump with some entries, of the group of ranks 0 and 2.
func dump(entries string) string {
	return `{"pg_config": {"3": {"ranks": [0, 2]}}, "version": "2.10", "entries": [` + entries + `]}`
}

// entry is an entry of the group.
func entry(name string, more string) string {
	return `{"profiling_name": "` + name + `", "process_group": ["3", "x"], "time_created_ns": 5, "collective_seq_id": 1,
		"input_sizes": [[4], [2, 3]], "input_dtypes": ["Long", "Half"], "output_sizes": [], "output_dtypes": []` + more + `}`
}

// TestCut: collectives that one rank still has and others no longer, or not yet, are left out, and
// times count from the first one that is not.
func TestCut(t *testing.T) {
	numbered := func(number, created string) string {
		text := strings.Replace(entry("nccl:all_reduce", ""), `"collective_seq_id": 1`, `"collective_seq_id": `+number, 1)
		return strings.Replace(text, `"time_created_ns": 5`, `"time_created_ns": `+created, 1)
	}
	g, err := open(t, dump(numbered("2", "30")+","+numbered("1", "20")), dump(""), dump(numbered("3", "6")+","+numbered("2", "5")))
	if err != nil {
		t.Fatal(err)
	}
	const left, call = "all_reduce that not all ranks of its group have", "allreduce 44 [0 2]"
	if got, want := told(t, g, 0), []string{left, "until 0", call}; !reflect.DeepEqual(got, want) {
		t.Errorf("rank 0: %q, want %q", got, want)
	}
	if got, want := told(t, g, 2), []string{"until 0", call, left}; !reflect.DeepEqual(got, want) {
		t.Errorf("rank 2: %q, want %q", got, want)
	}
}

// TestSameRanks: groups of the same ranks have numbers of collectives of their own.
func TestSameRanks(t *testing.T) {
	both := func(a, b string) string {
		other := strings.Replace(entry("nccl:broadcast", ""), `"3"`, `"4"`, 1)
		text := dump(strings.Replace(entry("nccl:all_reduce", ""), `_id": 1`, `_id": `+a, 1) + "," + strings.Replace(other, `_id": 1`, `_id": `+b, 1))
		return strings.Replace(text, `{"3"`, `{"4": {"ranks": [0, 2]}, "3"`, 1)
	}
	g, err := open(t, both("10", "20"), dump(""), both("11", "20"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"all_reduce that not all ranks of its group have", "until 0", "broadcast 44 [0 2]"}
	for _, rank := range []int{0, 2} {
		if got := told(t, g, rank); !reflect.DeepEqual(got, want) {
			t.Errorf("rank %d: %q, want %q", rank, got, want)
		}
	}
}

// TestMessages: ends of messages are ranks of their group.
func TestMessages(t *testing.T) {
	empty := dump("")
	g, err := open(t, dump(entry("nccl:send 0->1", "")+","+entry("nccl:coalesced", "")), empty, dump(entry("nccl:recv 1<-0", "")))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := told(t, g, 0), []string{"until 0", "send 0->1: 2 44"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := told(t, g, 2), []string{"until 0", "recv 1<-0: 0 44"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestTypeTags: objects by which PyTorch's own pickles tell the types of values are what they contain.
func TestTypeTags(t *testing.T) {
	text := func(s string) string { return "X" + string([]byte{byte(len(s)), 0, 0, 0}) + s }
	tagged := func(value, of string) string {
		return "ctorch.jit._pickle\nrestore_type_tag\n(" + value + text(of) + "tR"
	}
	config := tagged("}("+text("0")+"}("+text("ranks")+text("[0]")+"uu", "Dict[str, Dict[str, str]]")
	g, err := open(t, "\x80\x02"+tagged(
		"}("+text("version")+text("2.4")+text("pg_config")+config+text("entries")+tagged("](e", "List[Any]")+"u", "Dict[str, Any]",
	)+".")
	if err != nil || g.Ranks() != 1 {
		t.Errorf("%v", err)
	}
}

// TestWrong: errors name the file and the field, or the byte of a pickle.
func TestWrong(t *testing.T) {
	for want, text := range map[string]string{
		`version: found "1.0", expected 2.x`:                                   `{"version": "1.0", "pg_config": {}}`,
		"entries: found none":                                                  `{"version": "2.1", "pg_config": {}}`,
		`pg_config["3"].ranks: found "[0, ..., 9]"`:                            `{"version": "2.1", "pg_config": {"3": {"ranks": "[0, ..., 9]"}}}`,
		"files of the trace: found none of rank 1, expected one for each of 3": dump(""),
		`entries[0].process_group: found "4"`:                                  dump(strings.Replace(entry("a", ""), `"3"`, `"4"`, 1)),
		"entries[0].profiling_name: found none":                                dump("{}"),
		"entries[0].input_sizes: found no size":                                dump(strings.Replace(entry("a", ""), "Half", "Whole", 1)),
		"entries[0].time_created_ns: found no time":                            dump(strings.Replace(entry("a", ""), "5", "null", 1)),
		"time_created_ns: found from 0 to 1780000000000000000": dump(strings.Replace(entry("a", ""), ": 5,", ": 0,", 1) + "," +
			strings.Replace(entry("a", ""), ": 5,", ": 1780000000000000000,", 1)),
		"entries[0].collective_seq_id: found none":   dump(strings.Replace(entry("a", ""), "_seq_id", "", 1)),
		"byte 19: dump: found invalid character":     `{"pg_config": {}, ]`,
		"dump: found unexpected EOF":                 `{"pg_config": `,
		"byte 17: pickle: found the end of the file": "\x80\x02}X\x10\x00\x00\x00pg_config",
		"byte 14: pickle: found opcode 0x69":         "\x80\x02\x8c\x09pg_statusi.",
	} {
		_, err := open(t, text)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "rank_0") {
			t.Errorf("%v lacks %q", err, want)
		}
	}
}

// FuzzDump: whatever a file contains, reading it ends, and errors name a place.
func FuzzDump(f *testing.F) {
	for _, rank := range []string{"0", "1"} {
		sample, err := os.ReadFile("../testdata/flightrecorder/nccl_trace_rank_" + rank)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(sample))
	}
	f.Add(dump(entry("nccl:all_to_all", "")))
	f.Fuzz(func(t *testing.T, text string) {
		var wrong *trace.Error
		var unreadable *input.Error
		if _, err := open(t, text); err != nil && !errors.As(err, &wrong) && !errors.As(err, &unreadable) {
			t.Fatalf("%T: %v", err, err)
		}
	})
}
