package traffic

// Expected are the times (ps) at which sources were expected to end: before the first batch, and
// after each.
func (s *Simulation) Expected() []int64 { return s.expectations }

// Batch is the length of a batch (ps).
func (s *Simulation) Batch() int64 { return s.batch }

// Ended is the time (ps) at which sources have ended.
func (s *Simulation) Ended() int64 { return s.now }
