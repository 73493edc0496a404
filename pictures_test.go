package fabricast_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"fabricast"
)

var updatePictures = flag.Bool("update-pictures", false, "draw the pictures of docs/topologies.md anew")

// pictures are those of docs/topologies.md.
var pictures = map[string]string{
	"torus":        "{kind: torus, dims: [6, 5]}",
	"twisted":      "{kind: twisted-torus, dims: [4, 8], twist: [x+4y]}",
	"hammingmesh":  "{kind: hammingmesh, board: [2, 2], boards: [3, 2]}",
	"hyperx":       "{kind: hyperx, dims: [5, 4], hosts: 4}",
	"fat-tree":     "{kind: fat-tree, radix: 8, levels: 3}",
	"dragonfly":    "{kind: dragonfly, p: 2, a: 4, h: 2}",
	"dragonfly+":   "{kind: dragonfly+, p: 3, leaves: 3, spines: 3, h: 2}",
	"slim-fly":     "{kind: slim-fly, q: 5}",
	"superblocks":  "{kind: hierarchy, block: {kind: fully-connected, routers: 4, hosts: 2}, outer: {dims: [4, 4]}}",
	"blocks-below": "{kind: hierarchy, block: {kind: fully-connected, routers: 3}, outer: {kind: xgft, m: [3, 3], w: [1, 2]}}",
}

func TestPictures(t *testing.T) {
	for name, shape := range pictures {
		e, err := fabricast.Parse(name, "network: {topology: "+shape+"}\nworkload: {program: barrier}\n")
		if err != nil {
			t.Fatal(err)
		}
		layout, err := e.Layout()
		if err != nil {
			t.Fatal(err)
		}
		var drawn bytes.Buffer
		if err := layout.SVG(&drawn); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("docs", "images", name+".svg")
		if *updatePictures {
			if err := os.WriteFile(file, drawn.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		kept, err := os.ReadFile(file)
		if err != nil || !bytes.Equal(kept, drawn.Bytes()) {
			t.Errorf(
				"%s is not the picture of %s (%v); to draw it anew: go test . -run Pictures -update-pictures",
				file, shape, err,
			)
		}
	}
}
