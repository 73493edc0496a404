package htsim_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fabricast/internal/input"
	"fabricast/trace"
	"fabricast/trace/htsim"
)

// read writes a connection matrix, reads it, and describes the tasks of all ranks.
func read(t *testing.T, text string) (string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.cm")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	g, err := htsim.Open(path)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for rank := range min(g.Ranks(), 16) {
		s, err := g.OpenTasks(rank)
		if err != nil {
			t.Fatal(err)
		}
		var task trace.Task
		for n := 0; ; n++ {
			err := s.Next(&task)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%d.%d: %s", rank, n, describe(&task))
			if len(task.After) > 0 {
				fmt.Fprint(&b, " after ", task.After)
			}
			b.WriteString("\n")
		}
	}
	return b.String(), nil
}

func describe(t *trace.Task) string {
	switch t.Kind {
	case trace.TaskSend:
		return fmt.Sprintf("send %d to %d tag %d", t.Message.Size, t.Message.Peer, t.Message.Tag)
	case trace.TaskReceive:
		return fmt.Sprintf("receive %d from %d tag %d", t.Message.Size, t.Message.Peer, t.Message.Tag)
	case trace.TaskUntil:
		return fmt.Sprintf("until %d", t.Duration)
	case trace.TaskNothing:
		return "without: " + t.Skipped
	}
	return fmt.Sprintf("kind %d", t.Kind)
}

// TestTasks compares the tasks of a file with what its flows and triggers mean.
func TestTasks(t *testing.T) {
	got, err := read(t, `Nodes 3
Connections 5
Triggers 2
Failures 1
0->1 id 1 start 7 size 100 send_done_trigger 1
0->2 id 2 trigger 1 size 200 recv_done_trigger 2 prio 1
2->1 id 3 trigger 2 size 300
1->0 id 4 trigger 2 size 400
1->2 start 2.5 size 500 recv_done_trigger 2
trigger id 1 oneshot
trigger id 2 barrier count 2
failure switch_type TOR switch_id 0 link_id 1
`)
	want := `0.0: without: failure of a link of a TOR
0.1: without: priority of a flow
0.2: receive 400 from 1 tag 3
0.3: until 7
0.4: send 100 to 1 tag 0 after [3]
0.5: send 200 to 2 tag 1 after [4]
1.0: receive 100 from 0 tag 0
1.1: receive 300 from 2 tag 2
1.2: receive 0 from 2 tag 5
1.3: receive 0 from 2 tag 6
1.4: until 3
1.5: send 500 to 2 tag 4 after [4]
1.6: send 400 to 0 tag 3 after [2 3]
2.0: receive 200 from 0 tag 1
2.1: receive 500 from 1 tag 4
2.2: send 0 to 1 tag 5 after [0]
2.3: send 0 to 1 tag 6 after [1]
2.4: send 300 to 1 tag 2 after [0 1]
`
	if err != nil || got != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
}

// TestUnits: a flow starts at a time in ps, a message of a connection at a time in us.
func TestUnits(t *testing.T) {
	got, err := read(t, "Nodes 2\nConnections 2\n0->1 start 1500000 size 1\n0->1 id 1 msg 1 start 3 size 2\n")
	if err != nil || !strings.Contains(got, "until 1500000\n") ||
		!strings.Contains(got, "until 3000000 after") {
		t.Errorf("%v\n%s", err, got)
	}
}

// TestMultishot: activations are paired with flows in the order of the file, which is said.
func TestMultishot(t *testing.T) {
	got, err := read(t, `Nodes 2
Connections 4
Triggers 1
0->1 id 1 start 0 size 1 send_done_trigger 1
0->1 id 2 start 0 size 2 send_done_trigger 1
0->1 id 3 trigger 1 size 3
0->1 id 4 trigger 1 size 4
trigger id 1 multishot
`)
	for _, want := range []string{
		"without: order of the activations", "0.4: send 3 to 1 tag 2 after [2]",
		"0.5: send 4 to 1 tag 3 after [3]",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%v lacks %q\n%s", err, want, got)
		}
	}
}

