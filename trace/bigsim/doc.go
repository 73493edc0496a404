// Package bigsim reads logs of the BigSim emulator of Charm++ and Adaptive MPI: for each processing
// element (PE) of the emulated machine, the blocks that it executed, the messages that these sent
// and that started them, and the order between blocks.
//
// A trace is a file bgTrace with the size of the machine, and files bgTrace0, bgTrace1 and so on,
// each with the logs of some PEs. A rank is a PE.
//
// See G. Zheng, G. Kakulapati, L. V. Kalé: "BigSim: A Parallel Simulator for Performance Prediction
// of Extremely Large Parallel Machines", IPDPS 2004.
package bigsim
