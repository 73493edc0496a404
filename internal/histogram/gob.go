package histogram

import (
	"bytes"
	"encoding/gob"
)

// wire is the form in which a Histogram is sent to other processes.
type wire struct {
	Count   int64
	Sum     [2]uint64
	Largest int64
	First   int
	Buckets []int64
}

// GobEncode implements gob.GobEncoder.
func (h Histogram) GobEncode() ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(wire{h.count, h.sum, h.largest, h.first, h.buckets})
	return b.Bytes(), err
}

// GobDecode implements gob.GobDecoder.
func (h *Histogram) GobDecode(data []byte) error {
	var w wire
	err := gob.NewDecoder(bytes.NewReader(data)).Decode(&w)
	*h = Histogram{w.Count, w.Sum, w.Largest, w.First, w.Buckets}
	return err
}

// Parts holds the distributions of Latencies, other than those that are nil, by index, in a form
// that can be sent to other processes.
type Parts struct{ BySize, ByDistance, ByClass map[int]Histogram }

// Parts returns the distributions in a form that can be sent to another process.
func (l *Latencies) Parts() Parts {
	return Parts{partsOf(l.BySize), partsOf(l.ByDistance), partsOf(l.ByClass)}
}

func partsOf(list []*Histogram) map[int]Histogram {
	parts := make(map[int]Histogram)
	for i, h := range list {
		if h != nil {
			parts[i] = *h
		}
	}
	return parts
}

// AddParts adds the counts of another process.
func (l *Latencies) AddParts(p Parts) {
	for i, h := range p.BySize {
		AddTo(&l.BySize, i, &h)
	}
	for i, h := range p.ByDistance {
		AddTo(&l.ByDistance, i, &h)
	}
	for i, h := range p.ByClass {
		AddTo(&l.ByClass, i, &h)
	}
}
