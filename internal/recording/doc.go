// Package recording writes the events that a run reports into the tables of its result folder: bins
// (time intervals) of links and buffers, passages of packets, messages, and states of ranks.
//
// A run creates a Recorder and attaches it to its network and its jobs, which then report to it. If
// several processes share the run, or if parts of it may be rolled back, reports are held until
// they are final, and then sent to the recorder of the first process, which writes all tables.
//
//	recorder.go  the tables, and how reports become rows
//	relay.go     reports of other processes, and reports that may be rolled back
//	parts.go     the recorders of an optimistic run together
//	steps.go     what ranks do, with its causes
//	look.go      the filter for a look: a period of a run that is simulated again in more detail
//	hottest.go   the links with the highest utilization, for progress reports
package recording
