// Package calibrate fits the parameters of a network and its nodes to measurements, by simulation.
//
// Measurements are read from the output of benchmarks ([Read]): each is a program by name, or a
// stream of messages, on some ranks, with a size and a time. A [Calibration] simulates all of them
// with the parameters that it tries, and looks for those with which the least squares of the
// logarithms of predicted by measured times are least (Levenberg and Marquardt, with weights that
// keep single measurements from dominating, after Huber). Some measurements are held back; the error
// on these is what can be expected of others.
//
// A parameter that the measurements do not determine is left as it is, and reported. Every simulated
// time is kept in a file, so that an interrupted calibration goes on where it stopped.
package calibrate
