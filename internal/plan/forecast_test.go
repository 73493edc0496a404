package plan

import (
	"errors"
	"strings"
	"testing"

	"fabricast/experiment"
	"fabricast/internal/failure"
	"fabricast/internal/machine"
	"fabricast/internal/units"
	"fabricast/node"
	"fabricast/replay"
	"fabricast/topology"
)

func TestForecastRefuses(t *testing.T) {
	if machine.Memory() == 0 {
		return // this system does not tell
	}
	err := Forecast{Least: 1 << 50, Total: 1 << 51}.Check()
	var memory *failure.MemoryError
	if !errors.As(err, &memory) || !strings.Contains(err.Error(), "needs about 1048576.0 GiB") {
		t.Errorf("a run of a million GiB: %v", err)
	}
	if f := (Forecast{Least: 1, Total: 1}); f.Check() != nil || f.Warning() != "" {
		t.Errorf("a run of a byte: %v, %q", f.Check(), f.Warning())
	}
	if f := (Forecast{Least: 1, Total: 1 << 50}); f.Check() != nil ||
		!strings.Contains(f.Warning(), "needs about 1048576.0 GiB") {
		t.Errorf("a run whose buffers will hardly be full: %v, %q", f.Check(), f.Warning())
	}
}

// torus is a torus of routers with one host each.
func torus(dims ...int) topology.Spec { return topology.TorusSpec{Dims: dims, Hosts: 1} }

// TestForecastOfLargeBuffers: buffers take memory as they fill.
func TestForecastOfLargeBuffers(t *testing.T) {
	var e experiment.Experiment
	e.Network.Topology, e.Network.Router.Buffer = torus(4, 4, 4), units.GiB
	e.Workload.Program, e.Workload.Size = "pingpong", 8
	if f := built(t, e).Forecast(); f.Total < 90*units.GiB || f.Least-f.Tables.Process > 10<<20 {
		t.Errorf("forecast %+v", f)
	}
}

