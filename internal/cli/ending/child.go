package ending

import (
	"encoding/json"
	"os"
	"strings"
	"time"
)

// Self returns the path of this program.
func Self() string {
	if path, err := os.Executable(); err == nil {
		return path
	}
	return os.Args[0]
}

// Patience is how long an interrupted point of a sweep may take to end by itself.
const Patience = 2 * time.Second

// childFault is a fault of Fabricast in a child process. text is the process's report of it.
type childFault struct{ text string }

func (e *childFault) Error() string { return e.text }

// NewChildFault creates a childFault from a process's standard error. It removes the instructions
// for reporting the fault, since they name a command that the user does not know.
func NewChildFault(log string) error {
	text, _, _ := strings.Cut(log, ReportHead)
	return &childFault{strings.TrimPrefix(strings.TrimSpace(text), "fabricast: ")}
}

// PlainErrors returns the standard error of a process, with JSON errors converted to text.
func PlainErrors(log string) string {
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
