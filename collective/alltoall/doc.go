// Package alltoall contains the all-to-all algorithms, in which every rank sends one block to every
// rank.
package alltoall
