package experiment

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"fabricast/internal/config"
	"fabricast/machines"
	"fabricast/routing"
	"fabricast/topology"
)

// TestDocumentationShowsTheMachines compares docs/machines.md with the descriptions, whose settings
// are printed by fabricast machines NAME. With -rewrite it writes the page.
func TestDocumentationShowsTheMachines(t *testing.T) {
	documented(t, "machines.md", "machines", machinePages())
}

func machinePages() string {
	var b strings.Builder
	b.WriteString("| machine | system | `shape` | default | validation and simplifications |\n|---|---|---|---|---|\n")
	for _, m := range machines.All() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", m.Name, m.Summary, m.Shape.Means,
			strings.ReplaceAll(fmt.Sprint(m.Shape.Default), " ", ", "), strings.Join(m.Accuracy, " "))
	}
	return b.String()
}

// settingsOf returns the dotted paths of a machine's settings.
func settingsOf(t *testing.T, m *machines.Description) []string {
	t.Helper()
	root, err := config.Parse(&config.Source{Name: m.Name, Text: m.YAML(nil)})
	if err != nil {
		t.Fatal(err)
	}
	var leaves func(n *config.Node, path string) []string
	leaves = func(n *config.Node, path string) (list []string) {
		if n.Kind != config.Mapping {
			return []string{path}
		}
		for _, f := range n.Fields {
			list = append(list, leaves(f.Value, strings.TrimPrefix(path+"."+f.Key, "."))...)
		}
		return list
	}
	return leaves(root, "")
}

// TestMachinesHaveSources demands a source for every number of a machine, and that sources name
// fields that it has.
func TestMachinesHaveSources(t *testing.T) {
	within := func(path, whole string) bool { return path == whole || strings.HasPrefix(path, whole+".") }
	for _, m := range machines.All() {
		paths := settingsOf(t, m)
		for _, path := range paths {
			n := 0
			for _, s := range m.Sources {
				for _, f := range s.Fields {
					if within(path, f) {
						n++
					}
				}
			}
			if n != 1 {
				t.Errorf("%s: %s has %d sources, expected one", m.Name, path, n)
			}
		}
		for _, s := range m.Sources {
			for _, f := range s.Fields {
				found := false
				for _, path := range paths {
					found = found || within(path, f)
				}
				if !found {
					t.Errorf("%s: the source of %s has nothing to tell of", m.Name, f)
				}
			}
		}
		if len(m.Accuracy) == 0 || m.Summary == "" {
			t.Errorf("%s: no summary or accuracy", m.Name)
		}
	}
}

// TestMachinesResolve checks every machine whole and in small, and that it can be written and read.
func TestMachinesResolve(t *testing.T) {
	for _, m := range machines.All() {
		for _, shape := range [][]int{nil, m.Small} {
			e, err := Machine(m.Name, shape...)
			if err != nil {
				t.Errorf("%s %v: %v", m.Name, shape, err)
				continue
			}
			if shape != nil && e.Hosts() > 1000 {
				t.Errorf("%s %v: %d hosts are not small", m.Name, shape, e.Hosts())
			}
			if e.Network.Machine != "" || len(e.Network.Shape) > 0 {
				t.Errorf("%s: the machine is still named", m.Name)
			}
		}
	}
}

// decodeText decodes an experiment's text.
func decodeText(t *testing.T, text string, sets ...string) (*Experiment, error) {
	t.Helper()
	root, err := config.Parse(&config.Source{Name: "own.yaml", Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return Decode(root, ".", sets, NetworkOnly, nil)
}

// TestOwnSettingsReplaceTheMachines tries fields, mappings with a kind, short forms and assignments.
func TestOwnSettingsReplaceTheMachines(t *testing.T) {
	e, err := decodeText(t, `
network:
  machine: fugaku
  shape: [4, 3, 2]
  link: {latency: 77ns}
  packet: {mtu: 1024B}
node: {nics: 2}
`, "network.router.latency=33ns", "node.overhead=1us")
	if err != nil {
		t.Fatal(err)
	}
	n := e.Network
	got := []string{
		n.Link.Latency.String(), n.Link.Bandwidth.String(), n.Packet.MTU.String(), n.Packet.Header.String(),
		n.Router.Latency.String(), n.Router.Routing.String(), fmt.Sprint(e.Node.NICs), e.Node.Overhead.String(),
		fmt.Sprint(n.Routing.(routing.DOROptions).Tie == routing.TieUp), fmt.Sprint(n.Topology.(topology.TorusSpec).Dims),
	}
	want := []string{"77ns", "6.8GB/s", "1KiB", "128B", "33ns", "2ns", "2", "1us", "true", "[2 3 1 2 2 1]"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q, expected %q", got, want)
	}
	e, err = decodeText(
		t,
		"network: {machine: fugaku, shape: [4], topology: {kind: hyperx, dims: [3]}, routing: minimal}",
	)
	if err != nil {
		t.Fatal(err)
	}
	if e.Network.Kind() != "hyperx" || e.Network.Routing != (routing.MinimalOptions{}) {
		t.Errorf("%+v %+v", e.Network.Topology, e.Network.Routing)
	}
}

// TestMachinesMapTheirRanks: jobs and traffic, which have no mapping, do without.
func TestMachinesMapTheirRanks(t *testing.T) {
	const text = "network: {machine: fugaku, shape: [4, 4]}\n"
	for more, want := range map[string]string{
		"workload: {program: barrier}": MappingFolded, "mapping: linear": MappingLinear, "traffic: {load: 10%}": MappingLinear,
		"jobs: [{ranks: 4, workload: {program: barrier}}]": MappingLinear,
	} {
		e, err := decodeText(t, text+more)
		if err != nil {
			t.Error(err)
			continue
		}
		if e.Mapping.Order != want {
			t.Errorf("%s: the mapping is %s, expected %s", more, e.Mapping.Order, want)
		}
	}
}

// TestWrongMachines demands that mistakes are reported where they are.
func TestWrongMachines(t *testing.T) {
	try := func(text, want string) {
		t.Helper()
		_, err := decodeText(t, text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %s", text, err, want)
		}
	}
	try("network: {machine: fugaki}", "own.yaml:1:20: network.machine: found fugaki, expected one of fugaku, k")
	try(
		"network: {machine: fugaku, shape: [2, 2, 2, 2]}",
		"own.yaml:1:35: network.shape: found [2 2 2 2], expected 1, 2, 3 or 6 numbers",
	)
	try("network: {machine: fugaku, shape: [2, 2, 0]}", "expected numbers of at least 1")
	try("network: {machine: leonardo, shape: [1000]}", "expected at most 397 for number 1")
	try("network: {machine: fugaku, shape: [two]}", "network.shape[0]: found two")
	try("network: {shape: [2, 2]}", "network.shape: found [2 2], expected network.machine")
	try(
		"network: {machine: fugaku, shape: [2, 2], router: {vcs: 99}}",
		"own.yaml:1:57: network.router.vcs: found 99",
	)
	try("network: {machine: fugaku, shape: [2, 2], rooter: {vcs: 9}}", "own.yaml:1:43")
}
