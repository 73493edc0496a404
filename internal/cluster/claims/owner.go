package claims

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Owner is a process that holds a claim.
type Owner struct {
	Host string `json:"host"`
	PID  int    `json:"pid"`
	// Start distinguishes processes with the same PID: it is the start time in clock ticks since
	// the machine was booted; "" if the system does not report it.
	Start string `json:"process_start,omitempty"`
	// Machine identifies the machine's boot and its PID namespace; "" if the system does not report
	// them.
	Machine string    `json:"machine,omitempty"`
	ID      string    `json:"id"` // unique among all processes
	Since   time.Time `json:"since"`
}

// String names the process for messages.
func (o Owner) String() string { return fmt.Sprintf("process %d on %s", o.PID, o.Host) }

// self returns the owner that this process writes into its claims.
var self = sync.OnceValue(func() Owner {
	host, err := os.Hostname()
	if err != nil {
		host = "a machine without a name"
	}
	o := Owner{Host: host, PID: os.Getpid(), Machine: machine()}
	o.Since = time.Now().UTC().Round(time.Millisecond)
	o.Start, _ = started(o.PID)
	o.ID = fmt.Sprintf("%s-%d-%d", host, o.PID, time.Now().UnixNano())
	return o
})

// machine identifies this machine, its last boot and its PID namespace.
func machine() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, wrong := os.Readlink("/proc/self/ns/pid")
	if err != nil || wrong != nil {
		return ""
	}
	return strings.TrimSpace(string(boot)) + " " + space
}

// started returns the start time of a process of this machine. It returns false for processes that
// have ended, including those whose exit code has not been collected yet.
func started(pid int) (string, bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", false
	}
	// the second field, the command's name, may contain blanks and parentheses
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	const state, start = 0, 19
	if len(fields) <= start || fields[state] == "Z" || fields[state] == "X" {
		return "", false
	}
	return fields[start], true
}

// gone reports whether a process is known to have ended, which is never known of other machines.
func (o Owner) gone() bool {
	if o.Machine == "" || o.Machine != self().Machine {
		return false
	}
	start, lives := started(o.PID)
	return !lives || start != o.Start
}

// here reports whether a process is known to be alive.
func (o Owner) here() bool {
	return o.Machine != "" && o.Machine == self().Machine && !o.gone()
}

// A claim's file has two lines: its owner as JSON, and the number of heartbeats.
const beatForm = "%016d\n"

// form returns the content of a claim's file, and the offset of the number of heartbeats.
func (o Owner) form() (text []byte, beatAt int64) {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err) // cannot happen: it has only strings and numbers
	}
	text = append(text, '\n')
	return fmt.Appendf(text, beatForm, 0), int64(len(text))
}

// parse parses the content of a claim's file. The content is incomplete if the file has just been
// created, or if its owner was killed while creating it.
func parse(text []byte) (o Owner) {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	if json.Unmarshal(line, &o) != nil {
		return Owner{}
	}
	return o
}
