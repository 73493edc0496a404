// Package bigsim reads logs of BigSim, an emulator for Charm++ and Adaptive MPI. The log of a
// processing element (PE) of the emulated machine lists its execution blocks: pieces of sequential
// execution. A block may be started by a message, sends messages, and may depend on earlier blocks
// of its PE.
//
// A trace consists of a file bgTrace with the size of the machine, and files bgTrace0, bgTrace1,
// ..., each with the logs of some PEs. A rank is a PE.
//
// See G. Zheng, G. Kakulapati, L. V. Kalé: "BigSim: A Parallel Simulator for Performance Prediction
// of Extremely Large Parallel Machines", IPDPS 2004.
package bigsim
