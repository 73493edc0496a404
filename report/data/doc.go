// Package data converts the results of runs and sweeps to the data of a report: a manifest in JSON,
// and arrays of numbers (blobs) that it refers to. It aggregates over links, routers and time, so
// that the amount of data on the page is bounded for any size of network.
//
//	manifest.go  what the manifest holds; web/src/data.ts is the same for the page
//	blobs.go     numbers as compressed arrays
//	frame.go     a table in memory, by columns; parquet.go reads one
//	report.go    a report of paths; run.go of a result folder, sweep.go of a sweep
//	links.go     links and routers; ranks.go, latency.go, logs.go the other tables
//	bins.go      statistics over time as matrices
//	summary.go   the predicted time and what it consists of; bounds.go lower bounds of it
//
// A report is a function of the folders: two reports of the same folder are identical.
package data
