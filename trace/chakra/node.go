package chakra

import (
	"strconv"
	"strings"
)

// Values of node.kind: the types of nodes.
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

// typeNames holds the names of the types in JSON.
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
	deps            []uint64 // data dependencies: identifiers of other nodes
	start, duration uint64   // µs
	cpu             bool     // runs on the host, not on an accelerator
	queue           uint64   // thread of the host, or stream of the accelerator
	queued          bool     // queue is given
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

// signed formats an attribute for error messages. Attributes of any numeric type are stored in 64
// bits; values from 2^63 on are negative, because no real attribute is that large.
func signed(v uint64) string { return strconv.FormatInt(int64(v), 10) }

// reset clears a node. It keeps the list deps for reuse.
func (n *node) reset() { *n = node{deps: n.deps[:0]} }

// integer sets an integer or boolean attribute.
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

// groupAttribute is the attribute with the name of the process group.
const groupAttribute = "pg_name"

// text sets a text attribute.
func (n *node) text(name, v string) {
	if name == groupAttribute {
		n.group = strings.TrimSpace(v)
	}
}
