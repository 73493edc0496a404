// Package report formats results as text for terminals. It displays the values of a
// fabricast.Result and predicts nothing itself. Each form of report has a file of its own.
package report