// TestChain: a multishot trigger may start the flow by which it starts the next one.
func TestChain(t *testing.T) {
	got, err := read(t, "Nodes 4\nConnections 3\nTriggers 1\n0->1 id 1 start 0 size 1 send_done_trigger 1\n"+
		"0->2 id 2 trigger 1 size 2 send_done_trigger 1\n0->3 id 3 trigger 1 size 3 send_done_trigger 1\n"+
		"trigger id 1 multishot\n")
	if want := "0.3: send 2 to 2 tag 1 after [2]\n0.4: send 3 to 3 tag 2 after [3]\n"; err != nil ||
		!strings.Contains(got, want) {
		t.Errorf("%v lacks\n%s\n%s", err, want, got)
	}
}

// TestWrong: errors name the line and the field.
func TestWrong(t *testing.T) {
	const head = "Nodes 2\nConnections 1\n"
	for _, wrong := range []struct{ text, want string }{
		{"Connections 1\n0->1 start 0 size 1\n", `line 2: flow: found "0->1", expected a line with Nodes before it`},
		{head + "0->2 start 0 size 1\n", `line 3: destination: found "2", expected a whole number from 0 to 1`},
		{head + "0->1 start 0\n", "line 3: size: found nothing"},
		{head + "0->1 size 4\n", "line 3: flow: found neither or both of start and trigger"},
		{head + "0->1 start -1 size 4\n", `line 3: start: found "-1", expected a time from 0`},
		{head + "0->1 begin 0 size 4\n", `line 3: flow: found "begin", expected id, msg, start`},
		{head + "0->1 trigger 1 size 4\n", "line 3: id: found nothing"},
		{head + "0->1 id 1 trigger 1 size 4\n", "line 3: trigger 1: found no line"},
		{
			"Nodes 2\nConnections 2\n0->1 start 0 size 1\n",
			"Connections: found 2, expected 1, the number in the file",
		},
		{head + "0->1 start 0 start 1 size 4\n", `line 3: "start": found it a second time`},
		{"Nodes 2\nConnections 1\nTriggers 1\n0->1 id 1 trigger 5 size 1 recv_done_trigger 5\ntrigger id 5 oneshot\n", "line 4: trigger 5: found triggers that wait for flows of one another: 5, 5"},
		{
			"Nodes 2\nConnections 3\nTriggers 3\n0->1 id 1 trigger 3 size 1 send_done_trigger 1\n" +
				"1->0 id 2 trigger 1 size 1 send_done_trigger 2\n1->0 id 3 trigger 2 size 1 recv_done_trigger 3\n" +
				"trigger id 1 oneshot\ntrigger id 2 multishot\ntrigger id 3 barrier count 1\n",
			"trigger 1: found triggers that wait for flows of one another: 1, 3, 2, 1",
		},
		{head + "0->1 start 0 size 1\nstop\n", `line 4: line: found "stop"`},
		{
			"Nodes 2\nConnections 2\n0->1 id 1 start 0 size 1\n1->0 id 1 start 0 size 1\n",
			"line 4: id: found 1, expected one that no other flow has, unlike line 3",
		},
		{
			"Nodes 2\nConnections 2\nTriggers 1\n0->1 id 1 start 0 size 1 send_done_trigger 1\n" +
				"1->0 id 2 trigger 1 size 1\ntrigger id 1 barrier count 2\n",
			"line 4: trigger 1: found 1 flow with its id as send_done_trigger or recv_done_trigger, expected 2, its count",
		},
	} {
		_, err := read(t, wrong.text)
		if err == nil || !strings.Contains(err.Error(), wrong.want) {
			t.Errorf("%q: %v lacks %q", wrong.text, err, wrong.want)
		}
	}
}

// FuzzMatrix: whatever a file contains, reading it ends, and errors name a place.
func FuzzMatrix(f *testing.F) {
	sample, err := os.ReadFile("../testdata/htsim/chain.cm")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(sample))
	f.Add("Nodes 2\nConnections 1\nFailures 1\n1->0 msg start 1e-3 size 5 prio 0\nfailure switch_type AGG\n")
	f.Fuzz(func(t *testing.T, text string) {
		var wrong *trace.Error
		var unreadable *input.Error
		if _, err := read(t, text); err != nil && !errors.As(err, &wrong) &&
			!errors.As(err, &unreadable) {
			t.Fatalf("%T: %v", err, err)
		}
	})
}
