package predict

import (
	"context"
	"fmt"

	"fabricast/experiment"
	"fabricast/fabric"
	"fabricast/internal/partition"
	"fabricast/internal/plan"
)

// Division is what a partition of the network is worth.
type Division struct {
	By string `json:"by"` // what the experiment's partition would say
	// Method is the one of metis, scotch and own that PartitionGraph has taken; "" of other kinds.
	Method string `json:"method,omitempty"`
	Chosen bool   `json:"chosen"` // the experiment has this one
	Blocks int    `json:"blocks"`
	// Cut is how many links between routers lead from block to block, one for each direction.
	Cut int `json:"cut_links"`
	// Balance is the mean weight of blocks divided by the largest; 1 if all are equal. The weight
	// is what routers are expected to send, of random pairs the number of ports in use.
	Balance float64 `json:"balance"`
	// Crossing is the part of the hops between routers that lead from block to block.
	Crossing float64 `json:"crossing"`
	// Traffic is what Balance and Crossing refer to: OfTraffic, OfProgram or OfRandom.
	Traffic string `json:"traffic"`
	// Neighbours is the largest number of other blocks to which links of one block lead.
	Neighbours int `json:"neighbours"`
}

// byFile is the Division.By of a partition from a file.
const byFile = "file"

// FindDivisions computes what each kind of partition makes of the network in so many blocks and
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

// divide returns what one kind of partition makes of the network.
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

// CutByDemand returns a cut of the experiment's network (fabric.Spec.Cut) that goes by the traffic
// that is expected of it, where its partition is one by the graph, and its usual cut elsewhere. It
// must not be called after the context has ended.
func CutByDemand(ctx context.Context, p *plan.Plan) func(blocks int) []int32 {
	e := p.Experiment
	best := e.Partition.By == experiment.PartitionGraph
	if !best && !plan.ByMethod(e) {
		return p.Fabric.Cut
	}
	return func(blocks int) (list []int32) {
		var ports []float64
		if expected, err := demandOf(ctx, p); err == nil { // a wrong routing is reported by the run
			ports = expected.weights()
		}
		if best {
			list, _ = partition.Best(p.Fabric.Graph, ports, blocks)
			return list
		}
		return partition.ByGraph(p.Fabric.Graph, ports, blocks, partition.Method(e.Partition.By))
	}
}
