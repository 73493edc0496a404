// Package flightrecorder reads what PyTorch's flight recorder dumps of NCCL's collectives: one file per
// rank, as a pickle or as JSON (versions 2.x), gzip or not, with the collectives, their sizes and
// process groups.
//
// A rank starts its collectives at the recorded distances, and does not wait for them: what the host
// and the accelerator compute is not recorded. Collectives of a group follow one another. The first
// collectives of ranks start together, since clocks of hosts differ.
//
// The names are those of torch/csrc/distributed/c10d/FlightRecorder.hpp.
package flightrecorder
