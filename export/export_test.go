package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"fabricast/internal/resulttest"
	"fabricast/record"
)

// folder makes a result of two ranks and a message.
func folder(t *testing.T) *record.Reader {
	t.Helper()
	spans := []record.Span{
		{Rank: 0, Begin: 0, End: 1500, State: record.StateCompute, Step: -1, Peer: -1},
		{Rank: 0, Begin: 1500, End: 2000, State: record.StateSend, Collective: "barrier", Peer: 1},
		{Rank: 1, Begin: 0, End: 9000, State: record.StateReceiveWait, Collective: "barrier", Peer: 0},
	}
	return resulttest.Folder(t, func(f *record.Folder) error {
		return errors.Join(
			record.WriteTable(f, record.RanksTable, slices.Values(make([]record.Rank, 2)), nil),
			record.WriteTable(f, record.LinksTable, slices.Values([]record.Link{{}}), nil),
			record.WriteTable(f, record.TimelineTable, slices.Values(spans), nil),
			record.WriteTable(
				f,
				record.MessagesTable,
				slices.Values(
					[]record.Message{
						{
							Kind:        record.MessageNetwork,
							Source:      0,
							Destination: 1,
							Bytes:       5,
							Send:        1500,
							Delivery:    9000,
						},
					},
				),
				nil,
			),
		)
	})
}

// exported is what the format makes of the folder.
func exported(t *testing.T, format string) []string {
	t.Helper()
	f, ok := Find(format)
	if !ok {
		t.Fatalf("no format %s", format)
	}
	files := make([]bytes.Buffer, len(f.Files("x")))
	var texts []string
	switch len(files) {
	case 1:
		if err := f.Write(folder(t), &files[0]); err != nil {
			t.Fatal(err)
		}
	default:
		if err := f.Write(folder(t), &files[0], &files[1], &files[2]); err != nil {
			t.Fatal(err)
		}
	}
	for i := range files {
		texts = append(texts, files[i].String())
	}
	return texts
}

func TestChromeIsJSON(t *testing.T) {
	var trace struct {
		Events []struct {
			Phase string  `json:"ph"`
			Time  float64 `json:"ts"`
			Dur   float64 `json:"dur"`
			Name  string  `json:"name"`
		} `json:"traceEvents"`
	}
	if err := json.Unmarshal([]byte(exported(t, "chrome")[0]), &trace); err != nil {
		t.Fatal(err)
	}
	if e := trace.Events; len(e) != 2+3+2 || e[3].Name != "barrier: send" || e[3].Time != 0.0015 ||
		e[3].Dur != 0.0005 {
		t.Errorf("%+v", e)
	}
}

func TestParaverIsInOrder(t *testing.T) {
	files := exported(t, "paraver")
	lines := strings.Split(strings.TrimSpace(files[0]), "\n")
	want := []string{
		"1:1:1:1:1:0:1:1",
		"1:2:1:2:1:0:9:3",
		"2:2:1:2:1:0:50000002:1",
		"1:1:1:1:1:1:2:4",
		"2:1:1:1:1:1:50000002:1",
		"3:1:1:1:1:1:1:2:1:2:1:9:9:5:0",
	}
	if !strings.HasPrefix(lines[0], "#Paraver (") || !slices.Equal(lines[1:], want) {
		t.Errorf("got %q, want %q", lines, want)
	}
	if !strings.Contains(files[1], "1    barrier\n") || !strings.HasSuffix(files[2], "rank 0\nrank 1\n") {
		t.Errorf("%q", files[1:])
	}
}

// fields splits a message into its fields; those of bytes and strings as they are.
func fields(t *testing.T, b []byte) map[protowire.Number][]string {
	t.Helper()
	m := map[protowire.Number][]string{}
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		size := protowire.ConsumeFieldValue(number, kind, b[n:])
		if size < 0 {
			t.Fatal(protowire.ParseError(size))
		}
		value := b[n : n+size]
		if kind == protowire.BytesType {
			value, _ = protowire.ConsumeBytes(value)
		}
		m[number] = append(m[number], string(value))
		b = b[n+size:]
	}
	return m
}

func TestPerfettoIsATrace(t *testing.T) {
	packets := fields(t, []byte(exported(t, "perfetto")[0]))[traceField]
	if len(packets) != 3+2*3+2 {
		t.Fatalf("%d packets", len(packets))
	}
	track := fields(t, []byte(fields(t, []byte(packets[2]))[packetDescriptor][0]))
	if track[descriptorName][0] != "rank 1" {
		t.Errorf("track %q", track)
	}
	send := fields(t, []byte(packets[5]))
	event := fields(t, []byte(send[packetTrackEvent][0]))
	if event[eventName][0] != "barrier: send" || send[packetTimestamp][0] != "\x01" ||
		event[eventTrack][0] != "\x02" {
		t.Errorf("packet %q, event %q", send, event)
	}
	flow := fields(t, []byte(fields(t, []byte(packets[10]))[packetTrackEvent][0]))
	if len(flow[eventEndingFlow]) != 1 {
		t.Errorf("the message does not end its flow: %q", flow)
	}
}
