// Package parquet writes and reads tables as Parquet files, as far as results need it: flat columns
// of integers, floating-point numbers, booleans and text. It exists because general libraries bring
// every codec and type of the format with them, which took a quarter of the time of a first build,
// and cannot save the state of a table that is being written, as checkpoints do.
//
// It writes row groups of version 1 data pages, encoded as PLAIN, by dictionaries (RLE_DICTIONARY)
// or by differences (DELTA_BINARY_PACKED), and compressed by Zstandard. It reads the same, except
// columns that may be null, and what the library wrote that earlier versions used: version 2 pages
// and DELTA_LENGTH_BYTE_ARRAY. The format is described at
// https://parquet.apache.org/docs/file-format and in parquet.thrift of apache/parquet-format.
//
// A damaged file never makes the reader panic, or allocate more than a page of maxValues and the
// size of the file itself.
package parquet
