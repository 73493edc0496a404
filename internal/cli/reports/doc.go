// Package reports has the subcommands that show results: report, view, compare and export.
package reports
