// Package recording tests what runs leave in a folder, and what they report on their way.
package recording

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"fabricast"
	"fabricast/collective"
	"fabricast/experiment"
	"fabricast/mpi"
	"fabricast/record"
	"fabricast/routing"
	"fabricast/topology"
)

// recordedRun runs an experiment with everything recorded and opens the folder.
func recordedRun(t interface {
	Fatal(args ...any)
}, e *fabricast.Experiment, folder string, workers int,
) (*fabricast.Result, *record.Reader) {
	result, err := e.Run(context.Background(), fabricast.Workers(workers), fabricast.Record(folder))
	if err != nil {
		t.Fatal(err)
	}
	r, err := record.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Problems()) > 0 {
		t.Fatal(r.Problems())
	}
	return result, r
}

// all reads a table.
func all[Row any](t interface {
	Fatal(args ...any)
}, r *record.Reader, table string,
) (rows []Row) {
	for row, err := range record.Rows[Row](r, table) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

var everything = experiment.Recording{
	Bins:     experiment.BinRecording{Interval: experiment.IntervalAuto, Buffers: true},
	Buffers:  experiment.BufferLogging{Routers: []int{0, 1}},
	Messages: true, Timeline: true,
}

// experiments of several kinds, for tables to be compared.
func drawRecorded(t *rapid.T) *fabricast.Experiment {
	e := &fabricast.Experiment{Record: everything, Seed: rapid.Uint64Range(1, 100).Draw(t, "seed")}
	size := fabricast.Bytes(rapid.IntRange(1, 6_000).Draw(t, "size"))
	e.Workload = experiment.Workload{
		Program:   "alltoall",
		Algorithm: rapid.SampledFrom([]string{"ring", "bruck", "simple-spread"}).Draw(t, "algorithm"),
		Size:      size,
	}
	switch rapid.IntRange(0, 3).Draw(t, "network") {
	case 0:
		e.Network.Topology = topology.TorusSpec{Dims: []int{3, 4}}
	case 1:
		e.Network.Topology = topology.FatTreeSpec{Radix: 4, Levels: 2}
	case 2:
		e.Network.Topology = topology.DragonflySpec{P: 1, A: 2, H: 1}
		e.Network.Routing = routing.UGALLOptions{}
	default:
		e.Network.Topology = topology.MeshSpec{Dims: []int{2, 5}}
		e.Network.Router.Queues = experiment.QueuesVOQ
		e.Network.Router.OutputBuffer = 4096
	}
	if rapid.Bool().Draw(t, "chosen") {
		e.Record.Bins.Interval = rapid.SampledFrom([]string{"100ns", "3us", "1ms"}).Draw(t, "interval")
	}
	return e
}

func TestRecordingAddsUp(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		e := drawRecorded(t)
		got, r := recordedAsBare(t, e, filepath.Join(folder, "a"))
		linksAddUp(t, r)
		eventsAddUp(t, r, got.Events)
		ranksAddUp(t, r)
		messages := all[record.Message](t, r, record.MessagesTable)
		if int64(len(messages)) != got.Messages {
			t.Fatalf("%d messages, recorded %d", got.Messages, len(messages))
		}
		_, other := recordedRun(t, e, filepath.Join(folder, "b"), 3)
		sameTables(
			t,
			r,
			other,
			record.LinkBinsTable,
			record.BufferBinsTable,
			record.BufferLogTable,
			record.MessagesTable,
			record.TimelineTable,
			record.LinksTable,
			record.RoutersTable,
			record.NICsTable,
			record.BinsFile,
			record.NetworkFile,
		)
	})
}

// recordedAsBare runs an experiment recorded in a folder, with the result of a run without records.
func recordedAsBare(t *rapid.T, e *fabricast.Experiment, folder string) (*fabricast.Result, *record.Reader) {
	bare := *e
	bare.Record = experiment.Recording{}
	want, err := bare.Run(context.Background(), fabricast.Workers(1))
	if err != nil {
		t.Fatal(err)
	}
	got, r := recordedRun(t, e, folder, 1)
	if got.Hash != want.Hash || got.SimulatedTime != want.SimulatedTime {
		t.Fatalf("recording changed the result: %s at %v, %s at %v",
			got.Hash, got.SimulatedTime, want.Hash, want.SimulatedTime)
	}
	return got, r
}

// sameTables demands that tables of two folders are the same to the last byte.
func sameTables(t *rapid.T, r, other *record.Reader, tables ...string) {
	for _, table := range tables {
		a, errA := os.ReadFile(r.Path(table))
		b, errB := os.ReadFile(other.Path(table))
		if err := errors.Join(errA, errB); err != nil || !bytes.Equal(a, b) {
			t.Fatalf("%s is not the same for several workers, %v", table, err)
		}
	}
}