// resolved is an experiment with its defaults.
func resolved(t *testing.T, e experiment.Experiment) *experiment.Resolved {
	t.Helper()
	r, err := experiment.Resolve(e)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// built is the plan of an experiment.
func built(t *testing.T, e experiment.Experiment) *Plan {
	t.Helper()
	p, err := Build(resolved(t, e))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestForecastOfAllAtOnce: simple spread posts a message from every rank to every other.
func TestForecastOfAllAtOnce(t *testing.T) {
	e := experiment.Resolved{Experiment: experiment.Experiment{
		Ranks: 1024, Workload: experiment.Workload{Program: "alltoall", Algorithm: "simple-spread"},
	}}
	other := e
	other.Workload.Algorithm = "ring"
	if more := ranksMemory(&e) - ranksMemory(&other); more < 150<<20 || more > 200<<20 {
		t.Errorf("%d bytes more for 1024 ranks, measured 171 MiB", more)
	}
}

// TestForecastOfWindows: the ranks of uniform post a window of messages before any has arrived,
// however large those are, and no more than there are.
func TestForecastOfWindows(t *testing.T) {
	f := func(window, messages int, low, high units.Bytes) {
		t.Helper()
		var e experiment.Experiment
		e.Network.Topology = torus(40, 40)
		e.Workload = experiment.Workload{
			Program:  "uniform",
			Size:     units.GiB,
			Messages: messages,
			Window:   window,
		}
		r := resolved(t, e)
		got := ranksMemory(r) - stacksMemory(r)
		if got < low || got > high {
			t.Errorf(
				"%d of %d messages at once: %d bytes, expected %d to %d",
				window, messages, got, low, high,
			)
		}
	}
	f(10000, 10000, 2*units.GiB, 3*units.GiB)
	f(10000, 10, 2<<20, 3<<20)
	f(10, 10000, 2<<20, 3<<20)
}

func TestForecastGrows(t *testing.T) {
	small, large := experiment.Experiment{}, experiment.Experiment{}
	small.Network.Topology, large.Network.Topology = torus(8, 8), torus(8, 16)
	small.Workload.Program, large.Workload.Program = "barrier", "barrier"
	a, b := built(t, small).Forecast(), built(t, large).Forecast()
	if rough := RoughForecast(resolved(t, small)); rough.Total > a.Total {
		t.Errorf("the rough forecast of %v is more than the full one of %v", rough.Total, a.Total)
	}
	if a.Network*3/2 > b.Network || a.Ranks*2 != b.Ranks {
		t.Errorf("forecasts %+v and, for twice the hosts, %+v", a, b)
	}
}

func TestForecastCountsBins(t *testing.T) {
	var need [3]units.Bytes
	for i := range need {
		var e experiment.Experiment
		e.Network.Topology = torus(8, 8)
		e.Workload.Program = "barrier"
		if i > 0 {
			e.Record.Bins = experiment.BinRecording{Interval: experiment.IntervalAuto, Buffers: i == 2}
		}
		need[i] = built(t, e).Forecast().Network
	}
	if need[0] >= need[1] || need[1] >= need[2] {
		t.Errorf("the network needs %v, with bins %v, with bins of buffers %v", need[0], need[1], need[2])
	}
}

// TestForecastOfProcesses: the number of processes that is told is enough, and one less is not.
func TestForecastOfProcesses(t *testing.T) {
	f := Forecast{Network: 900, Ranks: 300, Total: 1200, Least: 700, Whole: 200}
	for memory := units.Bytes(1); memory < 1500; memory++ {
		n := f.Processes(memory)
		if n == 0 {
			if memory > f.Whole {
				t.Errorf("%d B: no number of processes", memory)
			}
			continue
		}
		if each := f.Each(n).Total; each > memory {
			t.Errorf("%d B: %d processes need %d B each", memory, n, each)
		}
		if n > 1 && f.Whole+(f.Total-f.Whole+units.Bytes(n-2))/units.Bytes(n-1) <= memory {
			t.Errorf("%d B: %d processes, though one less is enough", memory, n)
		}
	}
}

// TestForecastOfSavedStates: the optimistic modes save states, a run of one worker none.
func TestForecastOfSavedStates(t *testing.T) {
	var e experiment.Experiment
	e.Network.Topology, e.Workload.Program = torus(8, 8), "barrier"
	plain := built(t, e).Forecast()
	e.Engine.Mode = experiment.EngineOptimistic
	f := built(t, e).Forecast()
	if f.Saves < plain.Total-plain.Whole || f.Total != plain.Total+f.Saves || f.Least != plain.Least {
		t.Errorf("optimistic %+v, conservative %+v", f, plain)
	}
	if without := f.WithoutSaves(); without != plain {
		t.Errorf("without saved states %+v, conservative %+v", without, plain)
	}
	e.Engine.KP = 8
	if parts := built(t, e).Forecast(); parts.Saves <= f.Saves {
		t.Errorf("eight parts save %v, fewer %v", parts.Saves, f.Saves)
	}
	e.Engine.KP = 0
	e.Launch, e.Ranks, e.Workload.Program = func(int) func(int) node.Program { return nil }, 16, ""
	if tapes := built(t, e).Forecast(); tapes.Saves < 16*units.Bytes(replay.ForecastTape()) {
		t.Errorf("ranks that replay a trace keep %v", tapes.Saves)
	}
	if each := f.Each(4); each.Saves*4 != f.Saves || each.Total >= f.Total {
		t.Errorf("one of four processes %+v, one process %+v", each, f)
	}
}

// TestForecastExpectsTheProgram: what is expected follows what the program has under way, not what
// the buffers could hold.
func TestForecastExpectsTheProgram(t *testing.T) {
	var e experiment.Experiment
	e.Network.Topology = torus(32, 32)
	e.Workload.Program = "barrier"
	barrier := built(t, e).Forecast()
	if used, most := barrier.Expected-processMemory, barrier.Total-processMemory; used > most/2 {
		t.Errorf("a barrier is expected to take %v of %v", used, most)
	}
	e.Workload.Program, e.Workload.Size = "halo2d", 64*units.KiB
	halo := built(t, e).Forecast()
	if halo.Expected <= barrier.Expected || halo.Expected > halo.Total {
		t.Errorf("halos of 64 KiB are expected to take %v, a barrier %v", halo.Expected, barrier.Expected)
	}
}
