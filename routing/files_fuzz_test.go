package routing_test

import (
	"errors"
	"strings"
	"testing"

	"fabricast/routing"
	"fabricast/topology"
)

// filesNetworks are those whose files of routes are fuzzed.
var filesNetworks = []topology.Spec{
	topology.TorusSpec{Dims: []int{3, 2}, Wrap: []bool{true, false}, Hosts: 2},
	topology.XGFTSpec{M: []int{2, 2}, W: []int{1, 2}, Width: []int{1, 1}},
	topology.FullSpec{Routers: 3, Hosts: 1, Width: []int{2}},
}

// fewMistakes demands that a text was refused for mistakes in it.
func fewMistakes(t *testing.T, err error) {
	t.Helper()
	var one *routing.FileError
	if !errors.As(err, &one) || one.Found == "" || one.Expected == "" ||
		len(strings.Split(err.Error(), "\n")) > 1000 {
		t.Fatalf("got %v, want mistakes in the file", err)
	}
}

// FuzzForwarding demands of any text either mistakes, or tables by which every packet arrives.
func FuzzForwarding(f *testing.F) {
	f.Add("0 * 0\n1 * 0 # all\n2 * 1\n", uint8(2))
	f.Add("0 1 2/1\n0 * 2\n1 0 2/0\n1 * 3\n2 * 2\n", uint8(2))
	f.Add("* * *\n-1 0 0\n0 99999999999999999999 0\n0 0 0/9\n0 0 65536\n0 0 0 0", uint8(0))
	fuzzRoutes(f, func(net topology.Topology, text string) (routing.Algorithm, error) {
		return routing.NewForwarding(net.Graph(), 2, strings.NewReader(text))
	})
}

// FuzzSource demands of any text either mistakes, or routes by which every packet arrives.
func FuzzSource(f *testing.F) {
	f.Add("0 2 0/1 # one hop\n", uint8(2))
	f.Add("0 4 2 2/0\n", uint8(0))
	f.Add("0 2 0/1 0/1 0/1\n2 0 "+strings.Repeat("1 ", 5000)+"\n0 0 1\n0\n", uint8(0))
	fuzzRoutes(f, func(net topology.Topology, text string) (routing.Algorithm, error) {
		of, err := routing.NewMinimal(net, "minimal", 2, routing.ChoiceFlow)
		if err != nil {
			return nil, err
		}
		return routing.NewSource(net.Graph(), 2, of.(routing.Function), strings.NewReader(text))
	})
}

func fuzzRoutes(f *testing.F, read func(topology.Topology, string) (routing.Algorithm, error)) {
	f.Fuzz(func(t *testing.T, text string, network uint8) {
		net, err := filesNetworks[int(network)%len(filesNetworks)].Build(1)
		if err != nil {
			t.Fatal(err)
		}
		algorithm, err := read(net, text)
		if err != nil {
			fewMistakes(t, err)
			return
		}
		w := &walker{t: t, name: "file", graph: net.Graph(), algorithm: algorithm, vcs: 2}
		for src := range int32(len(net.Graph().NICPort)) {
			for dst := range int32(len(net.Graph().NICPort)) {
				if src != dst {
					w.walk(src, dst)
				}
			}
		}
	})
}
