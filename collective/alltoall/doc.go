// Package alltoall holds the algorithms by which every rank sends a block to every rank.
package alltoall
