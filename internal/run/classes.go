package run

import (
	"slices"

	"fabricast/ethernet"
	"fabricast/experiment"
	"fabricast/internal/histogram"
	"fabricast/internal/units"
	"fabricast/node"
)

// ClassResult holds the results of a class of messages.
type ClassResult struct {
	Class        int     `json:"class"`
	Name         string  `json:"name,omitempty"` // that routers give to the class
	Messages     int64   `json:"messages"`
	PayloadBytes int64   `json:"payload_bytes"`
	Share        float64 `json:"share"`       // fraction of the payload of all classes
	Throughput   float64 `json:"bytes_per_s"` // payload over the simulated time
	Latency      Latency `json:"latency_ps"`
	// Congestion counts what became of packets, if routers have classes; otherwise nil.
	Congestion *ethernet.ClassCounts `json:"congestion,omitempty"`
}

// classesOf returns the results by class; nil if messages have no classes. counts are those of
// routers with classes.
func classesOf(s *node.Stats, end units.Time, r *experiment.Router, counts []ethernet.ClassCounts) (list []ClassResult) {
	var all int64
	for _, bytes := range s.ClassBytes {
		all += bytes
	}
	for class, bytes := range s.ClassBytes {
		h := s.ByClass[class]
		if h == nil {
			continue
		}
		one := ClassResult{
			Class: class, Name: r.NameOfClass(class), Messages: h.Count(), PayloadBytes: bytes,
			Share:      float64(bytes) / float64(max(all, 1)),
			Throughput: float64(bytes) * float64(units.Second) / float64(max(end, 1)), Latency: latencyOf(h),
		}
		if class < len(counts) {
			one.Congestion = &counts[class]
		}
		list = append(list, one)
	}
	return list
}

// eachStats returns the statistics of each job. If some job has classes, all have: messages of the
// others are of class 0.
func (j *jobs) eachStats() []*node.Stats {
	list := make([]*node.Stats, len(j.list))
	for i, one := range j.list {
		list[i] = one.stats()
	}
	if slices.ContainsFunc(list, classed) {
		for _, s := range list {
			if !classed(s) {
				oneClass(s, 0)
			}
		}
	}
	return list
}

func classed(s *node.Stats) bool { return s.ClassBytes != nil }

// oneClass counts all messages of a job as those of a class.
func oneClass(s *node.Stats, class int) {
	if s.Messages > 0 {
		histogram.AddTo(&s.ByClass, class, &s.Latency)
		s.AddClassBytes(append(make([]int64, class), int64(s.Bytes)))
	}
}
