package data

import (
	"slices"

	"fabricast/internal/causes"
	"fabricast/internal/why"
)

// mostSegments is the largest number of segments of a critical path in a report.
const mostSegments = 20_000

// pathPart is a segment of the path in a report: one of the path, or neighbours together.
type pathPart struct {
	why.Segment     // if several, the longest of them; its Begin, End and Time are those of all
	together    int // number of segments of the path
	longest     int64
}

// merged returns the segments of a path, at most `most`: beyond it, it puts the shortest neighbours
// together. The times still sum to that of the path.
func merged(path []why.Segment, most int) []pathPart {
	list := make([]pathPart, len(path))
	for i, s := range path {
		list[i] = pathPart{Segment: s, together: 1, longest: s.Time}
	}
	for len(list) > most {
		pairs := make([]int64, len(list)-1)
		for i := range pairs {
			pairs[i] = list[i].Time + list[i+1].Time
		}
		slices.Sort(pairs)
		list = joinShort(list, pairs[len(list)-most-1], len(list)-most)
	}
	return list
}

// joinShort joins neighbours that together take at most `longest` ps, at most `many` pairs of them.
func joinShort(list []pathPart, longest int64, many int) []pathPart {
	out := list[:0]
	for i := 0; i < len(list); i++ {
		s := list[i]
		if many > 0 && i+1 < len(list) && s.Time+list[i+1].Time <= longest {
			s = s.and(&list[i+1])
			many--
			i++
		}
		out = append(out, s)
	}
	return out
}

// and returns two neighbours together.
func (s *pathPart) and(next *pathPart) pathPart {
	both := *s
	if next.longest > s.longest {
		both = *next
	}
	both.Begin, both.End = s.Begin, next.End
	both.Time, both.together = both.End-both.Begin, s.together+next.together
	both.Message = nil
	both.Parts = sumOf(s.Parts, next.Parts)
	return both
}

func sumOf(a, b *why.Parts) *why.Parts {
	if a == nil {
		return b
	} else if b == nil {
		return a
	}
	sum := causes.Parts(*a)
	other := causes.Parts(*b)
	sum.Add(&other)
	parts := why.Parts(sum)
	return &parts
}

// waits returns the part of a segment's time in which its messages wait for others.
func (s *pathPart) waits() (sum int64) {
	if s.Parts == nil {
		return 0
	}
	for part, time := range s.Parts {
		if causes.Part(part).Waits() {
			sum += time
		}
	}
	return sum
}

// pathTable returns the table of segments.
func pathTable(list []pathPart) *frame {
	n := len(list)
	f := &frame{rows: n}
	ints := func(name string, of func(s *pathPart) int64) {
		values := make([]int64, n)
		for i := range list {
			values[i] = of(&list[i])
		}
		f.addInts(name, values)
	}
	about := func(of func(m *why.Message) int64) func(s *pathPart) int64 {
		return func(s *pathPart) int64 {
			if s.Message == nil {
				return -1
			}
			return of(s.Message)
		}
	}
	ints("rank", func(s *pathPart) int64 { return int64(s.Rank) })
	ints("begin_ps", func(s *pathPart) int64 { return s.Begin })
	ints("end_ps", func(s *pathPart) int64 { return s.End })
	ints("segments", func(s *pathPart) int64 { return int64(s.together) })
	ints("waits_ps", (*pathPart).waits)
	ints("source", about(func(m *why.Message) int64 { return int64(m.Source) }))
	ints("destination", about(func(m *why.Message) int64 { return int64(m.Destination) }))
	ints("payload_bytes", about(func(m *why.Message) int64 { return m.Bytes }))
	ints("send_ps", about(func(m *why.Message) int64 { return m.Send }))
	ints("tag", about(func(m *why.Message) int64 { return int64(m.Tag) }))
	ints("message", about(func(m *why.Message) int64 { return m.Number }))
	cause, collective := &column{name: "cause", codes: []int32{}}, &column{name: "collective", codes: []int32{}}
	of, in := map[string]int32{}, map[string]int32{}
	for i := range list {
		cause.word(string(list[i].Cause), of)
		name := ""
		if m := list[i].Message; m != nil {
			name = m.Collective
		}
		collective.word(name, in)
	}
	f.add(cause)
	f.add(collective)
	return f
}

// partsTable returns the table of the parts of segments, in the order in which a message meets them.
func partsTable(list []pathPart) *frame {
	segment, time := []int64{}, []int64{}
	part, codes := &column{name: "part", codes: []int32{}}, map[string]int32{}
	for i := range list {
		if list[i].Parts == nil {
			continue
		}
		for p, ps := range list[i].Parts {
			if ps > 0 {
				segment, time = append(segment, int64(i)), append(time, ps)
				part.word(causes.Part(p).String(), codes)
			}
		}
	}
	if len(segment) == 0 {
		return nil
	}
	f := &frame{}
	f.addInts("segment", segment)
	f.addInts("part_ps", time)
	f.add(part)
	return f
}
