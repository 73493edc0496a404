package traffic

// Expected returns the times (ps) at which sources were expected to stop: as estimated before the
// first batch and after each batch.
func (s *Simulation) Expected() []int64 { return s.expectations }

// Batch returns the length of a batch (ps).
func (s *Simulation) Batch() int64 { return s.batch }

// Ended returns the time (ps) at which sources stopped.
func (s *Simulation) Ended() int64 { return s.now }
