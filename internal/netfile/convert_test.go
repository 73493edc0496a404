package netfile_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fabricast/internal/netfile"
	"fabricast/topology"
)

// TestEveryFormatIsReadAgain: what a format holds of a tree is read again from what was written, in every
// format that can be both.
func TestEveryFormatIsReadAgain(t *testing.T) {
	top, err := topology.XGFTSpec{M: []int{3, 2}, W: []int{1, 1}}.Build(1)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range netfile.Formats() {
		if !f.Writes() || f.Name == "dot" {
			continue
		}
		var text strings.Builder
		if err := f.Write(&text, top, make([]netfile.Cable, len(top.LinkClasses()))); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "x"+f.Endings[0])
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		n, problems := netfile.Read(path, 1)
		if len(problems) > 0 {
			t.Errorf("%s: %v\n%s", f.Name, problems, text.String())
			continue
		}
		hosts := slices.Sorted(slices.Values(n.Spec.Hosts))
		if n.Reading.Format != f.Name || len(n.Spec.Edges) != 2 || !slices.Equal(hosts, []int{0, 3, 3}) {
			t.Errorf("%s: read %s, %+v\n%s", f.Name, n.Reading.Format, n.Spec, text.String())
		}
	}
}

// TestExperimentsAreNoNetworks: experiments and sweeps, in YAML and JSON, are not taken for network files.
func TestExperimentsAreNoNetworks(t *testing.T) {
	for _, text := range []string{
		"network:\n  topology: {kind: torus, dims: [4]}\n",
		"title: x\naxes:\n- topology: 1\n- field: devices\n",
		"{\"network\": {\"topology\": {\"nodes\": [{}]}}}",
		"base: x.yaml\ndevices:\n",
	} {
		path := filepath.Join(t.TempDir(), "x.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if f := netfile.Recognized(path); f != nil {
			t.Errorf("%q is taken for %s", text, f.Name)
		}
	}
	path := filepath.Join(t.TempDir(), "x.yaml")
	if err := os.WriteFile(path, []byte("# a\n---\n\n- topology: t\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if f := netfile.Recognized(path); f == nil || f.Name != "slurm-yaml" {
		t.Errorf("a list of topologies is %v", f)
	}
}
