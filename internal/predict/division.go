package predict

import (
	"fmt"

	"fabricast/fabric"
	"fabricast/internal/experiment"
	"fabricast/internal/partition"
	"fabricast/internal/plan"
	"fabricast/internal/random"
	"fabricast/routing"
	"fabricast/topology"
)

// Division is what a partition of the network is worth.
type Division struct {
	By     string `json:"by"`     // what the experiment's partition would say
	Chosen bool   `json:"chosen"` // the experiment has this one
	Blocks int    `json:"blocks"`
	// Cut is how many links between routers lead from block to block, one for each direction.
	Cut int `json:"cut_links"`
	// Balance is the mean weight of blocks divided by the largest; 1 if all are equal. The weight is
	// the number of ports in use.
	Balance float64 `json:"balance"`
	// Crossing is the part of the hops between routers that lead from block to block, of packets
	// between nodes chosen at random.
	Crossing float64 `json:"crossing"`
	// Neighbours is the largest number of other blocks to which links of one block lead.
	Neighbours int `json:"neighbours"`
}

// byFile is the Division.By of a partition from a file.
const byFile = "file"

// FindDivisions computes what each kind of partition makes of the network in so many blocks and
// sets Divisions.
func (p *Preview) FindDivisions(blocks int) error {
	e, g := p.plan.Experiment, p.plan.Fabric.Graph
	if e.Network.Abstract() {
		return fmt.Errorf(
			"found %d processes, expected one: a network without packets has no partition", blocks,
		)
	}
	if blocks > g.Routers {
		return fmt.Errorf("found %d processes, expected at most one for each of the %d routers", blocks, g.Routers)
	}
	chosen := e.Partition.By
	switch {
	case e.Partition.File != "":
		chosen = byFile
	case chosen == "":
		chosen = experiment.PartitionLinear
	}
	for _, by := range append(experiment.Partitions(), byFile) {
		if by == byFile && chosen != byFile {
			continue
		}
		d, err := divide(p.plan, by, blocks)
		if err != nil {
			return err
		}
		d.Chosen = by == chosen
		p.Divisions = append(p.Divisions, *d)
	}
	return nil
}

// divide returns what one kind of partition makes of the network.
func divide(p *plan.Plan, by string, blocks int) (*Division, error) {
	spec := p.Fabric
	if by != byFile {
		e := *p.Experiment
		e.Partition = experiment.Partition{By: by}
		var err error
		if spec.Cut, err = plan.Cut(&e, p.Topology); err != nil {
			return nil, err
		}
	}
	list := fabric.Partition(&spec, blocks)
	d := &Division{By: by, Blocks: blocks}
	d.Cut, d.Balance, d.Neighbours = partition.Assess(spec.Graph, list, blocks)
	var err error
	d.Crossing, err = crossing(&spec, list)
	return d, err
}

// pairsOfHosts is how many pairs of hosts are looked at.
const pairsOfHosts = 2000

// crossing returns the part of the hops of routes between random hosts that leads from block to
// block.
func crossing(spec *fabric.Spec, list []int32) (float64, error) {
	g := spec.Graph
	w := walker{spec: *spec}
	hops, crossed := 0, 0
	hosts := uint64(g.Hosts)
	for i := range uint64(pairsOfHosts) {
		from, to := random.Below(0, 2*i, hosts), random.Below(0, 2*i+1, hosts)
		if from == to {
			continue
		}
		_, err := w.walk(int(from), int(to), i+escapeAttempt+1, func(router int32, c routing.Candidate) {
			next := g.PeerRouter(int(g.PortBase[router]) + int(c.Port))
			if next == int(topology.Unconnected) {
				return
			}
			hops++
			if list[router] != list[next] {
				crossed++
			}
		})
		if err != nil {
			return 0, err
		}
	}
	return float64(crossed) / float64(max(hops, 1)), nil
}
