package fabricast

import (
	"errors"
	"strings"
	"testing"

	"fabricast/internal/machine"
)

func TestForecastRefuses(t *testing.T) {
	if machine.Memory() == 0 {
		return // this system does not tell
	}
	err := Forecast{Least: 1 << 50, Total: 1 << 51}.check()
	var memory *MemoryError
	if !errors.As(err, &memory) || !strings.Contains(err.Error(), "needs about 1048576.0 GiB") {
		t.Errorf("a run of a million GiB: %v", err)
	}
	if f := (Forecast{Least: 1, Total: 1}); f.check() != nil || f.warning() != "" {
		t.Errorf("a run of a byte: %v, %q", f.check(), f.warning())
	}
	if f := (Forecast{Least: 1, Total: 1 << 50}); f.check() != nil || !strings.Contains(f.warning(), "needs about 1048576.0 GiB") {
		t.Errorf("a run whose buffers will hardly be full: %v, %q", f.check(), f.warning())
	}
}

// TestForecastOfLargeBuffers: buffers take memory as they fill.
func TestForecastOfLargeBuffers(t *testing.T) {
	var e Experiment
	e.Network.Topology.Dims, e.Network.Router.Buffer = []int{4, 4, 4}, GiB
	e.Workload.Program, e.Workload.Size = "pingpong", 8
	if err := e.Resolve(); err != nil {
		t.Fatal(err)
	}
	p, err := e.Preview()
	if err != nil {
		t.Fatal(err)
	}
	if p.Memory.Total < 90*GiB || p.Memory.Least > 10<<20 {
		t.Errorf("forecast %+v", p.Memory)
	}
}

// TestForecastOfAllAtOnce: simple spread posts a message from every rank to every other.
func TestForecastOfAllAtOnce(t *testing.T) {
	e := Experiment{Ranks: 1024, Workload: Workload{Program: "alltoall", Algorithm: "simple-spread"}}
	other := e
	other.Workload.Algorithm = "ring"
	if more := e.ranksMemory() - other.ranksMemory(); more < 150<<20 || more > 200<<20 {
		t.Errorf("%d bytes more for 1024 ranks, measured 171 MiB", more)
	}
}

func TestForecastGrows(t *testing.T) {
	small, large := Experiment{}, Experiment{}
	small.Network.Topology.Dims, large.Network.Topology.Dims = []int{8, 8}, []int{8, 16}
	for _, e := range []*Experiment{&small, &large} {
		e.Workload.Program = "barrier"
		if err := e.Resolve(); err != nil {
			t.Fatal(err)
		}
	}
	a, err := small.Preview()
	if err != nil {
		t.Fatal(err)
	}
	b, err := large.Preview()
	if err != nil {
		t.Fatal(err)
	}
	if rough := small.roughForecast(); rough.Total > a.Memory.Total {
		t.Errorf("the rough forecast of %v is more than the full one of %v", rough.Total, a.Memory.Total)
	}
	if a.Memory.Network*3/2 > b.Memory.Network || a.Memory.Ranks*2 != b.Memory.Ranks {
		t.Errorf("forecasts %+v and, for twice the hosts, %+v", a.Memory, b.Memory)
	}
}

func TestForecastCountsBins(t *testing.T) {
	var need [3]Bytes
	for i := range need {
		var e Experiment
		e.Network.Topology.Dims = []int{8, 8}
		e.Workload.Program = "barrier"
		if i > 0 {
			e.Record.Bins = BinRecording{Interval: IntervalAuto, Buffers: i == 2}
		}
		if err := e.Resolve(); err != nil {
			t.Fatal(err)
		}
		p, err := e.Preview()
		if err != nil {
			t.Fatal(err)
		}
		need[i] = p.Memory.Network
	}
	if need[0] >= need[1] || need[1] >= need[2] {
		t.Errorf("the network needs %v, with bins %v, with bins of buffers %v", need[0], need[1], need[2])
	}
}
