// Package run simulates a plan and returns a Result.
//
// A run consists of jobs: programs with ranks, background traffic, or measured traffic. A single
// program is a list of one job. A simulation consists of the network, divided into partition
// blocks; the jobs on it; the course that controls how it proceeds through simulated time; a
// watcher that reports progress and stops the run; and a recorder that writes the tables of a
// result folder. A look simulates a period of a run again from a checkpoint, with more details
// recorded. The options of a run do not change its predictions.
package run
