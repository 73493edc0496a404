// Package meter computes statistics of links from the counters of a network: rows of the tables of
// a result folder, and summaries for a result. It needs only the counters, so it can be used at the
// end of a run, for a part of a run, and for a network without traffic.
package meter