func linksAddUp(t *rapid.T, r *record.Reader) {
	packets, size := map[int32]int64{}, map[int32]int64{}
	last, count := int32(0), int32(r.Bins().Count)
	for row, err := range r.LinkBins() {
		if err != nil {
			t.Fatal(err)
		}
		if row.Bin < last || row.Bin >= count || row.Begin != int64(row.Bin)*r.Bins().Interval {
			t.Fatalf("row %+v after bin %d, of %d", row, last, count)
		}
		last = row.Bin
		packets[row.Link] += row.Packets
		size[row.Link] += row.Bytes
	}
	var routers int64
	for i, link := range all[record.Link](t, r, record.LinksTable) {
		if link.Link != int32(i) || packets[link.Link] != link.Packets || size[link.Link] != link.Bytes {
			t.Fatalf(
				"link %+v: bins add up to %d packets, %d bytes",
				link, packets[link.Link], size[link.Link],
			)
		}
		if link.Kind != record.Injection {
			routers += link.Bytes
		}
	}
	for _, router := range all[record.Router](t, r, record.RoutersTable) {
		routers -= router.Bytes
	}
	if routers != 0 {
		t.Fatalf("routers carried %d bytes less than their links", routers)
	}
}

// eventsAddUp counts events in the tables.
func eventsAddUp(t *rapid.T, r *record.Reader, want int64) {
	var events int64
	for _, link := range all[record.Link](t, r, record.LinksTable) {
		events += link.Packets
	}
	for _, nic := range all[record.NIC](t, r, record.NICsTable) {
		events += nic.DeliveredPackets
	}
	for _, rank := range all[record.Rank](t, r, record.RanksTable) {
		events += 2 + rank.MessagesSent + rank.MessagesReceived
	}
	if events != want {
		t.Fatalf("%d events, the tables have %d", want, events)
	}
}

// ranksAddUp checks that the timeline has no holes before the end of a rank and adds up to what the
// ranks did.
func ranksAddUp(t *rapid.T, r *record.Reader) {
	at, wait, library, compute := map[int32]int64{}, map[int32]int64{}, map[int32]int64{}, map[int32]int64{}
	for _, s := range all[record.Span](t, r, record.TimelineTable) {
		if s.Begin != at[s.Rank] || s.End <= s.Begin {
			t.Fatalf("span %+v after one that ended at %d", s, at[s.Rank])
		}
		at[s.Rank] = s.End
		switch d := s.End - s.Begin; s.State {
		case record.StateCompute:
			compute[s.Rank] += d
		case record.StateOverhead, record.StateSend:
			library[s.Rank] += d
		case record.StateWait, record.StateReceiveWait:
			wait[s.Rank] += d
		default:
			t.Fatalf("state %q", s.State)
		}
		if s.Collective != "alltoall" && s.State == record.StateSend || s.Collective != "" && s.Step < 0 {
			t.Fatalf("span %+v", s)
		}
	}
	for _, rank := range all[record.Rank](t, r, record.RanksTable) {
		if at[rank.Rank] != rank.End || wait[rank.Rank] != rank.Wait || library[rank.Rank] != rank.Overhead ||
			compute[rank.Rank] != rank.Compute {
			t.Fatalf(
				"rank %+v: the timeline ends at %d, wait %d, library %d, compute %d",
				rank, at[rank.Rank], wait[rank.Rank], library[rank.Rank], compute[rank.Rank],
			)
		}
	}
}

// TestInterruptedRunKeepsWhatIsDone: Ctrl-C leaves a folder with what there was.
func TestInterruptedRunKeepsWhatIsDone(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	folder := filepath.Join(t.TempDir(), "out")
	e := &fabricast.Experiment{
		Network: experiment.Network{Topology: topology.TorusSpec{Dims: []int{2, 2}}}, Record: everything,
		Program: func(r *mpi.Rank) {
			for i := 0; ; i++ {
				r.Barrier("")
				if i == 1000 && r.Rank() == 0 {
					cancel()
				}
			}
		},
	}
	_, err := e.Run(ctx, fabricast.Record(folder))
	var interrupted *fabricast.InterruptedError
	if !errors.As(err, &interrupted) {
		t.Fatalf("got %v", err)
	}
	r, err := record.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, err := range r.LinkBins() {
		if err != nil {
			t.Fatal(err)
		}
		rows++
	}
	messages := all[record.Message](t, r, record.MessagesTable)
	if r.State() != record.Interrupted || rows == 0 || len(messages) < 1000 ||
		messages[0].Collective != "barrier" {
		t.Errorf("state %s, %d rows of bins, %d messages", r.State(), rows, len(messages))
	}
}

