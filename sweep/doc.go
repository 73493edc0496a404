// Package sweep runs an experiment at many points: at every combination of the values of its axes.
// Several points run at once, on one core each. Results are kept, so a sweep that was interrupted
// continues where it stopped.
//
//	file.go     the file that describes a sweep
//	axis.go     axes and their values
//	points.go   the points and their experiments
//	run.go      running them; workers.go distributes them, outcome.go runs one
//	store.go    their results in a folder
//	share.go    a store that several processes use; watch.go takes over what others do
//	collect.go  waiting for processes elsewhere
//	figures.go  the figures of a result, by name
//	table.go    the table of all points; csv.go and parquet.go write it
//	chart.go    curves
//	saturate.go the saturation point of one experiment
package sweep
