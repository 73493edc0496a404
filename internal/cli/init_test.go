package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast/experiment"
	"fabricast/topology"
	"fabricast/traffic"
	"fabricast/workload"
)

// initialized runs fabricast init, and returns the file that it wrote.
func initialized(t testing.TB, args ...string) (string, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "x.yaml")
	root := New(io.Discard, io.Discard)
	root.SetArgs(append([]string{"init", file}, args...))
	err := root.Execute()
	return file, err
}

// TestInitIsAccepted demands that what init writes is accepted by check and by the schema, for all
// kinds of networks, programs and sizes.
func TestInitIsAccepted(t *testing.T) {
	dir := t.TempDir()
	links, recording := filepath.Join(dir, "n.edges"), filepath.Join(dir, "r.txt")
	for name, text := range map[string]string{links: "router a 2\nrouter b 2\na b\n", recording: "0,0,1,64\n0,1,0,64\n"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	by := compiled(t, "experiment")
	f := func(kind, program string, hosts int) {
		t.Helper()
		args := []string{"--network", kind, "--program", program, "--hosts", strconv.Itoa(hosts)}
		if kind == experiment.KindFile {
			args = append(args, "--links", links)
		}
		if program == recordedProgram {
			args = append(args, "--recording", recording)
		}
		file, err := initialized(t, args...)
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(by, string(text)); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, text)
		}
		root := New(io.Discard, io.Discard)
		root.SetArgs([]string{"check", file})
		if err := root.Execute(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, text)
		}
	}
	for _, kind := range topology.KindNames() {
		f(kind, usualProgram, leastHosts)
	}
	for _, program := range workload.Names() {
		f(usualNetwork, program, 6)
	}
	rapid.Check(t, func(r *rapid.T) {
		kind := rapid.SampledFrom(topology.KindNames()).Draw(r, "kind")
		program := rapid.SampledFrom(workload.Names()).Draw(r, "program")
		f(kind, program, rapid.IntRange(leastHosts, 200).Draw(r, "hosts"))
	})
}

// TestSizedNetworks demands networks of at least the size asked for, and of commonly built sizes no
// larger ones.
func TestSizedNetworks(t *testing.T) {
	kinds := slices.DeleteFunc(
		topology.KindNames(),
		func(kind string) bool { return kind == experiment.KindFile },
	)
	rapid.Check(t, func(r *rapid.T) {
		kind := rapid.SampledFrom(kinds).Draw(r, "kind")
		hosts := rapid.OneOf(rapid.IntRange(leastHosts, 300), rapid.IntRange(leastHosts, mostHosts)).
			Draw(r, "hosts")
		shape, ok := experiment.Sized(kind, hosts)
		if found := experiment.HostsOf(shape); !ok || found < hosts {
			r.Fatalf("%s for %d hosts has %d: %+v", kind, hosts, found, shape)
		}
	})
	for kind, hosts := range map[string]int{
		experiment.KindTorus: 512, experiment.KindFatTree: 128, experiment.KindDragonfly: 72, experiment.KindKaryTree: 64,
	} {
		if shape, _ := experiment.Sized(kind, hosts); experiment.HostsOf(shape) != hosts {
			t.Errorf("%s for %d hosts has %d: %+v", kind, hosts, experiment.HostsOf(shape), shape)
		}
	}
}

// TestInitOfTraffic demands that every pattern that needs no file is accepted on a torus of 64
// hosts.
func TestInitOfTraffic(t *testing.T) {
	for _, name := range traffic.Names() {
		_, err := initialized(t, "--traffic", name)
		if (err != nil) != (name == "permutation") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestInitAsks answers the questions of a terminal.
func TestInitAsks(t *testing.T) {
	f := func(answers string, want draft) {
		t.Helper()
		var d draft
		var out bytes.Buffer
		if err := d.ask(strings.NewReader(answers), &out); err != nil || d != want {
			t.Errorf("%q: %+v, %v, want %+v\n%s", answers, d, err, want, &out)
		}
	}
	f("\n\n\n", draft{network: "torus", hosts: 64, program: "alltoall"})
	f(
		"dragonfyl\ndragonfly\nmany\n1\n72\ntornado\n",
		draft{network: "dragonfly", hosts: 72, traffic: "tornado"},
	)
	f(
		"file\ncluster.edges\nrecorded\nx.txt\n",
		draft{network: "file", links: "cluster.edges", program: "recorded", recording: "x.txt"},
	)
	d := draft{network: "mesh", hosts: 9}
	if err := d.ask(strings.NewReader(""), io.Discard); err == nil {
		t.Error("no answer was no error")
	}
}
