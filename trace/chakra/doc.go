// Package chakra reads Chakra execution traces (MLCommons) of machine-learning training. A trace is
// one file per rank, as protocol buffers or JSON, with a graph of nodes. A node is a computation, a
// send, a receive or a collective.
//
// Like Chakra's own reader, this package uses the data dependencies between nodes. It ignores the
// control dependencies, which represent the call hierarchy. Process groups are read from a JSON
// file in the folder of the trace.
//
// See S. Sridharan et al.: "Chakra: Advancing Performance Benchmarking and Co-design using
// Standardized Execution Traces", 2023.
package chakra
