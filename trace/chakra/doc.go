// Package chakra reads Chakra execution traces (MLCommons) of the training of machine-learning
// models: a graph of nodes for each rank, which compute, send, receive or take part in a
// collective, as protocol buffers or as JSON.
//
// Of a node's dependencies, those on data are kept, as Chakra's own reader does. What traces call
// control dependencies is the hierarchy of calls, which is ignored. Process groups come from a JSON
// file beside the trace.
//
// See S. Sridharan et al.: "Chakra: Advancing Performance Benchmarking and Co-design using
// Standardized Execution Traces", 2023.
package chakra
