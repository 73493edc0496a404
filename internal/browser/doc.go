// Package browser tests reports in a real browser, Debian's Chromium: what they show is compared
// with the tables that they were made of. Nothing of it is part of the command.
//
// FABRICAST_SCREENSHOTS names a folder in which the tests leave pictures of what they saw.
package browser
