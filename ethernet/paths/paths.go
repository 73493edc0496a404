// Package paths has the ways in which a sender chooses paths: it writes an entropy value into each
// packet, and switches with several ports toward the destination choose one by a hash of it
// (equal-cost multipath). Each is in its own file, which registers it.
package paths

// Chooser chooses the entropy values of a flow's packets. It is immutable; the state of a flow is
// in words that begin as zeros.
type Chooser interface {
	// Words returns the number of words of state of a flow.
	Words() int
	// Start prepares the state of a flow. The seed differs from flow to flow.
	Start(s []uint64, seed uint64)
	// Next returns the entropy value of the packet that leaves at the time now (ps).
	Next(s []uint64, now int64) uint16
	// Acked, Cut and Expired record what became of a packet with this entropy value: it has
	// arrived, perhaps marked; it was cut or is missing; its timer has expired.
	Acked(s []uint64, entropy uint16, marked bool, now int64)
	Cut(s []uint64, entropy uint16, now int64)
	Expired(s []uint64, entropy uint16, now int64)
}
