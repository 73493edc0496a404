// Package match matches messages with receives by the rules of MPI: in the order of posting and of
// arrival, by source, tag and communicator, with wildcards.
package match
