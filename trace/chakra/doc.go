// Package chakra reads Chakra execution traces (MLCommons) of the training of machine-learning
// models: a graph of nodes for each rank, which compute, send, receive or take part in a
// collective, as protocol buffers or as JSON.
//
// Like Chakra's own reader, this package keeps the data dependencies of a node. The control
// dependencies in traces represent the call hierarchy, and are ignored. Process groups come from a
// JSON file next to the trace.
//
// See S. Sridharan et al.: "Chakra: Advancing Performance Benchmarking and Co-design using
// Standardized Execution Traces", 2023.
package chakra
