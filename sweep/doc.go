// Package sweep runs an experiment at many points: at every combination of the values
// of its axes, several points at once, with one core each. What is done is kept, so a
// sweep that was interrupted goes on where it stopped.
//
//	file.go     the file that describes a sweep
//	axis.go     axes and their values
//	points.go   the points and their experiments
//	run.go      running them; store.go keeps what is done
//	figures.go  what a result shows, by name
//	table.go    the table of all points; csv.go and parquet.go write it
//	chart.go    curves
//	saturate.go the saturation point of one experiment
package sweep
