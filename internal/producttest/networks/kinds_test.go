package networks

import (
	"testing"

	"fabricast"
	"fabricast/internal/producttest"
)

// TestResolvedNetworksAreKept: a network of any kind that is written with all its defaults is the same
// network when it is read again, also where options are zero that are not by default.
func TestResolvedNetworksAreKept(t *testing.T) {
	producttest.EachNetwork(t, func(t *testing.T, network string) {
		text := "network: {topology: " + network + "}\nworkload: {program: barrier}\n"
		var written []string
		for range 2 {
			e, err := fabricast.Parse("network.yaml", text)
			if err == nil {
				err = e.Resolve()
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			again, err := e.YAML()
			if err != nil {
				t.Fatal(err)
			}
			text = string(again)
			written = append(written, text)
		}
		if written[0] != written[1] {
			t.Errorf("written as\n%s\nand then as\n%s", written[0], written[1])
		}
	})
}
