// Package ti reads time-independent traces, as SimGrid's SMPI writes and replays them: text with
// one action of a rank in each line, and numbers of operations instead of times.
//
// A trace is a file with the actions of all ranks, a file that lists such files or one for each
// rank, or a folder with one for each rank, in the order of the numbers in their names.
package ti
