package fabricast_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/producttest"
	"fabricast/topology"
)

// Programs read what is wrong with an experiment, and where.
func TestProblemsForPrograms(t *testing.T) {
	file := filepath.Join(t.TempDir(), "e.yaml")
	const text = "network:\n  topology: {dims: [4, 4]}\n  link: {bandwidth: 8gb/s}\nworkload: {program: barrier}\nsede: 1\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	problems := func(_ any, err error) []fabricast.Problem {
		t.Helper()
		var wrong *fabricast.ConfigError
		if !errors.As(err, &wrong) {
			t.Fatalf("got %v, want a ConfigError", err)
		}
		return wrong.Problems()
	}
	same := func(got []fabricast.Problem, want ...fabricast.Problem) {
		t.Helper()
		for i := range min(len(got), len(want)) {
			if want[i].Expected == "" { // long lists
				got[i].Expected = ""
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	same(
		problems(fabricast.Load(file)),
		fabricast.Problem{
			File:     file,
			Line:     3,
			Column:   21,
			Field:    "network.link.bandwidth",
			Found:    "8gb/s",
			Expected: "a rate such as 8GB/s",
			Hint:     "did you mean 8GB/s or 8Gb/s?",
		},
		fabricast.Problem{
			File:   file,
			Line:   5,
			Column: 1,
			Field:  "sede",
			Found:  `unknown field "sede"`,
			Hint:   "did you mean seed?",
		},
	)
	same(problems(fabricast.Load("examples/quickstart.yaml", "ranks=x")),
		fabricast.Problem{File: "--set ranks=x", Field: "ranks", Found: "x"})
	same(
		problems(fabricast.Load("missing.yaml")),
		fabricast.Problem{
			File:     "missing.yaml",
			Found:    "no such file or directory",
			Expected: "a readable file",
		},
	)
	e := producttest.Torus(4, 4)
	e.Workload = experiment.Workload{Program: "barrier"}
	e.Ranks = 17
	_, err := e.Preview()
	same(problems(nil, err), fabricast.Problem{Field: "ranks", Found: "17"})
}

// Documents are changed field by field, also by programs that cannot name what is inside.
func TestDocument(t *testing.T) {
	doc, err := fabricast.OpenDocument("examples/quickstart.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var dims *fabricast.Fragment = doc.Field("network.topology.dims")
	if dims == nil || len(dims.Items) == 0 {
		t.Fatalf("dims %+v", dims)
	}
	small, err := doc.Set("network.topology.dims=[2, 2]")
	if err != nil {
		t.Fatal(err)
	}
	e, err := small.Set("ranks=4")
	if err != nil {
		t.Fatal(err)
	}
	if x, err := e.Experiment(); err != nil || x.Ranks != 4 {
		t.Errorf("%v, %v", x, err)
	}
	if x, err := small.With("network.topology.dims", dims).Experiment(); err != nil ||
		len(x.Network.Topology.(topology.TorusSpec).Dims) != len(dims.Items) {
		t.Errorf("%v, %v", x, err)
	}
	var wrong *fabricast.ConfigError
	if _, err := doc.Set("ranks"); !errors.As(err, &wrong) {
		t.Errorf("got %v, want a ConfigError", err)
	}
}

func TestNoExperiment(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.yaml")
	if err := os.WriteFile(empty, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ file, found string }{{t.TempDir(), "a folder"}, {os.DevNull, "a device"}, {empty, "nothing"}} {
		_, err := fabricast.Load(c.file)
		var wrong *fabricast.ConfigError
		if !errors.As(err, &wrong) || len(wrong.Problems()) != 1 || wrong.Problems()[0].Found != c.found {
			t.Errorf("%s: got %v, want that %s was found", c.file, err, c.found)
		}
	}
}

// A number of a model's job that is written as 0 is refused, where 0 in Go means that it is not given. A misspelt
// field beside a file that exists is the only problem.
func TestZeroNumbersOfJobs(t *testing.T) {
	for program, fields := range map[string][]string{
		"training": {
			"batch", "microbatch", "parallel.tensor", "parallel.pipeline", "parallel.virtual", "parallel.data",
			"parallel.context",
		},
		"serving": {
			"arrivals.requests", "arrivals.prompt", "arrivals.output", "arrivals.interval", "batching.requests",
			"batching.tokens", "batching.memory", "parallel.tensor", "parallel.expert",
		},
	} {
		for _, field := range fields {
			text := "network: {topology: {dims: [4]}}\nworkload: {program: " + program + ", model: tiny}\n"
			_, err := fabricast.Parse("e.yaml", text, "workload."+field+"=0")
			var wrong *fabricast.ConfigError
			if !errors.As(err, &wrong) || wrong.Problems()[0].Field != "workload."+field || wrong.Problems()[0].Found != "0" {
				t.Errorf("%s with %s=0: %v", program, field, err)
			}
		}
	}
	_, err := fabricast.Load("examples/ai/serving.yaml", "workload.modl=x")
	var wrong *fabricast.ConfigError
	if !errors.As(err, &wrong) || len(wrong.Problems()) != 1 || wrong.Problems()[0].Field != "workload.modl" {
		t.Errorf("a misspelt field: %v", err)
	}
}
