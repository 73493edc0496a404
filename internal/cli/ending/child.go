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

// Patience is how long an interrupted point may take to end by itself.
const Patience = 2 * time.Second

// childFault is a fault of Fabricast in a child process. text is what that process reported.
type childFault struct{ text string }

func (e *childFault) Error() string { return e.text }

// NewChildFault makes a childFault from a process's standard error, without its instructions for
// reporting, which name a command that the user does not know.
func NewChildFault(log string) error {
	text, _, _ := strings.Cut(log, ReportHead)
	return &childFault{strings.TrimPrefix(strings.TrimSpace(text), "fabricast: ")}
}

// PlainErrors returns what a process wrote to standard error, with errors in JSON converted to
// text.
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
