package chakra

import (
	"strconv"
	"strings"
)

// Values of node.kind.
const (
	invalidNode = iota
	metadataNode
	loadNode
	storeNode
	computeNode
	sendNode
	receiveNode
	collectiveNode
)

// typeNames holds the names in JSON of the values of node.kind.
var typeNames = []string{
	"INVALID_NODE", "METADATA_NODE", "MEM_LOAD_NODE", "MEM_STORE_NODE", "COMP_NODE",
	"COMM_SEND_NODE", "COMM_RECV_NODE", "COMM_COLL_NODE",
}

// node is a node of a trace.
type node struct {
	at              int64 // offset in the file, in bytes
	id              uint64
	name            string
	kind            uint64
	deps            []uint64 // data dependencies: IDs of other nodes
	start, duration uint64   // µs
	cpu             bool     // runs on the host, not on an accelerator
	queue           uint64   // thread of the host, or stream of the accelerator
	queued          bool     // the trace specifies queue
	operations      uint64
	collective      uint64
	hasCollective   bool
	bytes           uint64
	hasBytes        bool
	source, target  uint64
	tag             uint64
	hasSource       bool
	hasTarget       bool
	group           string // name of the process group; "" for all ranks
}

// signed formats an attribute for error messages. Attributes of all numeric types are stored as
// uint64. A value of 2^63 or more is shown as a negative number, because no real attribute is that
// large.
func signed(v uint64) string { return strconv.FormatInt(int64(v), 10) }

// reset clears n, but keeps the memory of deps for reuse.
func (n *node) reset() { *n = node{deps: n.deps[:0]} }

// integer sets the integer or boolean attribute with the given name.
func (n *node) integer(name string, v uint64) {
	switch name {
	case "is_cpu_op":
		n.cpu = v != 0
	case "num_ops":
		n.operations = v
	case "comm_type":
		n.collective, n.hasCollective = v, true
	case "comm_size":
		n.bytes, n.hasBytes = v, true
	case "comm_src":
		n.source, n.hasSource = v, true
	case "comm_dst":
		n.target, n.hasTarget = v, true
	case "comm_tag":
		n.tag = v
	case "stream", "tid":
		if name == "stream" || !n.queued {
			n.queue, n.queued = v, true
		}
	}
}

// groupAttribute is the attribute that holds the name of the process group.
const groupAttribute = "pg_name"

// text sets the text attribute with the given name.
func (n *node) text(name, v string) {
	if name == groupAttribute {
		n.group = strings.TrimSpace(v)
	}
}
