package networks

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/producttest"
	"fabricast/topology"
)

// outerNetworks has what joins blocks: without hosts where a kind can do without. Kinds that are not
// listed join blocks by the examples with which they describe themselves.
var outerNetworks = map[string][]string{
	experiment.KindTorus:         {"{kind: torus, dims: [3, 2]}", "{kind: torus, dims: [5]}"},
	"twisted-torus":              {"{kind: twisted-torus, dims: [2, 4], twist: [x+2y], hosts: 0}"},
	"hammingmesh":                {"{kind: hammingmesh, board: [1, 2], boards: [2, 1]}"},
	experiment.KindMesh:          {"{kind: mesh, dims: [2]}", "{kind: mesh, dims: [2, 3]}"},
	experiment.KindHyperX:        {"{kind: hyperx, dims: [2, 3]}"},
	experiment.KindFull:          {"{kind: fully-connected, routers: 3}"},
	experiment.KindFatTree:       {"{kind: fat-tree, radix: 4, levels: 2}"},
	experiment.KindKaryTree:      {"{kind: k-ary-n-tree, k: 2, n: 2}"},
	experiment.KindXGFT:          {"{kind: xgft, m: [2, 3], w: [1, 2]}"},
	experiment.KindDragonfly:     {"{kind: dragonfly, p: 1, a: 2, h: 1}"},
	experiment.KindDragonflyPlus: {"{kind: dragonfly+, p: 1, leaves: 2, spines: 2, h: 1}"},
	experiment.KindSlimFly:       {"{kind: slim-fly, q: 3}"},
	experiment.KindHierarchy: {
		"{kind: hierarchy, block: {kind: mesh, dims: [2]}, outer: {kind: mesh, dims: [2]}}",
		"{kind: hierarchy, block: {kind: mesh, dims: [2], hosts: 0}, outer: {kind: xgft, m: [2, 2], w: [1, 2]}}",
	},
	experiment.KindFile: {"{kind: file, file: @/odd.edges, hosts: 0}", "{kind: file, file: @/ring.edges, hosts: 0}"},
}

// drawnApart are kinds with draws of their own.
var drawnApart = map[string]bool{"twisted-torus": true, "hammingmesh": true}

// TestHierarchies runs hierarchies of blocks of every kind, with external ports anywhere, joined by
// networks of every kind. Whatever is not refused comes to its end; nothing hangs.
func TestHierarchies(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of set-ups; workers have a test of their own")
	}
	producttest.EachNetwork(t, func(t *testing.T, block string) {
		if !strings.HasSuffix(t.Name(), "0") {
			return // one of each kind will do
		}
		t.Parallel()
		d := producttest.SameDraws(t)
		folder := producttest.Files(t)
		ran := map[string]int{}
		for _, kind := range topology.KindNames() {
			list, d := outerNetworks[kind], d
			if drawnApart[kind] { // what is drawn for others stays as it is
				d = producttest.SameDraws(t, kind)
			}
			if list == nil {
				list = producttest.Small(kind)
			}
			for _, outer := range list {
				outer = strings.ReplaceAll(outer, "@", folder)
				if runsOrIsRefused(t, d, block, outer) {
					ran[kind]++
				}
			}
			if ran[kind] == 0 {
				t.Errorf("no hierarchy of %s joined by %s has run", block, kind)
			}
		}
	})
}

// runsOrIsRefused draws the rest of a hierarchy and runs a program on it, and tells whether it has
// run.
func runsOrIsRefused(t *testing.T, d *rand.Rand, block, outer string) bool {
	t.Helper()
	network := fmt.Sprintf(
		"{kind: hierarchy, block: %s, outer: %s%s}",
		block,
		outer,
		drawExternal(t, d, block, outer),
	)
	routing := producttest.One(
		d,
		"",
		"",
		"routing: up-down, ",
		"routing: shortest, ",
		"routing: valiant, ",
		"routing: ugal-l, ",
		"routing: {algorithm: ugal-g, interval: 100ns}, ",
	)
	text := fmt.Sprintf("network: {%stopology: %s}\nworkload: {program: ring, size: 8B}", routing, network)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	e, err := fabricast.Parse("hierarchy.yaml", text)
	if err == nil {
		_, err = e.Preview()
	}
	if err == nil {
		_, err = e.Run(ctx, fabricast.Workers(1+d.IntN(3)))
	}
	if err != nil &&
		(!producttest.Refused(err) || strings.Contains(err.Error(), "routing fails") || strings.Contains(err.Error(), "do not avoid it")) {
		t.Errorf("%v\n%s", err, text)
	}
	return err == nil
}

// drawExternal draws which routers of a block have its external ports; half the time it leaves that
// open.
func drawExternal(t *testing.T, d *rand.Rand, block, outer string) string {
	t.Helper()
	if d.IntN(2) == 0 {
		return ""
	}
	e, err := fabricast.Parse(
		"hierarchy.yaml",
		fmt.Sprintf(
			"network: {topology: {kind: hierarchy, block: %s, outer: %s}}\nworkload: {program: barrier}",
			block,
			outer,
		),
	)
	if err != nil {
		t.Fatal(err)
	}
	layout, err := e.Layout()
	if err != nil {
		t.Fatal(err)
	}
	h := layout.Topology.(*topology.Hierarchy)
	list := make([]string, h.ExternalPorts())
	for i := range list {
		list[i] = fmt.Sprint(d.IntN(h.Block().Graph().Routers))
	}
	return ", external: [" + strings.Join(list, ", ") + "]"
}
