package predict

import (
	"context"
	"fmt"

	"fabricast/experiment"
	"fabricast/fabric"
	"fabricast/internal/partition"
	"fabricast/internal/plan"
)

// Division describes the quality of one way to partition the network.
type Division struct {
	By string `json:"by"` // the value of partition.by
	// Method is the method that PartitionGraph has chosen: metis, scotch or own; "" for other
	// kinds.
	Method string `json:"method,omitempty"`
	Chosen bool   `json:"chosen"` // whether the experiment uses this partition
	Blocks int    `json:"blocks"`
	// Cut is the number of links between routers that connect two blocks; each direction counts.
	Cut int `json:"cut_links"`
	// Balance is the mean weight of blocks divided by the largest; 1 if all are equal. The weight
	// of a router is what it is expected to send or, for random pairs, its number of ports in use.
	Balance float64 `json:"balance"`
	// Crossing is the share of hops between routers that lead from one block to another.
	Crossing float64 `json:"crossing"`
	// Traffic is what Balance and Crossing refer to: OfTraffic, OfProgram or OfRandom.
	Traffic string `json:"traffic"`
	// Neighbours is the largest number of other blocks to which a block has links.
	Neighbours int `json:"neighbours"`
}

// byFile is the value of Division.By for a partition from a file.
const byFile = "file"

// FindDivisions divides the network into the given number of blocks by each kind of partition, and
// sets Divisions and Scaling.
func (p *Preview) FindDivisions(ctx context.Context, blocks int) error {
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
	expected, err := demandOf(ctx, p.plan)
	if err != nil {
		return err
	}
	for _, by := range append(experiment.Partitions(), byFile) {
		if by != chosen && (by == byFile || partition.Method(by).Missing() != nil) {
			continue
		}
		d, err := divide(p.plan, expected, by, blocks)
		if err != nil {
			return err
		}
		d.Chosen = by == chosen
		p.Divisions = append(p.Divisions, *d)
	}
	return p.findScaling(ctx, expected, blocks)
}

// divide divides the network by one kind of partition and measures the result.
func divide(p *plan.Plan, expected *demand, by string, blocks int) (*Division, error) {
	spec := p.Fabric
	d := &Division{By: by, Blocks: blocks, Traffic: expected.of}
	ports := expected.weights()
	switch {
	case by == byFile:
	case by == experiment.PartitionGraph:
		list, method := partition.Best(spec.Graph, ports, blocks)
		d.Method, spec.Cut = string(method), func(int) []int32 { return list }
	default:
		e := *p.Experiment
		e.Partition = experiment.Partition{By: by}
		var err error
		if spec.Cut, err = plan.Cut(&e, p.Topology); err != nil {
			return nil, err
		}
		if plan.ByMethod(&e) {
			spec.Cut = func(blocks int) []int32 {
				return partition.ByGraph(spec.Graph, ports, blocks, partition.Method(by))
			}
		}
	}
	list := fabric.Partition(&spec, blocks)
	d.Cut, d.Balance, d.Neighbours = partition.Assess(spec.Graph, ports, list, blocks)
	d.Crossing = expected.crossing(&spec, list)
	return d, nil
}

// CutByDemand returns the function that divides the experiment's network into blocks
// (fabric.Spec.Cut). If the experiment partitions by the graph, the cut is based on the expected
// traffic; otherwise it is the plan's own. The function must not be called after ctx has ended.
func CutByDemand(ctx context.Context, p *plan.Plan) func(blocks int) []int32 {
	e := p.Experiment
	best := e.Partition.By == experiment.PartitionGraph
	if !best && !plan.ByMethod(e) {
		return p.Fabric.Cut
	}
	return func(blocks int) (list []int32) {
		var ports []float64
		if expected, err := demandOf(ctx, p); err == nil { // the run reports an invalid routing
			ports = expected.weights()
		}
		if best {
			list, _ = partition.Best(p.Fabric.Graph, ports, blocks)
			return list
		}
		return partition.ByGraph(p.Fabric.Graph, ports, blocks, partition.Method(e.Partition.By))
	}
}
