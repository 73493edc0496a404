// Package allgather contains the allgather algorithms, which give every rank the blocks of all
// ranks.
package allgather
