// Package browser tests reports in a real browser, Debian's Chromium: it compares what they show
// with the tables from which they were generated. It is not part of the command.
//
// FABRICAST_SCREENSHOTS names a folder in which the tests store screenshots.
package browser
