// Package calibrate fits the parameters of a network and its nodes to measurements, by simulation.
//
// Measurements are read from the output of benchmarks ([Read]). Each is a built-in program, or a
// stream of messages, on some ranks, with a size and a time. A [Calibration] simulates all of them
// with trial values of the parameters. It minimizes the sum of squares of log(simulated/measured)
// over the measurements (Levenberg-Marquardt, with weights after Huber that limit the influence of
// single measurements). Some measurements are held out; the error on these is an estimate for other
// measurements.
//
// A parameter that the measurements do not determine keeps its value, and is reported. Every
// simulated time is stored in a file, so that an interrupted calibration can be resumed.
package calibrate
