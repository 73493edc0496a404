package fabricast_test

import (
	"strings"
	"testing"

	"fabricast"
)

// What a program sets in an experiment that was read is not called a default when it is wrong.
func TestDefaultsAreToldFromWhatAProgramSets(t *testing.T) {
	const text = "network: {topology: {dims: [4]}}\nworkload: {program: barrier}\n"
	e, err := fabricast.Parse("file.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	e.Node.NICs = -1
	if err := e.Resolve(); err == nil || !strings.Contains(err.Error(), "node.nics: found -1, expected") {
		t.Errorf("found %v, expected -1 as it is", err)
	}
	_, err = fabricast.Parse(
		"file.yaml",
		strings.Replace(text, "network: {", "network: {packet: {mtu: 1MiB}, ", 1),
	)
	if err == nil ||
		!strings.Contains(err.Error(), "network.packet.flit: found 16B (the default), expected at least") {
		t.Errorf("found %v, expected that the flit is told to be the default", err)
	}
}
