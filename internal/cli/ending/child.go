package ending

import (
	"encoding/json"
	"os"
	"strings"
	"time"
)

// Self returns the path of the running executable.
func Self() string {
	if path, err := os.Executable(); err == nil {
		return path
	}
	return os.Args[0]
}

// Patience is the time that an interrupted point of a sweep has to end by itself.
const Patience = 2 * time.Second

// childFault is a fault of Fabricast in a child process. text is the child's error message.
type childFault struct{ text string }

func (e *childFault) Error() string { return e.text }

// NewChildFault creates a childFault from the standard error of a child process. It removes the
// instructions for reporting the fault, because they name a command that the user did not type.
func NewChildFault(log string) error {
	text, _, _ := strings.Cut(log, ReportHead)
	return &childFault{strings.TrimPrefix(strings.TrimSpace(text), "fabricast: ")}
}

// PlainErrors returns the standard error of a process with JSON errors converted to text.
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
