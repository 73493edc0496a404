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
	// Start distinguishes processes that had the same PID, in the system's clock ticks after the
	// machine's start; "" if the system does not say.
	Start string `json:"process_start,omitempty"`
	// Machine is the machine's start and the space of its PIDs; "" if the system does not say.
	Machine string    `json:"machine,omitempty"`
	ID      string    `json:"id"` // of this process, different from all others
	Since   time.Time `json:"since"`
}

// String names the process for messages.
func (o Owner) String() string { return fmt.Sprintf("process %d on %s", o.PID, o.Host) }

// self returns what this process writes into its claims.
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

// machine identifies this machine since its last start, and the space in which its PIDs are valid.
func machine() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, wrong := os.Readlink("/proc/self/ns/pid")
	if err != nil || wrong != nil {
		return ""
	}
	return strings.TrimSpace(string(boot)) + " " + space
}

// started returns when a process of this machine started. It reports false for processes that have
// ended, also if nobody has asked for their exit code yet.
func started(pid int) (string, bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", false
	}
	// The name in the second field may hold blanks and brackets.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	const state, start = 0, 19
	if len(fields) <= start || fields[state] == "Z" || fields[state] == "X" {
		return "", false
	}
	return fields[start], true
}

// gone reports whether a process is known to have ended. It is not known of other machines.
func (o Owner) gone() bool {
	if o.Machine == "" || o.Machine != self().Machine {
		return false
	}
	start, lives := started(o.PID)
	return !lives || start != o.Start
}

// here reports whether a process is known to live.
func (o Owner) here() bool {
	return o.Machine != "" && o.Machine == self().Machine && !o.gone()
}

// A claim's file has two lines: its owner as JSON, and the number of heartbeats.
const beatForm = "%016d\n"

// form returns the content of a claim's file, and where the number of heartbeats begins.
func (o Owner) form() (text []byte, beatAt int64) {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err) // it has texts and numbers only
	}
	text = append(text, '\n')
	return fmt.Appendf(text, beatForm, 0), int64(len(text))
}

// parse reads the content of a claim's file. A file that has just been created, or whose owner was
// killed right then, has not all of it.
func parse(text []byte) (o Owner) {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	if json.Unmarshal(line, &o) != nil {
		return Owner{}
	}
	return o
}
