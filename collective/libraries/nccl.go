package libraries

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fabricast/collective"
)

// ncclName is an algorithm of NCCL for a collective.
type ncclName struct {
	name string
	is   []collective.Algorithm // the first is meant when it is read
}

// ncclCollective is a collective of NCCL.
type ncclCollective struct {
	kind       collective.Kind
	name       string
	size       sizeOf
	algorithms []ncclName
}

// inNCCL lists the collectives for which NCCL has a choice. Its rings and trees are pipelines, whose
// pieces it chooses itself.
var inNCCL = []ncclCollective{
	{collective.KindAllreduce, "allreduce", ofBuffer, []ncclName{
		{"ring", []collective.Algorithm{collective.Ring, collective.SegmentedRing}},
		{"tree", []collective.Algorithm{collective.Nonoverlapping}},
	}},
	{collective.KindAllgather, "allgather", ofAll, []ncclName{
		{"ring", []collective.Algorithm{collective.Ring}}, {"pat", []collective.Algorithm{collective.Bruck}},
	}},
	{collective.KindReduceScatter, "reducescatter", ofAll, []ncclName{
		{"ring", []collective.Algorithm{collective.Ring}},
		{"pat", []collective.Algorithm{collective.RecursiveHalving}},
	}},
	{collective.KindBroadcast, "broadcast", ofBuffer, []ncclName{{"ring", []collective.Algorithm{collective.Pipeline}}}},
	{collective.KindReduce, "reduce", ofBuffer, []ncclName{{"ring", []collective.Algorithm{collective.Pipeline}}}},
}

// find returns NCCL's name of an algorithm, if it has it.
func (c *ncclCollective) find(a collective.Algorithm) (string, bool) {
	name := partsOf(c.kind, a).name
	for _, n := range c.algorithms {
		if slices.Contains(n.is, name) {
			return n.name, true
		}
	}
	return "", false
}

const ncclHeader = "# collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks,numPipeOps,regBuff\n"

// writeNCCL writes the configuration of the example of a tuner. It compares numbers of ranks for
// equality, so there are rows for the numbers of the bands alone.
func writeNCCL(w *writer, all []Decisions) {
	w.printf(ncclHeader)
	for i := range all {
		d := &all[i]
		at := slices.IndexFunc(inNCCL, func(c ncclCollective) bool { return c.kind == d.Kind })
		if at < 0 {
			w.note("NCCL has no choice of algorithms for %s", d.Kind)
			continue
		}
		c := &inNCCL[at]
		for _, b := range d.Bands {
			list := choices(b, firstOf(c.find), w.missing("NCCL", d.Kind))
			factor := c.size.factor(b.Ranks)
			for j, one := range list {
				high := uint64(math.MaxUint64)
				if j+1 < len(list) {
					high = uint64(list[j+1].from*factor) - 1
				}
				w.printf("%s,%d,%d,%s,simple,-1,-1,%d,-1,-1\n", c.name, one.from*factor, high, one.is, b.Ranks)
			}
		}
	}
	w.note("NCCL: rows are for the numbers of ranks that were tried, and for the protocol simple, because its protocols are not simulated")
}

// readNCCL reads the configuration of the example of a tuner.
func readNCCL(r *reader) error {
	row := 0
	for text := range strings.Lines(r.source.Text) {
		row++
		line := strings.TrimSpace(text)
		if line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "collective_type,") {
			continue
		}
		if err := r.nccl(row, text, strings.Split(line, ",")); err != nil {
			return err
		}
	}
	return nil
}

// nccl reads a row.
func (r *reader) nccl(row int, text string, fields []string) error {
	wrong := func(found, expected string) error { return problem(r.source, row, text, found, expected) }
	if len(fields) < 8 || len(fields) > 10 {
		return wrong(fmt.Sprintf("%d fields", len(fields)), "8 to 10: "+strings.TrimSpace(ncclHeader[2:]))
	}
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	at := slices.IndexFunc(inNCCL, func(c ncclCollective) bool { return c.name == fields[0] })
	if at < 0 {
		return wrong(fields[0], "broadcast, reduce, allgather, reducescatter or allreduce")
	}
	var sizes [2]uint64
	for i := range sizes {
		var err error
		if sizes[i], err = strconv.ParseUint(fields[1+i], 10, 64); err != nil {
			return wrong(fields[1+i], "a number of bytes")
		}
	}
	var numbers [4]int // nNodes, nRanks, numPipeOps, regBuff
	for i := range numbers {
		numbers[i] = -1
		if 6+i < len(fields) {
			n, err := strconv.Atoi(fields[6+i])
			if err != nil || n < -1 {
				return wrong(fields[6+i], "a number, or -1 for any")
			}
			numbers[i] = n
		}
	}
	c := &inNCCL[at]
	if sizes[1] < sizes[0] || sizes[0] > math.MaxInt64 {
		return nil // for no size
	}
	nodes, ranks := numbers[0], numbers[1]
	if nodes >= 0 && ranks >= 0 && nodes != ranks {
		r.note("rows of NCCL for several ranks of a node are not used")
		return nil
	}
	if nodes >= 0 {
		r.note("NCCL's number of nodes is taken for the number of ranks")
		ranks = nodes
	}
	a, err := c.algorithm(r, fields[3])
	if err != nil {
		return wrong(fields[3], err.Error())
	}
	if a == "" {
		return nil
	}
	s := span{low: int64(sizes[0])}
	if sizes[1] < math.MaxInt64 {
		s.high = int64(sizes[1]) + 1
	}
	words := s.words(c.size.word())
	if ranks >= 0 {
		words = append([]string{fmt.Sprintf("ranks=%d", ranks)}, words...)
	}
	if fields[4] != "simple" {
		r.note("NCCL's protocols are not simulated")
	}
	r.add(c.kind, a, words...)
	return nil
}

// ncclNames are the algorithms that NCCL has for any collective.
var ncclNames = []string{"tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"}

// algorithm returns the algorithm of a name; "" if there is none here.
func (c *ncclCollective) algorithm(r *reader, name string) (collective.Algorithm, error) {
	for _, n := range c.algorithms {
		if n.name == name {
			return n.is[0], nil
		}
	}
	if !slices.Contains(ncclNames, name) {
		return "", fmt.Errorf("one of %s", strings.Join(ncclNames, ", "))
	}
	r.note("%s %s of NCCL has no counterpart here: its rows are not used", c.name, name)
	return "", nil
}
