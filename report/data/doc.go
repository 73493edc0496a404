// Package data turns what runs and sweeps have left behind into what the report
// draws: a manifest in JSON, and blobs of numbers to which it points. All that is
// added up over links, routers or time is added up here, so that the page has a
// bounded amount to draw whatever the size of the network.
//
//	manifest.go  what the manifest holds; web/src/data.ts is the same for the page
//	blobs.go     numbers as compressed arrays
//	frame.go     a table in memory, by columns; parquet.go reads one
//	report.go    a report of paths; run.go of a result folder, sweep.go of a sweep
//	links.go     links and routers; ranks.go, latency.go, logs.go the other tables
//	bins.go      statistics over time as matrices
//	summary.go   the predicted time and where it went; bounds.go what it is compared with
//
// A report is a function of the folders: two of the same folder are alike to the last bit.
package data
