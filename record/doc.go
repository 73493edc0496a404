// Package record writes the results of a run: a folder with tables of links, ranks and so on in
// Parquet, and text files. Its layout and every column are described in docs/formats/result.md.
//
// A folder appears as a whole or not at all: everything is written under a temporary name beside
// its path, and renamed at the end. A new table is a row type in a file of its own here, and a line
// in rowTypes.
package record
