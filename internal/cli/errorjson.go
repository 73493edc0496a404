package cli

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"fabricast"
)

// errorSchema is the schema name and version of an error as JSON.
const errorSchema = "fabricast.error/1"

// errorReport is an error as JSON.
type errorReport struct {
	Schema   string         `json:"schema"`
	ExitCode int            `json:"exit_code"`
	Message  string         `json:"message"`
	Problems []errorProblem `json:"problems,omitempty"`
}

// errorProblem is a fabricast.Problem as JSON.
type errorProblem struct {
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Field    string `json:"field,omitempty"`
	Found    string `json:"found"`
	Expected string `json:"expected"`
	Hint     string `json:"hint,omitempty"`
}

// wantsJSON reports whether the arguments contain --json. It works for invalid arguments, too.
func wantsJSON(args []string) bool {
	for _, a := range args {
		switch a {
		case "--":
			return false
		case "--json", "--json=true":
			return true
		}
	}
	return false
}

// tellJSON writes an error as a JSON object in one line, and returns its exit code.
func tellJSON(log io.Writer, err error) int {
	if err == nil {
		return exitOK
	}
	var elsewhere *silentError
	if errors.As(err, &elsewhere) {
		return exitCode(err)
	}
	report := errorReport{
		Schema:   errorSchema,
		ExitCode: exitCode(err),
		Message:  bounded(strings.TrimRight(err.Error(), "\n")),
	}
	var config *fabricast.ConfigError
	if errors.As(err, &config) {
		for _, p := range config.Problems() {
			report.Problems = append(report.Problems, errorProblem(p))
		}
	}
	w := json.NewEncoder(log)
	w.SetEscapeHTML(false)
	_ = w.Encode(report) // there is nowhere to report it
	return report.ExitCode
}

// plainErrors returns what a process wrote to standard error, with errors in JSON converted to
// text.
func plainErrors(log string) string {
	var lines []string
	for line := range strings.Lines(strings.TrimSpace(log)) {
		line = strings.TrimRight(line, "\n")
		var report errorReport
		if json.Unmarshal([]byte(line), &report) == nil && report.Schema == errorSchema {
			line = report.Message
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
