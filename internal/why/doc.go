// Package why explains the predicted time of a run: it finds the critical path in a result folder.
//
// The critical path leads from the end of the rank that ends last back to time 0. Where a rank works,
// the path stays on it. Where a rank waits, the path follows what ended the wait: it crosses the network
// with the message, and goes on at the rank that sent it, at the time of the call. So every picosecond
// of the predicted time belongs to exactly one segment of the path.
//
// The folder must hold steps.parquet, which a run with record.causes leaves. It is read backward, once,
// so the memory does not depend on the length of the run.
//
//	path.go      segments and their sums
//	walk.go      the walk from the end to the beginning
//	waits.go     the waits of all ranks, by kind, and who is to blame
//	sentence.go  the answer in words
//	divide.go    the parts of the time that messages spend in the network
//	roots.go     the links at the roots of waits for other messages
//	text.go      the path as text
//	table.go     the path as a Parquet table
package why
