package plan

import (
	"slices"
	"strings"

	"fabricast/experiment"
	"fabricast/internal/input"
	"fabricast/internal/partition"
	"fabricast/topology"
)

// Cut returns the function that divides the network into partition blocks (fabric.Spec.Cut). It
// returns nil if blocks are to be ranges of consecutive routers, as they also are in a network with
// too few regular parts.
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
		return func(blocks int) []int32 {
			list, _ := partition.Best(t.Graph(), nil, blocks)
			return list
		}, nil
	case ByMethod(e):
		return cutBy(e, t, partition.Method(e.Partition.By))
	}
	return nil, nil
}

// ByMethod reports whether a graph partitioning method is to divide the network.
func ByMethod(e *experiment.Resolved) bool {
	return slices.Contains(partition.Methods(), partition.Method(e.Partition.By))
}

// cutBy returns the function with which method m divides the network. It returns a
// *failure.ConfigError if the method's library is not installed.
func cutBy(e *experiment.Resolved, t topology.Topology, m partition.Method) (func(int) []int32, error) {
	if err := m.Missing(); err != nil {
		return nil, e.Refuse(
			"partition.by", string(m), "a method that is there, such as "+experiment.PartitionGraph,
			strings.ReplaceAll(err.Error(), "\n", "; "),
		)
	}
	return func(blocks int) []int32 { return partition.ByGraph(t.Graph(), nil, blocks, m) }, nil
}
