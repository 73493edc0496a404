// Package report shows results to people. It reads a fabricast.Result and adds
// nothing to it; a new form of report is a new file here.
package report
