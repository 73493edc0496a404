package ending

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

// WantsJSON reports whether the arguments contain --json. The arguments need not be valid.
func WantsJSON(args []string) bool {
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

// TellJSON writes an error as a one-line JSON object, and returns its exit code.
func TellJSON(log io.Writer, err error) int {
	if err == nil {
		return OK
	}
	var elsewhere *silentError
	if errors.As(err, &elsewhere) {
		return Code(err)
	}
	report := errorReport{
		Schema:   errorSchema,
		ExitCode: Code(err),
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
	_ = w.Encode(report) // if it fails, there is nowhere to report it
	return report.ExitCode
}
