// Package scan contains the algorithms of prefix reductions: every rank gets the combination of the
// operands of the ranks up to itself (scan), or of the ranks below it (exclusive scan).
package scan
