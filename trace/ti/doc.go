// Package ti reads time-independent traces, which SimGrid's SMPI writes and replays. They are text
// files. Each line is an action of a rank; computation is given as a number of operations instead
// of a time.
//
// A trace is either one file with the actions of all ranks, or one file per rank. The files of the
// ranks are listed in another file, or they are in a folder and have the rank in their names.
package ti
