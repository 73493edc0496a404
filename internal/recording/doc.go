// Package recording writes what a run reports while it goes on into the tables of its result folder:
// bins of links and buffers, passages of packets, messages, and states of ranks.
//
// A run makes a Recorder and attaches it to its network and its jobs. From then on these report to it by
// themselves. Where several processes share the run, and where parts of it may be taken back, reports
// are kept until they stand, and then go to the recorder of the first process, which writes all tables.
//
//	recorder.go  the tables, and what reports become in them
//	relay.go     reports of other processes, and reports that may be taken back
//	parts.go     the recorders of an optimistic run, together
//	look.go      what is left out in a look at a period
//	hottest.go   the links with the highest utilization, for progress reports
package recording
