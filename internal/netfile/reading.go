package netfile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fabricast/internal/config"
	"fabricast/internal/humanize"
)

// Reading says how a file was understood. What a file contains is in one of the lists, so nothing
// is ignored in silence.
type Reading struct {
	Format     string    `json:"format"` // name of the format
	Understood []string  `json:"understood"`
	Guessed    []string  `json:"guessed"`
	Ignored    []string  `json:"ignored"`
	Findings   []Finding `json:"findings"`
}

// Finding is something in a network that is probably not as it was meant.
type Finding struct {
	Kind string `json:"kind"` // one of the kinds below
	Line int    `json:"line"` // of the file; 0 if it concerns several
	Text string `json:"text"`
}

// Kinds of findings.
const (
	WrongCable   = "wrong cable"
	MissingLink  = "missing link"
	SlowLink     = "slow link"
	UnlikeUplink = "asymmetric uplinks"
	OneSided     = "one-sided record"
	Incomplete   = "missing records"
	Surplus      = "surplus records"
	Unreachable  = "unreachable switch"
	EmptySwitch  = "empty switch"
	NoHosts      = "no hosts"
)

func (r *Reading) understand(format string, a ...any) {
	r.Understood = append(r.Understood, fmt.Sprintf(format, a...))
}

func (r *Reading) guess(format string, a ...any) {
	r.Guessed = append(r.Guessed, fmt.Sprintf(format, a...))
}

func (r *Reading) ignore(format string, a ...any) {
	r.Ignored = append(r.Ignored, fmt.Sprintf(format, a...))
}

func (r *Reading) find(kind string, line int, format string, a ...any) {
	r.Findings = append(r.Findings, Finding{kind, line, fmt.Sprintf(format, a...)})
}

// tally counts things of a file by what they are called.
type tally map[string]int

// unread counts the fields of an object that are not read, as prefix and name.
func (t tally) unread(n *config.Node, prefix string, read ...string) {
	if n == nil {
		return
	}
	for _, f := range n.Fields {
		if !slices.Contains(read, f.Key) {
			t[prefix+f.Key]++
		}
	}
}

// list returns what was counted, in alphabetical order, such as "devid (32), vendid (32)".
func (t tally) list() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(t)) {
		parts = append(parts, fmt.Sprintf("%s (%s)", name, humanize.Count(t[name])))
	}
	return strings.Join(parts, ", ")
}
