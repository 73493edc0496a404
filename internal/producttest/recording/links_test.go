package recording

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/producttest"
	"fabricast/record"
)

// TestTablesAddUp holds the recorded tables against the result they belong to.
func TestTablesAddUp(t *testing.T) {
	e := producttest.Torus(4, 3)
	e.Node.NICs = 2
	e.Workload = experiment.Workload{Program: "alltoall", Size: 3000}
	folder := filepath.Join(t.TempDir(), "out")
	r := producttest.Run(t, &e, fabricast.Record(folder), fabricast.Workers(2))

	links, err := parquet.ReadFile[record.Link](filepath.Join(folder, "links.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	packets, bytes, count := map[string]int64{}, map[string]int64{}, map[string]int{}
	for _, l := range links {
		count[l.Kind]++
		packets[l.Kind] += l.Packets
		bytes[l.Kind] += l.Bytes
		if l.Busy < l.Utilization || l.Busy > 1 {
			t.Errorf("link %+v is busy for more than all, or less than its use", l)
		}
	}
	if packets[record.Between] != r.PacketHops || packets[record.Injection] != r.Packets ||
		packets[record.Ejection] != r.Packets {
		t.Errorf(
			"packets on links %v; the result has %d packets and %d hops",
			packets, r.Packets, r.PacketHops,
		)
	}
	if bytes[record.Between] != r.Links.Bytes ||
		bytes[record.Injection]+bytes[record.Ejection] != r.HostLinks.Bytes {
		t.Errorf("bytes on links %v; the result has %d and %d", bytes, r.Links.Bytes, r.HostLinks.Bytes)
	}
	if count[record.Between] != r.Links.Count || count[record.Injection] != 24 ||
		count[record.Ejection] != 24 {
		t.Errorf("links %v; the result has %d", count, r.Links.Count)
	}
	checkRanks(t, folder, r)
}

func checkRanks(t *testing.T, folder string, r *fabricast.Result) {
	t.Helper()
	ranks, err := parquet.ReadFile[record.Rank](filepath.Join(folder, "ranks.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	var sent, received, bytes int64
	var last fabricast.Time
	for _, k := range ranks {
		sent += k.MessagesSent
		received += k.MessagesReceived
		bytes += k.BytesReceived
		last = max(last, fabricast.Time(k.End))
		if k.Wait+k.Compute+k.Overhead != k.End {
			t.Errorf("rank %+v: its times do not add up to its end", k)
		}
	}
	if len(ranks) != r.Ranks || sent != r.Messages || received != r.Messages || bytes != r.PayloadBytes ||
		last != r.SimulatedTime {
		t.Errorf(
			"%d ranks sent %d messages and received %d with %d bytes until %d; the result is %+v",
			len(ranks), sent, received, bytes, last, r,
		)
	}
}

// TestRecordOfAFailedRun demands that nothing is left of a run that fails.
func TestRecordOfAFailedRun(t *testing.T) {
	e := producttest.Torus(2, 2)
	e.Workload = experiment.Workload{Program: "barrier"}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	parent := t.TempDir()
	if _, err := e.Run(ctx, fabricast.Record(filepath.Join(parent, "out"))); err == nil {
		t.Error("a run with an ended context succeeded")
	}
	if entries, err := os.ReadDir(parent); err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}
