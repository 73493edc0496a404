// Package allgather holds the algorithms by which every rank gets the blocks of all ranks.
package allgather