// TestComputingRankIsLeftBehind: what cannot be stopped is not waited for, and nothing remains of
// the folder.
func TestComputingRankIsLeftBehind(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	release := make(chan struct{})
	defer close(release)
	parent := t.TempDir()
	e := &fabricast.Experiment{
		Network: experiment.Network{Topology: topology.TorusSpec{Dims: []int{2}}},
		Program: func(r *mpi.Rank) {
			cancel()
			<-release
		},
	}
	_, err := e.Run(ctx, fabricast.Record(filepath.Join(parent, "out")), fabricast.Workers(1))
	var interrupted *fabricast.InterruptedError
	if !errors.As(err, &interrupted) || !interrupted.Computing {
		t.Fatalf("got %v", err)
	}
	if left, err := os.ReadDir(parent); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// TestStepsOfEachCall: the steps of a collective begin anew with each call, also right after one of
// the same kind, for ranks with stacks and without.
func TestStepsOfEachCall(t *testing.T) {
	const calls, ranks = 3, 8
	body := func(r *mpi.Rank, i int, _ []mpi.Request) bool {
		r.Barrier(collective.Dissemination)
		r.Barrier(collective.Dissemination)
		return i+1 < calls
	}
	for _, coroutines := range []bool{true, false} {
		e := &fabricast.Experiment{
			Network: experiment.Network{Topology: topology.TorusSpec{Dims: []int{2, 4}}},
			Record:  experiment.Recording{Timeline: true},
			Launch:  (&mpi.Loop{Coroutines: coroutines, Body: body}).Programs(),
		}
		_, r := recordedRun(t, e, filepath.Join(t.TempDir(), "out"), 1)
		sends := map[[2]int32]int{}
		for _, s := range all[record.Span](t, r, record.TimelineTable) {
			if s.State == record.StateSend {
				sends[[2]int32{s.Rank, s.Step}]++
			}
		}
		for rank := range int32(ranks) {
			for step := range int32(3) { // 2^3 = 8 ranks
				if got := sends[[2]int32{rank, step}]; got != 2*calls {
					t.Errorf(
						"coroutines %v: rank %d sent %d messages in step %d, want %d",
						coroutines, rank, got, step, 2*calls,
					)
				}
			}
		}
	}
}

// TestMessagesOfTraffic: each message of a run of traffic is a row, from its beginning to its end,
// and those of the measurement have the latencies of the result.
func TestMessagesOfTraffic(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{
			"network: {topology: {dims: [3, 4]}}\n",
			"network: {topology: {kind: dragonfly, p: 2, a: 2, h: 1}, routing: ugal-l}\nnode: {nics: 2}\n",
			"network: {topology: {kind: fat-tree, radix: 4, levels: 2}, router: {queues: voq}}\n",
		}).Draw(t, "network") + "traffic: {pattern: uniform, measure: {longest: 2us, bin: 100ns}, " + rapid.SampledFrom([]string{
			"load: 40%, size: 300B", "load: 20%, sizes: [{from: 1B, to: 1KiB, share: 1}]", "load: 95%, arrivals: poisson", "window: 3, size: 1B, reply: 2KiB",
		}).Draw(t, "sources") + "}\nrecord: {messages: true}\n"
		e, err := fabricast.Parse("traffic.yaml", text)
		if err != nil {
			t.Fatal(err)
		}
		e.Seed = rapid.Uint64Range(1, 100).Draw(t, "seed")
		got, r := recordedAsBare(t, e, filepath.Join(folder, "a"))
		messagesAddUp(
			t, got, all[record.Message](t, r, record.MessagesTable),
			all[record.NIC](t, r, record.NICsTable), e.Traffic.Window > 0,
		)
		_, other := recordedRun(t, e, filepath.Join(folder, "b"), 3)
		sameTables(t, r, other, record.MessagesTable)
	})
}

func messagesAddUp(t *rapid.T, r *fabricast.Result, rows []record.Message, nics []record.NIC, closed bool) {
	var payload, measured int64
	var sum fabricast.Time
	replies := 0
	from, to := r.Traffic.WarmUp, r.Traffic.WarmUp+r.Traffic.Measured
	for i, m := range rows {
		if i > 0 && m.Delivery < rows[i-1].Delivery || m.Send >= m.Delivery || m.Delivery > int64(r.SimulatedTime) ||
			nics[m.Source].Host != m.SourceHost ||
			nics[m.Destination].Host != m.DestinationHost ||
			m.Tag < 0 ||
			m.Tag > 1 {
			t.Fatalf("row %d: %+v, until %v", i, m, r.SimulatedTime)
		}
		payload += m.Bytes
		replies += int(m.Tag)
		if sent := fabricast.Time(m.Send); sent >= from && sent < to && closed == (m.Tag == 1) {
			measured++
			sum += fabricast.Time(m.Delivery) - sent
		}
	}
	if want := 3*r.Packets + r.PacketHops + 2*int64(len(rows)); r.Events != want {
		t.Fatalf("%d events, want %d", r.Events, want)
	}
	if payload != r.PayloadBytes {
		t.Fatalf("rows have %d bytes, the result %d", payload, r.PayloadBytes)
	}
	if closed != (replies > 0) || closed && 2*replies != len(rows) {
		t.Fatalf("%d replies in %d rows", replies, len(rows))
	}
	if measured != r.Traffic.Messages || measured > 0 && sum/fabricast.Time(measured) != r.Latency.Mean {
		t.Fatalf(
			"%d messages were measured, of %v in all; the result has %d of %v each",
			measured, sum, r.Traffic.Messages, r.Latency.Mean,
		)
	}
}
