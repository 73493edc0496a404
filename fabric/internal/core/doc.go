// Package core holds the data that all parts of a block share: the immutable layout of the network;
// the records of virtual channels, ports and packets; the event wheel; messages; mail between
// blocks; the lookahead; and counters. Base combines them. No part refers to the block itself.
package core
