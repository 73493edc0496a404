package formats

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/units"
	"fabricast/replay"
	"fabricast/topology"
	"fabricast/trace"
	"fabricast/trace/summary"
)

// samples holds sample traces by the path to open.
var samples = map[string]struct {
	format string
	ranks  int
	events int64
}{
	"otf2/stencil4d-32":                   {"OTF2", 32, 4324},
	"dumpi/p2p-4":                         {"DUMPI", 4, 36},
	"dumpi/p2p-4/testtrace.meta":          {"DUMPI", 4, 36},
	"goal/binary_tree_32.goal":            {"GOAL", 32, 62},
	"goal":                                {"GOAL", 32, 62},
	"bigsim/jacobi2d-32":                  {"BigSim", 32, 6941},
	"bigsim/jacobi2d-32/bgTrace":          {"BigSim", 32, 6941},
	"allprof/ring-4":                      {"liballprof", 4, 24},
	"ti/np32":                             {"time-independent", 32, 3232},
	"ti/actions_waitall.txt":              {"time-independent", 3, 15},
	"chakra/all_reduce-8":                 {"Chakra", 8, 8},
	"chakra/ring_allreduce-8":             {"Chakra", 8, 280},
	"chakra/ring_allreduce-8-json":        {"Chakra", 8, 280},
	"chakra/all_reduce-8/all_reduce.3.et": {"Chakra", 8, 8},
	"htsim":                               {"htsim", 8, 17},
	"aicb":                                {"AICB", 8, 168},
	"flightrecorder":                      {"NCCL flight recorder", 4, 24},
	"kineto":                              {"Kineto", 2, 10},
	"kineto/rank0.pt.trace.json":          {"Kineto", 2, 10},
}

// TestSamples opens the sample traces, reads them completely, and replays them. The result must not
// depend on the number of workers.
func TestSamples(t *testing.T) {
	for path, want := range samples {
		opened, err := Open(filepath.Join("../testdata", path), trace.Options{})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		s, err := summary.Read(t.Context(), opened, 2, 8)
		if err != nil || s.Format != want.format || s.Ranks != want.ranks || s.Events != want.events ||
			len(s.Damage) > 0 ||
			len(s.Skipped) > 0 {
			t.Errorf(
				"%s: %s of %d ranks with %d events, damage %v, skipped %v, %v; want %+v",
				path, s.Format, s.Ranks, s.Events, s.Damage, s.Skipped, err, want,
			)
			continue
		}
		if s.Messages != s.Receives && s.Format != "time-independent" {
			t.Errorf("%s: %d messages and %d receives", path, s.Messages, s.Receives)
		}
		if path == "ti/np32" { // takes seconds, and the tests of package replay also replay it
			continue
		}
		hash := func(workers int) string {
			job, err := replay.New(opened, replay.Options{})
			if err != nil {
				t.Fatal(err)
			}
			e := fabricast.Experiment{
				Network: experiment.Network{Topology: topology.DragonflySpec{P: 2, A: 4, H: 2}},
				Ranks:   want.ranks, Launch: job.Launcher(),
			}
			result, err := e.Run(t.Context(), fabricast.Workers(workers))
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			return result.Hash
		}
		if one, three := hash(1), hash(3); one != three {
			t.Errorf("%s: hash %s with three workers, %s with one", path, three, one)
		}
	}
}

// TestStartsOfFlows: a flow that starts later ends later by as much, on any number of workers, and
// one that a trigger starts follows the flow that activates it.
func TestStartsOfFlows(t *testing.T) {
	times := func(text string, workers int) units.Time {
		path := filepath.Join(t.TempDir(), "x.cm")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		opened, err := Open(path, trace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		job, err := replay.New(opened, replay.Options{})
		if err != nil {
			t.Fatal(err)
		}
		e := fabricast.Experiment{
			Network: experiment.Network{Topology: topology.DragonflySpec{P: 2, A: 4, H: 2}},
			Ranks:   opened.Ranks(), Launch: job.Launcher(),
		}
		result, err := e.Run(t.Context(), fabricast.Workers(workers))
		if err != nil {
			t.Fatal(err)
		}
		return result.SimulatedTime
	}
	const head = "Nodes 8\nConnections 2\n"
	first := times(head+"0->7 start 0 size 9000\n0->7 start 0 size 4000\n", 1)
	later := times(head+"0->7 start 3000000000 size 9000\n0->7 start 3000000000 size 4000\n", 3)
	if later != first+3*units.Millisecond {
		t.Errorf("ends at %s, and %s if it starts 3 ms later", first, later)
	}
	const chain = "Nodes 8\nConnections 2\nTriggers 1\n0->7 id 1 start 0 size 9000 recv_done_trigger 1\n" +
		"7->0 id 2 trigger 1 size 4000\ntrigger id 1 oneshot\n"
	there := times("Nodes 8\nConnections 1\n0->7 start 0 size 9000\n", 1)
	back := times("Nodes 8\nConnections 1\n7->0 start 0 size 4000\n", 1)
	if both := times(chain, 1); both != there+back {
		t.Errorf("%s there and %s back, and both take %s", there, back, both)
	}
}

// TestRecognition checks that no file of a sample is detected as another format.
func TestRecognition(t *testing.T) {
	folders := map[string]string{
		"otf2": "OTF2", "dumpi": "DUMPI", "goal": "GOAL", "bigsim": "BigSim", "allprof": "liballprof",
		"ti": "time-independent", "chakra": "Chakra",
		"aicb": "AICB", "kineto": "Kineto", "flightrecorder": "NCCL flight recorder", "htsim": "htsim", "ns3": "ns-3 flows",
	}
	err := filepath.WalkDir("../testdata", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		begin, err := beginning(path)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel("../testdata", path)
		for _, f := range list {
			if want := folders[strings.Split(filepath.ToSlash(name), "/")[0]]; f.is(begin) &&
				f.name != want {
				t.Errorf("%s is taken for %s", name, f.name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
