package plan

import (
	"fabricast/internal/experiment"
	"fabricast/internal/input"
	"fabricast/internal/partition"
	"fabricast/topology"
)

// Cut returns how an experiment's network is cut into blocks (fabric.Spec.Cut); nil for runs of
// routers. A network without regular parts enough is cut into runs, too.
func Cut(e *experiment.Resolved, t topology.Topology) (func(blocks int) []int32, error) {
	switch {
	case e.Partition.File != "":
		text, err := input.Text(e.Partition.File, input.Partition)
		if err != nil {
			return nil, e.Unread("partition.file", err)
		}
		parts, err := partition.Read(e.Partition.File, text, t.Graph().Routers)
		if err != nil {
			return nil, err
		}
		return func(blocks int) []int32 { return parts.Blocks(t.Graph(), blocks) }, nil
	case e.Partition.By == experiment.PartitionTopology:
		return func(blocks int) []int32 { return partition.ByTopology(t, blocks) }, nil
	case e.Partition.By == experiment.PartitionGraph:
		return func(blocks int) []int32 { return partition.ByGraph(t.Graph(), blocks) }, nil
	}
	return nil, nil
}
