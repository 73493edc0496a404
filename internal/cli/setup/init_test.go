package setup_test

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"fabricast/experiment"
	"fabricast/internal/cli"
	"fabricast/topology"
	"fabricast/traffic"
	"fabricast/workload"
)

// initialized runs fabricast init and returns the path of the file that it wrote.
func initialized(t testing.TB, args ...string) (string, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "x.yaml")
	root := cli.New(io.Discard, io.Discard)
	root.SetArgs(append([]string{"init", file}, args...))
	err := root.Execute()
	return file, err
}

// TestInitIsAccepted checks that files written by init are valid for check and for the schema, with
// all kinds of networks, programs and sizes.
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
		if program == "recorded" {
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
		root := cli.New(io.Discard, io.Discard)
		root.SetArgs([]string{"check", file})
		if err := root.Execute(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, text)
		}
	}
	for _, kind := range topology.KindNames() {
		f(kind, "alltoall", 2)
	}
	for _, program := range workload.Names() {
		f("torus", program, 6)
	}
	rapid.Check(t, func(r *rapid.T) {
		kind := rapid.SampledFrom(topology.KindNames()).Draw(r, "kind")
		program := rapid.SampledFrom(workload.Names()).Draw(r, "program")
		f(kind, program, rapid.IntRange(2, 200).Draw(r, "hosts"))
	})
}

// TestInitOfTraffic checks that every pattern that needs no file is accepted on a torus with 64
// hosts.
func TestInitOfTraffic(t *testing.T) {
	for _, name := range traffic.Names() {
		_, err := initialized(t, "--traffic", name)
		if (err != nil) != (name == "permutation") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
