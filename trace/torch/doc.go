// Package torch contains what traces of PyTorch have in common: the names of collectives and
// datatypes, process groups by the ranks that are in them, and files that say which rank they are of.
package torch
