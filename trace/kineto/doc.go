// Package kineto reads the profiles of PyTorch (Kineto's JSON, gzip or not): one file per rank, with
// the kernels of its accelerator.
//
// A kernel of a collective has its sizes and ranks, and is predicted anew. Others take their recorded
// time. The trace does not say what a kernel waits for; it is taken to wait for the one before it in
// its stream, and in other streams for the last one that ended between the end of that and its own
// start. What is left until its start is delay by the host, and is kept.
//
// The names are those of libkineto and of torch/csrc/profiler/util.cpp.
package kineto
