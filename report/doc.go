// Package report formats results as text for people. It only shows what a fabricast.Result holds. A
// new form of report is a new file here.
package report
