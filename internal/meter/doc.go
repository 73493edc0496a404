// Package meter turns the counters of a network into figures of its links: rows of the tables of a
// result folder, and their sums in a result. It asks nobody but the counters, so it serves a run that has
// ended, a part of one, and a network in which nothing has moved.
package meter
