// Package record writes and reads the result folder of a run. It contains Parquet tables, such as
// those of links and ranks, and text files. docs/formats/result.md describes the files and every
// column.
//
// A result folder appears completely or not at all: all files are written to a temporary folder
// next to it, which is renamed at the end. To add a table, add a row type in a new file and an
// entry in rowTypes.
package record
