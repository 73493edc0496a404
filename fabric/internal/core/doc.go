// Package core holds what all parts of a block share: the layout of the network, which does not
// change; the records of virtual channels, ports and packets; the event wheel; messages; mail between
// blocks; the lookahead; and counters. Base joins them. No part knows the block.
package core
