package histogram

import "fabricast/internal/snapshot"

// State goes over what has been counted.
func (h *Histogram) State(v *snapshot.Visitor) {
	snapshot.Value(v, &h.count)
	snapshot.Value(v, &h.sum)
	snapshot.Value(v, &h.largest)
	snapshot.Value(v, &h.first)
	snapshot.List(v, &h.buckets)
}

// State goes over what has been counted of all classes.
func (l *Latencies) State(v *snapshot.Visitor) {
	StateOf(v, &l.BySize)
	StateOf(v, &l.ByDistance)
}

// StateOf goes over a list of histograms, of which entries may be nil.
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
