package convert

import (
	"sort"

	"fabricast/trace"
)

// ofAnySize is the minimum size, in bytes, that marks a receive of unknown size. Recordings of
// programs and time-independent traces may lack the sizes of receives.
const ofAnySize = 1 << 40

// sentSizes holds the sizes of the sends of a trace, by channel and index in the channel. It reads
// the sends of all ranks when it is first used.
type sentSizes struct {
	trace trace.Source
	kept  *kept
	sizes map[channel][]sizes
}

// sizes describes consecutive messages of equal size in a channel.
type sizes struct {
	until int64 // index of the first message after them
	size  int64 // bytes
}

func newSentSizes(t trace.Source, k *kept) *sentSizes { return &sentSizes{trace: t, kept: k} }

// of returns the size of the n-th message, from 0, of channel c; false if there is none.
func (s *sentSizes) of(c channel, n int64) (size int64, known bool) {
	if s.sizes == nil {
		s.read()
	}
	list := s.sizes[c]
	i := sort.Search(len(list), func(i int) bool { return list[i].until > n })
	if i == len(list) {
		return 0, false
	}
	return list[i].size, true
}

// read reads the sends of all ranks. It skips the rest of a rank that cannot be read, because the
// caller will encounter the error, too.
func (s *sentSizes) read() {
	s.sizes = map[channel][]sizes{}
	dropped := s.kept.dropped
	defer func() { s.kept.dropped = dropped }() // they are counted when the records are written
	for rank := range s.trace.Ranks() {
		add := func(m *trace.Message) {
			c := channelOf(int32(rank), m)
			list := s.sizes[c]
			last := len(list) - 1
			if last >= 0 && list[last].size == m.Size {
				list[last].until++
				return
			}
			n := int64(0)
			if last >= 0 {
				n = list[last].until
			}
			s.sizes[c] = append(list, sizes{n + 1, m.Size})
		}
		if s.kept.each(rank, func(r *trace.Record) error {
			switch {
			case (r.Kind == trace.Send || r.Kind == trace.Start) && !r.Message.Receive, r.Kind == trace.Exchange:
				add(&r.Message)
			}
			return nil
		}) != nil {
			return
		}
	}
}
