package histogram

import "fabricast/internal/snapshot"

// State visits the counts.
func (h *Histogram) State(v *snapshot.Visitor) {
	snapshot.Value(v, &h.count)
	snapshot.Value(v, &h.sum)
	snapshot.Value(v, &h.largest)
	snapshot.Value(v, &h.first)
	snapshot.List(v, &h.buckets)
}

// State visits the counts of all classes.
func (l *Latencies) State(v *snapshot.Visitor) {
	StateOf(v, &l.BySize)
	StateOf(v, &l.ByDistance)
	StateOf(v, &l.ByClass)
}

// StateOf visits a list of histograms, whose entries may be nil.
func StateOf(v *snapshot.Visitor, list *[]*Histogram) {
	n := v.Length(len(*list))
	for len(*list) < n {
		*list = append(*list, nil)
	}
	*list = (*list)[:n]
	for i := range *list {
		h := &(*list)[i]
		if !v.Flag(*h != nil) {
			*h = nil
			continue
		}
		if *h == nil {
			*h = &Histogram{}
		}
		(*h).State(v)
	}
}
