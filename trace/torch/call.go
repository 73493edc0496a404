package torch

import (
	"fmt"
	"slices"
	"strings"

	"fabricast/trace"
)

// words lists what the names of collectives contain. The first word that occurs in a name applies.
var words = []struct {
	word string
	kind trace.CollectiveKind
}{
	{"allreduce", trace.Allreduce},
	{"alltoall", trace.Alltoall},
	{"allgather", trace.Allgather},
	{"reducescatter", trace.ReduceScatter},
	{"broadcast", trace.Broadcast},
	{"barrier", trace.Barrier},
	{"sendrecv", trace.Alltoall},
	{"reduce", trace.Reduce},
	{"gather", trace.Gather},
	{"scatter", trace.Scatter},
}

// Collective returns the collective that a name says, such as that of a call or of a kernel.
func Collective(name string) (kind trace.CollectiveKind, known bool) {
	name = strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
	for _, w := range words {
		if strings.Contains(name, w.word) {
			return w.kind, true
		}
	}
	return 0, false
}

// sizes are the bytes of an element, by the name of its type.
var sizes = map[string]int64{
	"double": 8, "float64": 8, "float": 4, "float32": 4, "half": 2, "float16": 2, "bfloat16": 2,
	"long": 8, "int64": 8, "int": 4, "int32": 4, "short": 2, "int16": 2, "char": 1, "int8": 1, "byte": 1,
	"uint8": 1, "uint16": 2, "uint32": 4, "uint64": 8, "bool": 1, "complexhalf": 4, "complexfloat": 8,
	"complexdouble": 16,
}

// ElementSize returns the size of an element in bytes, by the name of its type.
func ElementSize(name string) (bytes int64, known bool) {
	name = strings.ToLower(strings.Trim(name, `"`))
	if strings.HasPrefix(name, "float8") {
		return 1, true
	}
	bytes, known = sizes[name]
	return bytes, known
}

// Call is a call of a collective, or of a send or receive, as a trace has it.
type Call struct {
	Name    string
	In, Out int64   // bytes of the rank's buffers
	Split   []int64 // of what it sends in an all-to-all: parts in any unit; nil if they are equal
	Group   int32   // index of the group
	Size    int     // ranks of the group
	Peer    int32   // of a send or receive: the world rank; -1: not stated
}

// Task sets a task to the call. It is one that is not replayed if the trace does not say enough.
func (c *Call) Task(t *trace.Task) {
	switch name := strings.ToLower(strings.TrimPrefix(c.Name, "nccl:")); {
	case name == "send" || strings.HasPrefix(name, "send "):
		c.message(t, trace.TaskSend, c.In)
	case name == "recv" || strings.HasPrefix(name, "recv "):
		c.message(t, trace.TaskReceive, max(c.In, c.Out))
	default:
		c.collective(t)
	}
}

func (c *Call) message(t *trace.Task, kind trace.TaskKind, bytes int64) {
	if c.Peer < 0 {
		t.Kind, t.Skipped = trace.TaskNothing, "message without the rank of its other end"
		return
	}
	t.Kind = kind
	t.Message = trace.Message{Receive: kind == trace.TaskReceive, Peer: c.Peer, Size: bytes, Group: c.Group}
}

func (c *Call) collective(t *trace.Task) {
	kind, known := Collective(c.Name)
	if !known {
		t.Kind, t.Skipped = trace.TaskNothing, fmt.Sprintf("collective %q", c.Name)
		return
	}
	n := int64(max(c.Size, 1))
	t.Kind = trace.TaskCollective
	t.Call = trace.Operation{Kind: kind, Group: c.Group, Size: c.In}
	switch kind {
	case trace.Barrier:
		t.Call.Size = 0
	case trace.ReduceScatter, trace.Scatter:
		t.Call.Size = c.Out
	case trace.Alltoall:
		t.Call.Size = (c.In + n - 1) / n
		c.split(&t.Call)
	}
}

// split sets the blocks of an all-to-all whose parts differ.
func (c *Call) split(o *trace.Operation) {
	if len(c.Split) == 0 {
		return
	}
	o.Uneven = true
	sum := int64(0)
	for _, part := range c.Split {
		sum += part
	}
	if len(c.Split) != c.Size || sum == 0 || slices.Min(c.Split) < 0 {
		return
	}
	for _, part := range c.Split {
		o.Blocks = append(o.Blocks, int64(float64(c.In)*float64(part)/float64(sum)))
	}
}
