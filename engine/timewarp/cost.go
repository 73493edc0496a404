package timewarp

// Cost is what a run of parts has cost. A window is one of one part.
type Cost struct {
	Committed         uint64 `json:"committed_windows"`
	RolledBack        uint64 `json:"rolled_back_windows"`
	CommittedPackets  uint64 `json:"committed_packet_hops"`
	RolledBackPackets uint64 `json:"rolled_back_packet_hops"`
	// 1 - rolled back / committed windows, as of events in TraceR and ROSS; it may be negative
	Efficiency float64 `json:"event_efficiency"`

	Rollbacks  uint64 `json:"rollbacks"`  // of one part each
	Stragglers uint64 `json:"stragglers"` // what came for a window that had been executed
	Cancelled  uint64 `json:"cancelled"`  // what was taken back of what parts had sent
	// what came out of repeated windows as before, and was not sent again
	Confirmed uint64 `json:"confirmed"`
	// windows repeated to get from a saved state to a later one
	Coasted uint64 `json:"coasted_windows"`

	Rounds uint64 `json:"rounds"` // of a batch each
	// rounds in which no window could come too late, so that no state was saved
	Cautious  uint64 `json:"cautious_rounds"`
	GVTRounds uint64 `json:"gvt_rounds"` // collections of what lies before GVT
	// of a process with the others
	Synchronizations uint64 `json:"synchronizations"`
	Saves            uint64 `json:"saves"`
	SavedBytes       uint64 `json:"saved_bytes"` // copied by saves
	// held by saved states at once, at most; of several parts the sum
	SaveMemory int64 `json:"save_memory_bytes"`
}

// Then adds the cost of a later run of the same parts.
func (c *Cost) Then(later *Cost) {
	before := *c
	c.Add(later)
	c.Rounds, c.Cautious = before.Rounds+later.Rounds, before.Cautious+later.Cautious
	c.GVTRounds = before.GVTRounds + later.GVTRounds
	c.Synchronizations = before.Synchronizations + later.Synchronizations
	c.SaveMemory = max(before.SaveMemory, later.SaveMemory)
}

// Add adds the cost of other parts, which took part in the same rounds.
func (c *Cost) Add(o *Cost) {
	c.Committed += o.Committed
	c.RolledBack += o.RolledBack
	c.CommittedPackets += o.CommittedPackets
	c.RolledBackPackets += o.RolledBackPackets
	c.Efficiency = 1
	if c.Committed > 0 {
		c.Efficiency = 1 - float64(c.RolledBack)/float64(c.Committed)
	}
	c.Rollbacks += o.Rollbacks
	c.Stragglers += o.Stragglers
	c.Cancelled += o.Cancelled
	c.Confirmed += o.Confirmed
	c.Coasted += o.Coasted
	c.Saves += o.Saves
	c.SavedBytes += o.SavedBytes
	c.SaveMemory += o.SaveMemory
	c.Rounds = max(c.Rounds, o.Rounds)
	c.Cautious = max(c.Cautious, o.Cautious)
	c.GVTRounds = max(c.GVTRounds, o.GVTRounds)
	c.Synchronizations = max(c.Synchronizations, o.Synchronizations)
}
